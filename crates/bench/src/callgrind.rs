//! Instructions of a request on the built benchmark itself, counted by callgrind: what parts that are switched off cost,
//! and which part of the rest is statistics and blame.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Failure;
use crate::hot;
use crate::measure::{Goal, report};

/// Instructions of a random read before a drive had its optional parts, and of a random write with the flash operations
/// of its garbage collection, on the drive of [`crate::hot`].
const BEFORE_OPTIONAL_PARTS: [f64; 2] = [2_871.0, 56_410.0];

/// What parts that are switched off may cost over that.
const SWITCHED_OFF: f64 = 1.03;

/// Lengths of the two runs whose difference is counted, so that preparation does not.
const LENGTHS: [u64; 2] = [20_000, 80_000];

/// Instructions by source file.
pub(crate) type ByFile = BTreeMap<String, u64>;

/// Where statistics and blame stand: the observers' folder, the parts and clocks that dies and requests carry, the histogram.
const STATISTICS: [&str; 5] =
    ["observe/src/", "base/src/parts.rs", "base/src/clock.rs", "base/src/sparse.rs", "hdrhistogram"];

/// Instructions by source file, and flash operations, of a run.
struct Counted {
    by_file: ByFile,
    operations: u64,
}

/// Prints instructions against the goals; without valgrind, that they are not counted.
///
/// # Errors
/// A run that fails, or output of callgrind that can't be read.
pub fn run_all() -> Result<(), Failure> {
    if !is_there() {
        println!("instructions: not counted, valgrind is not installed");
        return Ok(());
    }
    let drive = std::env::temp_dir().join(format!("wordline-counted-{}.drive", std::process::id()));
    let done = hot::prepare(&drive).and_then(|()| counted_on(&drive));
    let _ = std::fs::remove_file(&drive);
    done
}

fn counted_on(drive: &Path) -> Result<(), Failure> {
    for (name, share, before) in
        [("read", 1.0, BEFORE_OPTIONAL_PARTS[0]), ("write", 0.0, BEFORE_OPTIONAL_PARTS[1])]
    {
        let [short, long] = LENGTHS.map(|requests| count(drive, share, requests));
        let (short, long) = (short?, long?);
        let requests = (LENGTHS[1] - LENGTHS[0]) as f64;
        let each = |counted: fn(&Counted) -> u64| (counted(&long) - counted(&short)) as f64 / requests;
        let all = each(|counted| counted.by_file.values().sum());
        let recorded = each(Counted::statistics);
        let operations = each(|counted| counted.operations);
        println!("instructions of a random {name}: {all:.0}, with its {operations:.1} flash operations");
        let goal = Goal::AtMost(SWITCHED_OFF);
        report(&format!("a random {name} / before the optional parts"), all / before, "", goal);
        let name = format!("a random {name}: with statistics and blame / without");
        report(&name, all / (all - recorded), "of instructions", Goal::AtMost(1.2));
    }
    println!("    statistics and blame: instructions of the lines below {}", STATISTICS.join(", "));
    Ok(())
}

impl Counted {
    /// Those of statistics and blame, wherever the compiler has put them.
    fn statistics(&self) -> u64 {
        let recorded = |file: &str| STATISTICS.iter().any(|place| file.contains(place));
        self.by_file.iter().filter(|(file, _)| recorded(file)).map(|(_, count)| count).sum()
    }
}

/// Whether valgrind is installed.
pub(crate) fn is_there() -> bool {
    Command::new("valgrind").arg("--version").output().is_ok()
}

/// Instructions by source file, and flash operations, of the replay that is described in a folder, without its preparation.
///
/// # Errors
/// A run that fails, or output of callgrind that can't be read.
pub(crate) fn of_replay(folder: &Path) -> Result<(ByFile, f64), Failure> {
    let folder = folder.to_str().ok_or("the path of the folder is no text")?;
    let (by_file, text) = under_callgrind(&["--toggle-collect=*counted_replay*"], &["--row", folder])?;
    let operations = text.split_whitespace().nth(1).ok_or("no flash operations")?.parse()?;
    Ok((by_file, operations))
}

/// Instructions of this program with these arguments behind `--counted`, under callgrind with these options.
///
/// # Errors
/// A run that fails, or output of callgrind that can't be read.
pub(crate) fn instructions(options: &[&str], arguments: &[&str]) -> Result<u64, Failure> {
    Ok(under_callgrind(options, &[&["--counted"], arguments].concat())?.0.values().sum())
}

