//! Twins: profiles and what is played from them.

use std::path::{Path, PathBuf};

use wordline_base::request::{HostOp, HostRequest};
use wordline_trace::config::{OutOfRange, TraceFormat};
use wordline_trace::twin::{FitFor, FitOptions, PROFILE_BYTES, Profile, Summary, fit, summarise};
use wordline_trace::{OpenContext, SourceConfig, TraceConfig, TwinConfig, open};

use crate::support::{Folder, drain, opened};

/// A trace of bursts: eight reads that go on from one another, a write over what was written before, and pauses.
fn bursts(count: u64) -> String {
    let mut text = String::from("time_ns,op,offset_bytes,length_bytes\n");
    for burst in 0..count {
        let start = burst * 10_000_000;
        for step in 0..8 {
            let offset = (burst * 977 % 4096) * 262_144 + step * 16_384;
            let gap = 20_000 + burst * burst % 97 * 13;
            text += &format!("{},R,{offset},16384\n", start + step * gap);
        }
        text += &format!("{},W,{},4096\n", start + 200_000, (1 << 31) + burst % 16 * 4096);
    }
    text
}

fn profile_of(path: &Path, options: &FitOptions) -> Profile {
    let config = TraceConfig { out_of_range: OutOfRange::Compact, ..TraceConfig::of_file(path) };
    let source = SourceConfig::Trace(config);
    let context = OpenContext { drive_bytes: u64::MAX, seed: 0, base_dir: Path::new("") };
    fit("test", options, &mut || open(&source, &context)).unwrap()
}

/// Fits in one way instead of trying several.
fn one_way() -> FitOptions {
    FitOptions { piece: Some(64), ..FitOptions::default() }
}

fn twin(profile: &Profile, folder: &Folder, requests: Option<u64>, seed: u64) -> Vec<HostRequest> {
    let path = folder.file("profile.toml", profile.to_toml());
    let config = SourceConfig::Twin(TwinConfig { requests, ..TwinConfig::of_profile(path) });
    let context = OpenContext { drive_bytes: 1 << 40, seed, base_dir: Path::new("") };
    drain(&mut *open(&config, &context).unwrap().source).unwrap()
}

#[test]
fn a_twin_has_the_statistics_of_its_trace() {
    let folder = Folder::new();
    let profile = profile_of(&folder.file("trace.csv", bursts(500)), &FitOptions::default());
    assert_eq!((profile.summary.requests, profile.fit_for), (4_500, FitFor::Schemes));
    assert!((profile.summary.read_share - 8.0 / 9.0).abs() < 1e-9);
    // Seven of eight reads go on, and fifteen of sixteen writes.
    let expected = (7.0 + 15.0 / 16.0) / 9.0;
    assert!((profile.summary.sequential - expected).abs() < 0.01, "{}", profile.summary.sequential);
    let requests = twin(&profile, &folder, None, 1);
    assert_eq!(requests.len(), 4_500);
    let reads = requests.iter().filter(|request| request.op == HostOp::Read).count();
    assert!((reads as f64 / 4_000.0 - 1.0).abs() < 0.01, "{reads}");
    let span = requests.last().unwrap().time.0 as f64 / profile.summary.span_ns as f64;
    assert!((span - 1.0).abs() < 0.02, "{span}");
    let sequential =
        requests.windows(2).filter(|pair| pair[0].offset + pair[0].length == pair[1].offset).count();
    assert!((sequential as f64 / 3_500.0 - 1.0).abs() < 0.05, "{sequential}");
    let mut written: Vec<u64> =
        requests.iter().filter(|request| request.op.is_write()).map(|request| request.offset).collect();
    written.sort_unstable();
    written.dedup();
    // Sixteen pages are written again and again; the twin meets them in another order and takes some for new.
    assert!((16..100).contains(&written.len()), "{}", written.len());
}

