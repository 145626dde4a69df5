//! The files that blktrace wrote for one device, one for each processor.

use std::path::{Path, PathBuf};

const MARK: &str = ".blktrace.";

/// Processors that a note names.
const NAMED: usize = 8;

/// The files of one trace, and what there is to say of them.
pub(crate) struct Processors {
    /// In the order of the processors.
    pub paths: Vec<PathBuf>,
    /// Processors without a file between those that have one.
    missing: Vec<u32>,
    /// Files of processors that have another.
    doubled: Vec<PathBuf>,
}

impl Processors {
    /// One file.
    pub(crate) fn alone(path: &Path) -> Self {
        Self { paths: vec![path.to_owned()], missing: Vec::new(), doubled: Vec::new() }
    }

    /// Of files by processor, sorted; `used` tells which of them hold anything.
    fn of(found: Vec<(u32, PathBuf)>, used: impl Fn(&Path) -> bool) -> Self {
        let (mut paths, mut missing, mut doubled) = (Vec::new(), Vec::new(), Vec::new());
        let mut next = 0;
        for (number, path) in found {
            if number < next {
                doubled.push(path);
                continue;
            }
            missing.extend((next..number).take(NAMED + 1));
            next = number.saturating_add(1);
            if used(&path) {
                paths.push(path);
            }
        }
        Self { paths, missing, doubled }
    }

    /// What is to be said of the trace of this name.
    pub(crate) fn notes(&self, path: &Path) -> Vec<String> {
        let shown = path.display();
        let mut notes = Vec::new();
        if self.paths.len() > 1 {
            notes.push(format!(
                "{shown}: {} files of blktrace, one for each processor, merged by time",
                self.paths.len()
            ));
        }
        if !self.missing.is_empty() {
            let mut numbers: Vec<String> = self.missing.iter().take(NAMED).map(u32::to_string).collect();
            if self.missing.len() > NAMED {
                numbers.push("…".to_owned());
            }
            notes.push(format!(
                "{shown}: no file of blktrace of processor {}: its requests, if it had any, are missing",
                numbers.join(", ")
            ));
        }
        for path in &self.doubled {
            notes.push(format!(
                "{}: left out: another file holds the events of this processor",
                path.display()
            ));
        }
        notes
    }
}

/// All files of the trace that `path` is one file of, in the order of the processors: of `sdb.blktrace.3` all of
/// `sdb.blktrace.0`, `.1` and so on, packed or not. Where there is no file `sdb` or `sdb.blktrace`, those names stand
/// for all. Empty files, of processors that did nothing, are left out. Just `path` for any other name.
pub(crate) fn processor_files(path: &Path) -> Processors {
    let alone = || Processors::alone(path);
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
            let name = entry.ok()?.file_name();
            let (own, number) = split(name.to_str()?)?;
            (own == stem).then(|| (number, path.with_file_name(&name)))
        })
        .collect();
    found.sort();
    let files = Processors::of(found, |path| path.metadata().is_ok_and(|file| file.len() > 0));
    if files.paths.is_empty() { alone() } else { files }
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
    fn processors_without_a_file_and_with_two_are_told() {
        let file = |number: u32| (number, PathBuf::from(format!("sdb.blktrace.{number}")));
        let found = vec![file(0), file(1), (1, PathBuf::from("sdb.blktrace.1.gz")), file(4), file(7)];
        let files = Processors::of(found, |path| !path.ends_with("sdb.blktrace.4"));
        assert_eq!(files.paths, [file(0).1, file(1).1, file(7).1]);
        let notes = files.notes(Path::new("sdb"));
        assert!(notes.iter().any(|note| note.contains("of processor 2, 3, 5, 6:")), "{notes:?}");
        assert!(notes.iter().any(|note| note.starts_with("sdb.blktrace.1.gz: left out")), "{notes:?}");
        let whole = Processors::of(vec![file(0), file(1)], |_| true).notes(Path::new("sdb"));
        assert_eq!(whole, ["sdb: 2 files of blktrace, one for each processor, merged by time"]);
    }

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(split("sdb.blktrace.12"), Some(("sdb", 12)));
        assert_eq!(split("nvme0n1.blktrace.0.gz"), Some(("nvme0n1", 0)));
        assert_eq!(split("sdb.blktrace.txt"), None);
        assert_eq!(split("sdb.blktrace.1.old"), None);
        assert_eq!(split("sdb.csv"), None);
    }
}
