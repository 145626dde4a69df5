//! A log of each answered request, as Parquet: when it came and ended, what it asked, where its time went.

use std::io;
use std::path::Path;

use super::OutputFile;
use super::columns::{Columns, Kind, Values};
use super::csv::word;
use super::logged::LoggedRequest;

/// Requests of a row group: bounds the memory, whatever the length of the run.
const GROUP: usize = 1 << 15;

/// Columns before those of the parts.
const FIRST: [(&str, Kind); 9] = [
    ("id", Kind::U64),
    ("op", Kind::Words),
    ("flow", Kind::U16),
    ("arrival_ns", Kind::U64),
    ("start_ns", Kind::U64),
    ("end_ns", Kind::U64),
    ("offset_bytes", Kind::U64),
    ("length_bytes", Kind::U64),
    ("measured", Kind::Truths),
];

/// A log that is being written, in the order of the answers. The file takes its name when it is whole.
///
/// Columns: `id`, `op`, `flow`, `arrival_ns`, `start_ns` (when the drive took it in), `end_ns`, `offset_bytes`,
/// `length_bytes`, `measured` (whether it counts in the results), and `blame_ns.PART` for each part of its response
/// time; these add up to `end_ns` − `arrival_ns`.
pub struct RequestLog {
    output: OutputFile,
    columns: Columns,
    parts: usize,
    waiting: Vec<LoggedRequest>,
    /// What went wrong first; told at the end, as the run that is being logged can't be told.
    failed: Option<io::Error>,
}

impl RequestLog {
    /// Begins the file; response times are made up of these parts.
    ///
    /// # Errors
    /// Those of [`OutputFile::create`].
    pub fn create(path: &Path, parts: impl Iterator<Item = String>) -> io::Result<Self> {
        let (output, file) = OutputFile::create(path)?;
        let mut columns: Vec<(String, Kind)> = FIRST.map(|(name, kind)| (name.to_owned(), kind)).into();
        columns.extend(parts.map(|name| (format!("blame_ns.{name}"), Kind::U64)));
        let parts = columns.len() - FIRST.len();
        let columns = Columns::begin(file, &columns)?;
        Ok(Self { output, columns, parts, waiting: Vec::new(), failed: None })
    }

    /// Takes a request in that was answered.
    pub fn answer(&mut self, request: LoggedRequest) {
        if self.failed.is_some() {
            return;
        }
        self.waiting.push(request);
        if self.waiting.len() >= GROUP {
            self.failed = self.write_group().err();
        }
    }

    /// The whole run is over: ends the file.
    ///
    /// # Errors
    /// What went wrong in writing it, whenever that was.
    pub fn finish(mut self) -> io::Result<()> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        self.write_group()?;
        let file = self.columns.finish()?;
        self.output.keep(&file)
    }

    fn write_group(&mut self) -> io::Result<()> {
        let rows = &self.waiting;
        if rows.is_empty() {
            return Ok(());
        }
        let numbers = |pick: &dyn Fn(&LoggedRequest) -> u64| Values::U64(rows.iter().map(pick).collect());
        self.columns.group((0..FIRST.len() + self.parts).map(|column| match column {
            0 => numbers(&|row| row.id),
            1 => Values::Words(rows.iter().map(|row| word(row.request.op)).collect()),
            2 => Values::U16(rows.iter().map(|row| row.request.flow).collect()),
            3 => numbers(&|row| row.arrival.0),
            4 => numbers(&|row| row.start.0),
            5 => numbers(&|row| row.end.0),
            6 => numbers(&|row| row.request.offset),
            7 => numbers(&|row| row.request.length),
            8 => Values::Truths(rows.iter().map(|row| row.measured).collect()),
            part => numbers(&|row| row.blame.get(part - FIRST.len()).copied().unwrap_or_default()),
        }))?;
        self.waiting.clear();
        Ok(())
    }
}
