//! A log of each answered request, as Parquet: when it came and ended, what it asked, where its time went.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, RecordBatch, StringArray, UInt16Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;

use super::OutputFile;
use super::csv::word;
use super::logged::LoggedRequest;
use super::parquet::compressed;

/// Requests of a row group: bounds the memory, whatever the length of the run.
const GROUP: usize = 1 << 15;

/// Requests that are encoded at once.
const BATCH: usize = 1 << 12;

/// A log that is being written, in the order of the answers. The file takes its name when it is whole.
///
/// Columns: `id`, `op`, `flow`, `arrival_ns`, `start_ns` (when the drive took it in), `end_ns`, `offset_bytes`,
/// `length_bytes`, `measured` (whether it counts in the results), and `blame_ns.PART` for each part of its response
/// time; these add up to `end_ns` − `arrival_ns`.
pub struct RequestLog {
    output: OutputFile,
    writer: ArrowWriter<File>,
    schema: Arc<Schema>,
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
        let field = |name: &str, kind| Field::new(name, kind, false);
        let mut fields = vec![
            field("id", DataType::UInt64),
            field("op", DataType::Utf8),
            field("flow", DataType::UInt16),
            field("arrival_ns", DataType::UInt64),
            field("start_ns", DataType::UInt64),
            field("end_ns", DataType::UInt64),
            field("offset_bytes", DataType::UInt64),
            field("length_bytes", DataType::UInt64),
            field("measured", DataType::Boolean),
        ];
        let others = fields.len();
        fields.extend(parts.map(|name| field(&format!("blame_ns.{name}"), DataType::UInt64)));
        let parts = fields.len() - others;
        let schema = Arc::new(Schema::new(fields));
        let writer = compressed(file, &schema, GROUP)?;
        Ok(Self { output, writer, schema, parts, waiting: Vec::new(), failed: None })
    }

    /// Takes a request in that was answered.
    pub fn answer(&mut self, request: LoggedRequest) {
        if self.failed.is_some() {
            return;
        }
        self.waiting.push(request);
        if self.waiting.len() >= BATCH {
            self.failed = self.encode().err();
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
        self.encode()?;
        let file = self.writer.into_inner().map_err(io::Error::other)?;
        self.output.keep(&file)
    }

    fn encode(&mut self) -> io::Result<()> {
        let rows = &self.waiting;
        let numbers = |pick: &dyn Fn(&LoggedRequest) -> u64| -> ArrayRef {
            Arc::new(UInt64Array::from_iter_values(rows.iter().map(pick)))
        };
        let mut columns: Vec<ArrayRef> = vec![
            numbers(&|row| row.id),
            Arc::new(StringArray::from_iter_values(rows.iter().map(|row| word(row.request.op)))),
            Arc::new(UInt16Array::from_iter_values(rows.iter().map(|row| row.request.flow))),
            numbers(&|row| row.arrival.0),
            numbers(&|row| row.start.0),
            numbers(&|row| row.end.0),
            numbers(&|row| row.request.offset),
            numbers(&|row| row.request.length),
            Arc::new(rows.iter().map(|row| Some(row.measured)).collect::<BooleanArray>()),
        ];
        let blame = |part: usize| numbers(&|row| row.blame.get(part).copied().unwrap_or_default());
        columns.extend((0..self.parts).map(blame));
        let batch = RecordBatch::try_new(self.schema.clone(), columns).map_err(io::Error::other)?;
        self.waiting.clear();
        self.writer.write(&batch).map_err(io::Error::other)
    }
}
