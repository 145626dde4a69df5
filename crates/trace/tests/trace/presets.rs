//! Every preset is read, validated and opened on a drive of 64 GiB.

use std::path::{Path, PathBuf};

use wordline_trace::{OpenContext, WorkloadConfig, open, open_flows};

fn presets() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../presets/workloads");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    files
}

#[test]
fn every_preset_can_be_run() {
    for path in presets() {
        let text = std::fs::read_to_string(&path).unwrap();
        let workload: WorkloadConfig =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        workload.validate().unwrap();
        assert_eq!(Some(workload.name.as_str()), path.file_stem().and_then(|stem| stem.to_str()));
        assert!(!workload.description.is_empty());
        let folder = path.parent().unwrap();
        let context = OpenContext { drive_bytes: 1 << 36, seed: 1, base_dir: folder };
        let mut sources: Vec<_> =
            workload.source.iter().map(|source| open(source, &context).unwrap()).collect();
        sources.extend(open_flows(&workload, &context).unwrap().into_iter().map(|flow| flow.opened));
        let requests: u64 = sources.iter().filter_map(|opened| opened.source.size_hint()).sum();
        assert!(requests > 0, "{}", path.display());
        for mut opened in sources {
            let mut batch = Vec::new();
            opened.source.next_batch(&mut batch).unwrap();
            assert!(!batch.is_empty());
        }
    }
}

#[test]
fn the_example_of_the_documents_is_a_workload() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/workloads.md");
    let text = std::fs::read_to_string(file).unwrap();
    let example = text.split("```toml").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    toml::from_str::<WorkloadConfig>(example).unwrap().validate().unwrap();
}

#[test]
fn the_examples_of_traces_are_workloads() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/trace-formats.md");
    let text = std::fs::read_to_string(file).unwrap();
    let blocks: Vec<&str> =
        text.split("```toml").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(blocks.len(), 2);
    let example = blocks.concat();
    let workload: WorkloadConfig = toml::from_str(&example).unwrap();
    workload.validate().unwrap();
    let Some(wordline_trace::SourceConfig::Trace(trace)) = workload.source else { panic!("{example}") };
    assert_eq!(trace.transform.len(), 3);
}

#[test]
fn the_named_presets_are_there() {
    let names: Vec<_> =
        presets().iter().map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    let papers = [
        "rr8",
        "fio-rr",
        "fb-rr",
        "gen0",
        "gen1",
        "financial2",
        "hpc-46",
        "hpc-28",
        "msr-hm",
        "msr-hm_0",
        "ali0",
        "lun5",
    ];
    let applications = ["ycsb-a", "ycsb-f", "fileserver", "webserver", "webproxy", "varmail"];
    for name in papers.iter().chain(&applications) {
        assert!(names.iter().any(|found| found == name), "{name} in {names:?}");
    }
    for name in ["randread-4k-qd16", "randread-4k-qd64", "randwrite-4k-qd16", "mixed-70-30-8k-qd16"] {
        assert!(names.iter().any(|found| found == name), "{name} in {names:?}");
    }
}
