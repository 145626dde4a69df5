//! Flows: their descriptions, their parts of the drive, and their random streams.

use std::path::Path;

use wordline_base::request::HostRequest;
use wordline_config::host::Arrivals;
use wordline_config::layers::{Layer, Layers};
use wordline_trace::{OpenContext, WorkloadConfig, footprint, open_all, open_flows};

use crate::support::{Folder, drain};

const MIB: u64 = 1 << 20;

const SOURCE: &str = "source = { kind = \"synthetic\", requests = 200, read_share = 0.5, sizes = 4096 }";

fn parsed(text: &str) -> Result<WorkloadConfig, String> {
    let layers = Layers::new().with(Layer::from_toml("w.toml", text).unwrap().under("workload"));
    let config: WorkloadConfig = layers.resolve("workload").map_err(|error| error.to_string())?;
    config.validate().map_err(|error| layers.attach_origin(error.under("workload")).to_string())?;
    Ok(config)
}

/// A workload of one flow for each text.
fn flows(texts: &[&str]) -> String {
    texts.iter().map(|text| format!("[[flow]]\n{text}\n{SOURCE}\n")).collect()
}

fn requests(config: &WorkloadConfig, drive_bytes: u64) -> Result<Vec<Vec<HostRequest>>, String> {
    let context = OpenContext { drive_bytes, seed: 1, base_dir: Path::new("") };
    let opened = open_flows(config, &context).map_err(|error| error.to_string())?;
    opened
        .into_iter()
        .map(|mut flow| drain(&mut *flow.opened.source).map_err(|error| error.to_string()))
        .collect()
}

#[test]
fn what_a_flow_leaves_out_is_the_hosts() {
    let text = format!(
        "[host]\nqueue_depth = 9\nthink_time_ns = 5\n{}",
        flows(&["", "queue_depth = 3\nname = \"b\"\npriority = \"urgent\"\nweight = 4\nstream = 6"])
    );
    let config = parsed(&text).unwrap();
    let rules: Vec<_> = (0..2).map(|number| config.flow[number].rules(number, &config.host)).collect();
    assert_eq!((rules[0].name.as_str(), rules[0].queue_depth, rules[0].think_time_ns), ("flow0", 9, 5));
    assert_eq!((rules[1].name.as_str(), rules[1].queue_depth, rules[1].think_time_ns), ("b", 3, 5));
    assert_eq!((rules[1].weight, rules[1].stream, rules[1].arrivals), (4, 6, Arrivals::Closed));
}

#[test]
fn a_trace_that_wraps_in_a_part_of_the_drive_says_where() {
    let folder = Folder::new();
    let path = folder.file("t.csv", "time_ns,op,offset_bytes,length_bytes\n0,R,0,4096\n1,W,1048576,4096\n");
    let source = format!("source = {{ kind = \"trace\", path = {path:?}, out_of_range = \"wrap\" }}");
    let config =
        parsed(&format!("[[flow]]\nrange = {{ start_bytes = 1048576, bytes = 65536 }}\n{source}\n")).unwrap();
    let context = OpenContext { drive_bytes: 16 * MIB, seed: 1, base_dir: Path::new("") };
    let mut opened = open_flows(&config, &context).unwrap().remove(0).opened;
    drain(&mut *opened.source).unwrap();
    assert_eq!(opened.notes.lines(), ["1 request beyond the 65536 bytes that may be used wrapped around"]);
}

#[test]
fn each_flow_stays_in_its_part_of_the_drive_and_uses_all_of_it() {
    let config = parsed(&flows(&[
        "range = { share = 0.25 }",
        "range = { start_share = 0.25, share = 0.5 }",
        "range = { start_bytes = 11534336, bytes = 8192 }",
    ]))
    .unwrap();
    let found = requests(&config, 16 * MIB).unwrap();
    let span = |list: &[HostRequest]| {
        let first = list.iter().map(|request| request.offset).min().unwrap();
        (first, list.iter().map(|request| request.offset + request.length).max().unwrap())
    };
    let (first, last) = span(&found[0]);
    assert!(first < MIB && last <= 4 * MIB && last > 3 * MIB);
    let (first, last) = span(&found[1]);
    assert!((4 * MIB..5 * MIB).contains(&first) && last <= 12 * MIB && last > 11 * MIB);
    assert_eq!(span(&found[2]), (11 * MIB, 11 * MIB + 8192));
}

