//! A table of a result, column by column: what becomes a Parquet file.

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Counts up to 2^16 − 1; `width` values for each row.
    U16List {
        /// Values of a row.
        width: usize,
        /// All values, row by row.
        values: Vec<u16>,
    },
    /// Small counts and numbers of things.
    U32(Vec<u32>),
    /// Counts, bytes, times.
    U64(Vec<u64>),
    /// Means and ratios; NaN where there is none.
    F64(Vec<f64>),
    /// Words.
    Text(Vec<String>),
}

/// A table of a result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Name and values of each column; all have the same number of rows.
    pub columns: Vec<(String, Column)>,
}

impl Table {
    /// Appends a column.
    pub fn add(&mut self, name: impl Into<String>, column: Column) {
        self.columns.push((name.into(), column));
    }

    /// The column of this name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|(known, _)| known == name).map(|(_, column)| column)
    }
}
