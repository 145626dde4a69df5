//! Files of fio's jobs: several of one job, sizes that come from elsewhere, traces in their place.

use wordline_base::request::HostOp;
use wordline_config::host::Arrivals;
use wordline_trace::config::{BlockEvent, SourceConfig};
use wordline_trace::fio::Given;
use wordline_trace::{OpenContext, open_flows};

use crate::fio::{DRIVE, import, jobs, load, refused, requests};
use crate::support::{Folder, drain};

/// Which of the files each request goes to, and where in it, both in blocks of 64 KiB; files begin at multiples of 1 MiB.
fn blocks(text: &str) -> Vec<(u64, u64)> {
    requests(text)[0]
        .iter()
        .map(|request| (request.offset >> 20, (request.offset & 0xf_ffff) >> 16))
        .collect()
}

#[test]
fn a_job_takes_turns_between_its_files() {
    let text = "[a]\nrw=write\nbs=64k\nnrfiles=3\nsize=384k\n";
    assert_eq!(blocks(text), [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]);
    let two = blocks(&format!("{text}file_service_type=roundrobin:2"));
    assert_eq!(two, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]);
    let whole = blocks(&format!("{text}file_service_type=sequential\nloops=2"));
    assert_eq!(whole[..7], [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (0, 0)]);
    assert_eq!(blocks(&format!("{text}openfiles=1\nloops=2")), whole);
    let few = import("x", &format!("{text}openfiles=2")).unwrap();
    assert!(few.notes.iter().any(|note| note.starts_with("job a: openfiles: ")), "{:?}", few.notes);
    refused(&format!("{text}lockfile=exclusive"), &["line 6", "lockfile=exclusive", "allowed: none"]);
    let random = blocks("[a]\nrw=write\nbs=64k\nnrfiles=3\nsize=1152k\nfile_service_type=random:3\nloops=50");
    assert!(random.chunks(3).all(|three| three.iter().all(|one| one.0 == three[0].0)));
    assert!((0..3).all(|file| random.iter().any(|one| one.0 == file)));
    refused(&format!("{text}file_service_type=zipf:1"), &["line 6", "file_service_type=zipf:1"]);
}

#[test]
fn a_number_of_requests_is_that_of_one_loop() {
    let count = |text: &str| requests(&format!("[a]\nrw=write\nbs=64k\nsize=384k\n{text}"))[0].len();
    assert_eq!((count("number_ios=3"), count("number_ios=3\nloops=4"), count("loops=4")), (3, 12, 24));
}

#[test]
fn files_longer_than_any_drive_are_refused_however_many_they_are() {
    let long = "[a]\nrw=read\nnrfiles=64\nsize=1p\noffset_increment=900p\nnumjobs=3\n";
    refused(
        &format!("{long}[a]\nrw=read\nnrfiles=64\nsize=100%"),
        &["files of more than 1152921504606846976 bytes"],
    );
}

#[test]
fn names_between_colons_are_files_that_jobs_may_share() {
    let text = "[a]\nfilename=x:y\nsize=1m\nrw=read\nbs=64k\n[b]\nfilename=y\nsize=512k\nrw=read\nbs=64k\n[c]\nfilename=z\\:1\nsize=64k\nbs=64k";
    let all = requests(text);
    let starts: Vec<u64> = all[0].iter().take(4).map(|request| request.offset).collect();
    assert_eq!(starts, [0, 1 << 20, 65_536, (1 << 20) + 65_536]);
    assert_eq!((all[0].len(), all[1][0].offset, all[2][0].offset), (16, 1 << 20, 2 << 20));
    refused("[a]\nfilename=/dev/sda:/dev/sdb\nrw=read", &["line 1: job a", "one drive"]);
}

#[test]
fn jobs_on_several_drives_are_refused_with_both_names() {
    refused(
        "[global]\nrw=read\n[a]\nfilename=/dev/nvme0n1\n[b]\nfilename=/dev/nvme1n1\n[c]\nfilename=/dev/nvme0n1",
        &["line 5: job b: filename=/dev/nvme1n1 beside /dev/nvme0n1 of job a: allowed: one drive"],
    );
    refused("[a]\nioengine=io_uring_cmd\nfilename=/dev/ng0n1\n[b]\nfilename=/dev/nvme0n2", &["/dev/ng0n1"]);
    // One namespace has two names.
    jobs("[a]\nioengine=io_uring_cmd\nfilename=/dev/ng0n1\n[b]\nfilename=/dev/nvme0n1");
}

#[test]
fn what_lies_in_dev_shm_is_a_file() {
    let text = "[a]\nfilename=/dev/shm/x\nsize=1m\n[b]\ndirectory=/dev/shm\nfilename=y\nsize=2m\n[c]\nfilename=/dev/sda";
    let starts: Vec<_> = jobs(text).flow.iter().map(|flow| flow.range.start_bytes).collect();
    assert_eq!(starts, [Some(0), Some(1 << 20), None]);
}

