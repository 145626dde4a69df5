//! Jobs of fio one after the other and beside one another, and what their files are made of.

use std::collections::BTreeMap;

use wordline_config::host::InStep;
use wordline_trace::fio::{Given, import};
use wordline_trace::{FlowConfig, WorkloadConfig};

use crate::fio::{jobs, load, refused};

fn named<'a>(workload: &'a WorkloadConfig, name: &str) -> &'a FlowConfig {
    workload.flow.iter().find(|flow| flow.name == name).unwrap()
}

#[test]
fn jobs_behind_a_stonewall_begin_when_all_before_it_have_ended() {
    let workload = jobs(
        "[global]\nsize=1m\n[a]\nnumjobs=2\n[b]\n[c]\nstonewall\n[d]\n[e]\nwait_for_previous=1\nnumjobs=2\n[f]\nstonewall=0",
    );
    let after: Vec<(&str, Vec<&str>)> = (workload.flow.iter())
        .map(|flow| (flow.name.as_str(), flow.after.iter().map(String::as_str).collect()))
        .collect();
    let first = vec!["a.0", "a.1", "b"];
    let expected = [
        ("a.0", vec![]),
        ("a.1", vec![]),
        ("b", vec![]),
        ("c", first.clone()),
        ("d", first),
        ("e.0", vec!["c", "d"]),
        ("e.1", vec!["c", "d"]),
        ("f", vec!["c", "d"]),
    ];
    assert_eq!(after, expected);
    let all = jobs("[global]\nsize=1m\nstonewall\n[a]\n[b]\n[c]");
    assert_eq!((named(&all, "a").after.len(), &named(&all, "c").after[..]), (0, &["b".to_owned()][..]));
}

#[test]
fn a_job_waits_for_another_and_begins_no_earlier_than_its_delay() {
    let workload = jobs(
        "[global]\nsize=1m\n[a]\nnumjobs=2\n[b]\n[c]\nwait_for=a\nstartdelay=2500ms\n[d]\nstart_delay=4",
    );
    assert_eq!(named(&workload, "c").after, ["a.0", "a.1"]);
    assert_eq!(named(&workload, "c").start_ns, 2_500_000_000);
    assert_eq!((named(&workload, "d").start_ns, named(&workload, "d").after.len()), (4_000_000_000, 0));
    refused("[a]\nsize=1m\nwait_for=b\n[b]\nsize=1m", &["line 1: job a: wait_for=b: allowed"]);
}

#[test]
fn exitall_ends_the_group_the_jobs_beside_or_all() {
    let ends = |what: &str| {
        let text = format!(
            "[global]\nsize=1m\n[a]\n[b]\nnumjobs=2\nexitall\n{what}\n[c]\nnew_group\n[d]\nstonewall"
        );
        named(&jobs(&text), "b.0").ends.join(" ")
    };
    assert_eq!(ends(""), "a b.1");
    assert_eq!(ends("exit_what=stonewall"), "a b.1 c");
    assert_eq!(ends("exit_what=all"), "a b.1 c d");
    assert!(jobs("[a]\nsize=1m\nexit_what=all\n[b]\nsize=1m").flow[0].ends.is_empty());
}

#[test]
fn jobs_with_group_reporting_are_one_group_up_to_the_next_wall_or_new_group() {
    let groups = |text: &str| -> Vec<String> {
        jobs(&format!("[global]\nsize=1m\n{text}")).flow.into_iter().map(|flow| flow.group).collect()
    };
    let all = "group_reporting\n[a]\n[b]\nnumjobs=2\n[c]\nnew_group\n[d]\n[e]\nstonewall";
    assert_eq!(groups(all), ["a", "a", "a", "c", "c", ""]);
    assert_eq!(groups("[a]\nnumjobs=2\ngroup_reporting\n[b]\n[c]\ngroup_reporting"), ["a", "a", "", "a"]);
    assert_eq!(groups("[a]\nnumjobs=2\n[b]\nnew_group"), ["", "", ""]);
}

#[test]
fn a_flow_of_fio_keeps_its_job_in_step() {
    let workload = jobs("[global]\nsize=1m\n[a]\nflow=8\n[b]\nflow=1\nflow_id=3\n[c]");
    let steps: Vec<Option<InStep>> = workload.flow.iter().map(|flow| flow.in_step).collect();
    assert_eq!(steps, [Some(InStep { group: 0, weight: 8 }), Some(InStep { group: 3, weight: 1 }), None]);
}

#[test]
fn names_that_jobs_share_are_told_apart_by_their_sections() {
    let workload = jobs("[global]\nsize=1m\nname=all\n[a]\n[b]\n[b]\n[c]\nname=c");
    let names: Vec<&str> = workload.flow.iter().map(|flow| flow.name.as_str()).collect();
    assert_eq!(names, ["all", "b", "b (2)", "c"]);
}

#[test]
fn only_the_sections_that_are_asked_for_are_read() {
    let text = "[global]\nsize=1m\n[good]\nrw=write\n[bad]\nrw=sideways";
    let of = |names: &[&str]| {
        let sections = names.iter().map(|&name| name.to_owned()).collect();
        import("x", text, &Given { sections, ..Given::default() })
    };
    assert_eq!(of(&["good"]).unwrap().workload.flow.len(), 1);
    assert!(of(&[]).err().unwrap().contains("sideways"));
    assert_eq!(of(&["god"]).err().unwrap(), "section = \"god\": allowed: [good], [bad]");
}

