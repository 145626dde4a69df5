//! Transformations as a description has them.

use wordline_trace::{SourceConfig, TraceInfo, WorkloadConfig};

use crate::support::{Folder, drain, opened, short};

type Short = (u64, char, u64, u64);

/// The requests of a trace after the steps, and the remarks; or what is wrong.
fn transformed(text: &str, keys: &str, drive_bytes: u64) -> Result<(Vec<Short>, Vec<String>), String> {
    let folder = Folder::new();
    let path = folder.file("trace.csv", text);
    folder.file("other.csv", "0,W,0,512\n150,W,512,512\n");
    let keys = keys.replace("OTHER", folder.0.join("other.csv").to_str().unwrap());
    let description = format!("[source]\nkind = \"trace\"\npath = {:?}\n{keys}", path.to_str().unwrap());
    let config: WorkloadConfig = toml::from_str(&description).map_err(|error| error.message().to_owned())?;
    config.validate().map_err(|error| error.to_string())?;
    let mut opened = opened(&config.source.unwrap(), drive_bytes)?;
    let requests = drain(opened.source.as_mut()).map_err(|error| error.to_string())?;
    Ok((requests.iter().map(short).collect(), opened.notes.lines()))
}

const TRACE: &str = "time_ns,op,offset_bytes,length_bytes,flow\n0,R,0,512,0\n100,W,512,512,1\n200,R,1073741824,512,0\n\
                     300,T,0,4096,0\n400,R,2147483648,1024,1\n";

fn steps(steps: &str) -> Vec<Short> {
    transformed(TRACE, &format!("transform = [{steps}]"), u64::MAX).unwrap().0
}

#[test]
fn steps_are_carried_out_in_their_order() {
    let first = steps(
        "{ kind = \"slice_count\", skip = 1, count = 3 }, { kind = \"filter\", ops = [\"read\", \"W\"] }",
    );
    assert_eq!(first, [(0, 'W', 512, 512), (100, 'R', 1 << 30, 512)]);
    let second =
        steps("{ kind = \"filter\", ops = [\"read\"] }, { kind = \"slice_count\", skip = 1, count = 3 }");
    assert_eq!(second, [(0, 'R', 1 << 30, 512), (200, 'R', 2 << 30, 1024)]);
    assert_eq!(
        steps(
            "{ kind = \"slice_time\", from_ns = 100, to_ns = 300 }, { kind = \"scale_time\", factor = 2.5 }"
        ),
        [(0, 'W', 512, 512), (250, 'R', 1 << 30, 512)]
    );
}

#[test]
fn a_repeated_slice_goes_on_in_time() {
    let cut = steps("{ kind = \"filter\", ops = [\"T\"] }, { kind = \"split\", bytes = 2048 }");
    assert_eq!(cut, [(300, 'T', 0, 2048), (300, 'T', 2048, 2048)]);
    let joined = steps("{ kind = \"slice_count\", count = 2 }, { kind = \"join\" }");
    assert_eq!(joined.len(), 2, "of two kinds");
    let moved = steps("{ kind = \"slice_count\", skip = 4 }, { kind = \"subtract\", bytes = 2147483648 }");
    assert_eq!(moved, [(0, 'R', 0, 1024)]);
    let repeated = steps("{ kind = \"slice_count\", count = 2 }, { kind = \"repeat\", times = 3 }");
    let times: Vec<u64> = repeated.iter().map(|request| request.0).collect();
    assert_eq!(times, [0, 100, 100, 200, 200, 300]);
}

#[test]
fn the_rate_becomes_the_one_that_is_wanted() {
    let scaled = steps("{ kind = \"slice_count\", count = 3 }, { kind = \"target_iops\", iops = 1000 }");
    assert_eq!(scaled.iter().map(|request| request.0).collect::<Vec<_>>(), [0, 1_000_000, 2_000_000]);
}

