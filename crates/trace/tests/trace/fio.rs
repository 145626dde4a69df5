//! Job files of fio: what they become, what they generate, and how their mistakes are told.

use wordline_base::request::{HostOp, HostRequest};
use wordline_config::host::Arrivals;
use wordline_trace::config::SourceConfig;
use wordline_trace::fio::{Access, Given, Imported};
use wordline_trace::{FlowConfig, OpenContext, WorkloadConfig, open_flows};

use crate::support::drain;

pub const DRIVE: u64 = 1 << 30;

pub fn import(name: &str, text: &str) -> Result<Imported, String> {
    wordline_trace::fio::import(name, text, &Given::default())
}

pub fn jobs(text: &str) -> WorkloadConfig {
    let workload = import("test.fio", text).unwrap_or_else(|error| panic!("{text}: {error}")).workload;
    workload.validate().unwrap();
    workload
}

pub fn refused(text: &str, parts: &[&str]) {
    let Err(error) = import("test.fio", text) else { panic!("{text}: not refused") };
    assert!(parts.iter().all(|part| error.contains(part)), "{text}: {error}");
}

pub fn load(flow: &FlowConfig) -> &wordline_trace::fio::FioConfig {
    match &flow.source {
        SourceConfig::Fio(job) => &job.fio,
        other => panic!("{other:?}"),
    }
}

pub fn requests(text: &str) -> Vec<Vec<HostRequest>> {
    let workload = jobs(text);
    let context = OpenContext { drive_bytes: DRIVE, seed: 1, base_dir: std::path::Path::new("") };
    let flows = open_flows(&workload, &context).unwrap();
    flows.into_iter().map(|mut flow| drain(&mut *flow.opened.source).unwrap()).collect()
}

#[test]
fn each_job_and_each_copy_is_a_flow_with_its_own_file() {
    let workload = jobs(
        "[global]\nrw=randread\nbs=4k\nsize=1m\n\n# a comment\n[a]\niodepth=8\nioengine=libaio\n[b]\nnumjobs=2\nrw=write\nbs=64k ; large\n[c]\nfilename=shared\n[d]\nfilename=shared",
    );
    let found: Vec<_> = workload
        .flow
        .iter()
        .map(|flow| (flow.name.as_str(), flow.queue_depth, flow.range.start_bytes.unwrap() >> 20))
        .collect();
    let expected =
        [("a", Some(8), 0), ("b.0", Some(1), 1), ("b.1", Some(1), 2), ("c", Some(1), 3), ("d", Some(1), 3)];
    assert_eq!(found, expected);
    assert!(workload.flow.iter().all(|flow| flow.arrivals == Some(Arrivals::Closed)));
}

#[test]
fn a_random_job_covers_its_file_once_unless_places_may_come_again() {
    let all = &requests("[a]\nrw=randread\nbs=4k\nsize=1m")[0];
    assert_eq!(all.len(), 256);
    let mut offsets: Vec<u64> = all.iter().map(|request| request.offset / 4096).collect();
    offsets.sort_unstable();
    assert_eq!(offsets, (0..256).collect::<Vec<_>>());
    let again = &requests("[a]\nrw=randread\nbs=4k\nsize=1m\nnorandommap\nloops=4")[0];
    let mut offsets: Vec<u64> = again.iter().map(|request| request.offset / 4096).collect();
    offsets.sort_unstable();
    offsets.dedup();
    assert!(again.len() == 1024 && (230..256).contains(&offsets.len()), "{}", offsets.len());
}

#[test]
fn a_sequential_job_goes_from_its_offset_to_its_end_and_again() {
    let all = &requests("[a]\nrw=write\nbs=64k\nsize=256k\noffset=1m\nio_size=384k\nfsync=3")[0];
    let expected: Vec<(HostOp, u64)> = [0, 1, 2, 9, 3, 0, 1, 9]
        .iter()
        .map(|place| if *place == 9 { (HostOp::Flush, 0) } else { (HostOp::Write, (16 + place) * 65_536) })
        .collect();
    let found: Vec<(HostOp, u64)> = all.iter().map(|request| (request.op, request.offset)).collect();
    assert_eq!(found, expected);
}

