//! Builds the presets of drives and schemes in.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let presets = folder_of("CARGO_MANIFEST_DIR").join("presets");
    let tables = [("DEVICES", "devices"), ("SCHEMES", "schemes")]
        .map(|(name, folder)| table(name, &presets.join(folder)))
        .into_iter()
        .collect::<io::Result<String>>()?;
    fs::write(folder_of("OUT_DIR").join("presets.rs"), tables)
}

fn folder_of(variable: &str) -> PathBuf {
    PathBuf::from(env::var_os(variable).unwrap_or_default())
}

/// The code of a table with the name and the text of each file of a folder, by name.
fn table(name: &str, folder: &Path) -> io::Result<String> {
    tell_cargo(folder);
    let files = toml_files(folder)?;
    let rows = files.iter().map(|file| {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        format!("    ({stem:?}, include_str!({:?})),\n", file.to_string_lossy())
    });
    Ok(format!("const {name}: [(&str, &str); {}] = [\n{}];\n", files.len(), rows.collect::<String>()))
}

fn toml_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "toml"));
    files.sort();
    Ok(files)
}

#[allow(clippy::print_stdout)] // how a build script speaks to Cargo
fn tell_cargo(folder: &Path) {
    println!("cargo::rerun-if-changed={}", folder.display());
}
