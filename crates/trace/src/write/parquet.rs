//! Parquet with the columns of Wordline CSV, in row groups of 131,072 requests.

use std::fs::File;
use std::io;

use wordline_base::request::HostRequest;

use super::columns::{Columns, Pick};
use super::csv::word;
use super::{RowWriter, Written};

/// Requests of a row group: bounds the memory.
const GROUP: usize = 1 << 17;

pub(super) struct ParquetFile(Columns<HostRequest>);

impl ParquetFile {
    pub(super) fn new(file: File) -> io::Result<Self> {
        let columns: [(&str, Pick<HostRequest>); 5] = [
            ("time_ns", Pick::U64(|request| request.time.0)),
            ("op", Pick::Words(|request| word(request.op))),
            ("offset_bytes", Pick::U64(|request| request.offset)),
            ("length_bytes", Pick::U64(|request| request.length)),
            ("flow", Pick::U16(|request| request.flow)),
        ];
        let columns = columns.map(|(name, pick)| (name.to_owned(), pick)).into();
        Columns::begin(file, columns, GROUP).map(Self)
    }
}

impl RowWriter for ParquetFile {
    fn write(&mut self, request: &HostRequest, written: &mut Written) -> io::Result<()> {
        written.requests += 1;
        self.0.push(*request)
    }

    fn finish(self: Box<Self>) -> io::Result<File> {
        self.0.finish()
    }
}
