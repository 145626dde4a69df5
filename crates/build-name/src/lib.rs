//! Names a build by its sources, so that results of different simulators are told apart. For build scripts.

use std::fs;
use std::path::{Path, PathBuf};

/// FNV-1a, 64 bits: its start and its factor (Fowler, Noll, Vo).
const START: u64 = 0xcbf2_9ce4_8422_2325;
const FACTOR: u64 = 0x0100_0000_01b3;

/// The hash of all files at and below these paths, names and contents, as 16 hexadecimal digits.
pub fn name_of(sources: &[&str]) -> String {
    let mut files = Vec::new();
    for source in sources {
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
    format!("{hash:016x}")
}

/// Gives the build script's package the name of these sources as `env!("WORDLINE_BUILD")`, and has it built anew when
/// one of them changes.
#[allow(clippy::print_stdout)] // how a build script speaks to Cargo
pub fn set(sources: &[&str]) {
    for source in sources {
        println!("cargo::rerun-if-changed={source}");
    }
    println!("cargo::rustc-env=WORDLINE_BUILD={}", name_of(sources));
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    match fs::read_dir(path) {
        Ok(entries) => entries.flatten().for_each(|entry| collect(&entry.path(), files)),
        Err(_) => files.push(path.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_changes_with_the_content_and_the_name_of_a_file() {
        let folder = std::env::temp_dir().join(format!("wordline-build-name-{}", std::process::id()));
        fs::create_dir_all(folder.join("src")).expect("a folder");
        let source = folder.to_string_lossy().into_owned();
        fs::write(folder.join("src/a.rs"), "one").expect("a file");
        let first = name_of(&[&source]);
        assert_eq!(first, name_of(&[&source]));
        assert_eq!(first.len(), 16);
        fs::write(folder.join("src/a.rs"), "two").expect("a file");
        let second = name_of(&[&source]);
        fs::rename(folder.join("src/a.rs"), folder.join("src/b.rs")).expect("renamed");
        let third = name_of(&[&source]);
        assert!(first != second && second != third && first != third);
        fs::remove_dir_all(folder).expect("removed");
    }
}
