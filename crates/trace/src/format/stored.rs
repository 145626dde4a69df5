//! Columns of a Parquet file as numbers and words.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, BooleanArray};
use arrow_schema::{DataType, TimeUnit};

/// A column of whole numbers; `None` for null and for what is below 0.
pub(super) fn numbers(array: &dyn Array) -> Result<Vec<Option<u64>>, String> {
    Ok(match array.data_type() {
        DataType::Int8 => whole::<Int8Type>(array),
        DataType::Int16 => whole::<Int16Type>(array),
        DataType::Int32 => whole::<Int32Type>(array),
        DataType::Int64 => whole::<Int64Type>(array),
        DataType::UInt8 => whole::<UInt8Type>(array),
        DataType::UInt16 => whole::<UInt16Type>(array),
        DataType::UInt32 => whole::<UInt32Type>(array),
        DataType::UInt64 => whole::<UInt64Type>(array),
        other => return Err(format!("expected a column of whole numbers, not of {other}")),
    })
}

fn whole<T: ArrowPrimitiveType>(array: &dyn Array) -> Vec<Option<u64>>
where
    T::Native: TryInto<u64>,
{
    array.as_primitive::<T>().iter().map(|value| value.and_then(|value| value.try_into().ok())).collect()
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
    pub(super) fn new(array: &dyn Array, unit_ns: u64) -> Result<Self, String> {
        Ok(match array.data_type() {
            DataType::Timestamp(TimeUnit::Second, _) => {
                Self::Whole(whole::<TimestampSecondType>(array), 1_000_000_000)
            }
            DataType::Timestamp(TimeUnit::Millisecond, _) => {
                Self::Whole(whole::<TimestampMillisecondType>(array), 1_000_000)
            }
            DataType::Timestamp(TimeUnit::Microsecond, _) => {
                Self::Whole(whole::<TimestampMicrosecondType>(array), 1_000)
            }
            DataType::Timestamp(TimeUnit::Nanosecond, _) => {
                Self::Whole(whole::<TimestampNanosecondType>(array), 1)
            }
            DataType::Float32 => {
                let values = array.as_primitive::<Float32Type>().iter();
                Self::Decimal(values.map(|value| value.map(f64::from)).collect(), unit_ns)
            }
            DataType::Float64 => Self::Decimal(array.as_primitive::<Float64Type>().iter().collect(), unit_ns),
            _ => Self::Whole(numbers(array)?, unit_ns),
        })
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
    pub(super) fn new(array: &dyn Array) -> Result<Self, String> {
        let owned = |word: Option<&str>| word.map(str::to_owned);
        Ok(Self(match array.data_type() {
            DataType::Utf8 => array.as_string::<i32>().iter().map(owned).collect(),
            DataType::LargeUtf8 => array.as_string::<i64>().iter().map(owned).collect(),
            DataType::Utf8View => array.as_string_view().iter().map(owned).collect(),
            DataType::Boolean => truths(array.as_boolean()),
            DataType::Dictionary(..) => from_dictionary(array)?,
            kind if kind.is_integer() => {
                numbers(array)?.into_iter().map(|value| value.map(|value| value.to_string())).collect()
            }
            other => return Err(format!("expected a column of words or numbers, not of {other}")),
        }))
    }

    /// The word of a row; `None` for null.
    pub(super) fn at(&self, row: usize) -> Option<&str> {
        self.0.get(row)?.as_deref()
    }
}

fn truths(array: &BooleanArray) -> Vec<Option<String>> {
    array.iter().map(|value| value.map(|value| value.to_string())).collect()
}

fn from_dictionary(array: &dyn Array) -> Result<Vec<Option<String>>, String> {
    let dictionary = array.as_any_dictionary();
    let words = Words::new(dictionary.values().as_ref())?;
    if dictionary.values().is_empty() {
        return Ok(vec![None; array.len()]);
    }
    let keys = dictionary.normalized_keys();
    let word = |(row, key): (usize, &usize)| {
        if dictionary.keys().is_null(row) { None } else { words.at(*key).map(str::to_owned) }
    };
    Ok(keys.iter().enumerate().map(word).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{DictionaryArray, Float64Array, Int32Array, StringArray, TimestampMillisecondArray};

    #[test]
    fn numbers_below_0_are_none() {
        let array = Int32Array::from(vec![Some(5), None, Some(-1)]);
        assert_eq!(numbers(&array), Ok(vec![Some(5), None, None]));
        assert!(numbers(&StringArray::from(vec!["5"])).is_err());
    }

    #[test]
    fn times_have_the_unit_of_their_kind() {
        let stamps = TimestampMillisecondArray::from(vec![7]);
        assert_eq!(Times::new(&stamps, 1).unwrap().at(0), Some(7_000_000));
        let decimal = Float64Array::from(vec![0.5, -1.0, f64::NAN]);
        let times = Times::new(&decimal, 1_000_000_000).unwrap();
        assert_eq!([times.at(0), times.at(1), times.at(2)], [Some(500_000_000), None, None]);
    }

    #[test]
    fn words_come_from_strings_dictionaries_numbers_and_truths() {
        let dictionary: DictionaryArray<Int32Type> =
            vec![Some("R"), None, Some("W"), Some("R")].into_iter().collect();
        let words = Words::new(&dictionary).unwrap();
        assert_eq!(
            [words.at(0), words.at(1), words.at(2), words.at(3)],
            [Some("R"), None, Some("W"), Some("R")]
        );
        assert_eq!(Words::new(&Int32Array::from(vec![1])).unwrap().at(0), Some("1"));
        assert_eq!(Words::new(&BooleanArray::from(vec![true])).unwrap().at(0), Some("true"));
    }
}
