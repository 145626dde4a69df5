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

impl Column {
    /// Values, or rows of values.
    pub fn rows(&self) -> usize {
        match self {
            Self::U16List { width, values } => values.len().checked_div(*width).unwrap_or(0),
            Self::U32(values) => values.len(),
            Self::U64(values) => values.len(),
            Self::F64(values) => values.len(),
            Self::Text(values) => values.len(),
        }
    }

    /// These behind one another; `None` of none, or where they are of several kinds.
    pub fn joined<'a>(mut columns: impl Iterator<Item = &'a Self>) -> Option<Self> {
        let mut all = columns.next()?.clone();
        for column in columns {
            match (&mut all, column) {
                (Self::U16List { width, values }, Self::U16List { width: other, values: more })
                    if width == other =>
                {
                    values.extend(more);
                }
                (Self::U32(values), Self::U32(more)) => values.extend(more),
                (Self::U64(values), Self::U64(more)) => values.extend(more),
                (Self::F64(values), Self::F64(more)) => values.extend(more),
                (Self::Text(values), Self::Text(more)) => values.extend(more.iter().cloned()),
                _ => return None,
            }
        }
        Some(all)
    }
}

impl Table {
    /// Its rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.rows())
    }

    /// Appends a column.
    pub fn add(&mut self, name: impl Into<String>, column: Column) {
        self.columns.push((name.into(), column));
    }

    /// The column of this name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|(known, _)| known == name).map(|(_, column)| column)
    }
}