#[test]
fn flushes_of_two_numbers_come_each_behind_its_own_and_once_where_they_meet() {
    let flushes = |text: &str| -> Vec<usize> {
        let all = &requests(&format!("[a]\nrw=write\nbs=64k\nsize=768k\n{text}"))[0];
        let mut writes = 0;
        let count = |request: &HostRequest| {
            writes += usize::from(request.op == HostOp::Write);
            (request.op == HostOp::Flush).then_some(writes)
        };
        all.iter().filter_map(count).collect()
    };
    assert_eq!(flushes("fsync=4\nfdatasync=6"), [4, 6, 8, 12]);
    assert_eq!(flushes("fdatasync=6\nfsync=4"), [4, 6, 8, 12]);
    assert_eq!(flushes("fsync=0\nfdatasync=5"), [5, 10]);
    assert_eq!(flushes("fsync=5"), [5, 10]);
}

#[test]
fn mixes_sizes_and_shares_are_as_asked() {
    let all = &requests(
        "[a]\nrw=randrw\nrwmixread=70\nbssplit=4k/60:16k/40,8k\nfilename=/dev/nvme0n1\nsize=50%\nnumber_ios=20000\nio_size=100g\npercentage_random=50,100",
    )[0];
    assert_eq!(all.len(), 20_000);
    let reads: Vec<_> = all.iter().filter(|request| request.op == HostOp::Read).collect();
    assert!((13_700..14_300).contains(&reads.len()), "{}", reads.len());
    let small = reads.iter().filter(|request| request.length == 4096).count() as f64 / reads.len() as f64;
    assert!((small - 0.6).abs() < 0.02, "{small}");
    assert!(all.iter().all(|request| request.offset + request.length <= DRIVE / 2));
    let sequential =
        reads.windows(2).filter(|pair| pair[0].offset + pair[0].length == pair[1].offset).count();
    let share = sequential as f64 / reads.len() as f64;
    assert!((share - 0.5).abs() < 0.03, "{share}");
    assert!(all.iter().all(|request| request.op == HostOp::Read || request.length == 8192));
}

#[test]
fn of_two_shares_the_last_holds_and_a_job_s_own_before_that_of_all() {
    for (text, expected) in [
        ("[a]\nrwmixread=70", 0.7),
        ("[a]\nrwmixwrite=70", 0.3),
        ("[a]\nrwmixread=80\nrwmixwrite=70", 0.3),
        ("[a]\nrwmixwrite=70\nrwmixread=80", 0.8),
        ("[a]\nrwmixread=80\nrwmixwrite=70\nrwmixread=60", 0.6),
        ("[global]\nrwmixread=80\n[a]\nrwmixwrite=70", 0.3),
        ("[global]\nrwmixwrite=80\n[a]\nrwmixread=70", 0.7),
    ] {
        let found = load(&jobs(&format!("{text}\nrw=randrw\nsize=1m")).flow[0]).read_share;
        assert!((found - expected).abs() < 1e-9, "{text}: {found}");
    }
}

#[test]
fn trimwrite_writes_what_it_trimmed() {
    let all = &requests("[a]\nrw=randtrimwrite\nbs=16k\nsize=256k\nio_size=256k")[0];
    // The size, and a number, are those of the writes: as many trims come beside them.
    assert_eq!(all.len(), 32);
    assert_eq!(requests("[a]\nrw=randtrimwrite\nsize=1m\nnumber_ios=100")[0].len(), 200);
    for pair in all.chunks(2) {
        assert_eq!((pair[0].op, pair[1].op, pair[0].offset), (HostOp::Trim, HostOp::Write, pair[1].offset));
    }
    assert!(requests("[a]\nrw=randtrim\nsize=64k")[0].iter().all(|request| request.op == HostOp::Trim));
}

#[test]
fn a_rate_makes_an_open_loop_that_keeps_its_queue_depth() {
    let text = "[a]\nrw=randrw\nbs=4k\nsize=4m\nrate_iops=3000,1000\niodepth=4\nioengine=libaio";
    let workload = jobs(text);
    assert_eq!(
        (workload.flow[0].arrivals, workload.flow[0].max_outstanding),
        (Some(Arrivals::Open), Some(4))
    );
    let all = &requests(text)[0];
    assert!(all.windows(2).all(|pair| pair[0].time <= pair[1].time));
    let reads = all.iter().filter(|request| request.op == HostOp::Read).count();
    assert!((766..=770).contains(&reads), "{reads}");
    let bytes = jobs("[a]\nrw=read\nbs=8k\nsize=4m\nrate=80k");
    assert_eq!(load(&bytes.flow[0]).read.as_ref().unwrap().iops, Some(10.0));
}