#[test]
fn shares_are_cut_to_whole_multiples_of_64_kib() {
    let config = parsed(&flows(&["range = { start_share = 0.3, share = 0.3 }"])).unwrap();
    let found = requests(&config, 16 * MIB).unwrap();
    let first = found[0].iter().map(|request| request.offset).min().unwrap();
    assert!(first >= (16 * MIB * 3 / 10).next_multiple_of(1 << 16));
    assert!(found[0].iter().all(|request| request.offset % 4096 == 0));
}

#[test]
fn a_flow_is_the_same_whatever_flows_are_beside_it_and_unlike_them() {
    let alone = requests(&parsed(&flows(&["name = \"x\""])).unwrap(), MIB).unwrap();
    let beside = requests(&parsed(&flows(&["name = \"y\"", "name = \"x\""])).unwrap(), MIB).unwrap();
    assert_eq!(alone[0], beside[1]);
    assert_ne!(beside[0], beside[1]);
}

#[test]
fn a_trace_beyond_its_part_of_the_drive_is_refused() {
    let folder = Folder::new();
    let path = folder.file("t.csv", "time_ns,op,offset_bytes,length_bytes\n0,R,0,4096\n1,W,1044480,8192\n");
    let source = format!("source = {{ kind = \"trace\", path = {path:?} }}");
    let text = |range: &str| format!("[[flow]]\nname = \"t\"\nrange = {range}\n{source}\n");
    let error = requests(&parsed(&text("{ start_bytes = 1048576, bytes = 1048576 }")).unwrap(), 4 * MIB);
    let error = error.unwrap_err();
    assert!(error.contains("flow t: ") && error.contains("1044480"), "{error}");
    let found = requests(&parsed(&text("{ start_bytes = 1048576 }")).unwrap(), 4 * MIB).unwrap();
    assert_eq!(found[0].iter().map(|request| request.offset).collect::<Vec<_>>(), [MIB, MIB + 1_044_480]);
}

#[test]
fn the_footprint_of_a_workload_is_that_of_all_its_flows() {
    let config =
        parsed(&flows(&["range = { bytes = 8192 }", "range = { start_bytes = 65536, bytes = 4096 }"]));
    let context = OpenContext { drive_bytes: MIB, seed: 1, base_dir: Path::new("") };
    let mut all = open_all(&config.unwrap(), &context).unwrap();
    let found = footprint(&mut *all.source, 4096, MIB).unwrap();
    assert_eq!(found.iter().collect::<Vec<_>>(), [0, 1, 16]);
}

#[test]
fn slips_in_flows_are_named_with_their_path() {
    for (text, expected) in [
        (flows(&["", "depth = 1"]), "w.toml:5: workload.flow[1].depth = 1: allowed: a known key"),
        (
            flows(&["priority = \"top\""]),
            "workload.flow[0].priority = \"top\": allowed: urgent, high, medium or low",
        ),
        (
            flows(&["", "queue_depth = 65537"]),
            "w.toml:5: workload.flow[1].queue_depth = 65537: allowed: 1 to 65536",
        ),
        (flows(&["weight = 0"]), "workload.flow[0].weight = 0: allowed: 1 to 256"),
        (flows(&["at_end = \"go\""]), "workload.flow[0].at_end = \"go\": allowed: continue or stop"),
        (flows(&["arrivals = \"open\""]), "workload.flow[0].source.interarrival = nothing: allowed: poisson"),
        (flows(&["range = { share = 2.0 }"]), "workload.flow[0].range.share = 2: allowed: 0 to 1"),
        (
            flows(&["name = \"flow1\"", ""]),
            "workload.flow[1].name = \"flow1\": allowed: a name that no other flow has",
        ),
        (
            format!("{SOURCE}\n{}", flows(&[""])),
            "w.toml:1: workload.source = a table: allowed: nothing beside flow",
        ),
        ("name = \"x\"".to_owned(), "workload.source = nothing: allowed: a value: the key has no default"),
        ("[[flow]]\nname = \"x\"".to_owned(), "workload.flow[0].source = nothing: allowed: a value"),
    ] {
        let error = parsed(&text).unwrap_err();
        assert!(error.contains(expected), "{error} for {text}");
    }
}