#[test]
fn jobs_share_the_files_that_a_format_calls_alike() {
    let starts = |text: &str| -> Vec<u64> {
        let workload = jobs(&format!("[global]\nsize=2m\nrw=read\n{text}"));
        workload.flow.iter().map(|flow| flow.range.start_bytes.unwrap() >> 20).collect()
    };
    assert_eq!(starts("filename_format=shared.$filenum\n[a]\nnumjobs=2\n[b]"), [0, 0, 0]);
    assert_eq!(starts("filename_format=$jobname.$filenum\n[a]\nnumjobs=2\n[b]"), [0, 0, 2]);
    assert_eq!(starts("filename_format=$clientuid.$jobname\n[a]\nnumjobs=2\n[b]"), [0, 0, 2]);
    assert_eq!(starts("filename_format=$jobnum\n[a]\nnumjobs=2\n[b]"), [0, 2, 0]);
    assert_eq!(starts("filename_format=$jobname.$jobnum.$filenum\n[a]\nnumjobs=2\n[b]"), [0, 2, 4]);
    // It may be the name of another job's file, and has no effect beside names.
    assert_eq!(
        starts(
            "[a]\ndirectory=/d\nfilename_format=x\n[b]\nfilename=/d/x\n[c]\nfilename=y\nfilename_format=x"
        ),
        [0, 0, 2]
    );
    let both = requests("[a]\nrw=read\nsize=2m\nnrfiles=2\nnumjobs=2\nfilename_format=$filenum");
    assert_eq!(both[0], both[1], "each reads both");
    for (text, part) in [
        ("filename_format=/dev/nvme$jobnum", "allowed: names of files"),
        ("filename_format=x\nnrfiles=2", "line 1: job a: filename_format: allowed: $filenum"),
        ("filename_format=x\ndirectory=/a:/b", "one folder"),
    ] {
        refused(&format!("[a]\nsize=1m\n{text}"), &[part]);
    }
}