#[test]
fn addresses_are_compacted_wrapped_and_fitted_behind_the_last_step() {
    let compacted = steps("{ kind = \"compact\" }, { kind = \"filter\", ops = [\"R\"] }");
    assert_eq!(compacted.iter().map(|request| request.2).collect::<Vec<_>>(), [0, 1 << 20, 2 << 20]);
    let wrapped = steps("{ kind = \"wrap\", bytes = 10000 }, { kind = \"filter\", devices = [0] }");
    assert_eq!(wrapped.iter().map(|request| request.2).collect::<Vec<_>>(), [0, 1824, 0]);
    let small = "transform = [{ kind = \"filter\", ops = [\"R\"] }]";
    let error = transformed(TRACE, small, 1 << 20).unwrap_err();
    assert!(
        error.contains("request 2 of the transformed trace") && error.contains("1048576 bytes"),
        "{error}"
    );
    let (fitted, notes) =
        transformed(TRACE, &format!("out_of_range = \"compact\"\n{small}"), 8 << 20).unwrap();
    assert_eq!(fitted.len(), 3);
    assert!(notes.iter().any(|note| note.contains("compacted into the first")), "{notes:?}");
}

#[test]
fn merged_traces_are_flows() {
    let merged = steps("{ kind = \"merge\", paths = [\"OTHER\"] }, { kind = \"filter\", devices = [1] }");
    assert_eq!(merged, [(0, 'W', 0, 512), (150, 'W', 512, 512)]);
    let all = steps("{ kind = \"merge\", paths = [\"OTHER\"] }");
    assert_eq!(all.iter().map(|request| request.0).collect::<Vec<_>>(), [0, 0, 100, 150, 200, 300, 400]);
}

#[test]
fn a_window_puts_arrivals_in_order_before_anything_else() {
    let text =
        "time_ns,op,offset_bytes,length_bytes\n50,R,0,512\n20,R,512,512\n70,R,1024,512\n60,R,1536,512\n";
    let (sorted, notes) = transformed(text, "sort_window = 2", u64::MAX).unwrap();
    assert_eq!(sorted, [(0, 'R', 512, 512), (30, 'R', 0, 512), (40, 'R', 1536, 512), (50, 'R', 1024, 512)]);
    assert!(notes.is_empty(), "{notes:?}");
}

#[test]
fn wrong_steps_are_named() {
    for (step, part) in [
        ("{ kind = \"slice\" }", "unknown variant"),
        ("{ kind = \"compact\", bytes = 5 }", "unknown field `bytes`"),
        ("{ kind = \"wrap\" }", "missing field `bytes`"),
        ("{ kind = \"wrap\", bytes = 5, size = 6 }", "unknown field `size`"),
        ("{ kind = \"wrap\", bytes = 0 }", "source.transform[0].bytes = 0"),
        ("{ kind = \"split\", bytes = 0 }", "source.transform[0].bytes = 0"),
        ("{ kind = \"subtract\" }", "missing field `bytes`"),
        ("{ kind = \"split\", bytes = 5, within_ns = 6 }", "unknown field `within_ns`"),
        ("{ kind = \"repeat\", times = 0 }", "source.transform[0].times = 0"),
        ("{ kind = \"slice_time\", from_ns = 5, to_ns = 5 }", "above from_ns, 5"),
        ("{ kind = \"merge\", paths = [] }", "1 to 1024 files"),
    ] {
        let error = transformed(TRACE, &format!("transform = [{step}]"), u64::MAX).unwrap_err();
        assert!(error.contains(part), "{step}: {error}");
    }
}

#[test]
fn a_description_with_steps_written_and_read_again_is_the_same() {
    let text = "[source]\nkind = \"trace\"\npath = \"x\"\nevent = \"Q\"\ncolumns = { time = 1, op = \"rw\" }\n\
                transform = [{ kind = \"filter\", ops = [\"T\"], from_bytes = 5 }, { kind = \"compact\" }]";
    let config: WorkloadConfig = toml::from_str(text).unwrap();
    assert_eq!(toml::from_str::<WorkloadConfig>(&toml::to_string(&config).unwrap()).unwrap(), config);
}

#[test]
fn a_generated_zipf_law_is_found_again() {
    let text = "[source]\nkind = \"synthetic\"\nrequests = 400000\nread_share = 1.0\nsizes = 4096\n\
                pattern = { kind = \"zipf\", theta = 0.9 }";
    let config: WorkloadConfig = toml::from_str(text).unwrap();
    let source: SourceConfig = config.source.unwrap();
    let info = TraceInfo::collect(&mut opened(&source, 1 << 28).unwrap()).unwrap();
    let fit = info.read_popularity.zipf.unwrap();
    assert!((fit.theta - 0.9).abs() < 0.05 && fit.r_squared > 0.95, "{fit:?}");
    assert!(info.hot_share > 0.5 && (info.page_classes.read_intensive.pages - 1.0).abs() < 1e-12);
}
