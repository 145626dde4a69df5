//! Whatever the unit of a file's numbers, its requests come back as they were written, or a note says which unit was taken
//! or is in doubt.

use proptest::prelude::*;
use wordline_base::request::HostRequest;
use wordline_trace::TraceConfig;
use wordline_trace::config::{TimeUnit, TraceFormat};

use crate::support::{Folder, read, short};

/// A request as it was: ns, `R` or `W`, bytes.
type Made = (u64, char, u64, u64);

/// Units of a file, ns and bytes.
#[derive(Clone, Copy, Debug)]
struct Units {
    time: u64,
    offset: u64,
    length: u64,
}

/// How a file counts times: from nothing, or as the clocks of systems do.
#[derive(Clone, Copy, Debug)]
enum Since {
    Start,
    Year1970,
    Year1601,
}

impl Since {
    /// The time of the first request, ns.
    fn ns(self) -> u128 {
        match self {
            Self::Start => 0,
            Self::Year1970 => 1_577_808_144_000_000_000,
            Self::Year1601 => 12_816_637_200_000_000_000,
        }
    }
}

const TIMES: [u64; 5] = [1, 100, 1_000, 1_000_000, 1_000_000_000];

/// Requests of pages, at random, in the order of time: at whole microseconds, or at whole seconds.
fn requests(step: u64) -> impl Strategy<Value = Vec<Made>> {
    let one = (1..5_000_u64, any::<bool>(), 1..1_000_000_u64, 1..64_u64);
    prop::collection::vec(one, 20..60).prop_map(move |rows| {
        let mut time = 0;
        let mut made = Vec::new();
        for (gap, reads, page, pages) in rows {
            made.push((time, if reads { 'R' } else { 'W' }, page * 4096, pages * 4096));
            time += gap * step;
        }
        made
    })
}

/// A time in a unit: whole if it can be, else with all its decimals.
fn time(ns: u128, unit: u64, decimal: bool) -> String {
    let unit = u128::from(unit);
    let digits = unit.ilog10() as usize;
    if digits == 0 || (!decimal && ns.is_multiple_of(unit)) {
        return (ns / unit).to_string();
    }
    format!("{}.{:0digits$}", ns / unit, ns % unit)
}

/// The text of a form without header, in any units.
fn text(form: TraceFormat, rows: &[Made], units: Units, since: Since) -> String {
    // DiskSim and its like have a decimal point in every time, or in none.
    let decimal = rows.iter().any(|row| !row.0.is_multiple_of(units.time));
    let mut text = String::new();
    for (number, (ns, op, offset, length)) in rows.iter().enumerate() {
        let time = time(since.ns() + u128::from(*ns), units.time, decimal);
        let (offset, length) = (offset / units.offset, length / units.length);
        let (word, is_read) = if *op == 'R' { ("Read", 1) } else { ("Write", 0) };
        let is_write = 1 - is_read;
        text += &match form {
            TraceFormat::Msr => format!("{time},hm,0,{word},{offset},{length},100\n"),
            TraceFormat::Mqsim | TraceFormat::Ssdsim | TraceFormat::Disksim | TraceFormat::Replayer => {
                format!("{time} 0 {offset} {length} {is_read}\n")
            }
            TraceFormat::Wordline => format!("{time},{op},{offset},{length}\n"),
            TraceFormat::Spc => format!("0,{offset},{length},{op},{time}\n"),
            TraceFormat::Systor => format!("{time},0.1,{op},0,{offset},{length}\n"),
            TraceFormat::Alibaba => format!("3,{op},{offset},{length},{time}\n"),
            TraceFormat::Tencent => format!("{time},{offset},{length},{is_write},7\n"),
            TraceFormat::Diskmon => format!("{number}\t{time}\t0.0001\t0\t{word}\t{offset}\t{length}\n"),
            TraceFormat::Biotracer => {
                format!("{offset}\t{length}\t{}\t{is_write}\t{time}\t{time}\t{time}\t{time}\n", length * 512)
            }
            TraceFormat::Blkparse => {
                format!("  8,16   5 {number} {time} 18615  D   {op} {offset} + {length} [java]\n")
            }
            TraceFormat::FioIolog => {
                let word = word.to_lowercase();
                let head = if number == 0 { "fio version 3 iolog\n" } else { "" };
                format!("{head}{time} /dev/sda {word} {offset} {length}\n")
            }
            other => unreachable!("{other:?}"),
        };
    }
    text
}

/// Forms that anybody writes, in any unit.
const LOOSE: [TraceFormat; 9] = [
    TraceFormat::Msr,
    TraceFormat::Mqsim,
    TraceFormat::Disksim,
    TraceFormat::Replayer,
    TraceFormat::Wordline,
    TraceFormat::Spc,
    TraceFormat::Systor,
    TraceFormat::Alibaba,
    TraceFormat::Tencent,
];

