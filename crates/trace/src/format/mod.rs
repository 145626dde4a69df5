//! Forms of traces: one file each.

mod alibaba;
mod biosnoop;
mod biotracer;
mod blkparse;
mod blktrace;
mod columns;
mod contradiction;
mod csv;
mod detect;
mod detected;
mod digits;
mod diskmon;
mod disksim;
mod etw;
mod evidence;
mod fields;
mod fio_iolog;
mod fiu;
mod form;
mod ftrace;
mod given;
mod head;
mod header;
mod iso;
mod latency;
mod left_out;
mod libcachesim;
mod lines;
mod mqsim;
mod msr;
mod names;
mod ops;
mod oracle_general;
#[cfg_attr(not(feature = "parquet"), path = "without_parquet.rs")]
mod parquet;
mod plain;
mod quick;
mod records;
mod replayed;
mod replayer;
mod separator;
mod spc;
mod srt;
mod ssdsim;
mod stateful;
#[cfg(feature = "parquet")]
mod stored;
mod systor;
mod tencent;
mod text;
mod units;
mod unread;
mod vscsi;
mod wordline;

pub(crate) use blktrace::{BLKTRACE_HEAD_BYTES, Blktrace, begins_blktrace};
pub(crate) use csv::names_flows;
pub(crate) use detect::detect;
pub(crate) use detected::Detected;
pub(crate) use form::Form;
pub(crate) use given::Given;
pub(crate) use iso::{shown as moment, since_1970};
pub(crate) use latency::Latency;
pub(crate) use left_out::LeftOut;
pub(crate) use lines::LineParser;
pub(crate) use oracle_general::{ASSUMED as ORACLE_ASSUMED, OracleGeneral};
pub(crate) use parquet::ParquetRows;
pub(crate) use plain::other_form;
pub(crate) use quick::PAD;
pub(crate) use records::RecordFault;
pub(crate) use srt::Srt;
pub(crate) use text::{Text, look_at};
pub(crate) use unread::unread;
pub(crate) use vscsi::Vscsi;
pub(crate) use wordline::HEADER;

use std::borrow::Cow;

use wordline_base::request::HostOp;

use crate::config::{BlockEvent, TimeUnit, TraceConfig};

/// Longest read or write that is taken for real, bytes: 4 GiB.
const MAX_TRANSFER: u64 = 1 << 32;

/// One request of a trace, in ns and bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// As the file counts, in ns; wide enough for any number of any unit.
    pub time: u128,
    pub op: HostOp,
    pub offset: u64,
    pub length: u64,
    /// Device, or flow in Wordline's own forms.
    pub device: u16,
    /// Measured from the event that counts to the answer.
    pub latency: Latency,
}

impl Row {
    /// A place for one.
    pub(crate) const EMPTY: Self =
        Self { time: 0, op: HostOp::Read, offset: 0, length: 0, device: 0, latency: Latency::UNKNOWN };
}

/// What a line should have been, as a phrase that follows "expected".
pub(crate) type Expected = &'static str;

/// The same, where it names a part of the file.
pub(crate) type Phrase = Cow<'static, str>;

/// How a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    pub form: Form,
    /// Unit of times, ns.
    pub unit_ns: u64,
    /// Unit of measured response times, ns; `None` where nobody knows it.
    pub latency_ns: Option<u64>,
    /// Unit of offsets, bytes.
    pub offset_unit: u64,
    /// Unit of lengths, bytes.
    pub length_unit: u64,
    /// The value of the type column, or of its bit, that says read.
    pub read_is: u8,
    /// Which event of a request counts, for forms that have several.
    pub event: BlockEvent,
}

impl Rules {
    /// The form's own units and meanings.
    pub(crate) const fn of(form: Form) -> Self {
        Self {
            form,
            unit_ns: form.unit_ns(),
            latency_ns: form.latency_ns(),
            offset_unit: if form.offsets_in_sectors() { 512 } else { 1 },
            length_unit: if form.lengths_in_sectors() { 512 } else { 1 },
            read_is: form.read_is(),
            event: form.event(),
        }
    }

    /// The form's own units and meanings where `config` doesn't say otherwise.
    pub(crate) fn configured(form: Form, config: &TraceConfig) -> Self {
        let own = Self::of(form);
        let unit = |sectors: bool| if sectors { config.sector_bytes } else { 1 };
        Self {
            form,
            unit_ns: config.time_unit.map_or(own.unit_ns, |unit| unit.ns()),
            // A file whose times are in another unit may have others of these, too.
            latency_ns: config.latency_unit.map(TimeUnit::ns).or_else(|| {
                own.latency_ns.filter(|_| config.time_unit.is_none_or(|unit| unit.ns() == own.unit_ns))
            }),
            offset_unit: config.offset_unit_bytes.unwrap_or_else(|| unit(form.offsets_in_sectors())),
            length_unit: config.length_unit_bytes.unwrap_or_else(|| unit(form.lengths_in_sectors())),
            read_is: config.read_is.unwrap_or(own.read_is),
            event: config.event.unwrap_or(own.event),
        }
    }

    /// A response time in a field; unknown where it isn't one.
    fn latency_of(&self, field: &[u8]) -> Latency {
        Latency::of_some(self.latency_ns.and_then(|unit| fields::span(field, unit)))
    }

    /// Read or write, by the value of a type column or of its bit.
    fn op_of(&self, value: u8) -> HostOp {
        if value == self.read_is { HostOp::Read } else { HostOp::Write }
    }

    /// The same by a field, which must be 0 or 1.
    fn op_of_digit(&self, field: &[u8]) -> Option<HostOp> {
        match field {
            b"0" => Some(self.op_of(0)),
            b"1" => Some(self.op_of(1)),
            _ => None,
        }
    }
}

/// Refuses a request that no drive can have.
pub(crate) fn plausible(row: Row) -> Result<Row, Expected> {
    match fault(&row) {
        None => Ok(row),
        Some(expected) => Err(expected),
    }
}

/// What a request should have been that no drive can have.
#[inline]
fn fault(row: &Row) -> Option<Expected> {
    if row.offset.checked_add(row.length).is_none() {
        return Some("offset + length below 2^64");
    }
    match row.op {
        HostOp::Read | HostOp::Write | HostOp::WriteFua if row.length > MAX_TRANSFER => {
            Some("a length of at most 4 GiB")
        }
        _ => None,
    }
}
