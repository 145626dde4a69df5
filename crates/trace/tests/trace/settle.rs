//! What came before a workload's first request.

use std::collections::HashMap;
use std::path::Path;

use proptest::prelude::*;
use wordline_base::request::{HostRequest, RequestSource};
use wordline_base::time::Ns;
use wordline_trace::{
    OpenContext, Preceded, WorkloadConfig, Writes, before, flows_before, open, open_flows, recorded_before,
    requests_before,
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
    let written = |source: &str| Writes::of(&workload(source), 1 << 24).unwrap();
    let mixed = written("read_share = 0.7\ntrim_share = 0.1");
    assert!((mixed.bytes_per_request - 0.2 * 4096.0).abs() < 1e-6);
    // What is given up leaves room that no formula knows of.
    assert!(mixed.trims && !mixed.overwrites.evenly);
    assert!(written("read_share = 0.7").overwrites.evenly && !written("read_share = 0.7").trims);
    for skewed in [
        "read_share = 0.0\nalignment_bytes = 8192",
        "read_share = 0.0\nalignment_bytes = 1024",
        "read_share = 0.0\npattern = { kind = \"zipf\", theta = 0.9 }",
        "read_share = 0.0\nregion = { share = 0.5 }",
        "read_share = 0.0\npattern = { kind = \"sequential\" }",
    ] {
        assert!(!written(skewed).overwrites.evenly, "{skewed}");
    }
    let in_sequence = "pattern = { kind = \"sequential\" }\nread_share";
    assert!(["1.0", "0.9"].iter().all(|share| written(&format!("{in_sequence} = {share}")).in_sequence));
    assert!(!written("read_share = 1.0").in_sequence && !written("read_share = 0.0").in_sequence);
    assert!(!written("read_share = 1.0").any() && written("read_share = 1.0").overwrites.bytes == 4096);
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
    let writes = Writes::of(&two, 1 << 24).unwrap();
    assert_eq!(writes.shares, [0.5, 0.5], "both queues are as deep");
    assert!((writes.bytes_per_request - 8192.0 / 2.0).abs() < 1e-6, "{writes:?}");
    assert!(writes.overwrites.bytes == 8192 && !writes.overwrites.evenly);
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
    assert!(Writes::of(&two, 1 << 24).is_none());
}

/// A load as a source, as a flow, as that flow over a range that is the whole drive, and as a job of fio.
fn four_ways(
    share: f64,
    sizes: &[(u64, u32)],
    aligned: u64,
    region: (u64, u64),
    zipf: bool,
) -> [WorkloadConfig; 4] {
    let weighted: Vec<String> =
        sizes.iter().map(|(bytes, weight)| format!("{{ bytes = {bytes}, weight = {weight} }}")).collect();
    let pattern = if zipf { "{ kind = \"zipf\", theta = 0.9 }" } else { "{ kind = \"uniform\" }" };
    let (start, bytes) = region;
    let keys = format!(
        "kind = \"synthetic\"\nrequests = 1000\nread_share = {share}\nsizes = [{}]\nalignment_bytes = {aligned}\n\
         pattern = {pattern}\n",
        weighted.join(", ")
    );
    let within = format!("{{ start_bytes = {start}, bytes = {bytes} }}");
    let parse = |text: String| toml::from_str::<WorkloadConfig>(&text).unwrap();
    let split: Vec<String> = sizes.iter().map(|(bytes, weight)| format!("{bytes}/{weight}")).collect();
    let job = format!(
        "[job]\nfilename=/dev/x\nrw=randrw\nrwmixread={}\nbssplit={}\nblockalign={aligned}\noffset={start}\nsize={bytes}\n\
         norandommap=1\niodepth=8\nrandom_distribution={}\n",
        (share * 100.0).round(),
        split.join(":"),
        if zipf { "zipf:0.9" } else { "random" }
    );
    [
        parse(format!("[source]\n{keys}region = {within}\n")),
        parse(format!("[[flow]]\nname = \"job\"\n[flow.source]\n{keys}region = {within}\n")),
        parse(format!("[[flow]]\nname = \"job\"\nrange = {within}\n[flow.source]\n{keys}")),
        wordline_trace::fio::import("job.fio", &job, &Default::default()).unwrap().workload,
    ]
}

