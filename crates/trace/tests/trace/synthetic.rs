//! Statistics of generated requests.

use std::collections::HashMap;
use std::path::Path;

use wordline_base::request::{HostOp, HostRequest};
use wordline_trace::config::{InterarrivalConfig, PatternConfig, RegionConfig, SizeWeight, Sizes};
use wordline_trace::{OpenContext, SourceConfig, SyntheticConfig, open};

use crate::support::drain;

const DRIVE: u64 = 1 << 30;

fn base() -> SyntheticConfig {
    SyntheticConfig {
        requests: 100_000,
        read_share: 0.7,
        trim_share: 0.0,
        pattern: PatternConfig::Uniform,
        region: RegionConfig::default(),
        sizes: Sizes::Fixed(4096),
        alignment_bytes: None,
        interarrival: None,
    }
}

fn generate(config: &SyntheticConfig, seed: u64) -> Vec<HostRequest> {
    let context = OpenContext { drive_bytes: DRIVE, seed, base_dir: Path::new("") };
    let mut opened = open(&SourceConfig::Synthetic(config.clone()), &context).unwrap();
    assert_eq!(opened.source.size_hint(), Some(config.requests));
    drain(&mut *opened.source).unwrap()
}

fn offsets(requests: &[HostRequest]) -> Vec<u64> {
    requests.iter().map(|request| request.offset).collect()
}

#[test]
fn the_number_of_requests_is_exact() {
    for requests in [1, 1023, 1024, 1025, 5000] {
        assert_eq!(generate(&SyntheticConfig { requests, ..base() }, 1).len() as u64, requests);
    }
}

#[test]
fn shares_of_operations_are_met() {
    let requests = generate(&SyntheticConfig { trim_share: 0.1, ..base() }, 1);
    let count = |op| requests.iter().filter(|request| request.op == op).count();
    assert!((69_400..70_600).contains(&count(HostOp::Read)));
    assert!((9_600..10_400).contains(&count(HostOp::Trim)));
    assert!((19_500..20_500).contains(&count(HostOp::Write)));
    let reads = generate(&SyntheticConfig { read_share: 1.0, ..base() }, 1);
    assert!(reads.iter().all(|request| request.op == HostOp::Read));
    let writes = generate(&SyntheticConfig { read_share: 0.0, ..base() }, 1);
    assert!(writes.iter().all(|request| request.op == HostOp::Write));
}

#[test]
fn uniform_addresses_cover_the_drive_evenly() {
    let mut parts = [0_u32; 16];
    for offset in offsets(&generate(&base(), 2)) {
        assert_eq!(offset % 4096, 0);
        parts[(offset / (DRIVE / 16)) as usize] += 1;
    }
    assert!(parts.iter().all(|count| (5_900..6_600).contains(count)), "{parts:?}");
}

#[test]
fn the_region_is_kept() {
    let region = RegionConfig { start_share: Some(0.25), bytes: Some(64 << 20), ..RegionConfig::default() };
    let sizes = Sizes::Weighted(vec![
        SizeWeight { bytes: 512, weight: 1.0 },
        SizeWeight { bytes: 1 << 20, weight: 1.0 },
    ]);
    for pattern in [
        PatternConfig::Uniform,
        PatternConfig::Zipf { theta: 0.9 },
        PatternConfig::HotCold { hot_share_of_space: 0.1, hot_share_of_requests: 0.9 },
        PatternConfig::Sequential { streams: 7 },
    ] {
        let config = SyntheticConfig { pattern, region: region.clone(), sizes: sizes.clone(), ..base() };
        for request in generate(&config, 3) {
            assert!(request.offset >= DRIVE / 4 && request.offset % 512 == 0);
            assert!(request.offset + request.length <= DRIVE / 4 + (64 << 20));
        }
    }
}

#[test]
fn zipf_makes_few_pages_hot_and_scatters_them() {
    let requests = generate(&SyntheticConfig { pattern: PatternConfig::Zipf { theta: 0.99 }, ..base() }, 4);
    let mut counts: HashMap<u64, u32> = HashMap::new();
    for offset in offsets(&requests) {
        *counts.entry(offset / 4096).or_default() += 1;
    }
    let mut ranked: Vec<(u32, u64)> = counts.into_iter().map(|(page, count)| (count, page)).collect();
    ranked.sort_unstable_by(|a, b| b.cmp(a));
    // 2^18 pages: the sum of 1/r^0.99 is 13.8, so the hottest page has 7.2% and the second 3.6% of the requests.
    assert!((6_900..7_600).contains(&ranked[0].0), "{}", ranked[0].0);
    assert!((3_350..3_900).contains(&ranked[1].0), "{}", ranked[1].0);
    let halves = ranked[..1000].iter().filter(|(_, page)| *page < (1 << 17)).count();
    assert!((430..570).contains(&halves), "{halves}");
}

