//! Columns of a Parquet file as numbers and words, read by their physical types: what gives rows needs no tables of Arrow.

use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::{ParquetError, Result};
use parquet::schema::types::ColumnDescriptor;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Whole numbers, with a sign or without.
    Whole { signed: bool },
    /// Timestamps, in units of so many ns.
    Stamps(u64),
    /// Numbers with a fraction.
    Decimals,
    /// Words.
    Words,
    /// Truth values.
    Truths,
    /// What stands for nothing that a trace has, under this name.
    Other(&'static str),
}

impl Kind {
    /// By the column's types. Old files have converted types alone.
    pub(super) fn of(column: &ColumnDescriptor) -> Self {
        if column.max_rep_level() > 0 || column.path().parts().len() > 1 {
            return Self::Other("lists or tables");
        }
        match (column.physical_type(), column.logical_type_ref(), column.converted_type()) {
            (Physical::BOOLEAN, ..) => Self::Truths,
            (Physical::FLOAT | Physical::DOUBLE, ..) => Self::Decimals,
            (Physical::INT96, ..) => Self::Stamps(1),
            (Physical::INT64, Some(LogicalType::Timestamp(stamp)), _) => Self::Stamps(match stamp.unit {
                TimeUnit::MILLIS => 1_000_000,
                TimeUnit::MICROS => 1_000,
                TimeUnit::NANOS => 1,
            }),
            (Physical::INT64, None, ConvertedType::TIMESTAMP_MILLIS) => Self::Stamps(1_000_000),
            (Physical::INT64, None, ConvertedType::TIMESTAMP_MICROS) => Self::Stamps(1_000),
            (Physical::INT32 | Physical::INT64, Some(LogicalType::Integer(int)), _) => {
                Self::Whole { signed: int.is_signed }
            }
            (Physical::INT32 | Physical::INT64, None, converted) => Self::of_integers(converted),
            (Physical::INT32 | Physical::INT64, ..) => Self::Other("dates, hours or decimals"),
            (Physical::BYTE_ARRAY, Some(LogicalType::String | LogicalType::Enum | LogicalType::Json), _)
            | (Physical::BYTE_ARRAY, None, ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON) => {
                Self::Words
            }
            (Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY, ..) => Self::Other("bytes"),
        }
    }

    fn of_integers(converted: ConvertedType) -> Self {
        match converted {
            ConvertedType::NONE
            | ConvertedType::INT_8
            | ConvertedType::INT_16
            | ConvertedType::INT_32
            | ConvertedType::INT_64 => Self::Whole { signed: true },
            ConvertedType::UINT_8
            | ConvertedType::UINT_16
            | ConvertedType::UINT_32
            | ConvertedType::UINT_64 => Self::Whole { signed: false },
            _ => Self::Other("dates, hours or decimals"),
        }
    }

    /// As errors name it.
    fn name(self) -> &'static str {
        match self {
            Self::Whole { .. } => "whole numbers",
            Self::Stamps(_) => "timestamps",
            Self::Decimals => "decimals",
            Self::Words => "words",
            Self::Truths => "truth values",
            Self::Other(name) => name,
        }
    }
}

/// The next values of a column, `None` for null.
pub(super) enum Values {
    /// Whole numbers and timestamps; `None` for what is below 0 as well.
    Whole(Vec<Option<u64>>),
    Decimals(Vec<Option<f64>>),
    /// Words, truth values among them.
    Words(Vec<Option<String>>),
}

impl Values {
    /// As many as `rows`, of a column of this kind that may have nulls or not.
    pub(super) fn read(reader: &mut ColumnReader, kind: Kind, nulls: bool, rows: usize) -> Result<Self> {
        let signed = kind != Kind::Whole { signed: false };
        let whole32 = |value: i32| if signed { value.try_into().ok() } else { Some(u64::from(value as u32)) };
        let whole64 = |value: i64| if signed { value.try_into().ok() } else { Some(value as u64) };
        Ok(match (reader, kind) {
            (ColumnReader::Int32ColumnReader(reader), Kind::Whole { .. }) => {
                Self::Whole(next(reader, nulls, rows, whole32)?)
            }
            (ColumnReader::Int64ColumnReader(reader), Kind::Whole { .. } | Kind::Stamps(_)) => {
                Self::Whole(next(reader, nulls, rows, whole64)?)
            }
            (ColumnReader::Int96ColumnReader(reader), Kind::Stamps(_)) => {
                Self::Whole(next(reader, nulls, rows, |value| value.to_nanos().try_into().ok())?)
            }
            (ColumnReader::FloatColumnReader(reader), Kind::Decimals) => {
                Self::Decimals(next(reader, nulls, rows, |value| Some(f64::from(value)))?)
            }
            (ColumnReader::DoubleColumnReader(reader), Kind::Decimals) => {
                Self::Decimals(next(reader, nulls, rows, Some)?)
            }
            (ColumnReader::BoolColumnReader(reader), Kind::Truths) => {
                Self::Words(next(reader, nulls, rows, |truth| Some(truth.to_string()))?)
            }
            (ColumnReader::ByteArrayColumnReader(reader), Kind::Words) => {
                let word = |bytes: parquet::data_type::ByteArray| {
                    let text = std::str::from_utf8(bytes.data()).map_err(|_| "a word that isn't UTF-8")?;
                    Ok(Some(text.to_owned()))
                };
                Self::Words(fallible(reader, nulls, rows, word)?)
            }
            (_, kind) => return Err(ParquetError::General(format!("{} are not as described", kind.name()))),
        })
    }
}

