//! In the place of the reader of Parquet where the build leaves it out.

use std::convert::Infallible;

use crate::WITHOUT_PARQUET;
use crate::config::ColumnsConfig;

use super::given::Given;
use super::{Phrase, Row, Rules};

/// There is none.
pub(crate) struct ParquetRows(Infallible);

impl ParquetRows {
    pub(crate) fn open<F>(_: F, _: &Rules, _: &ColumnsConfig, _: Given) -> Result<Self, String> {
        Err(WITHOUT_PARQUET.to_owned())
    }

    pub(crate) fn shares_addresses(&self) -> bool {
        match self.0 {}
    }

    pub(crate) fn take_assumption(&mut self) -> Option<String> {
        match self.0 {}
    }

    pub(crate) fn take_devices(&mut self) -> Vec<String> {
        match self.0 {}
    }

    pub(crate) fn number(&self) -> u64 {
        match self.0 {}
    }

    pub(crate) fn next_row(&mut self) -> Result<Option<Row>, (bool, Phrase)> {
        match self.0 {}
    }
}
