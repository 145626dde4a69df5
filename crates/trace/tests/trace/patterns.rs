//! What `fit` sees of what requests do together, and that a twin does the same: patterns of a twin are those of its profile, within the
//! bounds that docs/twins.md states.

use std::path::Path;

use wordline_trace::twin::{
    BurstOp, BurstPattern, FitFor, FitOptions, PROFILE_BYTES, PageKind, Patterns, Profile, fit,
};
use wordline_trace::{OpenContext, SourceConfig, TraceConfig, TwinConfig, open};

use crate::support::Folder;

const MODEL: &str = r#"
form = 1
name = "patterns"
fit_for = "published_characteristics"
space_bytes = 268435456
[summary]
requests = 100000
[model]
read_share = 0.75
read_sizes = [{ bytes = 4096, weight = 3.0 }, { bytes = 16384, weight = 1.0 }]
write_sizes = [{ bytes = 8192, weight = 1.0 }]
burst_requests = ROW
burst_gap_ns = 20000.0
idle_gap_ns = 5e6
[[model.class]]
name = "read"
bytes = 134217728
reads = 0.98
writes = 0.02
WALK
[[model.class]]
name = "written"
bytes = 67108864
reads = 0.02
writes = 0.98
walk = "zipf"
theta = 0.8
"#;

fn model(row: &str, walk: &str) -> String {
    MODEL.replace("ROW", row).replace("WALK", walk)
}

/// Single requests uniform over their classes, and these bursts.
fn with_bursts(bursts: &str) -> String {
    model("1.0", "walk = \"uniform\"") + bursts
}

fn model_of_twin(text: &str, requests: u64) -> Profile {
    let folder = Folder::new();
    let path = folder.file("profile.toml", text);
    let source = SourceConfig::Twin(TwinConfig { requests: Some(requests), ..TwinConfig::of_profile(path) });
    let context = OpenContext { drive_bytes: 1 << 40, seed: 1, base_dir: Path::new("") };
    let options = FitOptions { model: true, ..FitOptions::default() };
    fit("again", &options, &mut || open(&source, &context)).unwrap()
}

fn patterns(profile: &Profile) -> &Patterns {
    profile.patterns.as_ref().unwrap()
}

fn near(found: f64, wanted: f64, within: f64) {
    assert!((found / wanted - 1.0).abs() <= within, "{found} for {wanted}");
}

fn about(found: f64, wanted: f64, within: f64) {
    assert!((found - wanted).abs() <= within, "{found} for {wanted}");
}

const BURSTS: &str = r#"
[[model.burst]]
name = "together"
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
gap_ns = 1500.0
run = 4
"#;

fn main_burst(found: &Patterns, op: BurstOp) -> &BurstPattern {
    let of_op = found.burst.iter().filter(|burst| burst.op == op);
    of_op.max_by(|a, b| a.share.total_cmp(&b.share)).unwrap()
}

#[test]
fn bursts_and_their_repetition_are_found_again() {
    let profile = model_of_twin(&with_bursts(BURSTS), 100_000);
    let found = patterns(&profile);
    let reads = main_burst(found, BurstOp::Read);
    near(reads.requests, 20.0, 0.05);
    about(reads.share, 0.6, 0.03);
    near(reads.gap_ns, 3_000.0, 0.05);
    near(reads.times, 10.0, 0.1);
    near(reads.sequences, 16.0, 0.1);
    near(reads.run, 1.0, 0.05);
    assert_eq!((reads.class, reads.aligned_bytes), (PageKind::Read, 0));
    let writes = main_burst(found, BurstOp::Write);
    near(writes.requests, 8.0, 0.05);
    about(writes.share, 0.5, 0.03);
    near(writes.gap_ns, 1_500.0, 0.05);
    near(writes.run, 4.0, 0.05);
    near(writes.times, 1.0, 0.05);
    near(found.idle_gap_ns, 5e6, 0.05);
    near(found.row, 1.0, 0.05);
}

#[test]
fn a_few_sequences_that_come_often_are_found_again() {
    for (sequences, times) in [(4, 40.0), (64, 5.0), (8, 1.5)] {
        let bursts = BURSTS
            .replace("sequences = 16", &format!("sequences = {sequences}"))
            .replace("times = 10.0", &format!("times = {times:?}"));
        let profile = model_of_twin(&with_bursts(&bursts), 100_000);
        let reads = main_burst(patterns(&profile), BurstOp::Read);
        near(reads.times, times, 0.2);
        near(reads.sequences, f64::from(sequences), 0.2);
    }
}

