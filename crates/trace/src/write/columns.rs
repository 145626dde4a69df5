//! Parquet files column by column, compressed with zstd: what is written needs no tables of Arrow.

use std::fs::File;
use std::io;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

/// What a column holds; none has nulls.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// Whole numbers below 2^64.
    U64,
    /// Whole numbers below 2^16.
    U16,
    Words,
    Truths,
}

impl Kind {
    fn column(self, name: &str) -> Result<Arc<Type>> {
        let (physical, logical) = match self {
            Self::U64 => (Physical::INT64, Some(LogicalType::integer(64, false))),
            Self::U16 => (Physical::INT32, Some(LogicalType::integer(16, false))),
            Self::Words => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Self::Truths => (Physical::BOOLEAN, None),
        };
        Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(logical)
            .build()
            .map(Arc::new)
    }
}

/// The values of a column in some rows.
pub(super) enum Values {
    U64(Vec<u64>),
    U16(Vec<u16>),
    Words(Vec<&'static str>),
    Truths(Vec<bool>),
}

/// A file that is being written.
pub(super) struct Columns(SerializedFileWriter<File>);

impl Columns {
    /// Begins a file of these columns.
    pub(super) fn begin(file: File, columns: &[(String, Kind)]) -> io::Result<Self> {
        let fields: Result<Vec<_>> = columns.iter().map(|(name, kind)| kind.column(name)).collect();
        let begin = |fields| {
            let schema = Type::group_type_builder("requests").with_fields(fields).build()?;
            let compression = Compression::ZSTD(ZstdLevel::try_new(3)?);
            let properties = WriterProperties::builder().set_compression(compression).build();
            SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))
        };
        fields.and_then(begin).map(Self).map_err(io::Error::other)
    }

    /// Writes a group of rows, given column by column.
    pub(super) fn group(&mut self, columns: impl Iterator<Item = Values>) -> io::Result<()> {
        self.try_group(columns).map_err(io::Error::other)
    }

    fn try_group(&mut self, columns: impl Iterator<Item = Values>) -> Result<()> {
        let mut group = self.0.next_row_group()?;
        for values in columns {
            let missing = || ParquetError::General("more columns than were named".to_owned());
            let column = group.next_column()?.ok_or_else(missing)?;
            match values {
                // The form has no numbers without a sign: their bits are those of numbers with one.
                Values::U64(values) => {
                    put::<Int64Type>(column, values.into_iter().map(u64::cast_signed).collect())
                }
                Values::U16(values) => put::<Int32Type>(column, values.into_iter().map(i32::from).collect()),
                Values::Words(words) => {
                    put::<ByteArrayType>(column, words.into_iter().map(ByteArray::from).collect())
                }
                Values::Truths(truths) => put::<BoolType>(column, truths),
            }?;
        }
        group.close().map(|_| ())
    }

    /// Ends the file.
    pub(super) fn finish(self) -> io::Result<File> {
        self.0.into_inner().map_err(io::Error::other)
    }
}

fn put<T: DataType>(mut column: SerializedColumnWriter<'_>, values: Vec<T::T>) -> Result<()> {
    column.typed::<T>().write_batch(&values, None, None)?;
    column.close()
}
