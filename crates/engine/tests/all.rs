//! The tests of the engine in one program: linking one for each file took longer than running them. A file has a program of
//! its own, and a line in `Cargo.toml`, where it changes or measures its whole process.
#![allow(missing_docs)]

mod common;

mod analytic;
mod array;
mod astro;
mod awaited_moves;
mod background;
mod bad_blocks;
mod block_map;
mod cache;
mod cache_flushes;
mod cache_mode;
mod cache_policies;
mod cache_rates;
mod cache_versions;
mod chips;
mod collection;
mod collision;
mod combinations;
mod copies;
mod copyback;
mod course;
mod cpu;
mod endings;
mod errors;
mod exact_blame;

mod firmware;
mod flows;
mod flushes;
mod formulas;
mod fuzz_runs;
mod gates;
mod golden;
mod host_memory;
mod hotr;
mod ideal;
mod journal;
mod link;
mod look_up_answers;
mod mapping;
mod measure;
mod naive_drive;
mod nand_modes;
mod nvm_sets;
mod own_ends;
mod owned_keys;
mod pacing;
mod parity_pages;
mod partition;
mod plane_collection;
mod plane_rules;
mod planes_apart;
mod power_loss;
mod presets;
mod program_units;
mod read_limit;
mod reclaim;
mod redundancy;
mod registry;
mod rest;
mod robustness;
mod rotating;
mod scheduling;
mod sequence;
mod shares;
mod slc_cache;
mod snapshots;
mod stationary;
mod streams;
mod systems;
mod together;
mod tpftl;
mod used_map;
mod victims;
mod watched;
mod wear;
mod windows;

#[test]
fn every_file_is_in_this_program_or_has_one_of_its_own() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    for entry in std::fs::read_dir(folder.join("tests")).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let Some(name) = file.strip_suffix(".rs") else { continue };
        let here = include_str!("all.rs").lines().any(|line| line == format!("mod {name};"));
        let alone = manifest.lines().any(|line| line == format!("name = \"{name}\""));
        assert!(here || alone, "tests/{file} is never built: add `mod {name};` to tests/all.rs");
    }
}
