//! A short run of the fuzz target for descriptions: its saved corpus, and mutations of it. The same ones on every run;
//! `fuzz/README.md` says how to let it run for long.

use std::path::{Path, PathBuf};

use rand::Rng;
use wordline_base::rng::{Xoshiro256PlusPlus, stream};

use crate::fuzz::mutate;

#[path = "../../../../fuzz/src/bounded.rs"]
mod bounded;
#[path = "../../../../fuzz/src/descriptions.rs"]
mod descriptions;

/// Mutations of each file.
const ROUNDS: usize = 40;

/// Values at the ends of what keys allow, and of other kinds.
const VALUES: [&str; 16] = [
    "0",
    "1",
    "-1",
    "3",
    "65536",
    "4294967295",
    "9223372036854775807",
    "0.0",
    "0.999999",
    "1e300",
    "nan",
    "\"\"",
    "\"none\"",
    "true",
    "[]",
    "{}",
];

fn corpus() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/descriptions");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 10);
    paths.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

/// Gives some keys other values, takes lines away and puts lines of another file in.
fn change_lines(text: &str, other: &str, rng: &mut Xoshiro256PlusPlus) -> String {
    let mut below = |bound: usize| (rng.next_u64() >> 32) as usize % bound.max(1);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let others: Vec<&str> = other.lines().collect();
    for _ in 0..=below(3) {
        let at = below(lines.len());
        match (below(8), lines[at].split_once('=').map(|(key, _)| key.trim().to_owned())) {
            (0, _) => drop(lines.remove(at)),
            (1, _) => lines.insert(at, others[below(others.len())].to_owned()),
            (_, Some(key)) => lines[at] = format!("{key} = {}", VALUES[below(VALUES.len())]),
            _ => {}
        }
    }
    lines.join("\n") + "\n"
}

#[test]
fn saved_descriptions_and_mutations_of_them_are_refused_in_one_line_or_run_in_checked_mode() {
    let files = corpus();
    let mut rng = stream(7, "mutations of descriptions");
    for (number, (path, text)) in files.iter().enumerate() {
        println!("{}", path.display());
        descriptions::read(text.as_bytes());
        let other = &files[(number + 1) % files.len()].1;
        for _ in 0..ROUNDS {
            descriptions::read(change_lines(text, other, &mut rng).as_bytes());
            let mut bytes = text.as_bytes().to_vec();
            mutate(&mut bytes, &mut rng);
            descriptions::read(&bytes);
        }
    }
}
