//! A short run of the fuzz targets: their saved corpus, and mutations of it and of the traces of the field. The same
//! ones on every run; `fuzz/README.md` says how to let them run for long.

use std::path::{Path, PathBuf};

use wordline_base::rng::{Xoshiro256PlusPlus, stream};
use wordline_trace::config::TraceFormat;
use wordline_trace::fuzz::read_trace;

use rand::Rng;

/// Mutations of each file.
const ROUNDS: usize = 60;

/// Bytes of a trace of the field that are taken.
const PIECE: usize = 4096;

/// Every form by the name of its target.
fn targets() -> Vec<(String, TraceFormat)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_prefix("trace_").map(str::to_owned))
        .collect();
    names.sort();
    let format = |name: &str| serde_json::from_value(name.into()).unwrap();
    names.into_iter().map(|name| (name.clone(), format(&name))).collect()
}

fn corpus(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(format!("trace_{target}"));
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

/// Changes some bytes, or takes, doubles or inserts some.
pub(crate) fn mutate(bytes: &mut Vec<u8>, rng: &mut Xoshiro256PlusPlus) {
    let mut below = |bound: usize| (rng.next_u64() % bound.max(1) as u64) as usize;
    for _ in 0..=below(4) {
        let (at, kind) = (below(bytes.len()), below(7));
        let end = (at + 1 + below(24)).min(bytes.len());
        let words: [&[u8]; 8] = [
            b"18446744073709551615",
            b"-1",
            b"\n",
            b",",
            b"\xff\xff\xff\xff\xff\xff\xff\xff",
            b"1e300",
            b".",
            b"\"",
        ];
        match kind {
            0 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << below(8)),
            1 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = below(256) as u8),
            2 => drop(bytes.drain(at.min(end)..end)),
            3 => {
                let piece = bytes.get(at..end).unwrap_or_default().to_vec();
                let to = below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            4 => drop(bytes.splice(at..at, words[below(words.len())].iter().copied())),
            5 => bytes.iter_mut().skip(at).take(4).for_each(|byte| *byte = 0xff),
            _ => bytes.truncate(at),
        }
    }
}

fn mutated(target: &str, format: TraceFormat, seed: &[u8], rounds: usize) {
    let mut rng = stream(7, target);
    for round in 0..rounds {
        let mut bytes = seed.to_vec();
        mutate(&mut bytes, &mut rng);
        for format in [format, TraceFormat::Auto] {
            let _ = read_trace(format, &bytes, round % 2 == 0);
        }
    }
}

#[test]
fn every_file_of_the_corpus_is_read_as_its_own_form() {
    let targets = targets();
    assert!(targets.len() >= 19, "{targets:?}");
    for (target, format) in targets {
        let files = corpus(&target);
        assert!(!files.is_empty(), "{target}");
        for (path, bytes) in files {
            let read = read_trace(format, &bytes, true);
            let seed = path.file_name().unwrap().to_str().unwrap().starts_with("seed");
            assert!(!seed || read.clone().is_ok_and(|count| count > 0), "{}: {read:?}", path.display());
            // The form is told from the content, whatever the guess comes to.
            assert!(!seed || read_trace(TraceFormat::Auto, &bytes, true).is_ok(), "{}", path.display());
        }
    }
}

#[test]
fn mutations_of_the_corpus_are_read_or_refused() {
    for (target, format) in targets() {
        // A damaged Parquet file makes the library panic at places, which the reader turns into an error.
        for (_, bytes) in corpus(&target) {
            mutated(&target, format, &bytes, ROUNDS);
        }
    }
}

#[test]
fn mutations_of_the_traces_of_the_field_are_read_or_refused() {
    let Some(folder) = crate::shared::traces() else { return };
    for (name, format) in [
        ("msr_cambridge/wdev_3.csv", TraceFormat::Msr),
        ("nexus5_biotracer/calout_log147.txt", TraceFormat::Biotracer),
        ("ms_tpcc/mqsim-tpcc-small.trace", TraceFormat::Mqsim),
        ("diskmon_desktop/mayun4.txt.gz", TraceFormat::Diskmon),
        ("hadoop_apress/blktrace.txt.gz", TraceFormat::Blkparse),
        ("cloudphysics/cloudPhysicsIO.vscsi.gz", TraceFormat::Vscsi),
        ("disksim_hp/hplajw.1week.srt.gz", TraceFormat::Srt),
    ] {
        use std::io::Read;
        let file = std::fs::File::open(folder.join(name)).unwrap();
        let mut bytes = Vec::new();
        if name.ends_with(".gz") {
            flate2::read::MultiGzDecoder::new(file).take(PIECE as u64).read_to_end(&mut bytes).unwrap();
        } else {
            file.take(PIECE as u64).read_to_end(&mut bytes).unwrap();
        }
        mutated(name, format, &bytes, ROUNDS);
    }
}