#[test]
fn a_number_of_requests_counts_the_smallest_length_of_a_range() {
    let rate = |text: &str| {
        let workload = jobs(&format!("[a]\nrw=read\nsize=4m\n{text}"));
        load(&workload.flow[0]).read.as_ref().unwrap().iops.unwrap()
    };
    for (text, expected) in [
        ("bs=8k\nrate_iops=1000", 1000.0),
        // 4 KiB a thousand times a second, in requests of 10 KiB on the average.
        ("bsrange=4k-16k\nrate_iops=1000", 400.0),
        ("bsrange=4k-16k\nrate=4000k", 400.0),
        ("bssplit=4k/50:12k/50\nrate_iops=1000", 1000.0),
    ] {
        assert!((rate(text) - expected).abs() < 1e-9, "{text}: {}", rate(text));
    }
}

#[test]
fn a_rate_makes_no_requests_of_a_direction_without_a_share() {
    for (mix, other) in [("rwmixread=100", HostOp::Write), ("rwmixread=0", HostOp::Read)] {
        for rate in ["rate_iops=1000", "rate=4m,1m", "thinktime=1"] {
            let all = &requests(&format!("[a]\nrw=randrw\nsize=1m\n{mix}\n{rate}"))[0];
            assert_eq!(all.len(), 256, "{mix} {rate}");
            assert!(all.iter().all(|request| request.op != other), "{mix} {rate}");
        }
    }
    assert!(
        requests("[a]\nrw=randrw\nsize=1m\nrwmixread=100\nrate_iops=1000,0")[0].len() == 256,
        "a rate of the only direction"
    );
}

#[test]
fn a_job_says_nothing_that_has_no_effect() {
    for text in [
        "[a]\nrw=read\nsize=1m\nrate_iops=100\niodepth=4\nioengine=libaio",
        "[a]\nrw=read\nsize=1m\niodepth=4\nioengine=libaio",
        "[a]\nrw=read\nsize=1m\nthinktime=50\n[b]\nrw=randrw\nsize=1m\nrate=1m,1m",
        "[a]\nread_iolog=log\nioengine=libaio\niodepth=4",
        "[a]\nread_iolog=log\nreplay_no_stall=1",
    ] {
        let mut of_flows = jobs(text).without_effect();
        of_flows.retain(|(key, _)| key.starts_with("flow["));
        assert_eq!(of_flows, [], "{text}");
    }
}

#[test]
fn times_are_told_to_the_host() {
    let workload = jobs("[a]\nrw=randread\nsize=1m\nruntime=2m\ntime_based\nthinktime=50\nramp_time=3s");
    let flow = &workload.flow[0];
    // The warm-up comes on top of the time that is measured.
    assert_eq!((flow.stop_ns, flow.think_time_ns), (Some(123_000_000_000), Some(50_000)));
    assert_eq!(
        (workload.window.warmup_ns, load(flow).io_bytes, load(flow).loops),
        (3_000_000_000, None, None)
    );
}

#[test]
fn distributions_are_read() {
    for (text, expected) in [
        ("zipf:1.2", Access::Zipf(1.2)),
        ("zipf", Access::Zipf(1.1)),
        ("pareto:0.3", Access::Pareto(0.3)),
        ("normal:10", Access::Normal(10.0)),
        ("random", Access::Random),
    ] {
        let workload = jobs(&format!("[a]\nrw=randread\nsize=1m\nrandom_distribution={text}"));
        assert_eq!(load(&workload.flow[0]).read.as_ref().unwrap().access, expected, "{text}");
    }
    let workload =
        jobs("[a]\nrw=randrw\nsize=1m\nrandom_distribution=zoned:60/10:40/90,zoned_abs:90/64k:10/512k");
    let zones = |access: &Access| match access {
        Access::Zoned(zones) => zones.iter().map(|zone| (zone.access, zone.space, zone.bytes)).collect(),
        _ => Vec::new(),
    };
    let job = load(&workload.flow[0]);
    assert_eq!(
        zones(&job.read.as_ref().unwrap().access),
        [(60.0, Some(10.0), None), (40.0, Some(90.0), None)]
    );
    assert_eq!(zones(&job.write.as_ref().unwrap().access)[0], (90.0, None, Some(65_536)));
}

