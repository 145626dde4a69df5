//! Parquet with named columns, under the names that CSV may have. Times are integers, decimals or Parquet's timestamps,
//! offsets and lengths integers, operations words, numbers or booleans. Only the columns that are needed are read, page
//! by page.

use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::file::reader::ChunkReader;
use wordline_base::request::HostOp;

use crate::config::ColumnsConfig;
use crate::expected::caught;

use super::arrays::{Times, Words, numbers};
use super::columns::{Places, Role};
use super::csv::{OPS, adjusted, op_of};
use super::given::Given;
use super::names::Numbering;
use super::{Latency, Phrase, Row, Rules, plausible};

/// Rows that are decoded at once.
const BATCH: usize = 4096;

/// An open file.
pub(crate) struct ParquetRows {
    reader: ParquetRecordBatchReader,
    places: Places,
    rules: Rules,
    batch: Option<Batch>,
    /// Row given out last, from 1.
    number: u64,
    assumption: Option<String>,
    /// Devices, where they have names.
    devices: Numbering,
}

/// Decoded rows.
struct Batch {
    time: Times,
    op: Words,
    offset: Vec<Option<u64>>,
    length: Vec<Option<u64>>,
    device: Option<Vec<Option<u64>>>,
    latency: Option<Times>,
    next: usize,
    rows: usize,
}

impl ParquetRows {
    /// Reads the footer. An error is a phrase about the file.
    pub(crate) fn open(
        file: impl ChunkReader + 'static,
        rules: &Rules,
        columns: &ColumnsConfig,
        given: Given,
    ) -> Result<Self, String> {
        let damaged = |error: parquet::errors::ParquetError| damage(&error);
        let builder = guarded(|| ParquetRecordBatchReaderBuilder::try_new(file).map_err(damaged))?;
        let schema = builder.schema().clone();
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let mut places = Places::find(&names, columns).map_err(|expected| format!("expected {expected}"))?;
        let needed: Vec<usize> = places.of.iter().flatten().copied().collect();
        if let Some(beyond) = needed.iter().find(|place| **place >= names.len()) {
            return Err(format!("column {}: the file has {}", beyond + 1, names.len()));
        }
        let rules = adjusted(rules, &places, &given);
        let assumption = assumption(&schema, &places, &rules, &given);
        let mask = ProjectionMask::roots(builder.parquet_schema(), needed.iter().copied());
        let reader = guarded(|| {
            builder.with_projection(mask).with_batch_size(BATCH).build().map_err(|error| damage(&error))
        })?;
        // Columns that aren't read are gone from the batches.
        let mut kept = needed;
        kept.sort_unstable();
        kept.dedup();
        for place in places.of.iter_mut().flatten() {
            *place = kept.iter().position(|kept| kept == place).unwrap_or(0);
        }
        Ok(Self { reader, places, rules, batch: None, number: 0, assumption, devices: Numbering::default() })
    }

    pub(crate) fn shares_addresses(&self) -> bool {
        self.places.flow
    }

    pub(crate) fn take_assumption(&mut self) -> Option<String> {
        self.assumption.take()
    }

    /// Names of devices that were numbered since it was asked last, the first few.
    pub(crate) fn take_devices(&mut self) -> Vec<String> {
        self.devices.take_fresh()
    }

    /// Number of the row given out last, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The next row. Of an error, the first part says whether reading can go on behind it.
    pub(crate) fn next_row(&mut self) -> Result<Option<Row>, (bool, Phrase)> {
        loop {
            if let Some(batch) = &mut self.batch
                && batch.next < batch.rows
            {
                let row = batch.row(&self.rules);
                batch.next += 1;
                self.number += 1;
                return row.map(Some).map_err(|fault| (true, fault));
            }
            let reader = &mut self.reader;
            let next = guarded(|| reader.next().transpose().map_err(|error| damage(&error)));
            match next.map_err(|fault| (false, Phrase::from(fault)))? {
                None => return Ok(None),
                Some(batch) => {
                    let devices = &mut self.devices;
                    let decoded = guarded(|| Batch::new(&batch, &self.places, &self.rules, devices));
                    self.batch = Some(decoded.map_err(|fault| (false, Phrase::from(fault)))?);
                }
            }
        }
    }
}