#[test]
fn bursts_of_two_lengths_are_told_apart() {
    let two = BURSTS.replace("share = 0.6", "share = 0.3").replace("requests = 8", "requests = 60");
    let short = BURSTS.replace("share = 0.6", "share = 0.4").replace("requests = 20", "requests = 6");
    let short = short.split("[[model.burst]]").nth(1).unwrap();
    let text = with_bursts(&format!("{two}[[model.burst]]{short}"));
    let profile = model_of_twin(&text, 100_000);
    let reads = |requests: f64| {
        let mut reads = patterns(&profile).burst.iter().filter(|burst| burst.op == BurstOp::Read);
        *reads.find(|burst| (burst.requests / requests - 1.0).abs() < 0.1).unwrap()
    };
    about(reads(20.0).share, 0.3, 0.03);
    about(reads(6.0).share, 0.4, 0.03);
    near(reads(6.0).times, 10.0, 0.2);
}

#[test]
fn requests_that_begin_alike_in_aligned_groups_are_found_again() {
    for (bytes, share) in [(262_144, 0.7), (65_536, 0.3)] {
        let alike = BURSTS.replace(
            "gap_ns = 3000.0",
            &format!("gap_ns = 3000.0\naligned = {{ bytes = {bytes}, share = {share} }}"),
        );
        let profile = model_of_twin(&with_bursts(&alike), 50_000);
        let reads = main_burst(patterns(&profile), BurstOp::Read);
        assert_eq!(reads.aligned_bytes, bytes);
        about(reads.aligned_share, share, 0.05);
    }
}

#[test]
fn rows_of_reads_and_writes_are_no_bursts() {
    let profile = model_of_twin(&model("8.0", "walk = \"zipf\"\ntheta = 0.8"), 100_000);
    let found = patterns(&profile);
    assert_eq!((found.burst.len(), found.within_ns), (0, 0));
    near(found.row, 8.0, 0.1);
    near(found.row_gap_ns, 20_000.0, 0.1);
    near(found.idle_gap_ns, 5e6, 0.1);
}

#[test]
fn classes_of_pages_their_popularity_and_reads_that_come_back_are_found_again() {
    for (walk, theta, recent) in [
        ("walk = \"zipf\"\ntheta = 0.8", 0.8, (0.0, 0)),
        ("walk = \"uniform\"\nrecent = { share = 0.5, reads = 500 }", 0.0, (0.5, 500)),
        ("walk = \"zipf\"\ntheta = 0.8\nrecent = { share = 0.6, reads = 4096 }", 0.8, (0.6, 4096)),
    ] {
        let profile = model_of_twin(&model("8.0", walk), 200_000);
        let class = patterns(&profile).class.iter().find(|class| class.class == PageKind::Read).unwrap();
        about(class.reads, 0.98, 0.03);
        about(class.writes, 0.02, 0.03);
        about(class.theta, theta, 0.2);
        about(class.recent_share, recent.0, 0.12);
        assert!(class.recent_reads >= recent.1 / 2 && class.recent_reads <= recent.1 * 2, "{class:?}");
        near(class.bytes as f64, 134_217_728.0, 0.35);
    }
}

#[test]
fn runs_of_one_kind_on_mixed_pages_are_found_again() {
    // Few pages, so that each is read and written often enough to be told from the mixed ones.
    let class = |name: &str, bytes: u64, reads: f64, writes: f64, more: &str| {
        format!(
            "[[model.class]]\nname = \"{name}\"\nbytes = {bytes}\nreads = {reads}\nwrites = {writes}\nwalk = \"uniform\"\n{more}"
        )
    };
    let text = |turns: &str| {
        let whole = model("8.0", "");
        let head = whole.split("[[model.class]]").next().unwrap();
        let classes =
            [class("read", 8 << 20, 0.898, 0.002, ""), class("written", 4 << 20, 0.002, 0.698, "")].concat();
        format!("{head}{classes}{}", class("mixed", 2 << 20, 0.1, 0.3, turns))
    };
    let mixed = |text: &str| {
        let classes = model_of_twin(text, 100_000).model.unwrap().class;
        classes.into_iter().find(|class| class.name == "mixed").unwrap()
    };
    let found = mixed(&text("turns = 2000\n"));
    near(found.turns.unwrap() as f64, 2_000.0, 0.15);
    about(found.reads, 0.1, 0.02);
    near(found.bytes as f64, 2_097_152.0, 0.3);
    // Where each request is drawn by itself there are none.
    assert_eq!(mixed(&text("")).turns, None);
}

#[test]
fn reads_that_fall_unevenly_on_groups_of_pages_are_found_again() {
    let skewed = model("8.0", "walk = \"uniform\"") + "[model.skew]\nbytes = 8192\nof = 4\nexcess = 1.2\n";
    let skewed = skewed.replace(", { bytes = 16384, weight = 1.0 }", "");
    let profile = model_of_twin(&skewed, 100_000);
    let skew = patterns(&profile).skew.clone().unwrap();
    assert_eq!((skew.bytes, skew.of), (8192, 4));
    about(skew.excess, 1.2, 0.15);
    let even = model_of_twin(&model("8.0", "walk = \"uniform\""), 100_000);
    assert_eq!(patterns(&even).skew, None);
}