#[test]
fn what_is_not_modelled_names_line_and_key() {
    for (setting, part) in [
        ("startdelay=5-9", "startdelay=5-9"),
        ("zonemode=rows", "zonemode=rows"),
        ("zonemode=zbd\nzonesize=64k\nzonecapacity=128k", "zonecapacity=128k"),
        ("zonemode=zbd\nzonesize=64k\noffset=4k", "whole zones"),
        ("zonemode=zbd\nzonesize=64k\noffset=1.5z", "offset=1.5z"),
        ("zonemode=zbd\nzonesize=64k\nzoneskip=4k", "zoneskip=4k"),
        ("zonemode=zbd\nzonesize=64k\nrw=trimwrite", "rw=trimwrite"),
        ("latency_target=5q", "latency_target=5q"),
        ("latency_target=500\nrate_iops=10", "job job: latency_target: allowed: in a job without a rate"),
        ("ioengine=net\nrw=read", "ioengine=net"),
        ("ioengine=mine", "ioengine=mine"),
        ("write_mode=zeroes", "write_mode=zeroes"),
        ("read_iolog=a:b", "read_iolog=a:b"),
        ("rate=1m\nrate_iops=100", "job job: rate beside rate_iops"),
        ("read_iolog=log\nrate_iops=10", "job job: rate, rate_iops"),
        ("read_iolog=log\nthinktime=50ms", "job job: thinktime"),
        ("read_iolog=log\nnumber_ios=5", "job job: number_ios"),
        ("read_iolog=log\nloops=2", "job job: loops"),
        ("read_iolog=log\nfsync=8", "job job: fsync"),
        ("wait_for=later", "wait_for=later"),
        ("random_distribution=zipf:1.2:0.25", "centre"),
        ("ioengine=libaio\niodepth=8\niodepth_low=4\nrate_iops=100", "job job: iodepth_batch_complete"),
        ("write_mode=write/50:verify/50", "write_mode=write/50:verify/50"),
        ("sg_write_mode=write_same", "sg_write_mode=write_same"),
        ("thinktime_blocks=4", "thinktime_blocks=4"),
        ("nosuchkey=1", "nosuchkey=1"),
        ("rw=sideways", "rw=sideways"),
        ("bs=4q", "bs=4q"),
        ("offset=8z", "no zonesize"),
        ("bsrange=8k-4k", "bsrange=8k-4k"),
        ("rwmixread=101", "rwmixread=101"),
        ("iodepth=0", "iodepth=0"),
        ("random_distribution=zeta:1", "zeta:1"),
    ] {
        refused(&format!("[job]\nsize=1m\n{setting}"), &["line ", part, "allowed"]);
    }
    refused("[job]\nsize=1m\nthinktime=5\niodepth=4\nioengine=libaio", &["thinktime"]);
    refused("[job]\nrw=randrw\nsize=1m\nrate_iops=100,0", &["rate"]);
    refused("rw=read\n[job]", &["line 1", "before the first section"]);
    refused("[job]\ninclude other.fio", &["line 2", "include", "folder"]);
    refused("[job]\nrw=read", &["line 1", "size"]);
    refused("# nothing\n[global]\nrw=read", &["no section"]);
    refused("[job\nrw=read", &["line 1", "]"]);
}

#[test]
fn keys_without_effect_are_ignored_with_one_note() {
    let imported = import(
        "x",
        "[global]\nioengine=libaio\ndirect=1\nnew_group\n[a]\nrw=read\nsize=1m\n[b]\nrw=read\nsize=1m",
    )
    .unwrap();
    assert_eq!(imported.notes, ["keys without effect on the load, ignored: new_group"]);
    let sync = import("x", "[a]\nrw=read\nsize=1m\niodepth=32\nioengine=psync").unwrap();
    assert_eq!(sync.workload.flow[0].queue_depth, Some(1));
    assert!(sync.notes.iter().any(|note| note.contains("synchronous")), "{:?}", sync.notes);
}

#[test]
fn a_description_of_a_job_can_be_written_and_read() {
    let workload = jobs("[a]\nrw=randrw\nsize=1m\nbssplit=4k/10:8k\nrandom_distribution=zipf:0.9\nruntime=1");
    let text = wordline_config::to_toml(&workload);
    let again: WorkloadConfig = toml::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(again, workload);
}

