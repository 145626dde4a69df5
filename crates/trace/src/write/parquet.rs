//! Parquet with the columns of Wordline CSV, in row groups of 131,072 requests.

use std::fs::File;
use std::io;

use wordline_base::request::HostRequest;

use super::columns::{Columns, Kind, Values};
use super::csv::word;
use super::{RowWriter, Written};

/// Requests of a row group: bounds the memory.
const GROUP: usize = 1 << 17;

pub(super) struct ParquetFile {
    columns: Columns,
    waiting: Vec<HostRequest>,
}

impl ParquetFile {
    pub(super) fn new(file: File) -> io::Result<Self> {
        let columns = [
            ("time_ns", Kind::U64),
            ("op", Kind::Words),
            ("offset_bytes", Kind::U64),
            ("length_bytes", Kind::U64),
            ("flow", Kind::U16),
        ];
        let columns = columns.map(|(name, kind)| (name.to_owned(), kind));
        Ok(Self { columns: Columns::begin(file, &columns)?, waiting: Vec::new() })
    }

    fn write_group(&mut self) -> io::Result<()> {
        let rows = &self.waiting;
        if rows.is_empty() {
            return Ok(());
        }
        let numbers = |pick: fn(&HostRequest) -> u64| Values::U64(rows.iter().map(pick).collect());
        self.columns.group((0..5).map(|column| match column {
            0 => numbers(|request| request.time.0),
            1 => Values::Words(rows.iter().map(|request| word(request.op)).collect()),
            2 => numbers(|request| request.offset),
            3 => numbers(|request| request.length),
            _ => Values::U16(rows.iter().map(|request| request.flow).collect()),
        }))?;
        self.waiting.clear();
        Ok(())
    }
}

impl RowWriter for ParquetFile {
    fn write(&mut self, request: &HostRequest, written: &mut Written) -> io::Result<()> {
        written.requests += 1;
        self.waiting.push(*request);
        if self.waiting.len() >= GROUP { self.write_group() } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> io::Result<File> {
        self.write_group()?;
        self.columns.finish()
    }
}
