//! A short run of the fuzz target for descriptions: its saved corpus, and mutations of it. The same ones every time;
//! `fuzz/README.md` says how to let it run for long.

use std::path::Path;

use wordline_engine::rng::stream;

use crate::fuzz::mutate;

#[path = "../../../../fuzz/src/bounded.rs"]
mod bounded;
#[path = "../../../../fuzz/src/descriptions.rs"]
mod descriptions;

/// Mutations of each file.
const ROUNDS: usize = 30;

#[test]
fn saved_descriptions_and_mutations_of_them_are_run_or_refused_in_one_line() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/descriptions");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 10);
    let mut rng = stream(7, "descriptions");
    for path in paths {
        let file = std::fs::read(path).unwrap();
        descriptions::read(&file);
        for _ in 0..ROUNDS {
            let mut bytes = file.clone();
            mutate(&mut bytes, &mut rng);
            descriptions::read(&bytes);
        }
    }
}
