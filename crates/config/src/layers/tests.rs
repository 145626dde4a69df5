use proptest::prelude::*;
use serde::Deserialize;

use super::super::resolve::{resolve_layers, resolve_run, to_toml};
use super::super::scheme::SchemeConfig;
use super::*;

const DEVICE: &str = r#"
name = "small"

[geometry]
channels = 2
ways = 1
dies = 1
planes = 2
blocks = 64
pages = 16
page_bytes = 16384
mapping_unit_bytes = 4096

[capacity]
overprovisioning = 0.2

[cell]
technology = "tlc"
read_ns = [50_000]
program_ns = [700_000]
erase_ns = 3_500_000

[channel]
mega_transfers_per_s = 1200

[scheme.gc]
trigger = 0.05
"#;

fn device(text: &str) -> Layer {
    Layer::from_toml("drive.toml", text).expect("TOML")
}

fn scheme(text: &str) -> Layer {
    Layer::from_toml("firmware.toml", text).expect("TOML")
}

fn set(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect()
}

/// The message of a run with one place of the device changed.
fn device_error(from: &str, to: &str) -> String {
    assert!(DEVICE.contains(from));
    let text = DEVICE.replacen(from, to, 1);
    message(resolve_run(&device(&text), &scheme(""), &[]))
}

fn scheme_error(text: &str) -> String {
    message(resolve_run(&device(DEVICE), &scheme(text), &[]))
}

fn set_error(path: &str, value: &str) -> String {
    message(resolve_run(&device(DEVICE), &scheme(""), &set(&[(path, value)])))
}

fn message<T: std::fmt::Debug>(result: Result<T, ConfigError>) -> String {
    result.expect_err("refused").to_string()
}

#[test]
fn each_layer_goes_over_the_one_before() {
    let (_, from_device) = resolve_run(&device(DEVICE), &scheme(""), &[]).unwrap();
    assert_eq!(from_device.gc.trigger, 0.05);
    assert_eq!(from_device.placement, SchemeConfig::default().placement);
    let file = scheme("[gc]\ntrigger = 0.04\n[scheduler]\npolicy = \"fifo\"");
    let (_, from_scheme) = resolve_run(&device(DEVICE), &file, &[]).unwrap();
    assert_eq!(from_scheme.gc.trigger, 0.04);
    let overrides = set(&[
        ("scheme.gc.trigger", "0.03"),
        ("scheme.scheduler.policy", "read_first"),
        ("scheme.placement.order", "PWDC"),
        ("device.geometry.blocks", "1_024"),
        ("device.cell.read_ns", "[1, 2, 3]"),
        ("workload.host.queue_depth", "4"),
    ]);
    let (drive, resolved) = resolve_run(&device(DEVICE), &file, &overrides).unwrap();
    assert_eq!(resolved.gc.trigger, 0.03);
    assert_eq!(resolved.scheduler.policy, super::super::scheme::SchedulerKind::ReadFirst);
    assert_eq!(String::from(resolved.placement.order), "PWDC");
    assert_eq!(drive.geometry.blocks, 1024);
    assert_eq!(drive.cell.read_ns, [1, 2, 3]);
}

#[test]
fn what_is_printed_reads_back_as_the_same() {
    let (drive, firmware) = resolve_run(&device(DEVICE), &scheme("name = \"x\""), &[]).unwrap();
    let printed = Layer::from_toml("printed", &to_toml(&drive)).unwrap();
    let again = resolve_run(&printed, &Layer::from_toml("printed", &to_toml(&firmware)).unwrap(), &[]);
    assert_eq!(again.unwrap(), (drive, firmware));
}

#[test]
fn the_last_of_equal_overrides_holds() {
    let overrides = set(&[("scheme.gc.trigger", "0.2"), ("scheme.gc.trigger", "0.1")]);
    let (_, resolved) = resolve_run(&device(DEVICE), &scheme(""), &overrides).unwrap();
    assert_eq!(resolved.gc.trigger, 0.1);
}

#[test]
fn a_later_layer_says_the_capacity_its_own_way_and_none_says_it_twice() {
    let capacity = |overrides: &[(&str, &str)]| {
        let (drive, _) = resolve_run(&device(DEVICE), &scheme(""), &set(overrides))?;
        Ok((drive.capacity.overprovisioning, drive.capacity.user_bytes))
    };
    let bytes = ("device.capacity.user_bytes", "100_663_296");
    let share = ("device.capacity.overprovisioning", "0.3");
    assert_eq!(capacity(&[]), Ok((Some(0.2), None)));
    assert_eq!(capacity(&[bytes]), Ok((None, Some(100_663_296))));
    assert_eq!(capacity(&[share]), Ok((Some(0.3), None)));
    assert!(message(capacity(&[bytes, share])).contains("only one of overprovisioning and user_bytes"));
}