/// What the file leaves open.
fn assumption(schema: &Schema, places: &Places, rules: &Rules, given: &Given) -> Option<String> {
    let kind =
        |role| places.at(role).and_then(|place| schema.fields().get(place)).map(|field| field.data_type());
    let timestamp = matches!(kind(Role::Time), Some(DataType::Timestamp(..)));
    let mut assumed = places.assumed(&Given { time: given.time || timestamp, ..*given });
    let number = kind(Role::Op).is_some_and(|kind| kind.is_integer() || *kind == DataType::Boolean);
    if number && !given.read_is && places.read_is.is_none() {
        assumed.push("type 1 is taken for a read (give `read_is`)".to_owned());
    }
    assumed.extend(places.without_latency(rules));
    (!assumed.is_empty()).then(|| assumed.join("; "))
}

impl Batch {
    fn new(
        batch: &RecordBatch,
        places: &Places,
        rules: &Rules,
        names: &mut Numbering,
    ) -> Result<Self, String> {
        let column = |role: Role| places.at(role).and_then(|place| batch.columns().get(place));
        let needed = |role: Role| column(role).ok_or_else(|| "a column is missing".to_owned());
        let device = column(Role::Device).map(|array| devices(array, names)).transpose()?;
        Ok(Self {
            time: Times::new(needed(Role::Time)?, rules.unit_ns)?,
            op: Words::new(needed(Role::Op)?)?,
            offset: numbers(needed(Role::Offset)?)?,
            length: numbers(needed(Role::Length)?)?,
            device,
            latency: match (column(Role::Latency), rules.latency_ns) {
                (Some(array), Some(unit)) => Times::new(array, unit).ok(),
                _ => None,
            },
            next: 0,
            rows: batch.num_rows(),
        })
    }

    fn row(&self, rules: &Rules) -> Result<Row, Phrase> {
        let at = self.next;
        let number = |column: &[Option<u64>]| column.get(at).copied().flatten();
        let scaled = |column: &[Option<u64>], unit: u64| number(column)?.checked_mul(unit);
        let op = self.op.at(at).ok_or("an operation, not null,")?;
        let op = op_of(op.trim().as_bytes(), rules).ok_or_else(|| {
            let shown: String = op.chars().take(20).flat_map(char::escape_debug).collect();
            format!("{OPS} not `{shown}`")
        })?;
        let device = match &self.device {
            Some(column) => number(column).and_then(|device| u16::try_from(device).ok()),
            None => Some(0),
        };
        let row = Row {
            time: self.time.at(at).ok_or("a time of 0 or more")?,
            op,
            offset: scaled(&self.offset, rules.offset_unit).ok_or("an offset from 0 to below 2^64")?,
            length: scaled(&self.length, rules.length_unit).ok_or("a length from 0 to below 2^64")?,
            device: device.ok_or("a device from 0 to 65535")?,
            latency: Latency::of_some(self.latency.as_ref().and_then(|latency| latency.at(at))),
        };
        let flush = op == HostOp::Flush;
        Ok(plausible(if flush { Row { offset: 0, length: 0, ..row } } else { row })?)
    }
}

/// A column of devices: numbers, or names that are numbered.
fn devices(array: &dyn Array, names: &mut Numbering) -> Result<Vec<Option<u64>>, String> {
    if array.data_type().is_integer() {
        return numbers(array);
    }
    let words = Words::new(array)?;
    let number = |row| words.at(row).and_then(|name| names.number(name.as_bytes())).map(u64::from);
    Ok((0..array.len()).map(number).collect())
}

fn damage(error: &dyn std::error::Error) -> String {
    format!("the Parquet data is damaged: {}", error.to_string().replace(['\n', '\r'], " "))
}

/// Damaged files make the library panic at places: that is a fault of the file like any other.
fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    caught(work).unwrap_or_else(|| Err("the Parquet data is damaged".to_owned()))
}