#[test]
fn a_profile_is_small_and_reads_as_it_was_written() {
    let folder = Folder::new();
    let profile = profile_of(&folder.file("trace.csv", bursts(3_000)), &one_way());
    let text = profile.to_toml();
    assert!(text.len() <= PROFILE_BYTES, "{}", text.len());
    assert_eq!(Profile::from_toml(&text).unwrap(), profile);
    let little = FitOptions { held: 0.01, ..one_way() };
    let small = profile_of(&folder.file("again.csv", bursts(3_000)), &little);
    assert!(small.summary.held < profile.summary.held / 2.0);
}

#[test]
fn twins_of_any_length_come_from_one_profile() {
    let folder = Folder::new();
    let profile = profile_of(&folder.file("trace.csv", bursts(1_000)), &one_way());
    for length in [1, 7, 1_000, 9_000, 25_000] {
        let requests = twin(&profile, &folder, Some(length), 3);
        assert_eq!(requests.len() as u64, length);
        assert!(requests.windows(2).all(|pair| pair[0].time <= pair[1].time));
        assert!(requests.iter().all(|request| request.offset + request.length <= 8 * profile.space_bytes));
    }
    assert_eq!(twin(&profile, &folder, Some(5_000), 3), twin(&profile, &folder, Some(5_000), 3));
    assert_ne!(twin(&profile, &folder, Some(5_000), 3), twin(&profile, &folder, Some(5_000), 4));
}

#[test]
fn broken_profiles_are_told_in_one_line() {
    let folder = Folder::new();
    let good = profile_of(&folder.file("trace.csv", bursts(50)), &one_way()).to_toml();
    for (from, to, part) in [
        ("form = 2", "form = 3", "form = 3"),
        ("form = 2", "form = 1", "form of pieces = 1"),
        ("form = 2", "form = 2\nphase = [{ requests = 9 }]", "fit the trace again"),
        ("gaps_ns = [", "gaps_ns = [99999999999999999, 1, 1, 1, 1, 1, 1, 1, ", ""),
        ("packed = \"", "packed = \"!", "base 64"),
        ("packed = \"Aw", "packed = \"/w", "pieces.packed"),
        ("every = 1", "every = 0", "pieces.every = 0"),
        ("space_bytes", "space", "unknown field"),
    ] {
        assert!(good.contains(from), "{from}");
        let path = folder.file("bad.toml", good.replace(from, to));
        let config = SourceConfig::Twin(TwinConfig::of_profile(path));
        if let Err(error) = opened(&config, 1 << 40) {
            assert!(error.contains("bad.toml") && error.contains(part) && !error.contains('\n'), "{error}");
        } else {
            assert_eq!(part, "", "{from}");
        }
    }
    let path = folder.file("large.toml", "# ".to_owned() + &"x".repeat(PROFILE_BYTES));
    let config = SourceConfig::Twin(TwinConfig::of_profile(path));
    assert!(opened(&config, 1 << 40).err().unwrap().contains("65536"));
}

/// For each request the first that began where it does.
fn begun(requests: &[HostRequest]) -> Vec<usize> {
    let mut first = std::collections::HashMap::new();
    (0..).zip(requests).map(|(index, request)| *first.entry(request.offset).or_insert(index)).collect()
}

#[test]
fn a_trace_that_is_held_whole_is_played_request_by_request() {
    let folder = Folder::new();
    let trace = folder.file("trace.csv", bursts(200));
    let profile = profile_of(&trace, &FitOptions::default());
    // Pieces that come again are held once.
    assert!(profile.summary.held > 0.5, "{}", profile.summary.held);
    let source = SourceConfig::Trace(TraceConfig::of_file(&trace));
    let context = OpenContext { drive_bytes: 1 << 40, seed: 0, base_dir: Path::new("") };
    let original = drain(&mut *open(&source, &context).unwrap().source).unwrap();
    let played = twin(&profile, &folder, None, 1);
    assert_eq!(played.len(), original.len());
    for (a, b) in original.iter().zip(&played) {
        assert_eq!((a.op, a.length), (b.op, b.length));
        assert!(a.time.0.abs_diff(b.time.0) <= a.time.0 / 50 + 1000, "{a:?} {b:?}");
    }
    assert_eq!(begun(&original), begun(&played));
}

