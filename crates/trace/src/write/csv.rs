//! Wordline CSV. The last column, the flow, is written for all requests.

use std::fs::File;
use std::io::{self, Write};

use wordline_base::request::{HostOp, HostRequest};

use super::sink::Sink;
use super::{RowWriter, Written};
use crate::format::HEADER;

pub(super) struct CsvFile(Sink);

impl CsvFile {
    pub(super) fn new(mut sink: Sink) -> io::Result<Self> {
        writeln!(sink, "{HEADER},flow")?;
        Ok(Self(sink))
    }
}

/// The word of an operation.
pub(super) fn word(op: HostOp) -> &'static str {
    match op {
        HostOp::Read => "R",
        HostOp::Write => "W",
        HostOp::WriteFua => "WF",
        HostOp::Trim => "T",
        HostOp::Flush => "F",
    }
}

impl RowWriter for CsvFile {
    fn write(&mut self, request: &HostRequest, written: &mut Written) -> io::Result<()> {
        written.requests += 1;
        let HostRequest { time, op, offset, length, flow, .. } = request;
        writeln!(self.0, "{},{},{offset},{length},{flow}", time.0, word(*op))
    }

    fn finish(self: Box<Self>) -> io::Result<File> {
        self.0.finish()
    }
}
