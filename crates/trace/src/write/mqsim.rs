//! MQSim ASCII: `time_ns device first_sector sectors type`, 0 = write, 1 = read. Trims and flushes are left out, partial
//! sectors widened outwards; the flow becomes the device.

use std::fs::File;
use std::io::{self, Write};

use wordline_base::request::{HostOp, HostRequest};

use super::sink::Sink;
use super::{RowWriter, Written};

/// Bytes of a sector.
const SECTOR: u64 = 512;

pub(super) struct MqsimFile(Sink);

impl MqsimFile {
    pub(super) fn new(sink: Sink) -> Self {
        Self(sink)
    }
}

impl RowWriter for MqsimFile {
    fn write(&mut self, request: &HostRequest, written: &mut Written) -> io::Result<()> {
        let kind = match request.op {
            HostOp::Read => 1,
            HostOp::Write | HostOp::WriteFua => 0,
            HostOp::Trim | HostOp::Flush => {
                written.left_out += 1;
                return Ok(());
            }
        };
        written.requests += 1;
        written.plain_writes += u64::from(request.op == HostOp::WriteFua);
        written.widened += u64::from(!(request.offset | request.length).is_multiple_of(SECTOR));
        let first = request.offset / SECTOR;
        let end = request.offset.saturating_add(request.length).div_ceil(SECTOR);
        writeln!(self.0, "{} {} {first} {} {kind}", request.time.0, request.flow, end - first)
    }

    fn finish(self: Box<Self>) -> io::Result<File> {
        self.0.finish()
    }
}