#[test]
fn a_trace_of_more_pieces_than_are_kept_is_sampled_in_stretches() {
    let folder = Folder::new();
    let single = FitOptions { piece: Some(1), ..FitOptions::default() };
    let profile = profile_of(&folder.file("trace.csv", bursts(4_000)), &single);
    assert_eq!((profile.summary.requests, profile.pieces.as_ref().unwrap().every), (36_000, 8));
    let requests = twin(&profile, &folder, None, 1);
    assert_eq!(requests.len(), 36_000);
    let reads = requests.iter().filter(|request| request.op == HostOp::Read).count();
    assert!((reads as f64 / 32_000.0 - 1.0).abs() < 0.02, "{reads}");
}

fn presets() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../presets/profiles")
}

#[test]
fn every_preset_profile_says_what_it_is_fit_for() {
    let mut count = 0;
    for entry in std::fs::read_dir(presets()).unwrap() {
        let path = entry.unwrap().path();
        let profile = Profile::read(&path).unwrap_or_else(|error| panic!("{error}"));
        assert_ne!(profile.fit_for, FitFor::Schemes, "{}", path.display());
        assert!(!profile.source.is_empty());
        let counts = profile.name.starts_with("msr-") && profile.name != "msr-hm";
        assert_eq!(profile.fit_for == FitFor::CountsOnly, counts, "{}", profile.name);
        count += 1;
    }
    assert_eq!(count, 91);
}

/// Characteristics as the profile's source prints them: read share, mean bytes of reads, pages of the footprint, hot ratio.
fn characteristics(name: &str) -> (f64, f64, f64, f64) {
    let source = SourceConfig::Twin(TwinConfig::of_profile(presets().join(format!("{name}.toml"))));
    let context = OpenContext { drive_bytes: 1 << 40, seed: 1, base_dir: Path::new("") };
    let found = summarise(&mut open(&source, &context).unwrap());
    let Summary { read_share, mean_read_bytes, pages, reread_share, .. } = found.unwrap();
    (read_share, mean_read_bytes, pages as f64, reread_share)
}

#[test]
fn a_twin_of_published_figures_has_these_figures() {
    let (read_share, size, pages, hot) = characteristics("ali1");
    assert!((read_share - 0.772).abs() < 0.005, "{read_share}");
    assert!((size / (20.4 * 1024.0) - 1.0).abs() < 0.02, "{size}");
    assert!((pages * 4096.0 / (1.1 * f64::from(1 << 30)) - 1.0).abs() < 0.05, "{pages}");
    assert!((hot - 0.705).abs() < 0.04, "{hot}");
}

/// The normalised traces, where they are at hand.
fn shared(name: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/traces/norm");
    if folder.is_dir() {
        return Some(folder.join(format!("{name}.trace.gz")));
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "under CI the traces must be there");
    println!("SKIPPED: no shared traces beside the repository");
    None
}

