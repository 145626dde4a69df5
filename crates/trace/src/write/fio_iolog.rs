//! fio iolog, version 3: `time file action offset length`, times in microseconds, cut off. Each flow is a file, `flow0`,
//! `flow1` and so on, added and opened where it is first used (fio's `replay_redirect` sends all to one device). A flush
//! is a `datasync`.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Write};

use wordline_base::request::{HostOp, HostRequest};

use super::sink::Sink;
use super::{RowWriter, Written};

pub(super) struct FioIologFile {
    sink: Sink,
    opened: BTreeSet<u16>,
}

impl FioIologFile {
    pub(super) fn new(mut sink: Sink) -> io::Result<Self> {
        writeln!(sink, "fio version 3 iolog")?;
        Ok(Self { sink, opened: BTreeSet::new() })
    }
}

impl RowWriter for FioIologFile {
    fn write(&mut self, request: &HostRequest, written: &mut Written) -> io::Result<()> {
        let HostRequest { time, op, offset, length, flow, .. } = request;
        let micros = time.0 / 1000;
        if self.opened.insert(*flow) {
            writeln!(self.sink, "{micros} flow{flow} add\n{micros} flow{flow} open")?;
        }
        written.requests += 1;
        written.plain_writes += u64::from(*op == HostOp::WriteFua);
        written.cut_times += u64::from(!time.0.is_multiple_of(1000));
        let action = match op {
            HostOp::Read => "read",
            HostOp::Write | HostOp::WriteFua => "write",
            HostOp::Trim => "trim",
            HostOp::Flush => "datasync",
        };
        writeln!(self.sink, "{micros} flow{flow} {action} {offset} {length}")
    }

    fn finish(self: Box<Self>) -> io::Result<File> {
        self.sink.finish()
    }
}
