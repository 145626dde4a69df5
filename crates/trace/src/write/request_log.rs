//! A log of each answered request, as Parquet: when it came and ended, what it asked, where its time went.

use std::io;
use std::path::Path;

use super::OutputFile;
use super::columns::{Columns, Pick};
use super::csv::word;
use super::logged::LoggedRequest;

/// Requests of a row group: bounds the memory, whatever the length of the run.
const GROUP: usize = 1 << 15;

/// Columns before those of the parts.
const FIRST: [(&str, Pick<LoggedRequest>); 9] = [
    ("id", Pick::U64(|row| row.id)),
    ("op", Pick::Words(|row| word(row.request.op))),
    ("flow", Pick::U16(|row| row.request.flow)),
    ("arrival_ns", Pick::U64(|row| row.arrival.0)),
    ("start_ns", Pick::U64(|row| row.start.0)),
    ("end_ns", Pick::U64(|row| row.end.0)),
    ("offset_bytes", Pick::U64(|row| row.request.offset)),
    ("length_bytes", Pick::U64(|row| row.request.length)),
    ("measured", Pick::Truths(|row| row.measured)),
];

/// A log that is being written, in the order of the answers. The file takes its name when it is whole.
///
/// Columns: `id`, `op`, `flow`, `arrival_ns`, `start_ns` (when the drive took it in), `end_ns`, `offset_bytes`,
/// `length_bytes`, `measured` (whether it counts in the results), and `blame_ns.PART` for each part of its response
/// time; these add up to `end_ns` − `arrival_ns`.
pub struct RequestLog {
    output: OutputFile,
    columns: Columns<LoggedRequest>,
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
        let first = FIRST.map(|(name, pick)| (name.to_owned(), pick)).into_iter();
        let of_part: fn(&LoggedRequest, usize) -> u64 =
            |row, part| row.blame.get(part).copied().unwrap_or_default();
        let parts =
            parts.enumerate().map(|(part, name)| (format!("blame_ns.{name}"), Pick::Part(of_part, part)));
        let columns = Columns::begin(file, first.chain(parts).collect(), GROUP)?;
        Ok(Self { output, columns, failed: None })
    }

    /// Takes a request in that was answered.
    pub fn answer(&mut self, request: LoggedRequest) {
        if self.failed.is_none() {
            self.failed = self.columns.push(request).err();
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
        let file = self.columns.finish()?;
        self.output.keep(&file)
    }
}
