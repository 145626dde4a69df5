//! Models of page classes: bursts, sequences of pages that come again, reads that come back soon.

use std::collections::HashMap;
use std::path::Path;

use wordline_base::request::{HostOp, HostRequest};
use wordline_trace::{OpenContext, SourceConfig, TwinConfig, open};

use crate::support::{Folder, drain};

const MODEL: &str = r#"
form = 1
name = "bursts"
fit_for = "published_characteristics"
source = "a test"
space_bytes = 134217728
[summary]
requests = 100000
[model]
read_share = 0.75
read_sizes = [{ bytes = 4096, weight = 1.0 }, { bytes = 16384, weight = 1.0 }]
write_sizes = [{ bytes = 4096, weight = 1.0 }]
burst_requests = 1.0
burst_gap_ns = 0.0
idle_gap_ns = 1e9
[[model.class]]
name = "read"
bytes = 67108864
reads = 1.0
writes = 0.0
walk = "uniform"
[[model.class]]
name = "written"
bytes = 67108864
reads = 0.0
writes = 1.0
walk = "zipf"
theta = 0.8
"#;

const BURSTS: &str = r#"
[[model.burst]]
name = "again and again"
op = "read"
class = "read"
share = 0.6
requests = 20
gap_ns = 3000.0
again = { sequences = 16, times = 10.0 }
[[model.burst]]
name = "flushes"
op = "write"
class = "written"
share = 0.5
requests = 8
gap_ns = 0.0
run = 4
"#;

fn played(text: &str, requests: u64, seed: u64) -> Result<Vec<HostRequest>, String> {
    let folder = Folder::new();
    let path = folder.file("profile.toml", text);
    let config = SourceConfig::Twin(TwinConfig { requests: Some(requests), ..TwinConfig::of_profile(path) });
    let context = OpenContext { drive_bytes: 1 << 40, seed, base_dir: Path::new("") };
    let opened = open(&config, &context).map_err(|error| error.to_string())?;
    Ok(drain(&mut *{ opened.source }).unwrap())
}

fn with_bursts() -> String {
    format!("{MODEL}{BURSTS}")
}

/// Requests that follow one another within a millisecond: the bursts, since all else is seconds apart.
fn together(requests: &[HostRequest]) -> Vec<&[HostRequest]> {
    let near = |a: &HostRequest, b: &HostRequest| b.time.0 - a.time.0 < 1_000_000 && a.op == b.op;
    requests.chunk_by(near).filter(|burst| burst.len() > 1).collect()
}

fn pages(burst: &[HostRequest]) -> Vec<(u64, u64)> {
    burst.iter().map(|request| (request.offset, request.length)).collect()
}

#[test]
fn shares_of_reads_and_of_bursts_are_those_of_the_requests() {
    let requests = played(&with_bursts(), 100_000, 1).unwrap();
    assert!(requests.is_sorted_by_key(|request| request.time));
    let reads = requests.iter().filter(|request| request.op == HostOp::Read).count() as f64;
    assert!((reads / 100_000.0 - 0.75).abs() < 0.01, "{reads}");
    let in_bursts: usize =
        together(&requests).iter().filter(|burst| burst[0].op == HostOp::Read).map(|b| b.len()).sum();
    assert!((in_bursts as f64 / reads - 0.6).abs() < 0.02, "{in_bursts} of {reads}");
}

#[test]
fn sequences_of_pages_come_again_so_many_times() {
    let requests = played(&with_bursts(), 100_000, 1).unwrap();
    let mut seen: HashMap<Vec<(u64, u64)>, u32> = HashMap::new();
    let bursts = together(&requests).into_iter().filter(|b| b[0].op == HostOp::Read && b.len() == 20);
    for burst in bursts {
        *seen.entry(pages(burst)).or_default() += 1;
    }
    let all: u32 = seen.values().sum();
    let times = f64::from(all) / seen.len() as f64;
    assert!((8.5..11.5).contains(&times), "{all} bursts of {} sequences", seen.len());
    // At 3 µs from one to the next.
    let lasted = |burst: &[HostRequest]| burst.last().unwrap().time.0 - burst[0].time.0;
    let reads: Vec<_> =
        together(&requests).into_iter().filter(|b| b[0].op == HostOp::Read && b.len() == 20).collect();
    let mean = reads.iter().map(|burst| lasted(burst)).sum::<u64>() / (19 * reads.len() as u64);
    assert!((2_900..3_100).contains(&mean), "{mean}");
}