#[test]
fn variables_have_the_values_of_the_environment_and_a_missing_one_is_asked_for() {
    let environment =
        BTreeMap::from([("BS".to_owned(), "8".to_owned()), ("EMPTY".to_owned(), String::new())]);
    let of = |text: &str| import("x", text, &Given { environment: environment.clone(), ..Given::default() });
    let found = of("[a]\nsize=1m\nbs=${BS}k\ndirect=1\nexec_prerun=${NONE}").unwrap();
    assert_eq!(load(&found.workload.flow[0]).read.as_ref().unwrap().sizes[0].bytes, 8192);
    assert!(found.notes.contains(&"variables of the environment: BS=8".to_owned()), "{:?}", found.notes);
    for name in ["NONE", "EMPTY"] {
        let error = of(&format!("[a]\nsize=1m\nbs=${{{name}}}")).err().unwrap();
        assert!(error.starts_with("line 3: ") && error.contains(&format!("--env {name}=")), "{error}");
    }
}

#[test]
fn included_files_are_read_in_their_place_and_errors_name_them() {
    let folder = std::env::temp_dir().join(format!("wordline-include-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("more")).unwrap();
    std::fs::write(folder.join("one.inc"), "size=2m\ninclude more/two.inc\n").unwrap();
    std::fs::write(folder.join("more/two.inc"), "bs=16k\n").unwrap();
    std::fs::write(folder.join("wrong.inc"), "\nbs=q\n").unwrap();
    std::fs::write(folder.join("itself.inc"), "include itself.inc\n").unwrap();
    let of = |text: &str| import("x", text, &Given { folder: Some(folder.clone()), ..Given::default() });
    let found = of("[global]\ninclude one.inc\n[a]\nrw=read").unwrap();
    let job = load(&found.workload.flow[0]);
    assert_eq!((job.size_bytes, job.smallest_read()), (Some(2 << 20), 16_384));
    let error = of("[a]\nsize=1m\ninclude wrong.inc").err().unwrap();
    assert!(error.contains("wrong.inc: line 2: `bs=q`"), "{error}");
    assert!(of("[a]\ninclude none.inc").err().unwrap().starts_with("line 2: `include none.inc`"));
    assert!(of("[a]\ninclude itself.inc").err().unwrap().contains("16 files"));
    std::fs::write(folder.join("often.inc"), "include often.inc\n".repeat(9)).unwrap();
    assert!(of("[a]\ninclude often.inc").err().unwrap().contains("more than 1000 files are included"));
    assert!(of("[a]\ninclude /dev/zero").err().unwrap().contains("/dev/zero: allowed: an ordinary file"));
    std::fs::remove_dir_all(folder).unwrap();
}

/// What tests of descriptions ask of a job.
trait Smallest {
    fn smallest_read(&self) -> u64;
}

impl Smallest for wordline_trace::fio::FioConfig {
    fn smallest_read(&self) -> u64 {
        self.read.as_ref().unwrap().sizes.iter().map(|size| size.bytes).min().unwrap()
    }
}

#[test]
fn all_reasons_are_told_at_once_and_each_once() {
    let error = import(
        "x",
        "[global]\nthinktime_blocks=4\nnosuchkey\n[a]\nbs=4q\nrw=read\n[b]\nzonemode=rows\nsize=1m",
        &Given::default(),
    )
    .err()
    .unwrap();
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(lines.len(), 5, "{error}");
    for (line, part) in [
        (5, "bs=4q"),
        (2, "thinktime_blocks=4"),
        (3, "nosuchkey"),
        (8, "zonemode=rows"),
        (4, "job a: no size"),
    ] {
        let found =
            lines.iter().any(|found| found.starts_with(&format!("line {line}: ")) && found.contains(part));
        assert!(found, "{line} {part}: {error}");
    }
}

#[test]
fn a_job_that_only_makes_its_files_is_refused() {
    refused("[a]\nsize=1m\ncreate_only=1", &["line 3: `create_only=1`: allowed: 0", "no requests"]);
    refused("[a]\nsize=1m\ncreate_only", &["line 3: `create_only`"]);
    assert_eq!(jobs("[a]\nsize=1m\ncreate_only=0").flow.len(), 1);
}

#[test]
fn what_isnt_taken_over_is_told_and_not_refused() {
    let text = "[a]\nsize=1m\nioengine=io_uring\ncmdprio_percentage=20\nss=iops:10%\nprio=0\nfdp=1\nverify_pattern=0xff\ncpus_allowed=1";
    let notes = import("x", text, &Given::default()).unwrap().notes;
    let found = |part: &str| notes.iter().filter(|note| note.contains(part)).count();
    for part in [
        "cmdprio_percentage: ",
        "steadystate without ",
        "page cache",
        "placement",
        "cpus_allowed, verify_pattern",
    ] {
        assert_eq!(found(part), 1, "{part}: {notes:?}");
    }
    assert_eq!(found("prioclass"), 0, "{notes:?}");
}

#[test]
fn more_jobs_files_and_waits_than_can_be_described_are_refused() {
    refused("[global]\nsize=1m\n[a]\nnumjobs=60000\n[b]\nnumjobs=60000", &["120000 jobs", "65535"]);
    refused(
        "[global]\nsize=1m\n[a]\nnumjobs=9000\n[b]\nstonewall\n[c]\nnumjobs=9000",
        &["pairs of jobs", "1000000"],
    );
    refused("[a]\nsize=1g\nnumjobs=60000\nnrfiles=60000", &["3600000000 files"]);
}
