//! A trace file as rows, with the file's name and the place in every error.

use std::fs::File;
use std::path::{Path, PathBuf};

use wordline_base::request::SourceError;

use super::shown::{first_line, hint, shown};
use crate::config::TraceConfig;
use crate::format::{
    Blktrace, Detected, Form, Given, LeftOut, LineParser, ORACLE_ASSUMED, OracleGeneral, ParquetRows,
    RecordFault, Row, Rules, Srt, Text, Vscsi, detect, look_at, names_flows, unread,
};
use crate::input::{FileInput, LineFault, LineReader, Processors, open_input, processor_files};
use crate::notes::Tally;

/// First bytes that are looked at to tell the form.
const HEAD: u64 = 1 << 16;

/// How a pointer begins that Git LFS leaves in the place of a file.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// An open trace file.
pub(super) struct TraceFile {
    path: PathBuf,
    /// All devices (flows) share one address space.
    shared: bool,
    /// How many requests are put in order at least.
    sort_window: u32,
    body: Body,
}

enum Body {
    Lines { lines: Box<LineReader<FileInput>>, parser: LineParser },
    Vscsi(Vscsi<FileInput>),
    Srt(Srt<FileInput>),
    OracleGeneral(OracleGeneral<FileInput>),
    Blktrace(Blktrace<FileInput>),
    Parquet(Box<ParquetRows>),
}

/// A row, and the number of its line or record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub row: Row,
    pub number: u64,
}

impl Placed {
    /// A place for one.
    pub(super) const EMPTY: Self = Self { row: Row::EMPTY, number: 0 };
}

impl TraceFile {
    /// Opens the file in the form that `config` names, or that its first bytes tell. What had to be assumed goes into
    /// `tally`.
    pub(super) fn open(path: &Path, config: &TraceConfig, tally: &mut Tally) -> Result<Self, SourceError> {
        let files = processor_files(path);
        let input = open_input(files.paths.first().map_or(path, PathBuf::as_path))?;
        let parquet = |rules: &Rules, plain: bool| {
            if !plain {
                return Err("Parquet inside another compression: unpack it first".to_owned());
            }
            let file = File::open(path).map_err(|error| error.to_string())?;
            ParquetRows::open(file, rules, &config.columns, Given::of(config))
        };
        Self::begin(path, files, input, config, tally, parquet)
    }

    /// The same for bytes instead of a file.
    pub(super) fn of_bytes(
        bytes: &[u8],
        config: &TraceConfig,
        tally: &mut Tally,
    ) -> Result<Self, SourceError> {
        let path = Path::new("bytes");
        let owned = bytes::Bytes::copy_from_slice(bytes);
        let input = FileInput::new(std::io::Cursor::new(owned.clone()))
            .map_err(|error| SourceError(error.to_string()))?
            .ok_or_else(|| SourceError("no bytes".into()))?;
        let parquet = |rules: &Rules, plain: bool| match plain {
            true => ParquetRows::open(owned, rules, &config.columns, Given::of(config)),
            false => Err("Parquet inside another compression".to_owned()),
        };
        Self::begin(path, Processors::alone(path), input, config, tally, parquet)
    }

    fn begin(
        path: &Path,
        files: Processors,
        mut input: FileInput,
        config: &TraceConfig,
        tally: &mut Tally,
        parquet: impl FnOnce(&Rules, bool) -> Result<ParquetRows, String>,
    ) -> Result<Self, SourceError> {
        let plain = input.is_plain();
        let Looked { head, complete, detected } = look(path, &mut input, config)?;
        let (form, given) = (detected.form, config);
        let Text { config, headed, notes } = if form.is_text() {
            look_at(&head, complete, detected, config).map_err(|names| foreign_header(path, names, form))?
        } else {
            Text { config: config.clone(), headed: false, notes: Vec::new() }
        };
        let config = &config;
        notes.iter().for_each(|note| tally.assume(path, note));
        let rules = Rules::configured(form, config);
        tally.event = rules.event;
        let body = match form {
            Form::Parquet => Body::Parquet(Box::new(
                parquet(&rules, plain)
                    .map_err(|fault| SourceError(format!("{}: {fault}", path.display())))?,
            )),
            Form::Vscsi => Body::Vscsi(Vscsi::new(input, &head, rules)),
            Form::Srt => Body::Srt(Srt::new(input, rules)),
            Form::OracleGeneral => {
                tally.assume(path, ORACLE_ASSUMED);
                Body::OracleGeneral(OracleGeneral::new(input, rules))
            }
            Form::Blktrace => {
                tally.assumptions.extend(files.notes(path));
                Body::Blktrace(Blktrace::new(all(files.paths, input)?, rules))
            }
            _ => Body::Lines {
                lines: Box::new(LineReader::new(input)),
                parser: LineParser::new(rules, &config.columns, Given::of(config))
                    .headed(headed)
                    .looked_ahead(&head),
            },
        };
        let shared = match &body {
            Body::Parquet(rows) => rows.shares_addresses(),
            _ => form == Form::Wordline || (form == Form::Columns && names_flows(&head)),
        };
        unread(form, shared, given).iter().for_each(|note| tally.assume(path, note));
        Ok(Self { path: path.to_owned(), shared, sort_window: form.sort_window(rules.event), body })
    }