#[test]
fn profiles_of_real_traces_keep_their_features() {
    for name in ["msr_web_2_first1000", "spc_fin1_9999", "ms_tpcc_small"] {
        let Some(path) = shared(name) else { return };
        let folder = Folder::new();
        let config = TraceConfig {
            out_of_range: OutOfRange::Compact,
            format: TraceFormat::Mqsim,
            ..TraceConfig::of_file(path)
        };
        let source = SourceConfig::Trace(config);
        let context = OpenContext { drive_bytes: u64::MAX, seed: 0, base_dir: Path::new("") };
        let profile = fit(name, &one_way(), &mut || open(&source, &context)).unwrap();
        let path = folder.file("profile.toml", profile.to_toml());
        let played = SourceConfig::Twin(TwinConfig::of_profile(path));
        let again = fit(name, &one_way(), &mut || open(&played, &context)).unwrap();
        let (a, b) = (&profile.summary, &again.summary);
        assert!((a.read_share - b.read_share).abs() < 0.02, "{name}: {a:?} {b:?}");
        assert!((b.mean_read_bytes / a.mean_read_bytes - 1.0).abs() < 0.05, "{name}: {a:?} {b:?}");
        assert!((b.span_ns as f64 / a.span_ns as f64 - 1.0).abs() < 0.1, "{name}: {a:?} {b:?}");
        assert!((b.pages as f64 / a.pages as f64 - 1.0).abs() < 0.25, "{name}: {a:?} {b:?}");
        assert!((a.sequential - b.sequential).abs() < 0.2, "{name}: {a:?} {b:?}");
    }
}

#[test]
fn pages_that_take_turns_get_runs_of_reads_and_of_writes() {
    const TURNS: &str = r#"
form = 1
name = "turns"
fit_for = "published_characteristics"
source = "a test"
space_bytes = 2097152
[summary]
requests = 20000
[model]
read_share = 0.5
read_sizes = [{ bytes = 4096, weight = 1.0 }]
write_sizes = [{ bytes = 4096, weight = 1.0 }]
burst_requests = 8.0
burst_gap_ns = 100.0
idle_gap_ns = 1000.0
[[model.class]]
name = "mixed"
bytes = 2097152
reads = 1.0
writes = 1.0
walk = "uniform"
turns = 5000
"#;
    let folder = Folder::new();
    let played = |text: &str| {
        let path = folder.file("profile.toml", text);
        let config =
            SourceConfig::Twin(TwinConfig { requests: Some(20_000), ..TwinConfig::of_profile(path) });
        let context = OpenContext { drive_bytes: 1 << 40, seed: 1, base_dir: Path::new("") };
        open(&config, &context).map(|opened| drain(&mut *{ opened.source }).unwrap())
    };
    let requests = played(TURNS).unwrap();
    for (turn, requests) in requests.chunks(5_000).enumerate() {
        // Reads begin on the first half.
        let reads_are_on_second = turn % 2 == 1;
        let as_they_should = |request: &&HostRequest| {
            (request.offset >= 1 << 20) == (reads_are_on_second == (request.op == HostOp::Read))
        };
        assert_eq!(requests.iter().filter(as_they_should).count(), 5_000, "{turn}");
    }
    for wrong in ["turns = 0", "turns = 5000\nsize = 1"] {
        assert!(played(&TURNS.replace("turns = 5000", wrong)).is_err(), "{wrong}");
    }
    let small = TURNS.replace("bytes = 2097152\nreads", "bytes = 1048576\nreads");
    let error = played(&small).err().map(|error| error.to_string()).unwrap();
    assert!(error.contains("2 MiB or more"), "{error}");
}

/// All requests of a preset's twin.
fn requests_of(config: TwinConfig) -> Vec<HostRequest> {
    let context = OpenContext { drive_bytes: 1 << 40, seed: 1, base_dir: Path::new("") };
    let mut source = open(&SourceConfig::Twin(config), &context).unwrap().source;
    let mut all = Vec::new();
    loop {
        let before = all.len();
        source.next_batch(&mut all).unwrap();
        if all.len() == before {
            return all;
        }
    }
}

#[test]
fn a_repeated_twin_asks_for_the_same_again_later() {
    let path = presets().join("gen0.toml");
    let once = TwinConfig { requests: Some(2_000), ..TwinConfig::of_profile(path) };
    let (first, thrice) =
        (requests_of(once.clone()), requests_of(TwinConfig { repeat: Some(3), ..once.clone() }));
    assert_eq!(thrice.len(), 6_000);
    let span = first.last().unwrap().time.0;
    for (number, request) in thrice.iter().enumerate() {
        let (pass, before) = (number as u64 / 2_000, first[number % 2_000]);
        assert_eq!(request.time.0, before.time.0 + pass * span);
        assert_eq!((request.op, request.offset, request.length), (before.op, before.offset, before.length));
    }
}

