//! Descriptions: what is accepted, what is refused, and in which words.

use wordline_trace::WorkloadConfig;
use wordline_trace::config::{PatternConfig, Sizes, SourceConfig};

fn parsed(source: &str) -> Result<WorkloadConfig, String> {
    let config: WorkloadConfig = toml::from_str(source).map_err(|error| error.message().to_owned())?;
    config.validate().map_err(|error| error.to_string())?;
    Ok(config)
}

fn synthetic(more: &str) -> Result<WorkloadConfig, String> {
    parsed(&format!("[source]\nkind = \"synthetic\"\nrequests = 10\nread_share = 0.5\n{more}"))
}

fn refused(more: &str, part: &str) {
    let error = synthetic(more).expect_err(more);
    assert!(error.contains(part), "{more}: {error}");
}

#[test]
fn defaults_are_a_uniform_closed_loop_on_a_full_drive() {
    let config = synthetic("sizes = 4096").unwrap();
    let Some(SourceConfig::Synthetic(source)) = &config.source else { panic!("{config:?}") };
    assert_eq!(source.pattern, PatternConfig::Uniform);
    assert_eq!(source.sizes, Sizes::Fixed(4096));
    assert_eq!(source.alignment(), 4096);
    assert_eq!(config.host.queue_depth, 16);
}

#[test]
fn the_alignment_is_the_smallest_size_unless_given() {
    let sizes = "sizes = [{ bytes = 8192, weight = 1 }, { bytes = 512, weight = 2.5 }]\n";
    let Some(SourceConfig::Synthetic(source)) = synthetic(sizes).unwrap().source else { panic!() };
    assert_eq!((source.alignment(), source.sizes.largest()), (512, 8192));
    let Some(SourceConfig::Synthetic(source)) =
        synthetic(&format!("{sizes}alignment_bytes = 4096")).unwrap().source
    else {
        panic!()
    };
    assert_eq!(source.alignment(), 4096);
}

#[test]
fn keys_that_only_some_kinds_have_are_refused_by_the_others() {
    let synthetic = "kind = \"synthetic\"\nrequests = 10\nread_share = 0.5\nsizes = 512";
    let twin = "kind = \"twin\"\nrequests = 10\npath = \"p.toml\"";
    let ycsb = "kind = \"ycsb\"\nrequests = 10\nycsb = { workload = \"a\" }";
    let varmail = "files = 320, mean_file_bytes = 16384, append_bytes = 16384, io_bytes = 1048576";
    let filebench = format!(
        "kind = \"filebench\"\nrequests = 10\nfilebench = {{ personality = \"varmail\", {varmail} }}"
    );
    let trace = "kind = \"trace\"\npath = \"t.csv\"";
    for source in [synthetic, twin, ycsb, filebench.as_str(), trace] {
        parsed(&format!("[source]\n{source}")).unwrap();
    }
    let of_trace = [
        "format = \"msr\"",
        "time_unit = \"ns\"",
        "sector_bytes = 512",
        "offset_unit_bytes = 1",
        "length_unit_bytes = 1",
        "read_is = 1",
        "event = \"issue\"",
        "columns = {}",
        "sort_window = 5",
        "device = 0",
        "out_of_range = \"wrap\"",
        "skip_bad_lines = true",
        "max_requests = 5",
        "repeat = 2",
        "transform = []",
    ];
    let of_synthetic = [
        "read_share = 0.5",
        "trim_share = 0.1",
        "pattern = { kind = \"uniform\" }",
        "region = {}",
        "sizes = 512",
        "alignment_bytes = 512",
        "interarrival = { kind = \"poisson\", iops = 1.0 }",
    ];
    let generated = [twin, ycsb, filebench.as_str()];
    let sources = |one| generated.into_iter().chain([one]);
    let cases = sources(synthetic).flat_map(|source| of_trace.map(|key| (source, key)));
    let others = sources(trace).flat_map(|source| of_synthetic.map(|key| (source, key)));
    // A twin may be played again as well.
    let refused = |case: &(&str, &str)| *case != (twin, "repeat = 2");
    for (source, key) in cases.chain(others).filter(refused) {
        let error = parsed(&format!("[source]\n{source}\n{key}")).expect_err(key);
        assert!(error.contains("there are no such fields for this kind"), "{source} {key}: {error}");
    }
}