#[test]
fn only_what_has_more_to_give_goes_on_behind_its_end() {
    let trace = "[[flow]]\nsource = { kind = \"trace\", path = \"some.csv\" }\n";
    let goes_on = |text: &str| {
        let config = parsed(text).unwrap();
        config
            .flow
            .iter()
            .enumerate()
            .map(|(number, flow)| flow.rules(number, &config.host).goes_on)
            .collect()
    };
    let found: Vec<bool> = goes_on(&(flows(&["", "at_end = \"stop\"", "at_end = \"continue\""]) + trace));
    assert_eq!(found, [true, false, true, false]);
    // One with which others end has an end itself.
    assert_eq!(goes_on(&flows(&["ends = [\"flow1\"]", ""])), [false, true]);
    let error = parsed(&flows(&["ends = [\"flow1\"]\nat_end = \"continue\"", ""])).unwrap_err();
    assert!(error.contains("flow[0].at_end = \"continue\": allowed: \"stop\": others end"), "{error}");
    let error = parsed(&trace.replace("source", "at_end = \"continue\"\nsource")).unwrap_err();
    assert!(error.contains("flow[0].at_end = \"continue\": allowed: \"stop\": only generators"), "{error}");
}

#[test]
fn requests_like_those_of_a_flow_are_others_without_end_in_its_range() {
    let config = parsed(&flows(&["range = { start_bytes = 524288 }"])).unwrap();
    let context = OpenContext { drive_bytes: MIB, seed: 1, base_dir: Path::new("") };
    let mut flow = open_flows(&config, &context).unwrap().remove(0);
    let own = crate::support::drain(&mut *flow.opened.source).unwrap();
    let (mut alike, source) = (Vec::new(), flow.alike.as_mut().unwrap());
    while alike.len() < 2000 {
        source.next_batch(&mut alike).unwrap();
    }
    assert!(alike.iter().all(|request| (524_288..MIB).contains(&request.offset)));
    assert_ne!(own[..], alike[..own.len()]);
}

#[test]
fn a_part_whose_start_is_a_share_has_the_bytes_that_it_asks_for() {
    let drive = MIB + 4096;
    let context = OpenContext { drive_bytes: drive, seed: 1, base_dir: Path::new("") };
    let open = |bytes: u64| {
        let range = format!("range = {{ start_share = 0.5, bytes = {bytes} }}");
        open_flows(&parsed(&flows(&[&range])).unwrap(), &context).map(drop).map_err(|error| error.to_string())
    };
    // It begins at the next 64 KiB.
    let room = drive - (drive / 2).next_multiple_of(65_536);
    assert_eq!(open(room), Ok(()));
    let expected = format!(
        "flow[0].range.bytes = {}: allowed: at most {room}, for the drive has {drive} bytes",
        room + 1
    );
    assert_eq!(open(room + 1), Err(expected));
}

/// Requests of flows on a drive of 16 MiB whose last 4 MiB are a set.
fn in_sets(flow: &str) -> Result<Vec<HostRequest>, String> {
    let mut config = parsed(&flows(&[flow]))?;
    let sets = [("a".to_owned(), 0..12 * MIB), ("b".to_owned(), 12 * MIB..16 * MIB)];
    config.find_sets(&sets).map_err(|error| error.to_string())?;
    requests(&config, 16 * MIB).map(|mut found| found.remove(0))
}

#[test]
fn a_flow_of_a_set_stays_in_it_and_its_range_is_a_part_of_the_set() {
    for (flow, within) in [
        ("nvm_set = \"b\"", 12 * MIB..16 * MIB),
        ("nvm_set = \"b\"\nrange = { start_share = 0.25, share = 0.5 }", 13 * MIB..15 * MIB),
        ("nvm_set = \"a\"\nrange = { start_bytes = 1048576, bytes = 8192 }", MIB..MIB + 8192),
    ] {
        let found = in_sets(flow).unwrap();
        let first = found.iter().map(|request| request.offset).min().unwrap();
        let end = found.iter().map(|request| request.offset + request.length).max().unwrap();
        let length = within.end - within.start;
        assert!(within.start <= first && end <= within.end, "{flow}: {first} to {end}");
        assert!(end - first > length * 9 / 10 || length < MIB, "{flow}: {first} to {end}");
    }
}

#[test]
fn a_set_that_is_not_there_and_a_part_that_it_has_not_are_refused() {
    assert_eq!(
        in_sets("nvm_set = \"c\"").unwrap_err(),
        "flow[0].nvm_set = \"c\": allowed: names of scheme.nvm_set: a, b"
    );
    assert_eq!(
        in_sets("nvm_set = \"b\"\nrange = { bytes = 8388608 }").unwrap_err(),
        "flow[0].range.bytes = 8388608: allowed: at most 4194304, for the set has 4194304 bytes"
    );
    let mut config = parsed(&flows(&["nvm_set = \"a\""])).unwrap();
    assert_eq!(
        requests(&config, MIB).unwrap_err(),
        "flow[0].nvm_set = \"a\": allowed: left out where there is no drive"
    );
    assert_eq!(
        config.find_sets(&[]).unwrap_err().to_string(),
        "flow[0].nvm_set = \"a\": allowed: left out: the scheme has no set (scheme.nvm_set)"
    );
}