    /// Whether all devices (flows) share one address space.
    pub(super) fn shares_addresses(&self) -> bool {
        self.shared
    }

    /// How many requests are put in order at least.
    pub(super) fn sort_window(&self) -> u32 {
        self.sort_window
    }

    /// Reads the next row into `placed`; whether there is one. Bad lines and records are errors, or counted and passed
    /// over where `skip` is set.
    #[inline]
    pub(super) fn next_row(
        &mut self,
        skip: bool,
        tally: &mut Tally,
        placed: &mut Placed,
    ) -> Result<bool, SourceError> {
        if let Body::Lines { lines, parser } = &mut self.body
            && let Some(length) = parser.read_quickly(lines.text(), &mut placed.row)
        {
            lines.pass(length);
            placed.number = lines.number();
            return Ok(true);
        }
        let Some(found) = self.next_carefully(skip, tally)? else { return Ok(false) };
        *placed = found;
        Ok(true)
    }

    /// The same for what isn't a plain line.
    #[inline(never)]
    fn next_carefully(&mut self, skip: bool, tally: &mut Tally) -> Result<Option<Placed>, SourceError> {
        match &mut self.body {
            Body::Lines { .. } => self.next_of_lines(skip, tally),
            _ => self.next_of_records(skip, tally),
        }
    }

    fn next_of_lines(&mut self, skip: bool, tally: &mut Tally) -> Result<Option<Placed>, SourceError> {
        let Body::Lines { lines, parser } = &mut self.body else { return Ok(None) };
        loop {
            let (number, fault) = match lines.next_line() {
                Ok(None) => return Ok(None),
                Ok(Some(line)) if line.trim_ascii().is_empty() => continue,
                Ok(Some(line)) => match parser.parse(line) {
                    Ok(row) => {
                        if let Some(assumption) = parser.take_assumption() {
                            tally.assume(&self.path, &assumption);
                        }
                        tally.left_out.add(&parser.take_left_out());
                        tally.name_devices(parser.take_devices());
                        match row {
                            Some(row) => return Ok(Some(Placed { row, number: lines.number() })),
                            None => continue,
                        }
                    }
                    Err(expected) => {
                        let fault =
                            format!("{}: expected {}", shown(line), hint(line, &expected, parser.form()));
                        (lines.number(), fault)
                    }
                },
                Err(LineFault::TooLong) => (lines.number(), "expected a line of at most 128 KiB".to_owned()),
                Err(LineFault::Io(error)) => {
                    let (number, fault) = (lines.number() + 1, lines.input().fault(&error));
                    return Err(SourceError(format!("{}:{number}: {fault}", self.path.display())));
                }
            };
            let error = SourceError(format!("{}:{number}: {fault}", self.path.display()));
            tally.bad_line(error, skip)?;
        }
    }

    fn next_of_records(&mut self, skip: bool, tally: &mut Tally) -> Result<Option<Placed>, SourceError> {
        loop {
            let found = match &mut self.body {
                Body::Lines { .. } => return Ok(None),
                Body::Vscsi(vscsi) => {
                    let row = vscsi.next_row();
                    let commands = vscsi.take_left_out();
                    tally.left_out.add(&LeftOut { commands, ..LeftOut::default() });
                    row
                }
                Body::Srt(srt) => srt.next_row(),
                Body::OracleGeneral(oracle) => oracle.next_row(),
                Body::Blktrace(blktrace) => {
                    let row = blktrace.next_row();
                    tally.left_out.add(&blktrace.take_left_out());
                    row
                }
                Body::Parquet(rows) => match rows.next_row() {
                    Ok(row) => Ok(row),
                    Err((goes_on, fault)) => {
                        let place = format!("{}: row {}", self.path.display(), rows.number());
                        let error = match goes_on {
                            true => SourceError(format!("{place}: expected {fault}")),
                            false => SourceError(format!("{}: {fault}", self.path.display())),
                        };
                        tally.bad_line(error, skip && goes_on)?;
                        continue;
                    }
                },
            };
            if let Body::Parquet(rows) = &mut self.body
                && let Some(assumption) = rows.take_assumption()
            {
                tally.assume(&self.path, &assumption);
            }
            if let Body::Parquet(rows) = &mut self.body {
                tally.name_devices(rows.take_devices());
            }
            match found {
                Ok(row) => return Ok(row.map(|row| Placed { row, number: self.number() })),
                Err(fault) => {
                    let (error, goes_on) = self.worded(fault);
                    tally.bad_line(error, skip && goes_on)?;
                }
            }
        }
    }