#[test]
fn hot_pages_take_their_share() {
    let pattern = PatternConfig::HotCold { hot_share_of_space: 0.1, hot_share_of_requests: 0.8 };
    let region = RegionConfig { bytes: Some(4096 * 1000), ..RegionConfig::default() };
    let requests = generate(&SyntheticConfig { pattern, region, ..base() }, 5);
    let mut counts = vec![0_u32; 1000];
    offsets(&requests).iter().for_each(|offset| counts[(offset / 4096) as usize] += 1);
    counts.sort_unstable_by(|a, b| b.cmp(a));
    assert!((79_300..80_700).contains(&counts[..100].iter().sum::<u32>()));
    // Each hot page is drawn about 800 times, each cold one about 22 times.
    assert!(counts[99] > 650 && counts[100] < 60, "{} {}", counts[99], counts[100]);
}

#[test]
fn the_ends_of_hot_and_cold_work() {
    for (space, share) in [(0.0, 0.9), (1.0, 0.1), (0.5, 0.0), (0.5, 1.0)] {
        let pattern = PatternConfig::HotCold { hot_share_of_space: space, hot_share_of_requests: share };
        assert_eq!(generate(&SyntheticConfig { pattern, requests: 2000, ..base() }, 1).len(), 2000);
    }
}

#[test]
fn sequential_streams_take_turns_and_start_again() {
    let region = RegionConfig { bytes: Some(4096 * 8), ..RegionConfig::default() };
    let pattern = PatternConfig::Sequential { streams: 2 };
    let requests = generate(&SyntheticConfig { pattern, region, requests: 12, ..base() }, 1);
    let pages: Vec<u64> = offsets(&requests).iter().map(|offset| offset / 4096).collect();
    assert_eq!(pages, [0, 4, 1, 5, 2, 6, 3, 7, 0, 4, 1, 5]);
}

#[test]
fn the_same_seed_gives_the_same_requests_and_another_seed_others() {
    let config = SyntheticConfig {
        pattern: PatternConfig::Zipf { theta: 1.0 },
        interarrival: Some(InterarrivalConfig::Poisson { iops: 1000.0 }),
        requests: 5000,
        ..base()
    };
    assert_eq!(generate(&config, 1), generate(&config, 1));
    assert_ne!(generate(&config, 1), generate(&config, 2));
}

#[test]
fn each_use_of_chance_has_its_own_stream() {
    let plain = generate(&base(), 1);
    let shares = generate(&SyntheticConfig { read_share: 0.2, ..base() }, 1);
    assert_eq!(offsets(&plain), offsets(&shares));
    let sizes = Sizes::Weighted(vec![
        SizeWeight { bytes: 4096, weight: 1.0 },
        SizeWeight { bytes: 2048, weight: 1.0 },
    ]);
    let sized = generate(&SyntheticConfig { sizes, alignment_bytes: Some(4096), ..base() }, 1);
    assert_eq!(offsets(&plain), offsets(&sized));
    let ops = |requests: &[HostRequest]| requests.iter().map(|request| request.op).collect::<Vec<_>>();
    let zipf = generate(&SyntheticConfig { pattern: PatternConfig::Zipf { theta: 0.9 }, ..base() }, 1);
    assert_eq!(ops(&plain), ops(&zipf));
    let timed = SyntheticConfig { interarrival: Some(InterarrivalConfig::Poisson { iops: 10.0 }), ..base() };
    assert_eq!(offsets(&plain), offsets(&generate(&timed, 1)));
}

/// Requests are part of results: a change of them is a change of every published number.
#[test]
fn the_first_requests_of_a_seed_are_fixed_for_ever() {
    let first = |pattern| offsets(&generate(&SyntheticConfig { pattern, requests: 4, ..base() }, 42));
    assert_eq!(first(PatternConfig::Uniform), PINNED_UNIFORM);
    assert_eq!(first(PatternConfig::Zipf { theta: 0.9 }), PINNED_ZIPF);
}

const PINNED_UNIFORM: [u64; 4] = [744_214_528, 1_042_481_152, 137_666_560, 229_097_472];
const PINNED_ZIPF: [u64; 4] = [34_783_232, 890_646_528, 1_058_570_240, 648_478_720];

#[test]
fn what_does_not_fit_the_drive_is_refused_by_name() {
    let refused = |config: SyntheticConfig, part: &str| {
        let context = OpenContext { drive_bytes: 1 << 20, seed: 1, base_dir: Path::new("") };
        let error = open(&SourceConfig::Synthetic(config), &context).err().map(|error| error.to_string());
        assert!(error.as_ref().is_some_and(|error| error.contains(part)), "{error:?}");
    };
    refused(SyntheticConfig { sizes: Sizes::Fixed(2 << 20), ..base() }, "source.sizes = 2097152");
    let region = RegionConfig { bytes: Some(2 << 20), ..RegionConfig::default() };
    refused(SyntheticConfig { region, ..base() }, "source.region.bytes = 2097152");
    let pattern = PatternConfig::Sequential { streams: 300 };
    refused(SyntheticConfig { pattern, ..base() }, "source.pattern.streams = 300");
    refused(SyntheticConfig { requests: 0, ..base() }, "source.requests = 0");
}
