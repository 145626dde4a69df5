//! Parquet files column by column, compressed with zstd: what is written needs no tables of Arrow.

use std::fs::File;
use std::io;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

/// What a column holds of a row of the file; none has nulls.
pub(super) enum Pick<R> {
    /// Whole numbers below 2^64.
    U64(fn(&R) -> u64),
    /// The same, of the part of this number.
    Part(fn(&R, usize) -> u64, usize),
    /// Whole numbers below 2^16.
    U16(fn(&R) -> u16),
    Words(fn(&R) -> &'static str),
    Truths(fn(&R) -> bool),
}

/// A column: its name, and what it holds.
pub(super) type Column<R> = (String, Pick<R>);

impl<R> Pick<R> {
    fn column(&self, name: &str) -> Result<Arc<Type>> {
        let (physical, logical) = match self {
            Self::U64(_) | Self::Part(..) => (Physical::INT64, Some(LogicalType::integer(64, false))),
            Self::U16(_) => (Physical::INT32, Some(LogicalType::integer(16, false))),
            Self::Words(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Self::Truths(_) => (Physical::BOOLEAN, None),
        };
        Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(logical)
            .build()
            .map(Arc::new)
    }

    fn put(&self, rows: &[R], column: SerializedColumnWriter<'_>) -> Result<()> {
        let rows = rows.iter();
        // The form has no numbers without a sign: their bits are those of numbers with one.
        match self {
            Self::U64(pick) => put::<Int64Type>(column, rows.map(|row| pick(row).cast_signed()).collect()),
            Self::Part(pick, part) => {
                put::<Int64Type>(column, rows.map(|row| pick(row, *part).cast_signed()).collect())
            }
            Self::U16(pick) => put::<Int32Type>(column, rows.map(|row| i32::from(pick(row))).collect()),
            Self::Words(pick) => put::<ByteArrayType>(column, rows.map(|row| pick(row).into()).collect()),
            Self::Truths(pick) => put::<BoolType>(column, rows.map(pick).collect()),
        }
    }
}

/// A file of such rows that is being written, in groups that bound the memory.
pub(super) struct Columns<R> {
    file: SerializedFileWriter<File>,
    columns: Vec<Column<R>>,
    waiting: Vec<R>,
    group: usize,
}

impl<R> Columns<R> {
    /// Begins a file of these columns, in groups of so many rows.
    pub(super) fn begin(file: File, columns: Vec<Column<R>>, group: usize) -> io::Result<Self> {
        let fields: Result<Vec<_>> = columns.iter().map(|(name, pick)| pick.column(name)).collect();
        let begin = |fields| {
            let schema = Type::group_type_builder("requests").with_fields(fields).build()?;
            let compression = Compression::ZSTD(ZstdLevel::try_new(3)?);
            let properties = WriterProperties::builder().set_compression(compression).build();
            SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))
        };
        let file = fields.and_then(begin).map_err(io::Error::other)?;
        Ok(Self { file, columns, waiting: Vec::new(), group })
    }

    /// Takes the next row.
    pub(super) fn push(&mut self, row: R) -> io::Result<()> {
        self.waiting.push(row);
        if self.waiting.len() < self.group { Ok(()) } else { self.write_group().map_err(io::Error::other) }
    }

    fn write_group(&mut self) -> Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let mut group = self.file.next_row_group()?;
        let mut columns = self.columns.iter();
        while let Some(column) = group.next_column()? {
            let missing = || ParquetError::General("fewer columns than were named".to_owned());
            let (_, pick) = columns.next().ok_or_else(missing)?;
            pick.put(&self.waiting, column)?;
        }
        group.close()?;
        self.waiting.clear();
        Ok(())
    }

    /// Ends the file.
    pub(super) fn finish(mut self) -> io::Result<File> {
        self.write_group().and_then(|()| self.file.into_inner()).map_err(io::Error::other)
    }
}

fn put<T: DataType>(mut column: SerializedColumnWriter<'_>, values: Vec<T::T>) -> Result<()> {
    column.typed::<T>().write_batch(&values, None, None)?;
    column.close()
}