    /// Number of the record read last.
    fn number(&self) -> u64 {
        match &self.body {
            Body::Lines { lines, .. } => lines.number(),
            Body::Vscsi(vscsi) => vscsi.records().place().number,
            Body::Srt(srt) => srt.records().place().number,
            Body::OracleGeneral(oracle) => oracle.records().place().number,
            Body::Blktrace(blktrace) => blktrace.place().map_or(0, |(_, records)| records.place().number),
            Body::Parquet(rows) => rows.number(),
        }
    }

    /// A fault of a record in words, and whether reading can go on behind it.
    fn worded(&self, fault: RecordFault) -> (SourceError, bool) {
        let name = |file: Option<PathBuf>| file.unwrap_or_else(|| self.path.clone()).display().to_string();
        match fault {
            RecordFault::Bad { file, place, shown, expected, last } => {
                let text = format!(
                    "{}: record {} (byte {}): `{shown}`: expected {expected}",
                    name(file),
                    place.number,
                    place.byte
                );
                (SourceError(text), !last)
            }
            RecordFault::Io { file, place, error } => {
                let fault = self.input().map_or_else(|| error.to_string(), |input| input.fault(&error));
                let text = format!("{}: record {} (byte {}): {fault}", name(file), place.number, place.byte);
                (SourceError(text), false)
            }
        }
    }

    fn input(&self) -> Option<&FileInput> {
        match &self.body {
            Body::Lines { lines, .. } => Some(lines.input()),
            Body::Vscsi(vscsi) => Some(vscsi.records().input()),
            Body::Srt(srt) => Some(srt.records().input()),
            Body::OracleGeneral(oracle) => Some(oracle.records().input()),
            Body::Blktrace(blktrace) => blktrace.place().map(|(_, records)| records.input()),
            Body::Parquet(_) => None,
        }
    }

    /// An error about the line or record of this number.
    pub(super) fn at(&self, number: u64, fault: &str) -> SourceError {
        let path = self.path.display();
        SourceError(match &self.body {
            Body::Lines { .. } => format!("{path}:{number}: {fault}"),
            Body::Parquet(_) => format!("{path}: row {number}: {fault}"),
            _ => format!("{path}: record {number}: {fault}"),
        })
    }

    /// An error about the file as a whole.
    pub(super) fn whole(&self, fault: &str) -> SourceError {
        SourceError(format!("{}: {fault}", self.path.display()))
    }
}

/// The first bytes, whether they are all, and the form.
struct Looked {
    head: Vec<u8>,
    complete: bool,
    detected: Detected,
}

fn look(path: &Path, input: &mut FileInput, config: &TraceConfig) -> Result<Looked, SourceError> {
    let whole = |fault: &str| SourceError(format!("{}: {fault}", path.display()));
    let looked = input.peek(HEAD).map(|(head, complete)| (head.to_vec(), complete));
    let (head, complete) = looked.map_err(|error| whole(&input.fault(&error)))?;
    if head.starts_with(LFS_POINTER) {
        return Err(whole("a Git LFS pointer, not the trace: git lfs pull"));
    }
    if let Some(form) = Form::named(config.format) {
        return Ok(Looked { head, complete, detected: Detected::named(form) });
    }
    if let Some(detected) = detect(&head, complete, config) {
        return Ok(Looked { head, complete, detected });
    }
    if head.get(257..262) == Some(b"ustar") {
        return Err(whole("a tar archive: unpack it first"));
    }
    Err(match first_line(&head) {
        Some((number, line)) => SourceError(format!(
            "{}:{number}: {}: expected a trace of a known form (docs/trace-formats.md lists them)",
            path.display(),
            shown(line)
        )),
        None => whole("no request in this file"),
    })
}

/// Names of columns in a file that is to be read in a form without them.
fn foreign_header(path: &Path, names: &[u8], form: Form) -> SourceError {
    SourceError(format!(
        "{}: {}: names columns or units that the form `{}` hasn't: allowed: `format = \"columns\"` or \"auto\", which read \
         them by their names",
        path.display(),
        shown(names),
        form.name()
    ))
}

/// The files of all processors, of which the first is open.
fn all(paths: Vec<PathBuf>, first: FileInput) -> Result<Vec<(PathBuf, FileInput)>, SourceError> {
    let mut paths = paths.into_iter();
    let mut files: Vec<_> = paths.next().map(|path| (path, first)).into_iter().collect();
    for path in paths {
        let input = open_input(&path)?;
        files.push((path, input));
    }
    Ok(files)
}