#[test]
fn bursts_without_again_go_to_new_pages_in_runs() {
    let requests = played(&with_bursts(), 20_000, 2).unwrap();
    let writes: Vec<_> =
        together(&requests).into_iter().filter(|b| b[0].op == HostOp::Write && b.len() == 8).collect();
    assert!(writes.len() > 200, "{}", writes.len());
    for burst in &writes {
        for run in burst.chunks(4) {
            assert!(run.windows(2).all(|two| two[1].offset == two[0].offset + two[0].length), "{burst:?}");
        }
        assert!(burst.iter().all(|request| request.time == burst[0].time && request.offset >= 67_108_864));
    }
    let different: std::collections::HashSet<_> = writes.iter().map(|burst| pages(burst)).collect();
    assert!(different.len() > writes.len() * 9 / 10, "{} of {}", different.len(), writes.len());
}

#[test]
fn reads_of_a_burst_begin_alike_in_aligned_groups() {
    let alike =
        BURSTS.replace("gap_ns = 3000.0", "gap_ns = 3000.0\naligned = { bytes = 262144, share = 0.7 }");
    let requests = played(&format!("{MODEL}{alike}"), 50_000, 1).unwrap();
    let reads: Vec<_> =
        together(&requests).into_iter().filter(|b| b[0].op == HostOp::Read && b.len() == 20).collect();
    let as_first = |burst: &&[HostRequest]| {
        burst[1..].iter().filter(|request| request.offset % 262_144 == burst[0].offset % 262_144).count()
    };
    let share = reads.iter().map(as_first).sum::<usize>() as f64 / (19 * reads.len()) as f64;
    // Of the others one in 64 lies so by chance.
    assert!((0.66..0.75).contains(&share), "{share}");
}

#[test]
fn requests_depend_on_nothing_but_profile_and_seed() {
    let (short, long) =
        (played(&with_bursts(), 5_000, 3).unwrap(), played(&with_bursts(), 10_000, 3).unwrap());
    assert_eq!(short[..], long[..5_000]);
    assert_ne!(short, played(&with_bursts(), 5_000, 4).unwrap());
    assert_eq!(short.len(), 5_000, "a burst is cut where the requests end");
}

#[test]
fn some_reads_of_a_class_come_back_soon() {
    let soon =
        MODEL.replace("walk = \"uniform\"", "walk = \"uniform\"\nrecent = { share = 0.5, reads = 100 }");
    let requests = played(&soon, 40_000, 1).unwrap();
    let reads: Vec<u64> =
        requests.iter().filter(|request| request.op == HostOp::Read).map(|request| request.offset).collect();
    let again = (100..reads.len()).filter(|at| reads[at - 100..*at].contains(&reads[*at])).count();
    let share = again as f64 / (reads.len() - 100) as f64;
    assert!((0.48..0.54).contains(&share), "{share}");
}

#[test]
fn what_is_wrong_with_a_burst_is_named() {
    for (right, wrong, said) in [
        ("share = 0.6", "share = 1.1", "share of burst again and again = 1.1: allowed: 0 to 1"),
        ("requests = 20", "requests = 0", "requests of burst again and again = 0: allowed: 1 to 4096"),
        ("gap_ns = 3000.0", "gap_ns = -1.0", "gap_ns of burst again and again = -1: allowed: 0 to"),
        (
            "class = \"read\"\nshare",
            "class = \"none\"\nshare",
            "class = none of burst again and again: allowed:",
        ),
        (
            "sequences = 16",
            "sequences = 2000000",
            "again.sequences of burst again and again = 2000000: allowed: 1 to 1048576",
        ),
        (
            "run = 4",
            "run = 4\naligned = { bytes = 100, share = 0.5 }",
            "aligned.bytes of burst flushes = 100: allowed: 4096 to 1048576",
        ),
        ("times = 10.0", "times = 0.5", "again.times of burst again and again = 0.5: allowed: 1 to"),
        ("run = 4", "run = 0", "run of burst flushes = 0: allowed: 1 to 4096"),
        ("op = \"write\"", "op = \"read\"", "shares of all bursts that read = 1.1: allowed: 0 to 1"),
        ("op = \"write\"", "op = \"trim\"", "unknown variant `trim`"),
    ] {
        let text = with_bursts().replace(right, wrong);
        let error = played(&text, 10, 1).unwrap_err();
        assert!(error.contains(said), "{wrong}: {error}");
    }
    let many = with_bursts()
        .replace("sequences = 16", "sequences = 1000000")
        .replace("run = 4", "run = 4\nagain = { sequences = 100000, times = 2.0 }");
    assert!(played(&many, 10, 1).unwrap_err().contains("again.sequences of all bursts = 1100000"));
    let once = with_bursts().replace("walk = \"uniform\"", "walk = \"once\"");
    assert!(played(&once, 10, 1).unwrap_err().contains("walked uniform or zipf"));
    let soon = MODEL.replace("walk = \"uniform\"", "walk = \"once\"\nrecent = { share = 0.5, reads = 100 }");
    assert!(played(&soon, 10, 1).unwrap_err().contains("recent of class read"));
}