#[test]
fn a_syntax_error_names_file_and_line() {
    let error = message(Layer::from_toml("drive.toml", "name = \"x\"\nblocks = = 8\n"));
    assert_eq!(error, "drive.toml:2: text = `blocks = = 8`: allowed: TOML (extra `=`, expected nothing)");
    let error = message(Layer::from_toml("drive.toml", "a = 1\n[t]\nb = 2\nb = 3\n"));
    assert_eq!(error, "drive.toml:4: text = `b = 3`: allowed: each key once");
    let error = message(Layer::from_toml("drive.toml", "a = 99999999999999999999"));
    assert_eq!(
        error,
        "drive.toml:1: a = 99999999999999999999: allowed: whole numbers from -9223372036854775808 to 9223372036854775807"
    );
    let error = message(Layer::from_toml("drive.toml", "\na = [1.0, 1e999]"));
    assert_eq!(error, "drive.toml:2: a[1] = 1e999: allowed: numbers up to 1.7976931348623157e308");
}

#[test]
fn an_unknown_key_names_the_nearest_known_one() {
    assert_eq!(
        device_error("channels = 2", "channels = 2\nchanels = 4"),
        "drive.toml:6: device.geometry.chanels = 4: allowed: a known key; did you mean `channels`?"
    );
    assert_eq!(
        scheme_error("gc.triger = 0.1"),
        "firmware.toml:1: scheme.gc.triger = 0.1: allowed: a known key; did you mean `trigger`?"
    );
    assert_eq!(
        device_error("trigger = 0.05", "level = 0.05"),
        "drive.toml:27: scheme.gc.level = 0.05: allowed: a known key: policy, choices, window, trigger, stop, background, pace, isolation, host_access, read_ahead_pages, rotating or copyback"
    );
    assert_eq!(
        set_error("scheme.blocks.zzz", "1"),
        "scheme.blocks.zzz = 1: allowed: a known key: superblock or host_write_points"
    );
    assert_eq!(
        scheme_error("[gc]\n'odd`key' = 1"),
        "firmware.toml:2: scheme.gc.odd`key = 1: allowed: a known key: policy, choices, window, trigger, stop, background, pace, isolation, host_access, read_ahead_pages, rotating or copyback"
    );
    assert_eq!(set_error("scheme.gc.trigger.low", "1"), "scheme.gc.trigger = a table: allowed: a number");
    let error = scheme_error("[zzz]\na = 1");
    let begin = "firmware.toml:1: scheme.zzz = a table: allowed: a known key: name, description, ";
    assert!(error.starts_with(begin) && error.contains(", gc,"), "{error}");
}

#[test]
fn a_missing_key_names_the_file_that_lacks_it() {
    assert_eq!(
        device_error("ways = 1\n", ""),
        "drive.toml:4: device.geometry.ways = nothing: allowed: a value: the key has no default"
    );
    assert_eq!(
        message(resolve_run(&device("name = \"x\""), &scheme(""), &[])),
        "drive.toml: device.geometry = nothing: allowed: a value: the key has no default"
    );
    assert_eq!(
        message(Layers::new().resolve::<Load>("workload")),
        "workload.source = nothing: allowed: a value: the key has no default"
    );
    let overrides = set(&[("device.capacity.overprovisioning", "0.1")]);
    assert_eq!(
        message(resolve_run(&device("name = \"x\""), &scheme(""), &overrides)),
        "drive.toml: device.geometry = nothing: allowed: a value: the key has no default"
    );
}

#[test]
fn a_wrong_value_says_what_is_allowed() {
    assert_eq!(
        device_error("blocks = 64", "blocks = \"many\""),
        "drive.toml:9: device.geometry.blocks = \"many\": allowed: a whole number from 0 to 4294967295"
    );
    assert_eq!(
        device_error("blocks = 64", "blocks = -1"),
        "drive.toml:9: device.geometry.blocks = -1: allowed: a whole number from 0 to 4294967295"
    );
    assert_eq!(
        device_error("read_ns = [50_000]", "read_ns = [\n  1,\n  2.5\n]"),
        "drive.toml:21: device.cell.read_ns[1] = 2.5: allowed: a whole number of ns, 0 or more, such as 2 or 3"
    );
    assert_eq!(
        device_error("[capacity]\noverprovisioning = 0.2", "[capacity]\noverprovisioning = true"),
        "drive.toml:15: device.capacity.overprovisioning = true: allowed: a number"
    );
    assert_eq!(
        device_error("technology = \"tlc\"", "technology = \"tcl\""),
        "drive.toml:18: device.cell.technology = \"tcl\": allowed: slc, mlc, tlc or qlc; did you mean `tlc`?"
    );
    assert_eq!(
        set_error("scheme.scheduler.policy", "fito"),
        "scheme.scheduler.policy = \"fito\": \
         allowed: fifo, read_first or read_first_suspend; did you mean `fifo`?"
    );
    assert_eq!(
        set_error("scheme.placement.order", "CCDP"),
        "scheme.placement.order = \"CCDP\": \
         allowed: C, W, D and P once each, such as CWDP"
    );
    assert_eq!(set_error("device.geometry", "3"), "device.geometry = 3: allowed: a table");
    assert_eq!(
        scheme_error("gc.policy = 3"),
        "firmware.toml:1: scheme.gc.policy = 3: allowed: a word, as a string"
    );
}

