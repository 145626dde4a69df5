//! The files that blktrace wrote for one device, one for each processor.

use std::path::{Path, PathBuf};

const MARK: &str = ".blktrace.";

/// All files of the trace that `path` is one file of, in the order of the processors: of `sdb.blktrace.3` all of
/// `sdb.blktrace.0`, `.1` and so on, packed or not. Where there is no file `sdb` or `sdb.blktrace`, those names stand
/// for all. Empty files, of processors that did nothing, are left out. Just `path` for any other name.
pub(crate) fn processor_files(path: &Path) -> Vec<PathBuf> {
    let alone = || vec![path.to_owned()];
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return alone() };
    let stem = match split(name) {
        Some((stem, _)) => stem.to_owned(),
        None if path.exists() => return alone(),
        None => name.strip_suffix(".blktrace").unwrap_or(name).to_owned(),
    };
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let Ok(entries) = std::fs::read_dir(folder) else { return alone() };
    let mut found: Vec<(u32, PathBuf)> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name();
            let (own, number) = split(name.to_str()?)?;
            let used = own == stem && entry.metadata().ok()?.len() > 0;
            used.then(|| (number, path.with_file_name(&name)))
        })
        .collect();
    found.sort();
    if found.is_empty() { alone() } else { found.into_iter().map(|(_, path)| path).collect() }
}

/// The device's name, and the processor.
fn split(name: &str) -> Option<(&str, u32)> {
    let (stem, rest) = name.rsplit_once(MARK)?;
    let number = rest.split('.').next()?;
    let packing = rest.get(number.len()..)?;
    let known = matches!(packing, "" | ".gz" | ".zst" | ".xz" | ".bz2");
    known.then(|| number.parse().ok()).flatten().map(|number| (stem, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(split("sdb.blktrace.12"), Some(("sdb", 12)));
        assert_eq!(split("nvme0n1.blktrace.0.gz"), Some(("nvme0n1", 0)));
        assert_eq!(split("sdb.blktrace.txt"), None);
        assert_eq!(split("sdb.blktrace.1.old"), None);
        assert_eq!(split("sdb.csv"), None);
    }
}
