//! Forms of a trace's lines: one file each.

mod detect;
mod disksim;
mod fields;
mod mqsim;
mod msr;
mod ssdsim;
mod wordline;

pub(crate) use detect::{Detected, detect};
pub(crate) use wordline::HEADER;

use wordline_engine::host::request::HostOp;

use crate::config::TraceFormat;

/// Longest read or write that is taken for real, bytes: 4 GiB.
const MAX_TRANSFER: u64 = 1 << 32;

/// One line of a trace, in ns and bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// As the file counts, in ns; wide enough for any number of any unit.
    pub time: u128,
    pub op: HostOp,
    pub offset: u64,
    pub length: u64,
    /// Device, or flow in Wordline CSV.
    pub device: u16,
}

/// What a line should have been, as a phrase that follows "expected".
pub(crate) type Expected = &'static str;

/// How lines are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    pub form: Form,
    /// Unit of times, ns.
    pub unit_ns: u64,
    /// Bytes of a sector, for forms that count in sectors.
    pub sector_bytes: u64,
}

/// A form that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Msr,
    Mqsim,
    Ssdsim,
    Disksim,
    Wordline,
}

impl Form {
    pub(crate) const ALL: [Self; 5] = [Self::Msr, Self::Mqsim, Self::Ssdsim, Self::Disksim, Self::Wordline];

    /// Its key in a description.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Msr => "msr",
            Self::Mqsim => "mqsim",
            Self::Ssdsim => "ssdsim",
            Self::Disksim => "disksim",
            Self::Wordline => "wordline",
        }
    }

    /// The form that a description names; `None` for `auto`.
    pub(crate) fn named(format: TraceFormat) -> Option<Self> {
        match format {
            TraceFormat::Auto => None,
            TraceFormat::Msr => Some(Self::Msr),
            TraceFormat::Mqsim => Some(Self::Mqsim),
            TraceFormat::Ssdsim => Some(Self::Ssdsim),
            TraceFormat::Disksim => Some(Self::Disksim),
            TraceFormat::Wordline => Some(Self::Wordline),
        }
    }

    /// Unit of times unless the description says otherwise, ns.
    pub(crate) fn unit_ns(self) -> u64 {
        match self {
            Self::Msr => msr::UNIT_NS,
            Self::Disksim => disksim::UNIT_NS,
            Self::Mqsim | Self::Ssdsim | Self::Wordline => 1,
        }
    }

    /// Whether devices have address spaces of their own.
    pub(crate) fn has_devices(self) -> bool {
        self != Self::Wordline
    }
}

impl Rules {
    /// Whether this first line is a header rather than a request.
    pub(crate) fn is_header(&self, line: &[u8]) -> bool {
        match self.form {
            Form::Msr => msr::is_header(line),
            Form::Wordline => wordline::is_header(line),
            Form::Mqsim | Form::Ssdsim | Form::Disksim => false,
        }
    }

    /// Reads one line that is neither a header nor blank. No number in it is too large for the caller's sums.
    pub(crate) fn parse(&self, line: &[u8]) -> Result<Row, Expected> {
        let row = match self.form {
            Form::Msr => msr::parse(line, self),
            Form::Mqsim => mqsim::parse(line, self),
            Form::Ssdsim => ssdsim::parse(line, self),
            Form::Disksim => disksim::parse(line, self),
            Form::Wordline => wordline::parse(line, self),
        }?;
        if row.offset.checked_add(row.length).is_none() {
            return Err("offset + length below 2^64");
        }
        match row.op {
            HostOp::Read | HostOp::Write | HostOp::WriteFua if row.length > MAX_TRANSFER => {
                Err("a length of at most 4 GiB")
            }
            _ => Ok(row),
        }
    }
}