#[test]
fn a_part_that_the_drive_has_not_is_refused() {
    let error = |range: &str| requests(&parsed(&flows(&["", range])).unwrap(), MIB).unwrap_err();
    assert_eq!(
        error("range = { start_bytes = 1048576 }"),
        "flow[1].range.start_bytes = 1048576: allowed: below the drive's 1048576 bytes"
    );
    assert!(
        error("range = { bytes = 2000000 }").starts_with("flow[1].range.bytes = 2000000: allowed: at most")
    );
    assert!(
        error("range = { share = 0.01 }")
            .starts_with("flow[1].range = nothing of the drive: allowed: a range")
    );
}

#[test]
fn more_flows_than_queues_are_refused() {
    let mut config = parsed(&flows(&[""])).unwrap();
    config.flow = vec![config.flow[0].clone(); 65_536];
    assert_eq!(
        config.validate().unwrap_err().to_string(),
        "flow = 65536: allowed: at most 65535 flows, one a queue"
    );
}

#[test]
fn a_description_with_flows_written_and_read_again_is_the_same() {
    let text = flows(&["name = \"a\"\nqueue_depth = 4", "range = { start_share = 0.5 }\nstream = 2"]);
    let config =
        parsed(&format!("[host]\nmax_inside = 4\narbitration = {{ kind = \"strict\" }}\n{text}")).unwrap();
    assert_eq!(parsed(&toml::to_string(&config).unwrap()).unwrap(), config);
}

#[test]
fn a_drive_settles_only_before_requests_of_which_there_are_more() {
    let settles = "[start]\nsettle_requests = 9\n";
    let noted = |text: &str| {
        let keys = parsed(&format!("{settles}{text}")).unwrap().without_effect();
        keys.iter().any(|(key, _)| key == "start.settle_requests")
    };
    let trace = "[[flow]]\nsource = { kind = \"trace\", path = \"a.csv\" }\n";
    assert!(noted("[source]\nkind = \"trace\"\npath = \"a.csv\"\n"));
    assert!(noted(&format!("{}{trace}", flows(&[""]))));
    assert!(!noted(&flows(&["", "name = \"b\""])));
}

fn timed_source() -> &'static str {
    "sizes = 4096, interarrival = { kind = \"poisson\", iops = 5.0 }"
}

#[test]
fn times_between_requests_have_no_effect_in_a_closed_loop() {
    let of = |text: &str| {
        let keys = parsed(&flows(&[text]).replace("sizes = 4096", timed_source())).unwrap().without_effect();
        keys.iter().any(|(key, _)| key == "flow[0].source.interarrival")
    };
    assert!(of("queue_depth = 8") && !of("arrivals = \"open\""));
}

#[test]
fn a_bound_never_reached_a_group_of_one_and_a_batch_of_an_open_loop_have_no_effect() {
    let of = |text: &str| -> Vec<String> {
        let keys = parsed(text).unwrap().without_effect();
        let of_flows = |key: &String| key.starts_with("flow") && !key.ends_with(".interarrival");
        keys.into_iter().map(|(key, _)| key).filter(of_flows).collect()
    };
    let without = |texts: &[&str]| of(&flows(texts));
    assert_eq!(
        without(&["queue_depth = 8\nmax_inside = 8\ngroup = \"g\""]),
        ["flow[0].max_inside", "flow[0].group"]
    );
    let paced = "queue_depth = 8\nin_step = { group = 1, weight = 2 }";
    assert_eq!(without(&[paced, "name = \"b\""]), ["flow[0].in_step"]);
    let together = "name = \"b\"\nin_step = { group = 1, weight = 1 }";
    assert!(without(&[paced, together]).is_empty());
    let steady = "steady_end = { duration_ns = 2_000_000_000, limit = 1.0 }\nat_end = \"continue\"";
    let told = parsed(&flows(&[steady])).unwrap_err();
    assert!(told.contains("a flow with latency_target or steady_end ends by itself"), "{told}");
    let timed = timed_source();
    let open = flows(&["arrivals = \"open\"\nsubmit_batch = 2"]).replace("sizes = 4096", timed);
    assert_eq!(of(&open), ["flow[0].submit_batch"]);
    let both =
        ["queue_depth = 8\nsubmit_batch = 2\nmax_inside = 7\ngroup = \"g\"", "name = \"b\"\ngroup = \"g\""];
    assert!(without(&both).is_empty());
}