/// Forms that one program writes, in its own unit of time, ns.
const STRICT: [(TraceFormat, u64); 4] = [
    (TraceFormat::Diskmon, 1_000_000_000),
    (TraceFormat::Biotracer, 1_000_000_000),
    (TraceFormat::Blkparse, 1_000_000_000),
    (TraceFormat::FioIolog, 1_000),
];

/// Whether what was read is what was made, or notes tell what may be otherwise.
fn holds(made: &[Made], found: &[HostRequest], notes: &[String]) -> Result<(), TestCaseError> {
    let found: Vec<Made> = found.iter().map(short).collect();
    prop_assert_eq!(found.len(), made.len(), "{:?}", notes);
    let first = made.first().map_or(0, |row| row.0);
    let told = |words: [&str; 2], keys: [&str; 2]| {
        notes.iter().any(|note| {
            words.iter().all(|word| note.contains(word)) && keys.iter().any(|key| note.contains(key))
        })
    };
    let differs = |differ: fn(&Made, &Made) -> bool| {
        made.iter().zip(&found).find(|(made, found)| differ(&(made.0 - first, made.1, made.2, made.3), found))
    };
    if let Some(pair) = differs(|a, b| a.0 != b.0) {
        prop_assert!(told(["times", ""], ["`time_unit`", "`format`"]), "{pair:?}: {notes:?}");
    }
    if let Some(pair) = differs(|a, b| a.2 != b.2) {
        prop_assert!(told(["offsets", ""], ["`offset_unit_bytes", "`format`"]), "{pair:?}: {notes:?}");
    }
    if let Some(pair) = differs(|a, b| a.3 != b.3) {
        prop_assert!(told(["lengths", ""], ["`length_unit_bytes", "`format`"]), "{pair:?}: {notes:?}");
    }
    Ok(())
}

