//! Any job: what is read of it generates requests within its drive, and nothing panics.

use proptest::prelude::*;
use wordline_base::request::HostOp;
use wordline_trace::fio::{Given, import};
use wordline_trace::{OpenContext, open_flows};

const DRIVE: u64 = 1 << 26;

/// Keys, and values that fit most of them or none.
const SETTINGS: &[(&str, &[&str])] = &[
    (
        "rw",
        &[
            "read",
            "randwrite",
            "randrw",
            "rw:8k",
            "read:-12k",
            "randread:5",
            "randtrimwrite",
            "write:999p",
            "x",
        ],
    ),
    ("bs", &["4k", "512,8k", ",64k", "1", "3000", "1g", "0"]),
    ("bssplit", &["4k/10:8k/90,512/100", "1k:2k:4k", "4k/101", "4k/1:12k/2"]),
    ("bsrange", &["4k-64k", "3000-9000,512-1k", "1-9"]),
    ("ba", &["4k", "1", "1t", "0"]),
    ("size", &["1m", "64k", "50%", "0", "1p", "1", "100%"]),
    ("filesize", &["256k", "1m", "1"]),
    ("io_size", &["3m", "1", "900p"]),
    ("offset", &["64k", "25%", "99%", "900p"]),
    ("offset_increment", &["128k", "10%", "900p"]),
    ("loops", &["3", "4294967296"]),
    ("number_ios", &["1", "77"]),
    ("nrfiles", &["3", "64"]),
    ("filename", &["/dev/sda", "/dev/shm/x", "f", "f:g", "a\\:b"]),
    ("filename_format", &["x.$filenum", "$jobname", "x"]),
    ("file_service_type", &["random:3", "sequential", "roundrobin:2"]),
    ("zonesize", &["8k", "96k", "1p", "1"]),
    ("zonerange", &["4k", "64k", "1p"]),
    ("zoneskip", &["12k", "1p", "0"]),
    ("zonemode", &["zbd", "strided", "none"]),
    ("zonecapacity", &["4k", "8k"]),
    ("max_open_zones", &["1", "0", "7"]),
    ("read_beyond_wp", &["0", "1"]),
    ("zone_reset_threshold", &["0.5", "1"]),
    ("zone_reset_frequency", &["0.25"]),
    ("verify", &["md5", "0"]),
    ("verify_backlog", &["1", "7"]),
    ("verify_backlog_batch", &["3"]),
    ("verify_only", &["1", "0"]),
    (
        "random_distribution",
        &[
            "zipf",
            "normal:3",
            "normal,normal:100",
            "zoned:50/5:/",
            "zoned_abs:50/1k:50/1p",
            "sequence:9,0,1000000000000",
        ],
    ),
    ("random_sequence_stride", &["1"]),
    ("percentage_random", &["50", "0,100"]),
    ("norandommap", &["1"]),
    ("rate", &["1m", "1", "900p"]),
    ("numjobs", &["3", "1"]),
    ("stonewall", &["1"]),
    ("exitall", &["1"]),
    ("flow", &["2", "1000000"]),
    ("startdelay", &["5", "900000d"]),
    ("runtime", &["1", "900000d"]),
    ("time_based", &["1"]),
    ("fill_device", &["1"]),
    ("fsync", &["3"]),
    ("fdatasync", &["2", "0"]),
    ("rwmixread", &["0", "100", "30"]),
    ("rwmixwrite", &["0", "100"]),
    ("ioengine", &["libaio", "rbd", "null", "cpuio"]),
    ("iodepth", &["4"]),
    ("kb_base", &["1000"]),
];

fn any_setting() -> impl Strategy<Value = String> {
    let some = prop::sample::select(SETTINGS);
    (some, any::<prop::sample::Index>())
        .prop_map(|((key, values), value)| format!("{key}={}\n", value.get(values)))
}

fn any_job() -> impl Strategy<Value = String> {
    prop::collection::vec(any_setting(), 0..9).prop_map(|settings| settings.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn any_job_is_refused_with_its_line_or_stays_on_its_drive(
        global in any_job(),
        jobs in prop::collection::vec(any_job(), 1..4),
    ) {
        let text = jobs.iter().fold(format!("[global]\nsize=2m\n{global}"), |text, job| format!("{text}[job]\n{job}"));
        let imported = match import("x", &text, &Given::default()) {
            Ok(imported) => imported,
            Err(error) => {
                prop_assert!(error.lines().all(|line| !line.is_empty()), "{}", error);
                return Ok(());
            }
        };
        let toml = wordline_config::to_toml(&imported.workload);
        let again: wordline_trace::WorkloadConfig = toml::from_str(&toml).unwrap();
        prop_assert_eq!(&again, &imported.workload);
        let context = OpenContext { drive_bytes: DRIVE, seed: 1, base_dir: std::path::Path::new("") };
        let Ok(flows) = open_flows(&imported.workload, &context) else { return Ok(()) };
        for mut flow in flows.into_iter().take(4) {
            let mut batch = Vec::new();
            for _ in 0..4 {
                flow.opened.source.next_batch(&mut batch).unwrap();
            }
            for request in batch.iter().filter(|request| request.op != HostOp::Flush) {
                prop_assert!(request.length > 0 && request.offset + request.length <= DRIVE, "{}: {:?}", text, request);
            }
        }
    }
}
