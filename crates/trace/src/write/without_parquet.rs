//! In the place of the writers of Parquet where the build leaves them out.

use std::convert::Infallible;
use std::fs::File;
use std::io;
use std::path::Path;

use wordline_base::request::HostRequest;

use super::logged::LoggedRequest;
use super::{RowWriter, Written};
use crate::WITHOUT_PARQUET;

fn left_out() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, WITHOUT_PARQUET)
}

/// There is none.
pub(super) struct ParquetFile(Infallible);

impl ParquetFile {
    pub(super) fn new(_: File) -> io::Result<Self> {
        Err(left_out())
    }
}

impl RowWriter for ParquetFile {
    fn write(&mut self, _: &HostRequest, _: &mut Written) -> io::Result<()> {
        match self.0 {}
    }

    fn finish(self: Box<Self>) -> io::Result<File> {
        match self.0 {}
    }
}

/// There is none: logs of requests are Parquet.
pub struct RequestLog(Infallible);

impl RequestLog {
    /// Begins no file.
    ///
    /// # Errors
    /// Always.
    pub fn create(_: &Path, _: impl Iterator<Item = String>) -> io::Result<Self> {
        Err(left_out())
    }

    /// Takes a request in that was answered.
    pub fn answer(&mut self, _: LoggedRequest) {
        match self.0 {}
    }

    /// Ends the file.
    ///
    /// # Errors
    /// None.
    pub fn finish(self) -> io::Result<()> {
        match self.0 {}
    }
}
