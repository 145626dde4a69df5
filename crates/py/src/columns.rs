//! Tables as Python takes them: the bytes of each column, without an object for each value.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use wordline_engine::stats::table::{Column, Table};

/// Name; type of the values as NumPy writes it (`text`: lines of UTF-8); values in a row; their bytes.
pub type RawColumn<'py> = (String, &'static str, usize, Bound<'py, PyBytes>);

/// The columns of a table.
pub fn columns<'py>(py: Python<'py>, table: &Table) -> Vec<RawColumn<'py>> {
    let raw = |(name, column): &(String, Column)| {
        let (kind, width, bytes) = match column {
            Column::U16List { width, values } => ("<u2", *width, bytes_of(values, |v| v.to_le_bytes())),
            Column::U32(values) => ("<u4", 1, bytes_of(values, |v| v.to_le_bytes())),
            Column::U64(values) => ("<u8", 1, bytes_of(values, |v| v.to_le_bytes())),
            Column::F64(values) => ("<f8", 1, bytes_of(values, |v| v.to_le_bytes())),
            Column::Text(words) => ("text", 1, words.join("\n").into_bytes()),
        };
        (name.clone(), kind, width, PyBytes::new(py, &bytes))
    };
    table.columns.iter().map(raw).collect()
}

fn bytes_of<T: Copy, const N: usize>(values: &[T], bytes: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|&value| bytes(value)).collect()
}