#[test]
fn unknown_keys_are_refused_in_every_table() {
    for more in [
        "sizes = 512\nsize = 1",
        "sizes = 512\npattern = { kind = \"uniform\", theta = 1.0 }",
        "sizes = 512\npattern = { kind = \"zipf\", theta = 1.0, skew = 2 }",
        "sizes = 512\npattern = { kind = \"hot_cold\", hot_share_of_space = 0.1, hot_share_of_requests = 0.9, x = 1 }",
        "sizes = 512\npattern = { kind = \"sequential\", stream = 1 }",
        "sizes = 512\nregion = { size = 1 }",
        "sizes = [{ bytes = 512, weight = 1, share = 2 }]",
        "sizes = 512\ninterarrival = { kind = \"poisson\", iops = 1.0, rate = 1 }",
        "sizes = 512\ninterarrival = { kind = \"fixed\", iops = 1.0, rate = 1 }",
        "sizes = 512\ninterarrival = { kind = \"burst\", iops = 1.0, burst_requests = 2, gap_ns = 3, x = 1 }",
        "sizes = 512\n[host]\ndepth = 1",
        "sizes = 512\n[start]\nx = 1",
        "sizes = 512\n[window]\nx = 1",
        "sizes = 512\n[extra]\nx = 1",
    ] {
        refused(more, "unknown field");
    }
    let trace = parsed("[source]\nkind = \"trace\"\npath = \"x\"\nskip = true").unwrap_err();
    assert!(trace.contains("unknown field `skip`"), "{trace}");
    let kind = parsed("[source]\nkind = \"tracer\"").unwrap_err();
    assert!(kind.contains("unknown variant"), "{kind}");
}

#[test]
fn impossible_values_name_their_path_and_what_is_allowed() {
    refused("sizes = 0", "source.sizes = 0: allowed: 1 to");
    refused("sizes = -4", "allowed: 1 to");
    refused("sizes = \"4k\"", "a number of bytes, or a list");
    refused("sizes = []", "1 to 65536 sizes");
    refused("sizes = [{ bytes = 512, weight = -1 }]", "source.sizes[0].weight = -1");
    refused("sizes = [{ bytes = 512, weight = 0 }]", "at least one weight above 0");
    refused("sizes = 512\ntrim_share = 0.6", "source.trim_share = 0.6: allowed: at most 1 - read_share");
    refused("sizes = 512\npattern = { kind = \"zipf\", theta = nan }", "source.pattern.theta = NaN");
    refused("sizes = 512\nregion = { share = 1.5 }", "source.region.share = 1.5");
    refused("sizes = 512\nregion = { share = 0.5, bytes = 512 }", "nothing beside share");
    refused("sizes = 512\ninterarrival = { kind = \"fixed\", iops = 0.0 }", "source.interarrival.iops = 0");
    refused("sizes = 512\n[host]\nqueue_depth = 0", "host.queue_depth = 0");
}

#[test]
fn open_arrivals_need_times() {
    refused(
        "sizes = 512\n[host]\narrivals = \"open\"",
        "source.interarrival = nothing: allowed: poisson, fixed or burst",
    );
    synthetic("sizes = 512\ninterarrival = { kind = \"fixed\", iops = 10 }\n[host]\narrivals = \"open\"")
        .unwrap();
}

#[test]
fn traces_are_validated_too() {
    let trace = |more: &str| parsed(&format!("[source]\nkind = \"trace\"\npath = \"x.csv\"\n{more}"));
    trace("format = \"disksim\"\ntime_unit = \"ms\"\nout_of_range = \"compact\"\ndevice = 3").unwrap();
    assert!(trace("sector_bytes = 0").unwrap_err().contains("source.sector_bytes = 0"));
    assert!(trace("repeat = 0").unwrap_err().contains("source.repeat = 0"));
    assert!(trace("max_requests = 0").unwrap_err().contains("source.max_requests = 0"));
    assert!(parsed("[source]\nkind = \"trace\"\npath = \"\"").unwrap_err().contains("a file's name"));
    assert!(parsed("[source]\nkind = \"trace\"").unwrap_err().contains("missing field `path`"));
}

#[test]
fn a_description_written_and_read_again_is_the_same() {
    let config = synthetic(
        "sizes = [{ bytes = 512, weight = 1 }]\nregion = { start_share = 0.25, bytes = 1048576 }\n\
         interarrival = { kind = \"burst\", iops = 5, burst_requests = 3, gap_ns = 7 }\n\
         pattern = { kind = \"hot_cold\", hot_share_of_space = 0.2, hot_share_of_requests = 0.8 }",
    )
    .unwrap();
    let text = toml::to_string(&config).unwrap();
    assert_eq!(parsed(&text).unwrap(), config);
}