#[test]
fn a_skewed_twin_reads_the_first_piece_of_each_stripe_more_often_and_is_else_the_same() {
    let path = presets().join("gen0.toml");
    let even = TwinConfig { requests: Some(40_000), ..TwinConfig::of_profile(path) };
    let share = |config: &TwinConfig| {
        let requests = requests_of(config.clone());
        let reads: Vec<_> = requests.iter().filter(|request| request.op == HostOp::Read).collect();
        let first = reads.iter().filter(|request| request.offset / 8192 % 4 == 0).count();
        first as f64 / reads.len() as f64
    };
    assert!((share(&even) - 0.25).abs() < 0.01, "{}", share(&even));
    let skewed = TwinConfig { skew: Some(1.0), ..even.clone() };
    assert!((share(&skewed) - 0.5).abs() < 0.01, "{}", share(&skewed));
    let (even, skewed) = (requests_of(even), requests_of(skewed));
    for (one, other) in even.iter().zip(&skewed) {
        assert_eq!((one.time, one.op, one.length), (other.time, other.op, other.length));
        assert_eq!(one.offset / 32_768, other.offset / 32_768, "the same stripe");
    }
}

#[test]
fn the_first_pieces_of_each_stripe_are_read_more_often_and_as_often_as_each_other() {
    let path = presets().join("gen0.toml");
    let twin = |pieces, skew| TwinConfig {
        requests: Some(40_000),
        skew: Some(skew),
        skew_pieces: Some(pieces),
        ..TwinConfig::of_profile(&path)
    };
    let shares = |config: TwinConfig| {
        let requests = requests_of(config);
        let mut begun = [0; 4];
        let reads = requests.iter().filter(|request| request.op == HostOp::Read);
        reads.for_each(|request| begun[(request.offset / 8192 % 4) as usize] += 1);
        begun.map(|count| f64::from(count) / f64::from(begun.iter().sum::<i32>()))
    };
    for (pieces, skew, expected) in
        [(2, 0.4, [0.35, 0.35, 0.15, 0.15]), (3, 0.2, [0.3, 0.3, 0.3, 0.1]), (2, 1.0, [0.5, 0.5, 0.0, 0.0])]
    {
        let found = shares(twin(pieces, skew));
        let near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 0.01);
        assert!(near, "{pieces} {skew}: {found:?}");
    }
    let context = OpenContext { drive_bytes: 1 << 40, seed: 1, base_dir: Path::new("") };
    let refused =
        |config| open(&SourceConfig::Twin(config), &context).err().map(|error| error.to_string()).unwrap();
    assert!(refused(twin(2, 1.1)).contains("skew = 1.1: allowed: 0 to 1"));
    assert!(refused(twin(4, 0.0)).contains("skew_pieces = 4: allowed: 1 to 3"));
    let none = TwinConfig { skew_pieces: Some(2), ..TwinConfig::of_profile(presets().join("msr-hm_0.toml")) };
    assert!(refused(none).contains("skew_pieces = 2: allowed: with a profile that has model.skew"));
}

