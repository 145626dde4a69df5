//! Names this build by its sources, so that results of different simulators are told apart.

use std::fs;
use std::path::{Path, PathBuf};

/// What decides a result, beside its inputs.
const SOURCES: [&str; 4] = ["../engine/src", "../trace/src", "src", "../../Cargo.lock"];

/// FNV-1a, 64 bits: its start and its factor (Fowler, Noll, Vo).
const START: u64 = 0xcbf2_9ce4_8422_2325;
const FACTOR: u64 = 0x0100_0000_01b3;

fn main() {
    let mut files = Vec::new();
    for source in SOURCES {
        println!("cargo::rerun-if-changed={source}");
        collect(Path::new(source), &mut files);
    }
    files.sort();
    let mut hash = START;
    for file in files {
        let name = file.to_string_lossy().replace('\\', "/");
        let content = fs::read(&file).unwrap_or_default();
        for byte in name.bytes().chain([0]).chain(content).chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(FACTOR);
        }
    }
    println!("cargo::rustc-env=WORDLINE_BUILD={hash:016x}");
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    match fs::read_dir(path) {
        Ok(entries) => entries.flatten().for_each(|entry| collect(&entry.path(), files)),
        Err(_) => files.push(path.to_owned()),
    }
}