#[test]
fn a_refused_value_has_its_origin() {
    assert_eq!(
        device_error("planes = 2", "planes = 33"),
        "drive.toml:8: device.geometry.planes = 33: allowed: 1 to 32"
    );
    assert_eq!(set_error("scheme.gc.trigger", "2"), "scheme.gc.trigger = 2: allowed: 0 to 0.9");
    assert_eq!(
        device_error("overprovisioning = 0.2", ""),
        "drive.toml:14: device.capacity.overprovisioning = nothing: \
         allowed: overprovisioning or user_bytes must be given"
    );
}

#[test]
fn an_option_is_named_where_its_value_is_refused() {
    let refused = |path: &str, value: &str| {
        let given = Layer::from_options("--set", &[(path, value)]);
        message(given.and_then(|given| resolve_layers(&device(DEVICE), &scheme(""), given)))
    };
    assert_eq!(
        refused("scheme.gc.trigger", "2"),
        "--set scheme.gc.trigger=2: scheme.gc.trigger = 2: allowed: 0 to 0.9"
    );
    assert_eq!(
        refused("scheme..trigger", "1"),
        "--set scheme..trigger=1: scheme..trigger = 1: \
         allowed: a path of keys joined by dots, such as scheme.gc.trigger"
    );
}

#[test]
fn a_whole_number_is_asked_for_with_the_nearest_ones_and_their_unit() {
    assert_eq!(
        set_error("device.cell.erase_ns", "45000.5"),
        "device.cell.erase_ns = 45000.5: allowed: a whole number of ns, 0 or more, such as 45000 or 45001"
    );
    assert_eq!(
        set_error("device.cell.read_ns", "45000.5"),
        "device.cell.read_ns = 45000.5: allowed: an array of whole numbers of ns, such as [45000]"
    );
    assert_eq!(
        set_error("device.cell.erase_ns", "5e3"),
        "device.cell.erase_ns = 5000.0: allowed: a whole number of ns, 0 or more, such as 5000"
    );
    assert_eq!(
        set_error("device.geometry.planes", "2.5"),
        "device.geometry.planes = 2.5: allowed: a whole number from 0 to 4294967295, such as 2 or 3"
    );
}

#[test]
fn an_override_must_name_a_value() {
    assert_eq!(
        set_error("shceme.gc.trigger", "1"),
        "shceme.gc.trigger = 1: \
         allowed: a path that begins with device, scheme or workload; did you mean `scheme`?"
    );
    assert_eq!(
        set_error("scheme..trigger", "1"),
        "scheme..trigger = 1: \
         allowed: a path of keys joined by dots, such as scheme.gc.trigger"
    );
}

/// A description of the form that workloads have: its source is tagged by `kind`.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Load {
    source: Source,
    #[serde(default)]
    start: super::super::run::StartConfig,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum Source {
    Synthetic { requests: u64, reads: f64 },
    Trace { file: String },
}

const LOAD: &str = "[source]\nkind = \"synthetic\"\nrequests = 10\nreads = 0.5\n";

fn load(text: &str, overrides: &[(&str, &str)]) -> Result<Load, ConfigError> {
    Layers::new()
        .with(Layer::from_toml("load.toml", text)?.under("workload"))
        .with(Layer::from_overrides(overrides)?)
        .resolve("workload")
}

#[test]
fn another_kind_replaces_the_table() {
    let same = [("workload.source.kind", "synthetic"), ("workload.source.reads", "1")];
    assert_eq!(load(LOAD, &same).unwrap().source, Source::Synthetic { requests: 10, reads: 1.0 });
    let other = [("workload.source.kind", "trace"), ("workload.source.file", "t.csv")];
    assert_eq!(load(LOAD, &other).unwrap().source, Source::Trace { file: "t.csv".to_owned() });
    assert_eq!(
        message(load(LOAD, &other[..1])),
        "load.toml: workload.source.file = nothing: allowed: a value: the key has no default"
    );
}