#[test]
fn a_share_of_a_twin_has_that_share_of_its_requests_and_of_its_space() {
    let path = presets().join("gen0.toml");
    let of = |share| {
        let requests = requests_of(TwinConfig { share, ..TwinConfig::of_profile(&path) });
        let end = requests.iter().map(|request| request.offset + request.length).max().unwrap();
        let reads = requests.iter().filter(|request| request.op == HostOp::Read).count();
        (requests.len(), end as f64, reads as f64 / requests.len() as f64)
    };
    let (whole, eighth) = (of(None), of(Some(0.125)));
    assert_eq!((whole.0, eighth.0), (2_000_000, 250_000));
    assert!((eighth.1 / whole.1 - 0.125).abs() < 0.001, "{whole:?} {eighth:?}");
    assert!((eighth.2 - whole.2).abs() < 0.01, "{whole:?} {eighth:?}");
    let context = OpenContext { drive_bytes: 1 << 40, seed: 1, base_dir: Path::new("") };
    let both = TwinConfig { share: Some(0.5), requests: Some(1), ..TwinConfig::of_profile(&path) };
    for (config, told) in [
        (both, "source.share = 0.5: allowed: without requests and space_bytes, which it is in the place of"),
        (TwinConfig { share: Some(0.0), ..TwinConfig::of_profile(&path) }, "source.share = 0"),
    ] {
        let error = open(&SourceConfig::Twin(config), &context).err().unwrap().to_string();
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn a_source_replaces_the_zipf_exponent_of_its_profile() {
    let path = presets().join("gen0.toml");
    let twin = |theta| TwinConfig { requests: Some(40_000), theta, ..TwinConfig::of_profile(path.clone()) };
    let busiest = |theta| {
        let mut reads = std::collections::BTreeMap::new();
        let requests = requests_of(twin(theta));
        requests.iter().filter(|request| request.op == HostOp::Read).for_each(|request| {
            *reads.entry(request.offset / 4096).or_insert(0_u32) += 1;
        });
        reads.into_values().max().unwrap_or(0)
    };
    assert_eq!(requests_of(twin(Some(0.5))), requests_of(twin(None)), "the profile's own");
    // Of the hot class's 544,512 pages the first gets 1 / ζ(n, θ) of its reads: 7% at θ = 1.
    let most = busiest(Some(1.0));
    assert!((2_000..2_700).contains(&most), "{most}");
    assert!(busiest(Some(0.0)) < 10);
    let context = OpenContext { drive_bytes: 1 << 40, seed: 1, base_dir: Path::new("") };
    let refused =
        |config| open(&SourceConfig::Twin(config), &context).err().map(|error| error.to_string()).unwrap();
    let too_large = SourceConfig::Twin(twin(Some(10.5))).validate().unwrap_err().to_string();
    assert!(too_large.contains("theta = 10.5: allowed: 0 to 10"), "{too_large}");
    let none = TwinConfig { theta: Some(0.5), ..TwinConfig::of_profile(presets().join("gen1.toml")) };
    assert!(refused(none).contains("theta = 0.5: allowed: with a profile that has classes walked by zipf"));
}

#[test]
fn short_reads_of_a_skewed_walk_go_to_any_stripe_and_long_ones_stay() {
    let path = presets().join("lun0.toml");
    let even = TwinConfig { requests: Some(40_000), ..TwinConfig::of_profile(path) };
    let (even, skewed) =
        (requests_of(even.clone()), requests_of(TwinConfig { skew: Some(1.0), ..even.clone() }));
    // The hot class, which lies first; of the others the walk goes on.
    let hot = 4_134_535_168;
    let (mut far, mut short, mut first) = (0, 0, 0);
    for (one, other) in even.iter().zip(&skewed) {
        assert_eq!((one.time, one.op, one.length), (other.time, other.op, other.length));
        let elsewhere = one.offset / 32_768 != other.offset / 32_768;
        if one.op == HostOp::Read && one.length <= 8192 && one.offset < hot {
            (short, far) = (short + 1, far + usize::from(elsewhere));
            first += usize::from(other.offset / 8192 % 4 == 0);
            assert!(other.offset < hot + 32_768, "in its class");
        } else {
            assert!(!elsewhere, "{one:?} {other:?}");
        }
    }
    assert!(short > 5_000 && far * 100 > short * 99, "{far} of {short}");
    assert!((first as f64 / f64::from(short as u32) - 0.5).abs() < 0.02, "{first} of {short}");
}