fn count(drive: &Path, share: f64, requests: u64) -> Result<Counted, Failure> {
    let drive = drive.to_str().ok_or("the path of the drive is no text")?;
    counted(&[drive, &share.to_string(), &requests.to_string()])
}

fn counted(arguments: &[&str]) -> Result<Counted, Failure> {
    let (by_file, text) = under_callgrind(&[], &[&["--counted"], arguments].concat())?;
    Ok(Counted { by_file, operations: text.trim().parse()? })
}

/// Instructions of this program by source file, and what it prints.
fn under_callgrind(options: &[&str], arguments: &[&str]) -> Result<(ByFile, String), Failure> {
    let path: PathBuf = std::env::temp_dir().join(format!("wordline-callgrind-{}", std::process::id()));
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--quiet", &format!("--callgrind-out-file={}", path.display())])
        .args(options)
        .arg(std::env::current_exe()?)
        .args(arguments)
        .output()?;
    let text = std::fs::read_to_string(&path);
    let _ = std::fs::remove_file(&path);
    if !output.status.success() {
        return Err(format!("valgrind: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok((by_file(&text?), String::from_utf8_lossy(&output.stdout).into_owned()))
}

/// Own instructions of each source file, in the form that callgrind writes: `fl=`, `fi=` and `fe=` change the file, whose
/// name comes once behind its number; a line of cost is a position and a count; the one behind `calls=` belongs to the
/// called function. What of the standard library is compiled into a function counts for the file whose lines stand before it
/// there, since who called it isn't written.
fn by_file(text: &str) -> ByFile {
    let (mut names, mut costs) = (BTreeMap::new(), BTreeMap::<String, u64>::new());
    let (mut counts_for, mut of_call) = (String::new(), false);
    for line in text.lines() {
        match line.split_once('=') {
            Some((kind @ ("fl" | "fi" | "fe"), name)) => {
                let file = full_name(name, &mut names);
                if kind == "fl" || !is_standard(&file) {
                    counts_for = file;
                }
            }
            Some(("cfl" | "cfi", name)) => drop(full_name(name, &mut names)),
            Some(("calls", _)) => of_call = true,
            Some(_) => {}
            None if line.starts_with(|first: char| first.is_ascii_digit() || "+-*".contains(first)) => {
                let cost = line.split(' ').nth(1).and_then(|cost| cost.parse().ok()).unwrap_or(0);
                if !std::mem::take(&mut of_call) {
                    *costs.entry(counts_for.clone()).or_default() += cost;
                }
            }
            None => {}
        }
    }
    costs
}

/// Whether a source file is one of the standard library.
fn is_standard(file: &str) -> bool {
    file.starts_with("/rustc/") || file.contains("/library/core/") || file.contains("/library/alloc/")
}

/// `(number) name`, or the number alone of a name that came before.
fn full_name(text: &str, names: &mut BTreeMap<String, String>) -> String {
    match text.split_once(' ') {
        Some((number, name)) => {
            names.insert(number.to_owned(), name.to_owned());
            name.to_owned()
        }
        None => names.get(text).cloned().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_costs_are_summed_by_file_and_those_of_calls_are_not() {
        let text = "events: Ir\nfl=(1) /a/stats/x.rs\nfn=(1) f\n10 5\n+2 7\nfi=(2) /b.rs\n3 11\nfe=(1)\n* 1\n\
                    cfi=(3) /c.rs\ncfn=(2) g\ncalls=4 20\n12 1000\n-1 2\n\nfl=(3)\n1 100\n";
        let counted = by_file(text);
        assert_eq!(counted["/a/stats/x.rs"], 5 + 7 + 1 + 2);
        assert_eq!((counted["/b.rs"], counted["/c.rs"]), (11, 100));
    }

    #[test]
    fn every_place_of_statistics_and_blame_is_there() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let ours = STATISTICS.iter().filter(|place| place.contains('/'));
        ours.for_each(|place| assert!(crates.join(place).exists(), "{place}"));
    }

    #[test]
    fn the_standard_library_counts_for_what_it_is_compiled_into() {
        let text = "fl=(1) /a.rs\n1 5\nfi=(2) /rustc/x/library/core/y.rs\n1 7\nfe=(1)\n1 1\nfi=(3) /b.rs\n1 2\nfi=(2)\n1 9\n\n\
                    fl=(2)\n1 30\n";
        let counted = by_file(text);
        assert_eq!((counted["/a.rs"], counted["/b.rs"]), (13, 11));
        assert_eq!(counted["/rustc/x/library/core/y.rs"], 30);
    }
}
