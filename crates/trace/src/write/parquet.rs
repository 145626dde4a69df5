//! Parquet with the columns of Wordline CSV, compressed with zstd, in row groups of 131,072 requests.

use std::fs::File;
use std::io;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt16Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use wordline_base::request::HostRequest;

use super::csv::word;
use super::{RowWriter, Written};

/// Requests of a row group: bounds the memory.
const GROUP: usize = 1 << 17;

/// Requests that are encoded at once.
const BATCH: usize = 1 << 13;

/// A file of these columns, compressed with zstd, in row groups of `group` rows.
pub(super) fn compressed(file: File, schema: &Arc<Schema>, group: usize) -> io::Result<ArrowWriter<File>> {
    let level = ZstdLevel::try_new(3).map_err(io::Error::other)?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_max_row_group_row_count(Some(group))
        .build();
    ArrowWriter::try_new(file, schema.clone(), Some(properties)).map_err(io::Error::other)
}

pub(super) struct ParquetFile {
    writer: ArrowWriter<File>,
    schema: Arc<Schema>,
    waiting: Vec<HostRequest>,
}

impl ParquetFile {
    pub(super) fn new(file: File) -> io::Result<Self> {
        let field = |name, kind| Field::new(name, kind, false);
        let schema = Arc::new(Schema::new(vec![
            field("time_ns", DataType::UInt64),
            field("op", DataType::Utf8),
            field("offset_bytes", DataType::UInt64),
            field("length_bytes", DataType::UInt64),
            field("flow", DataType::UInt16),
        ]));
        let writer = compressed(file, &schema, GROUP)?;
        Ok(Self { writer, schema, waiting: Vec::new() })
    }

    fn encode(&mut self) -> io::Result<()> {
        let rows = &self.waiting;
        let numbers = |pick: fn(&HostRequest) -> u64| -> ArrayRef {
            Arc::new(UInt64Array::from_iter_values(rows.iter().map(pick)))
        };
        let columns: Vec<ArrayRef> = vec![
            numbers(|request| request.time.0),
            Arc::new(StringArray::from_iter_values(rows.iter().map(|request| word(request.op)))),
            numbers(|request| request.offset),
            numbers(|request| request.length),
            Arc::new(UInt16Array::from_iter_values(rows.iter().map(|request| request.flow))),
        ];
        let batch = RecordBatch::try_new(self.schema.clone(), columns).map_err(io::Error::other)?;
        self.waiting.clear();
        self.writer.write(&batch).map_err(io::Error::other)
    }
}

impl RowWriter for ParquetFile {
    fn write(&mut self, request: &HostRequest, written: &mut Written) -> io::Result<()> {
        written.requests += 1;
        self.waiting.push(*request);
        if self.waiting.len() >= BATCH { self.encode() } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> io::Result<File> {
        self.encode()?;
        self.writer.into_inner().map_err(io::Error::other)
    }
}
