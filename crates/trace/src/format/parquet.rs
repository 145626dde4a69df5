//! Parquet with named columns, under the names that CSV may have. Times are integers, decimals or Parquet's timestamps,
//! offsets and lengths integers, operations words, numbers or booleans. Only the columns that are needed are read, page
//! by page.

use parquet::column::reader::ColumnReader;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::schema::types::SchemaDescriptor;
use wordline_base::request::HostOp;

use crate::config::ColumnsConfig;
use crate::expected::caught;

use super::columns::{Places, Role};
use super::csv::{OPS, adjusted, op_of};
use super::given::Given;
use super::names::Numbering;
use super::stored::{Kind, Times, Values, Words, numbers};
use super::{Latency, Phrase, Row, Rules, plausible};

/// Rows that are decoded at once.
const BATCH: usize = 4096;

/// An open file.
pub(crate) struct ParquetRows {
    file: Box<dyn FileReader>,
    /// The next group of rows.
    group: usize,
    /// Rows of the one before that weren't read.
    left: usize,
    /// The columns that are needed, in the order of [`Role::ALL`].
    columns: Columns,
    places: Places,
    rules: Rules,
    batch: Option<Batch>,
    /// Row given out last, from 1.
    number: u64,
    assumption: Option<String>,
    /// Devices, where they have names.
    devices: Numbering,
}

type Columns = [Option<Column>; Role::ALL.len()];

/// A column that is needed.
struct Column {
    /// Its place among those that hold values.
    leaf: usize,
    kind: Kind,
    /// Whether it may have nulls.
    nulls: bool,
    /// Reads it in the current group of rows.
    reader: Option<ColumnReader>,
}

impl Column {
    /// The column at this place of the file's outermost ones.
    fn find(schema: &SchemaDescriptor, place: usize) -> Option<Self> {
        let leaf = (0..schema.num_columns()).find(|&leaf| schema.get_column_root_idx(leaf) == place)?;
        let column = schema.column(leaf);
        Some(Self { leaf, kind: Kind::of(&column), nulls: column.max_def_level() > 0, reader: None })
    }
}

/// These columns, unless one that is needed holds what a trace has nothing of; response times may.
fn readable(mut columns: Columns) -> Result<Columns, String> {
    for (column, role) in columns.iter_mut().zip(Role::ALL) {
        if let Some(Column { kind: Kind::Other(name), .. }) = column {
            if !matches!(role, Role::Latency | Role::Event) {
                return Err(format!("expected a column of numbers or words, not of {name}"));
            }
            *column = None;
        }
    }
    Ok(columns)
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
        let file = guarded(|| SerializedFileReader::new(file).map_err(|error| damage(&error)))?;
        let schema = file.metadata().file_metadata().schema_descr();
        let names: Vec<String> =
            schema.root_schema().get_fields().iter().map(|field| field.name().to_owned()).collect();
        let places = Places::find(&names, columns).map_err(|expected| format!("expected {expected}"))?;
        if let Some(beyond) = places.of.iter().flatten().find(|place| **place >= names.len()) {
            return Err(format!("column {}: the file has {}", beyond + 1, names.len()));
        }
        let columns = readable(places.of.map(|place| Column::find(schema, place?)))?;
        let rules = adjusted(rules, &places, &given);
        let assumption = assumption(&columns, &places, &rules, &given);
        Ok(Self {
            file: Box::new(file),
            group: 0,
            left: 0,
            columns,
            places,
            rules,
            batch: None,
            number: 0,
            assumption,
            devices: Numbering::default(),
        })
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
            match guarded(|| self.decode()).map_err(|fault| (false, Phrase::from(fault)))? {
                None => return Ok(None),
                batch => self.batch = batch,
            }
        }
    }

    /// The next rows, all of one group; `None` at the end of the file.
    fn decode(&mut self) -> Result<Option<Batch>, String> {
        while self.left == 0 {
            if self.group == self.file.num_row_groups() {
                return Ok(None);
            }
            self.begin_group().map_err(|error| damage(&error))?;
        }
        let rows = self.left.min(BATCH);
        self.left -= rows;
        Batch::read(rows, &mut self.columns, &self.rules, &mut self.devices).map(Some)
    }

    fn begin_group(&mut self) -> Result<(), ParquetError> {
        let group = self.file.get_row_group(self.group)?;
        self.group += 1;
        self.left = usize::try_from(group.metadata().num_rows())
            .map_err(|_| ParquetError::General("a group of less than 0 rows".to_owned()))?;
        for column in self.columns.iter_mut().flatten() {
            column.reader = Some(group.get_column_reader(column.leaf)?);
        }
        Ok(())
    }
}

/// What the file leaves open.
fn assumption(columns: &Columns, places: &Places, rules: &Rules, given: &Given) -> Option<String> {
    let kind = |role: Role| columns.get(role as usize)?.as_ref().map(|column| column.kind);
    let timestamp = matches!(kind(Role::Time), Some(Kind::Stamps(_)));
    let mut assumed = places.assumed(&Given { time: given.time || timestamp, ..*given });
    let number = matches!(kind(Role::Op), Some(Kind::Whole { .. } | Kind::Truths));
    if number && !given.read_is && places.read_is.is_none() {
        assumed.push("type 1 is taken for a read (give `read_is`)".to_owned());
    }
    assumed.extend(places.without_latency(rules));
    (!assumed.is_empty()).then(|| assumed.join("; "))
}

impl Batch {
    fn read(
        rows: usize,
        columns: &mut Columns,
        rules: &Rules,
        names: &mut Numbering,
    ) -> Result<Self, String> {
        let mut column = |role: Role| -> Result<Option<(Values, Kind)>, String> {
            let Some(Some(column)) = columns.get_mut(role as usize) else { return Ok(None) };
            let Some(reader) = &mut column.reader else { return Ok(None) };
            let values = Values::read(reader, column.kind, column.nulls, rows);
            Ok(Some((values.map_err(|error| damage(&error))?, column.kind)))
        };
        let missing = || "a column is missing".to_owned();
        let mut needed = |role: Role| column(role)?.ok_or_else(missing);
        let (time, kind) = needed(Role::Time)?;
        let time = Times::new(time, kind, rules.unit_ns)?;
        let (op, kind) = needed(Role::Op)?;
        let op = Words::new(op, kind)?;
        let (offset, kind) = needed(Role::Offset)?;
        let offset = numbers(offset, kind)?;
        let (length, kind) = needed(Role::Length)?;
        let length = numbers(length, kind)?;
        let device = column(Role::Device)?.map(|(values, kind)| devices(values, kind, names)).transpose()?;
        let latency = match (column(Role::Latency)?, rules.latency_ns) {
            (Some((values, kind)), Some(unit)) => Times::new(values, kind, unit).ok(),
            _ => None,
        };
        Ok(Self { time, op, offset, length, device, latency, next: 0, rows })
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
fn devices(values: Values, kind: Kind, names: &mut Numbering) -> Result<Vec<Option<u64>>, String> {
    match values {
        Values::Words(words) => {
            let number =
                |name: Option<String>| name.and_then(|name| names.number(name.as_bytes())).map(u64::from);
            Ok(words.into_iter().map(number).collect())
        }
        values => numbers(values, kind),
    }
}

fn damage(error: &dyn std::error::Error) -> String {
    format!("the Parquet data is damaged: {}", error.to_string().replace(['\n', '\r'], " "))
}

/// Damaged files make the library panic at places: that is a fault of the file like any other.
fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    caught(work).unwrap_or_else(|| Err("the Parquet data is damaged".to_owned()))
}