#[test]
fn errors_inside_a_tagged_table_name_the_key() {
    assert_eq!(
        message(load(LOAD, &[("workload.source.request", "1")])),
        "workload.source.request = 1: allowed: a known key; did you mean `requests`?"
    );
    assert_eq!(
        message(load(&LOAD.replace("10", "\"ten\""), &[])),
        "load.toml:3: workload.source.requests = \"ten\": allowed: a whole number, 0 or more"
    );
    assert_eq!(
        message(load(LOAD, &[("workload.source.kind", "traec")])),
        "workload.source.kind = \"traec\": \
         allowed: synthetic or trace; did you mean `trace`?"
    );
    assert_eq!(
        message(load(LOAD, &[("workload.start.occupancy", "true")])),
        "workload.start.occupancy = true: allowed: another type than a boolean"
    );
    assert_eq!(
        message(load(LOAD, &[("workload.start.occupancy", "full")])),
        "workload.start.occupancy = \"full\": \
         allowed: all, none, footprint, span, or a share from 0 to 1"
    );
}

#[test]
fn deep_nesting_is_an_error() {
    for text in [
        format!("a = {}1{}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("{}b = 1", "a.".repeat(100_000)),
        format!("[{}b]", "a.".repeat(100_000)),
        format!("a = {}", "{a=".repeat(100_000)),
    ] {
        let error = message(Layer::from_toml("deep.toml", &text));
        assert!(error.starts_with("deep.toml:1: ") && error.chars().count() < 300, "{error}");
    }
    message(Layer::from_overrides(&[(format!("device{}", ".a".repeat(100_000)), "1")]));
}

/// Pieces that together look like TOML more often than random characters do.
fn toml_like() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("[geometry]\n".to_owned()),
        Just("[[gc]]\n".to_owned()),
        Just("channels = 8\n".to_owned()),
        Just("kind = \"a\"\n".to_owned()),
        Just("scheme.gc.trigger = ".to_owned()),
        Just("{ a = 1, b.c = [".to_owned()),
        Just("\"\"\"\n".to_owned()),
        Just("1979-05-27".to_owned()),
        Just("] }\n".to_owned()),
        any::<f64>().prop_map(|number| format!("{number}\n")),
        any::<i128>().prop_map(|number| format!("x{number} = {number}\n")),
        ".{0,12}",
        "\\PC{0,8} = \\PC{0,8}\n",
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// Every error is one line and every text gets an answer.
fn check(text: &str, path: &str) {
    let layer = Layer::from_toml("any.toml", text);
    let set = Layer::from_overrides(&[(path, text)]);
    let answers = [
        layer.as_ref().err().map(ToString::to_string),
        set.as_ref().err().map(ToString::to_string),
        layer.ok().and_then(|layer| {
            resolve_run(&layer, &layer, &[(path.to_owned(), text.to_owned())]).err().map(|e| e.to_string())
        }),
        set.ok()
            .and_then(|set| Layers::new().with(set).resolve::<Load>("workload").err().map(|e| e.to_string())),
    ];
    for error in answers.into_iter().flatten() {
        assert_eq!(error.lines().count(), 1, "{error:?}");
        assert!(error.chars().count() < 4000, "{error:?}");
    }
}

proptest! {
    #[test]
    fn any_text_gets_an_answer(text in "(?s).{0,200}") {
        check(&text, "scheme.gc.trigger");
    }

    #[test]
    fn any_toml_like_text_gets_an_answer(
        text in toml_like(),
        path in "(device|scheme|workload)(\\.(geometry|gc|source|kind|\\PC{0,6})){0,3}",
    ) {
        check(&text, &path);
    }
}

#[test]
fn a_key_is_known_with_its_value_and_place_and_can_be_taken_out() {
    let layers = Layers::new()
        .with(device(DEVICE).under("device"))
        .with(Layer::from_overrides(&set(&[("device.cell.erase_ns", "7")])).unwrap());
    let given = |path: &str| layers.given(path).map(|(value, origin)| (value, origin.to_string()));
    let of = |value: &str, place: &str| Some((value.to_owned(), place.to_owned()));
    assert_eq!(given("device.cell.technology"), of("\"tlc\"", "drive.toml:18"));
    assert_eq!(given("device.cell.erase_ns"), of("7", ""), "by an argument, which has no place");
    assert_eq!((given("device.cell.bits"), given("device.nothing.of.this")), (None, None));
    assert!(layers.given("device.cell.erase_ns").unwrap().1.is_override());
    assert!(!layers.given("device.cell").unwrap().1.is_override());
    let without = layers.without("device.cell.erase_ns");
    assert_eq!(without.given("device.cell.erase_ns"), None);
    assert!(without.given("device.cell.technology").is_some());
}