/// The next values; null and what `read` makes nothing of are `None`.
fn next<T: DataType, V>(
    reader: &mut ColumnReaderImpl<T>,
    nulls: bool,
    rows: usize,
    read: impl Fn(T::T) -> Option<V>,
) -> Result<Vec<Option<V>>> {
    fallible(reader, nulls, rows, |value| Ok(read(value)))
}

fn fallible<T: DataType, V>(
    reader: &mut ColumnReaderImpl<T>,
    nulls: bool,
    rows: usize,
    read: impl Fn(T::T) -> std::result::Result<Option<V>, &'static str>,
) -> Result<Vec<Option<V>>> {
    let (mut levels, mut values) = (Vec::new(), Vec::with_capacity(rows));
    let mut found = 0;
    while found < rows {
        let (records, ..) = reader.read_records(rows - found, Some(&mut levels), None, &mut values)?;
        if records == 0 {
            return Err(ParquetError::General("a column ends before others".to_owned()));
        }
        found += records;
    }
    let read = |value| read(value).map_err(|reason| ParquetError::General(reason.to_owned()));
    let mut values = values.into_iter();
    if !nulls {
        return values.map(read).collect();
    }
    let place = |level: i16| if level == 0 { Ok(None) } else { values.next().map_or(Ok(None), read) };
    levels.into_iter().map(place).collect()
}

fn unlike(expected: &str, kind: Kind) -> String {
    format!("expected a column of {expected}, not of {}", kind.name())
}

/// A column of whole numbers.
pub(super) fn numbers(values: Values, kind: Kind) -> std::result::Result<Vec<Option<u64>>, String> {
    match (values, kind) {
        (Values::Whole(values), Kind::Whole { .. }) => Ok(values),
        _ => Err(unlike("whole numbers", kind)),
    }
}

/// A column of times.
pub(super) enum Times {
    /// In units of so many ns.
    Whole(Vec<Option<u64>>, u64),
    /// In units of so many ns.
    Decimal(Vec<Option<f64>>, u64),
}

impl Times {
    /// Timestamps have units of their own, numbers that of `unit_ns`.
    pub(super) fn new(values: Values, kind: Kind, unit_ns: u64) -> std::result::Result<Self, String> {
        match (values, kind) {
            (Values::Whole(values), Kind::Stamps(unit)) => Ok(Self::Whole(values, unit)),
            (Values::Whole(values), _) => Ok(Self::Whole(values, unit_ns)),
            (Values::Decimals(values), _) => Ok(Self::Decimal(values, unit_ns)),
            (Values::Words(_), kind) => Err(unlike("numbers", kind)),
        }
    }

    /// The time of a row, ns; `None` for null and for what lies before 0.
    pub(super) fn at(&self, row: usize) -> Option<u128> {
        match self {
            Self::Whole(values, unit) => {
                values.get(row).copied().flatten().map(|value| u128::from(value) * u128::from(*unit))
            }
            Self::Decimal(values, unit) => {
                let ns = values.get(row).copied().flatten()? * *unit as f64;
                (0.0..1e30).contains(&ns).then_some(ns as u128)
            }
        }
    }
}

/// A column of words, or of numbers or truth values in their place.
pub(super) struct Words(Vec<Option<String>>);

impl Words {
    pub(super) fn new(values: Values, kind: Kind) -> std::result::Result<Self, String> {
        let text = |value: Option<u64>| value.map(|value| value.to_string());
        match (values, kind) {
            (Values::Words(words), _) => Ok(Self(words)),
            (Values::Whole(values), Kind::Whole { .. }) => Ok(Self(values.into_iter().map(text).collect())),
            _ => Err(unlike("words or numbers", kind)),
        }
    }

    /// The word of a row; `None` for null.
    pub(super) fn at(&self, row: usize) -> Option<&str> {
        self.0.get(row)?.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNED: Kind = Kind::Whole { signed: true };

    #[test]
    fn what_is_no_number_is_refused_by_its_kind() {
        assert_eq!(numbers(Values::Whole(vec![Some(5), None]), SIGNED), Ok(vec![Some(5), None]));
        let words = numbers(Values::Words(vec![Some("5".to_owned())]), Kind::Words);
        assert_eq!(words, Err("expected a column of whole numbers, not of words".to_owned()));
        assert!(numbers(Values::Whole(vec![Some(5)]), Kind::Stamps(1)).is_err(), "a moment is no number");
    }

    #[test]
    fn times_have_the_unit_of_their_kind() {
        let at = |values, kind, unit, row| Times::new(values, kind, unit).unwrap().at(row);
        assert_eq!(at(Values::Whole(vec![Some(7)]), Kind::Stamps(1_000_000), 1, 0), Some(7_000_000));
        assert_eq!(at(Values::Whole(vec![Some(7)]), SIGNED, 1_000, 0), Some(7_000));
        for (value, time) in [(0.5, Some(500_000_000)), (-1.0, None), (f64::NAN, None)] {
            assert_eq!(at(Values::Decimals(vec![Some(value)]), Kind::Decimals, 1_000_000_000, 0), time);
        }
    }

    #[test]
    fn words_are_numbers_too() {
        let words = Words::new(Values::Whole(vec![Some(1), None]), SIGNED).unwrap();
        assert_eq!([words.at(0), words.at(1), words.at(2)], [Some("1"), None, None]);
        assert!(Words::new(Values::Decimals(Vec::new()), Kind::Decimals).is_err());
    }
}