/// Offsets and sizes of a job on the drive, in bytes and in percent, and what of the drive they are.
#[test]
fn offsets_and_sizes_on_the_drive_are_in_bytes_or_in_percent_whichever_of_both() {
    const MIB: u64 = 1 << 20;
    // A drive whose percents are no round numbers.
    let drive = 1000 * MIB + 5 * 4096;
    let context = OpenContext { drive_bytes: drive, seed: 1, base_dir: std::path::Path::new("") };
    let at = |share: f64| ((drive as f64 * share) as u64).next_multiple_of(65_536);
    let offsets = [
        ("", 0),
        ("offset=0%", 0),
        ("offset=33%", at(0.33)),
        ("offset=50%", at(0.5)),
        ("offset=100m", 100 * MIB),
    ];
    let sizes = [
        ("", u64::MAX),
        ("size=64m", 64 * MIB),
        ("size=400m", 400 * MIB),
        ("size=25%", drive / 4),
        ("size=100%", drive),
    ];
    for (offset, start) in offsets {
        for (size, bytes) in sizes {
            let text = format!("[a]\nfilename=/dev/nvme0n1\nrw=write\nbs=64k\n{offset}\n{size}");
            let mut flow = open_flows(&jobs(&text), &context).unwrap().remove(0);
            let all = drain(&mut *flow.opened.source).unwrap();
            let end = all.iter().map(|request| request.offset + request.length).max().unwrap();
            let expected = bytes.min(drive - start);
            assert_eq!(all[0].offset, start, "{text}");
            // A size in percent is cut to 64 KiB, and all sizes to whole requests.
            assert!(expected - (end - start) < 3 * 65_536, "{text}: {} of {expected}", end - start);
            // Once over: a size ends a job, in percent too.
            assert!((all.len() as u64).abs_diff(expected / 65_536) <= 3, "{text}: {} requests", all.len());
        }
    }
}

#[test]
fn percents_of_a_file_are_of_its_filesize_and_begin_at_a_block() {
    let all = &requests("[a]\nrw=write\nbs=12k\nfilesize=1000k\nsize=25%\noffset=50%")[0];
    assert_eq!(all[0].offset, (500 * 1024_u64).next_multiple_of(12 * 1024));
    // A share of a file is cut to whole requests.
    assert_eq!(all.len(), 250 / 12);
    refused("[a]\nrw=write\nsize=25%", &["line 1: job a: no size", "a size= or a filesize="]);
}

#[test]
fn what_no_drive_or_this_drive_has_not_is_told_in_the_words_of_the_file() {
    refused(
        "[a]\nrw=randread\nsize=1m\nrandom_distribution=zipf:99",
        &["line 4: `random_distribution=zipf:99`: allowed: 0 to 10"],
    );
    refused("[a]\nsize=1m\nthinktime=2000s", &["line 3: `thinktime=2000s`: allowed: 0 to 1000000000000"]);
    let error = |text: &str| {
        let workload = import("test.fio", text).unwrap().of_file("folder/test.fio").workload;
        let context = OpenContext { drive_bytes: DRIVE, seed: 1, base_dir: std::path::Path::new("") };
        match open_flows(&workload, &context).map(drop) {
            Err(wordline_trace::OpenError::Config(error)) => {
                workload.in_words_of_jobs(error.under("workload")).to_string()
            }
            other => panic!("{text}: {other:?}"),
        }
    };
    let half = DRIVE / 2;
    assert_eq!(
        error("[global]\nfilename=/dev/sda\n[a]\noffset=50%\n[b]\noffset=50%\nsize=600m"),
        format!("folder/test.fio:7: size = 600m: allowed: at most {half}, for the drive has {DRIVE} bytes")
    );
    assert_eq!(
        error("[a]\nsize=700m\n[b]\nsize=400m"),
        format!(
            "folder/test.fio:4: size = 400m: allowed: at most {}, for the drive has {DRIVE} bytes",
            DRIVE - (700 << 20)
        )
    );
    assert_eq!(
        error("[a]\nsize=32k\nbs=64k"),
        "folder/test.fio:3: bs = 64k: allowed: at most 32768, the bytes of the job"
    );
    let past = error("[a]\nsize=1g\n[b]\nsize=4m");
    assert!(
        past.starts_with("folder/test.fio:4: size = 4m: allowed: below the drive's")
            && past.contains("begins at byte"),
        "{past}"
    );
}