#[test]
fn a_profile_of_patterns_is_small_and_its_twin_has_them_again() {
    let first = model_of_twin(&format!("{}{BURSTS}", model("1.0", "walk = \"zipf\"\ntheta = 0.8")), 100_000);
    let text = first.to_toml();
    assert!(text.len() < PROFILE_BYTES / 8, "{}", text.len());
    assert_eq!(Profile::from_toml(&text).unwrap(), first);
    assert_eq!((first.form, first.fit_for), (1, FitFor::Patterns));
    let second = model_of_twin(&text, 100_000);
    for op in [BurstOp::Read, BurstOp::Write] {
        let (before, after) = (main_burst(patterns(&first), op), main_burst(patterns(&second), op));
        near(after.requests, before.requests, 0.05);
        near(after.run, before.run, 0.05);
        near(after.gap_ns, before.gap_ns, 0.05);
        about(after.share, before.share, 0.03);
        near(after.times, before.times, 0.2);
    }
}

#[test]
fn profiles_of_pieces_tell_patterns_too_and_their_twins_keep_bursts() {
    let folder = Folder::new();
    // Bursts of eight reads that come again, each twelve times, and single writes.
    let mut text = String::from("time_ns,op,offset_bytes,length_bytes\n");
    for burst in 0..2_400_u64 {
        let (start, sequence) = (burst * 10_000_000, burst / 48 * 4 + burst % 4);
        for step in 0..8 {
            let offset = (sequence * 8 + step) * 7_919 % 65_536 * 16_384;
            text += &format!("{},R,{offset},16384\n", start + step * (2_000 + burst % 7 * 100));
        }
        text += &format!("{},W,{},4096\n", start + 5_000_000, (1_u64 << 32) + burst * 4096);
    }
    let trace = SourceConfig::Trace(TraceConfig::of_file(folder.file("trace.csv", text)));
    let context = OpenContext { drive_bytes: 1 << 40, seed: 1, base_dir: Path::new("") };
    let options = FitOptions { piece: Some(48), ..FitOptions::default() };
    let profile = fit("pieces", &options, &mut || open(&trace, &context)).unwrap();
    let twin = SourceConfig::Twin(TwinConfig::of_profile(folder.file("profile.toml", profile.to_toml())));
    let of_twin = fit("twin", &options, &mut || open(&twin, &context)).unwrap();
    let (wanted, found) =
        (main_burst(patterns(&profile), BurstOp::Read), main_burst(patterns(&of_twin), BurstOp::Read));
    near(wanted.times, 12.0, 0.05);
    near(wanted.requests, 8.0, 0.01);
    near(found.requests, wanted.requests, 0.05);
    near(found.gap_ns, wanted.gap_ns, 0.1);
    near(found.times, wanted.times, 0.25);
}

#[test]
fn a_trace_without_reads_and_writes_has_no_model() {
    let folder = Folder::new();
    let path = folder.file("trace.csv", "time_ns,op,offset_bytes,length_bytes\n0,T,0,4096\n5,T,8192,4096\n");
    let trace = SourceConfig::Trace(TraceConfig::of_file(path));
    let context = OpenContext { drive_bytes: 1 << 40, seed: 1, base_dir: Path::new("") };
    let options = FitOptions { model: true, ..FitOptions::default() };
    let error = fit("trims", &options, &mut || open(&trace, &context)).unwrap_err();
    assert!(error.to_string().contains("trims: a trace without reads and writes has no model"), "{error}");
}

#[test]
fn a_model_has_as_many_requests_as_the_trace_has_reads_and_writes() {
    let folder = Folder::new();
    let row = |number: u64| match number % 4 {
        3 => format!("{},F,0,0\n", number * 1000),
        2 => format!("{},T,{},4096\n", number * 1000, number * 4096),
        _ => format!("{},W,{},4096\n", number * 1000, number * 4096),
    };
    let rows: String = (0..4000).map(row).collect();
    let path = folder.file("trace.csv", format!("time_ns,op,offset_bytes,length_bytes\n{rows}"));
    let trace = SourceConfig::Trace(TraceConfig::of_file(path));
    let context = OpenContext { drive_bytes: 1 << 40, seed: 1, base_dir: Path::new("") };
    let options = FitOptions { model: true, ..FitOptions::default() };
    let summary = fit("flushed", &options, &mut || open(&trace, &context)).unwrap().summary;
    assert_eq!((summary.requests, summary.left_out), (2000, 2000));
    assert!(summary.read_share == 0.0);
}