#[test]
fn random_places_of_several_files_come_once_each() {
    let mut found = blocks("[a]\nrw=randread\nbs=64k\nnrfiles=4\nsize=1m");
    found.sort_unstable();
    let expected: Vec<(u64, u64)> = (0..4).flat_map(|file| (0..4).map(move |block| (file, block))).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_size_comes_from_a_job_that_names_the_file_or_is_asked_for_in_one_line() {
    let workload =
        jobs("[a]\nfilename=f\nrw=read\n[b]\nfilename=f\nrw=write\nsize=3m\n[c]\nfilename=f\nsize=50%");
    let sizes: Vec<Option<u64>> = workload.flow.iter().map(|flow| load(flow).size_bytes).collect();
    assert_eq!(sizes, [Some(3 << 20), Some(3 << 20), Some(3 << 19)]);
    refused(
        "[a]\nfilename=f\nrw=read",
        &["line 1: job a: no size", "a size= or a filesize=, or --fio size="],
    );
    // Of two sizes the larger is the file's.
    let workload = jobs("[a]\nfilename=f\nsize=1m\n[b]\nfilename=f\nsize=2m");
    assert_eq!(load(&workload.flow[1]).size_bytes, Some(2 << 20));
}

#[test]
fn a_size_beside_a_filesize_says_how_much_is_transferred_not_where() {
    // In blocks of 64 KiB. More than its files hold is no reason to go through them again, as in fio.
    let blocks = |text: &str| -> Vec<u64> {
        let all = requests(&format!("[a]\nbs=64k\n{text}"));
        all[0].iter().map(|request| request.offset >> 16).collect()
    };
    assert_eq!(blocks("rw=read\nfilesize=256k\nsize=1m"), [0, 1, 2, 3]);
    assert_eq!(blocks("rw=read\nfilesize=256k\nsize=1m\nnrfiles=2").len(), 8);
    assert_eq!(blocks("rw=write\nfilesize=512k\nsize=1m\nnrfiles=4").len(), 16);
    assert_eq!(blocks("rw=write\nfilesize=2m\nsize=256k\nloops=2"), [0, 1, 2, 3, 4, 5, 6, 7]);
    let next = blocks("rw=write\nfilesize=2m\nsize=256k\noffset=1m\nio_size=384k");
    assert_eq!(next, [16, 17, 18, 19, 20, 21]);
    let random = blocks("rw=randwrite\nfilesize=64m\nsize=512k");
    assert!(random.len() == 8 && random.iter().any(|block| *block >= 8), "{random:?}");
}

/// Numbers that fio 3.42 gave for the same job files.
#[test]
fn a_file_ends_where_no_whole_request_fits_as_in_fio() {
    let count = |text: &str| requests(&format!("[a]\nbs=4k\nsize=10m\nnrfiles=1000\n{text}"))[0].len();
    for (text, expected) in [
        ("rw=write", 2000),
        ("rw=randwrite", 2000),
        ("rw=write\nloops=3", 6000),
        ("rw=randrw", 2000),
        ("rw=write\nfile_service_type=random", 2000),
        ("rw=write\nfile_service_type=sequential", 2000),
        ("rw=write\nfilesize=10485", 2000),
        ("rw=write\nnumber_ios=2300", 2000),
        ("rw=write\nverify=crc32c", 4000),
        ("rw=trimwrite", 4000),
        // Places that come again have no end, and what is asked for in bytes is transferred.
        ("rw=randwrite\nnorandommap", 2560),
        ("rw=write\nio_size=20m", 5120),
        ("rw=write\nio_size=5m", 1280),
    ] {
        assert_eq!(count(text), expected, "{text}");
    }
    let one = |text: &str| requests(&format!("[a]\nrw=write\nsize=10485\nbs=4k\n{text}"))[0].len();
    assert_eq!((one(""), one("loops=3"), one("rw=randwrite\nnorandommap")), (2, 6, 3));
    // On the drive, and in a file that others want longer, the last request goes beyond the size.
    assert_eq!(one("filename=/dev/sda"), 3);
    assert_eq!(one("filename=f\n[b]\nfilename=f\nsize=1m"), 3);
    assert_eq!(one("filename=f\nrw=randwrite\n[b]\nfilename=f\nsize=1m"), 2);
}

#[test]
fn what_is_left_of_a_size_goes_to_the_first_files_by_whole_blocks() {
    assert_eq!(requests("[a]\nrw=write\nbs=512\nsize=1m\nnrfiles=1000")[0].len(), 2001);
}

#[test]
fn of_files_that_end_at_different_times_the_others_go_on() {
    let text = "[a]\nfilename=x\nsize=64k\nbs=64k\n[b]\nfilename=y\nsize=192k\nbs=64k\n[c]\nfilename=x:y\nrw=read\nbs=64k";
    let found: Vec<(u64, u64)> = requests(text)[2]
        .iter()
        .map(|request| (request.offset >> 20, (request.offset & 0xf_ffff) >> 16))
        .collect();
    assert_eq!(found, [(0, 0), (1, 0), (1, 1), (1, 2)]);
}

#[test]
fn lengths_that_vary_are_drawn_until_one_fits() {
    // What is left of a file is filled with the short ones.
    let all =
        &requests("[a]\nrw=write\nbssplit=4k/50:64k/50\nsize=1m\nnrfiles=10\nfile_service_type=sequential")
            [0];
    for file in 0..10 {
        let of_file = all.iter().filter(|request| request.offset >> 20 == file);
        assert_eq!(of_file.map(|request| request.length).sum::<u64>(), 104_857 / 4096 * 4096, "{file}");
    }
}

#[test]
fn bytes_that_no_request_reaches_are_told() {
    let told = |text: &str| {
        let context = OpenContext { drive_bytes: DRIVE, seed: 1, base_dir: std::path::Path::new("") };
        let flows = open_flows(&jobs(&format!("[a]\nsize=10m\n{text}")), &context).unwrap();
        flows[0].opened.notes.lines()
    };
    assert_eq!(
        told("rw=write\nnrfiles=1000"),
        ["the ends of 1000 files hold no whole request of 4096 bytes: 2293000 bytes aren't used, as in fio"]
    );
    assert_eq!(
        told("rw=randread\nbs=3m"),
        [
            "the end of its range holds no whole request of 3145728 bytes: 1048576 bytes aren't used, as in fio"
        ]
    );
    assert_eq!(told("rw=write\nnrfiles=10"), Vec::<String>::new());
    assert_eq!(told("rw=randwrite\nbs=3m\nnorandommap"), Vec::<String>::new());
}

#[test]
fn engines_of_volumes_use_the_drive_whatever_their_names() {
    for engine in ["rbd", "nbd", "libiscsi", "io_uring_cmd", "xnvme"] {
        let workload = jobs(&format!("[a]\nioengine={engine}\nrw=randread\niodepth=4"));
        assert_eq!((workload.flow[0].range.bytes, workload.flow[0].queue_depth), (None, Some(4)), "{engine}");
    }
}

#[test]
fn a_volume_has_no_blocks_with_metadata_between_them() {
    refused("[a]\nioengine=io_uring_cmd\nrw=write\nbs=4160", &["line 1: job a: bs", "512"]);
}

#[test]
fn a_file_that_fills_the_device_ends_with_the_drive() {
    let text = "[global]\nbs=1m\n[a]\nrw=write\nsize=4m\n[b]\nfilename=f\nrw=write\nfill_device=1\n[c]\nstonewall\nfilename=f\nrw=read";
    let all = requests(text);
    assert_eq!(
        (all[1][0].offset, all[1].len() as u64, all[2].len()),
        (4 << 20, (DRIVE >> 20) - 4, all[1].len())
    );
    refused("[a]\nfilename=f\nfill_fs=1\n[b]\nfilename=g\nfill_fs=1", &["fill_device of f, g", "one file"]);
    refused("[a]\nfilename=f\nfill_fs=1\nsize=10%", &["fill_device", "no size"]);
}

#[test]
fn a_job_replays_a_trace() {
    let folder = std::env::temp_dir().join(format!("wordline-iolog-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let log = "fio version 3 iolog\n0 /dev/x add\n0 /dev/x open\n10 /dev/x write 4096 8192\n30 /dev/x read 0 4096\n40 /dev/x close\n";
    std::fs::write(folder.join("log"), log).unwrap();
    let workload = jobs(
        "[a]\nread_iolog=log\nioengine=libaio\niodepth=4\nreplay_time_scale=50\n[b]\nread_iolog=log\nreplay_no_stall=1\nsize=1m",
    );
    let [timed, fast] = &workload.flow[..] else { panic!("{workload:?}") };
    assert_eq!(
        (timed.arrivals, timed.max_outstanding, timed.time_scale),
        (Some(Arrivals::Open), Some(4), Some(2.0))
    );
    assert_eq!((fast.arrivals, fast.queue_depth, fast.time_scale), (Some(Arrivals::Closed), Some(1), None));
    assert!(matches!(&timed.source, SourceConfig::Trace(_)));
    let context = OpenContext { drive_bytes: DRIVE, seed: 1, base_dir: &folder };
    let mut flows = open_flows(&workload, &context).unwrap();
    let found: Vec<_> = drain(&mut *flows[0].opened.source).unwrap();
    let found: Vec<(HostOp, u64, u64)> = found.iter().map(|one| (one.op, one.offset, one.time.0)).collect();
    assert_eq!(found, [(HostOp::Write, 4096, 0), (HostOp::Read, 0, 20_000)]);
    std::fs::remove_dir_all(folder).unwrap();
}

/// A record of blktrace: a read of 4 KiB that was queued (1) or issued (7).
fn record(time: u64, sector: u64, event: u32) -> Vec<u8> {
    let mut record = Vec::new();
    record.extend(0x6561_7407_u32.to_le_bytes());
    record.extend(1_u32.to_le_bytes());
    record.extend(time.to_le_bytes());
    record.extend(sector.to_le_bytes());
    for word in [4096, (1 << 16) | event, 99, (8 << 20) | 16, 0, 0] {
        record.extend(u32::to_le_bytes(word));
    }
    record
}

#[test]
fn of_blktrace_the_queued_requests_are_replayed() {
    let folder = Folder::new();
    // The second is merged into the first: what was issued is one.
    folder.file("sda", [record(0, 0, 1), record(10, 8, 1), record(30, 0, 7)].concat());
    let log = "fio version 3 iolog\n0 /dev/x add\n0 /dev/x open\n10 /dev/x write 4096 8192\n";
    folder.file("log", log);
    let text = "[a]\nread_iolog=sda\n[b]\nread_iolog=log\n[c]\nread_iolog=none";
    let given = Given { folder: Some(folder.0.clone()), ..Given::default() };
    let mut workload = wordline_trace::fio::import("x", text, &given).unwrap().workload;
    let events: Vec<_> = (workload.flow.iter())
        .map(|flow| match &flow.source {
            SourceConfig::Trace(trace) => trace.event,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(events, [Some(BlockEvent::Queue), None, None]);
    workload.flow.truncate(2);
    let context = OpenContext { drive_bytes: DRIVE, seed: 1, base_dir: &folder.0 };
    let mut flows = open_flows(&workload, &context).unwrap();
    let found = drain(&mut *flows[0].opened.source).unwrap();
    let found: Vec<(u64, u64)> = found.iter().map(|one| (one.time.0, one.offset)).collect();
    assert_eq!(found, [(0, 0), (10, 4096)]);
}

#[test]
fn a_page_cache_is_told_of_where_fio_has_one() {
    let told = |text: &str| import("x", text).unwrap().notes.iter().any(|note| note.contains("page cache"));
    for (text, expected) in [
        ("", true),
        ("direct=1", false),
        ("buffered=0", false),
        ("buffered=1\nioengine=libaio", true),
        ("ioengine=rbd", false),
    ] {
        assert_eq!(told(&format!("[a]\nsize=1m\n{text}")), expected, "{text}");
    }
}
