//! What came before a workload's first request.

use std::collections::HashMap;
use std::path::Path;

use wordline_engine::host::{HostRequest, RequestSource};
use wordline_engine::time::Ns;
use wordline_trace::{
    OpenContext, Preceded, WorkloadConfig, before, flows_before, open, open_flows, recorded_before, written,
    written_by_flows,
};

use crate::support::Folder;

fn context() -> OpenContext<'static> {
    OpenContext { drive_bytes: 1 << 24, seed: 3, base_dir: Path::new(".") }
}

fn workload(source: &str) -> WorkloadConfig {
    let text = format!("[source]\nkind = \"synthetic\"\nrequests = 20_000\nsizes = 4096\n{source}");
    toml::from_str(&text).unwrap()
}

fn first(source: &mut dyn RequestSource, count: usize) -> Vec<HostRequest> {
    let mut batch = Vec::new();
    while batch.len() < count {
        let known = batch.len();
        source.next_batch(&mut batch).unwrap();
        if batch.len() == known {
            break;
        }
    }
    batch.truncate(count);
    batch
}

#[test]
fn the_past_of_a_skewed_generator_has_its_hot_places_and_other_requests() {
    let config = workload("read_share = 0.0\npattern = { kind = \"zipf\", theta = 0.9 }").source.unwrap();
    let own = first(&mut *open(&config, &context()).unwrap().source, 20_000);
    let past = first(&mut *before(&config, &context()).unwrap().unwrap(), 40_000);
    assert_eq!(past.len(), 40_000, "without end");
    assert_ne!(own[..100], past[..100]);
    let hottest = |requests: &[HostRequest]| {
        let mut counts = HashMap::new();
        requests.iter().for_each(|request| *counts.entry(request.offset).or_insert(0u32) += 1);
        counts.into_iter().max_by_key(|&(offset, count)| (count, offset)).unwrap().0
    };
    assert_eq!(hottest(&own), hottest(&past));
}

#[test]
fn what_was_recorded_before_a_trace_comes_whole_in_front_of_it() {
    let folder = Folder::new();
    let header = "time_ns,op,offset_bytes,length_bytes";
    folder.file("made.csv", format!("{header}\n0,W,0,8192\n5,W,8192,4096\n"));
    folder.file("used.csv", format!("{header}\n0,R,4096,4096\n7,R,8192,4096\n"));
    let context = OpenContext { base_dir: &folder.0, ..context() };
    let workload = |more: &str| {
        let text = format!("[source]\nkind = \"trace\"\npath = \"used.csv\"\n{more}");
        toml::from_str::<WorkloadConfig>(&text)
    };
    let source = |more: &str| workload(more).unwrap().source.unwrap();
    // Neither a bound nor a repetition of the trace is one of what came before.
    let config = source("before = \"made.csv\"\nmax_requests = 1\nrepeat = 2");
    let count = recorded_before(&config, &context).unwrap().unwrap();
    assert_eq!(count, 2);
    let past = before(&config, &context).unwrap().unwrap();
    let mut both = Preceded::open(past, count, open(&config, &context).unwrap()).source;
    let all: Vec<_> = first(&mut *both, usize::MAX).iter().map(|r| (r.time.0, r.offset)).collect();
    assert_eq!(all, [(0, 0), (5, 8192), (5, 4096)]);
    assert_eq!(recorded_before(&source(""), &context).unwrap(), None);
    let wrong = |more: &str| workload(more).unwrap().validate().unwrap_err().to_string();
    assert!(wrong("before = \"\"").contains("before = "));
    assert!(wrong("before = \"made.csv\"\nout_of_range = \"compact\"").contains("stay as they are"));
    let text = "[[flow]]\n[flow.source]\nkind = \"trace\"\npath = \"used.csv\"\nbefore = \"made.csv\"\n";
    let error = toml::from_str::<WorkloadConfig>(text).unwrap().validate().unwrap_err().to_string();
    assert!(error.contains("flow[0].source.before"), "{error}");
}

#[test]
fn a_source_comes_whole_behind_its_past_at_later_times() {
    let config =
        workload("read_share = 0.5\ninterarrival = { kind = \"fixed\", iops = 1000.0 }").source.unwrap();
    let own = first(&mut *open(&config, &context()).unwrap().source, 20_000);
    let past = before(&config, &context()).unwrap().unwrap();
    let mut both = Preceded::open(past, 1_500, open(&config, &context()).unwrap()).source;
    assert_eq!(both.size_hint(), Some(21_500));
    let all = first(&mut *both, usize::MAX);
    assert_eq!(all.len(), 21_500);
    assert!(all.is_sorted_by_key(|request| request.time));
    let end = all[1_499].time;
    let later = |request: &HostRequest| HostRequest { time: Ns(request.time.0 + end.0), ..*request };
    assert!(own.iter().map(later).eq(all[1_500..].iter().copied()));
}

#[test]
fn what_a_generator_writes_is_known_from_its_description() {
    let written = |source: &str| written(&workload(source).source.unwrap()).unwrap();
    let mixed = written("read_share = 0.7\ntrim_share = 0.1");
    assert!((mixed.bytes_per_request - 0.2 * 4096.0).abs() < 1e-6 && mixed.uniformly);
    for skewed in [
        "read_share = 0.0\npattern = { kind = \"zipf\", theta = 0.9 }",
        "read_share = 0.0\nregion = { share = 0.5 }",
        "read_share = 0.0\npattern = { kind = \"sequential\" }",
    ] {
        assert!(!written(skewed).uniformly, "{skewed}");
    }
    assert_eq!(written("read_share = 1.0").bytes_per_request, 0.0);
}

const TWO: &str = r#"
[[flow]]
range = { share = 0.5 }
source = { kind = "synthetic", requests = 600, read_share = 1.0, sizes = 4096 }
[[flow]]
range = { start_share = 0.5 }
source = { kind = "synthetic", requests = 300, read_share = 0.0, sizes = 8192, pattern = { kind = "zipf", theta = 0.9 } }
"#;

#[test]
fn each_flow_has_a_past_of_its_own_in_its_part_of_the_drive() {
    let two: WorkloadConfig = toml::from_str(TWO).unwrap();
    let (shares, bytes) = written_by_flows(&two.flow).unwrap();
    assert_eq!(shares, [2.0 / 3.0, 1.0 / 3.0]);
    assert!((bytes - 8192.0 / 3.0).abs() < 1e-6, "{bytes}");
    let pasts = flows_before(&two, &context()).unwrap().unwrap();
    let own = open_flows(&two, &context()).unwrap();
    assert_eq!((pasts.len(), own.len()), (2, 2));
    for (number, (mut past, mut own)) in pasts.into_iter().zip(own).enumerate() {
        let past = first(&mut *past, 5_000);
        assert_eq!(past.len(), 5_000, "without end");
        let own = first(&mut *own.opened.source, 300);
        assert_ne!(past[..300], own[..]);
        let half = 1 << 23;
        for request in past.iter().chain(&own) {
            assert_eq!(request.offset >= half, number == 1, "{request:?}");
            assert_eq!(request.op.is_write(), number == 1);
        }
    }
}

#[test]
fn beside_a_trace_no_flow_has_a_past() {
    let trace = TWO.replace(
        "{ kind = \"synthetic\", requests = 600, read_share = 1.0, sizes = 4096 }",
        "{ kind = \"trace\", path = \"none.csv\" }",
    );
    let two: WorkloadConfig = toml::from_str(&trace).unwrap();
    assert!(flows_before(&two, &context()).unwrap().is_none());
    assert!(written_by_flows(&two.flow).is_none());
}