fn units(sizes: &'static [u64]) -> impl Strategy<Value = Units> {
    let size = || prop::sample::select(sizes);
    (prop::sample::select(&TIMES[..]), size(), size()).prop_map(|(time, offset, length)| Units {
        time,
        offset,
        length,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_unit_comes_back_or_is_told(
        form in prop::sample::select(&LOOSE[..]),
        rows in requests(1_000),
        slow in requests(1_000_000_000),
        whole: bool,
        units in units(&[1, 512, 4096]),
        since in prop::sample::select(&[Since::Start, Since::Year1970, Since::Year1601][..]),
    ) {
        let rows = if whole { slow } else { rows };
        let folder = Folder::new();
        let path = folder.file("any", text(form, &rows, units, since));
        // What can't be is refused: times of ns in the place of seconds last for more than 292 years.
        let Ok((found, notes)) = read(TraceConfig::of_file(path), u64::MAX) else { return Ok(()) };
        holds(&rows, &found, &notes)?;
    }

    #[test]
    fn so_does_what_one_program_writes(
        (form, time) in prop::sample::select(&STRICT[..]),
        rows in requests(1_000),
        bytes: bool,
    ) {
        let own = if form == TraceFormat::FioIolog { 1 } else { 512 };
        // The bytes of BIOtracer are there beside its sectors, so that they can't be taken for one another.
        let unit = if bytes && form != TraceFormat::Biotracer { 1 } else { own };
        let folder = Folder::new();
        let path = folder.file("any", text(form, &rows, Units { time, offset: unit, length: unit }, Since::Start));
        let (found, notes) = read(TraceConfig::of_file(path), u64::MAX).unwrap();
        holds(&rows, &found, &notes)?;
        if unit == own {
            prop_assert!(notes.is_empty(), "{:?}", notes);
        }
    }

    #[test]
    fn a_form_in_its_own_units_comes_back_as_it_is(
        (form, units, since) in prop::sample::select(vec![
            (TraceFormat::Msr, Units { time: 100, offset: 1, length: 1 }, Since::Year1601),
            (TraceFormat::Mqsim, Units { time: 1, offset: 512, length: 512 }, Since::Start),
            (TraceFormat::Ssdsim, Units { time: 1, offset: 512, length: 512 }, Since::Start),
            (TraceFormat::Disksim, Units { time: 1_000_000, offset: 512, length: 512 }, Since::Start),
            (TraceFormat::Replayer, Units { time: 1_000_000, offset: 1, length: 1 }, Since::Start),
            (TraceFormat::Wordline, Units { time: 1, offset: 1, length: 1 }, Since::Start),
            (TraceFormat::Spc, Units { time: 1_000_000_000, offset: 512, length: 1 }, Since::Start),
            (TraceFormat::Systor, Units { time: 1_000_000_000, offset: 1, length: 1 }, Since::Year1970),
            (TraceFormat::Alibaba, Units { time: 1_000, offset: 1, length: 1 }, Since::Year1970),
            (TraceFormat::Tencent, Units { time: 1_000_000_000, offset: 512, length: 512 }, Since::Year1970),
        ]),
        rows in requests(1_000),
    ) {
        let folder = Folder::new();
        let path = folder.file("own", text(form, &rows, units, since));
        for format in [TraceFormat::Auto, form] {
            let config = TraceConfig { format, ..TraceConfig::of_file(&path) };
            let (found, notes) = read(config, u64::MAX).unwrap();
            prop_assert_eq!(&found.iter().map(short).collect::<Vec<_>>(), &rows, "{:?}", notes);
            if format == form {
                prop_assert!(notes.is_empty(), "{:?}", notes);
            }
        }
    }

    #[test]
    fn units_that_are_given_hold(
        form in prop::sample::select(&LOOSE[..]),
        rows in requests(1_000_000_000),
        units in units(&[1, 512, 4096]),
    ) {
        let folder = Folder::new();
        let path = folder.file("given", text(form, &rows, units, Since::Start));
        let time_unit = [
            TimeUnit::Nanoseconds,
            TimeUnit::Ticks,
            TimeUnit::Microseconds,
            TimeUnit::Milliseconds,
            TimeUnit::Seconds,
        ]
        .into_iter()
        .find(|unit| unit.ns() == units.time);
        let config = TraceConfig {
            format: form,
            time_unit,
            offset_unit_bytes: Some(units.offset),
            length_unit_bytes: Some(units.length),
            ..TraceConfig::of_file(path)
        };
        let (found, notes) = read(config, u64::MAX).unwrap();
        prop_assert_eq!(found.iter().map(short).collect::<Vec<_>>(), rows);
        prop_assert!(notes.is_empty(), "{:?}", notes);
    }
}

#[test]
fn a_replayer_s_trace_is_no_disksim_s() {
    let folder = Folder::new();
    let path = folder.file("t", "0.000 0 3242508288 4096 0\n0.125 0 8192 36864 1\n");
    let (found, notes) = read(TraceConfig::of_file(&path), u64::MAX).unwrap();
    let found: Vec<_> = found.iter().map(short).collect();
    assert_eq!(found, [(0, 'W', 3_242_508_288, 4096), (125_000, 'R', 8192, 36_864)]);
    assert!(notes[0].contains("taken for a replayer's trace") && notes[0].contains("in bytes"), "{notes:?}");
    // Who names the form is told of the doubt.
    let config = TraceConfig { format: TraceFormat::Disksim, ..TraceConfig::of_file(&path) };
    let (_, notes) = read(config, u64::MAX).unwrap();
    assert!(
        notes[0].contains("offsets are read in sectors") && notes[1].contains("lengths are"),
        "{notes:?}"
    );
}

#[test]
fn the_note_names_the_form_that_is_read() {
    let folder = Folder::new();
    for (text, name, unit) in [
        ("5 0 8 8 0\n", "MQSim or SSDsim", "times in ns"),
        ("5 0 8 8 a\n", "DiskSim ASCII", "times in ms"),
        ("5.5 0 8 8 0\n", "DiskSim ASCII", "times in ms"),
        ("5,R,0,4096\n", "Wordline CSV", "times in ns"),
        ("1538323200,12910952,128,0,1063\n", "Tencent CBS", "times in s"),
        ("0,303567,3584,w,0.000000\n", "spc", "offsets in sectors of 512 bytes, lengths in bytes"),
    ] {
        let (_, notes) = read(TraceConfig::of_file(folder.file("t", text)), u64::MAX).unwrap();
        assert!(
            notes[0].contains(&format!("taken for {name}")) && notes[0].contains(unit),
            "{text}: {notes:?}"
        );
    }
}

#[test]
fn lengths_in_pages_are_told_by_requests_that_follow_one_another() {
    let folder = Folder::new();
    let lines: String = (0..40).map(|index| format!("{index}.500 0 {} 4 1\n", index * 32)).collect();
    let (_, notes) = read(TraceConfig::of_file(folder.file("t", lines)), u64::MAX).unwrap();
    assert!(
        notes
            .iter()
            .any(|note| note.contains("39 of the first 40") && note.contains("`length_unit_bytes = 4096`")),
        "{notes:?}"
    );
}

#[test]
fn times_that_are_too_fast_to_be_true_are_told() {
    let folder = Folder::new();
    // Seconds in the place of MQSim's ns.
    let lines: String = (0..40).map(|index| format!("{index} 0 {} 8 1\n", index * 7 % 19)).collect();
    let (_, notes) = read(TraceConfig::of_file(folder.file("t", lines)), u64::MAX).unwrap();
    assert!(notes.iter().any(|note| note.contains("1.0e9 requests a second")), "{notes:?}");
}