/// Share of the writes among requests, mean bytes of a write, and which tenths of the drive they go to.
fn drawn(workload: &WorkloadConfig, drive_bytes: u64) -> (f64, f64, Vec<f64>) {
    let context = OpenContext { drive_bytes, ..context() };
    let all = first(&mut *requests_before(workload, &context).unwrap().unwrap(), 40_000);
    let written: Vec<_> = all.iter().filter(|request| request.op.is_write()).collect();
    let count = written.len().max(1) as f64;
    let mut tenths = vec![0.0; 10];
    written.iter().for_each(|request| tenths[(request.offset * 10 / drive_bytes) as usize] += 1.0 / count);
    let bytes = written.iter().map(|request| request.length as f64).sum::<f64>() / count;
    (written.len() as f64 / all.len() as f64, bytes, tenths)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
    /// One load has one past, however it is written: what is known of its writes is the same, and so are they by chance.
    #[test]
    fn one_load_has_one_past_however_it_is_written(
        share in 0u32..=9, size in 0u32..5, other in proptest::option::of(0u32..5), aligned in proptest::option::of(0u32..5),
        part in proptest::option::of((0u64..8, 1u64..8)), zipf: bool,
    ) {
        let drive = 1u64 << 26;
        let bytes = |power: u32| 4096u64 << power;
        let mut sizes = vec![(bytes(size), 50)];
        sizes.extend(other.filter(|&other| other != size).map(|other| (bytes(other), 50)));
        if let [only] = &mut sizes[..] {
            only.1 = 100;
        }
        let aligned = bytes(aligned.unwrap_or(size.min(other.unwrap_or(size))));
        let eighth = drive / 8;
        let region = part.map_or((0, drive), |(start, count)| (start * eighth, count.min(8 - start) * eighth));
        let ways = four_ways(f64::from(share) / 10.0, &sizes, aligned, region, zipf);
        let known = ways.each_ref().map(|workload| Writes::of(workload, drive).unwrap());
        for (workload, writes) in ways.iter().zip(&known) {
            prop_assert_eq!(writes.overwrites, known[0].overwrites, "{:?}", workload);
            prop_assert!((writes.bytes_per_request / known[0].bytes_per_request - 1.0).abs() < 1e-9);
            prop_assert_eq!(&writes.shares, &[1.0]);
        }
        // Places within a region are hot or not by chance, which the name of a flow draws.
        let (writes, mean, tenths) = drawn(&ways[0], drive);
        for workload in &ways[1..] {
            let (other_writes, other_mean, other_tenths) = drawn(workload, drive);
            prop_assert!((writes - other_writes).abs() < 0.02, "{} {}", writes, other_writes);
            prop_assert!((mean / other_mean - 1.0).abs() < 0.05, "{} {}", mean, other_mean);
            for (one, other) in tenths.iter().zip(&other_tenths) {
                // Five standard deviations of what as many draws differ by.
                let chance = 5.0 * (2.0 * one * (1.0 - one) / (writes * 40_000.0)).sqrt();
                prop_assert!(zipf || (one - other).abs() < 0.01 + chance, "{:?} {:?}", tenths, other_tenths);
                prop_assert!((*one > 0.0) == (*other > 0.0) || zipf, "{:?} {:?}", tenths, other_tenths);
            }
        }
    }
}

#[test]
fn a_map_of_fio_takes_each_place_once_which_is_no_even_chance() {
    let job = |more: &str| {
        let text = format!("[job]\nfilename=/dev/x\nrw=randwrite\nbs=4k\n{more}");
        Writes::of(
            &wordline_trace::fio::import("job.fio", &text, &Default::default()).unwrap().workload,
            1 << 24,
        )
        .unwrap()
    };
    assert!(job("norandommap=1\n").overwrites.evenly && !job("").overwrites.evenly);
    assert!(!job("norandommap=1\nsize=50%\n").overwrites.evenly);
    assert_ne!(job("").pattern, job("norandommap=1\n").pattern);
    assert_eq!(job("io_size=1m\n").pattern, job("number_ios=7\n").pattern, "neither how many nor when");
}

#[test]
fn flows_come_as_often_as_their_queues_are_deep_or_their_rates_are_high() {
    let two = |first: &str, second: &str| {
        let flow = |keys: &str, more: &str| {
            format!(
                "[[flow]]\n{keys}\nsource = {{ kind = \"synthetic\", requests = 10, read_share = 0.0, sizes = 4096{more} }}\n"
            )
        };
        let open = |rate: &str| format!(", interarrival = {{ kind = \"fixed\", iops = {rate} }}");
        let is_rate = !first.contains("depth");
        let text = if is_rate {
            let arrivals = "arrivals = \"open\"";
            flow(arrivals, &open(first)) + &flow(arrivals, &open(second))
        } else {
            flow(first, "") + &flow(second, "")
        };
        let workload: WorkloadConfig = toml::from_str(&text).unwrap();
        let writes = Writes::of(&workload, 1 << 24).unwrap();
        assert!(writes.overwrites.evenly, "together as evenly as each");
        writes.shares
    };
    let closed = |depth: u32| format!("arrivals = \"closed\"\nqueue_depth = {depth}");
    assert_eq!(two(&closed(6), &closed(2)), [0.75, 0.25]);
    assert_eq!(two("3000.0", "1000.0"), [0.75, 0.25]);
}
