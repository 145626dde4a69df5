//! The forms that are known, and what each has by default.

use crate::config::{BlockEvent, TraceFormat};

use super::{disksim, msr};

/// A form that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Msr,
    Mqsim,
    Ssdsim,
    Disksim,
    Wordline,
    Spc,
    Systor,
    Alibaba,
    Tencent,
    Diskmon,
    Biotracer,
    Blkparse,
    FioIolog,
    Columns,
    Vscsi,
    Blktrace,
    Srt,
    Parquet,
}

impl Form {
    /// All of them.
    pub(crate) const ALL: [Self; 18] = [
        Self::Msr,
        Self::Mqsim,
        Self::Ssdsim,
        Self::Disksim,
        Self::Wordline,
        Self::Spc,
        Self::Systor,
        Self::Alibaba,
        Self::Tencent,
        Self::Diskmon,
        Self::Biotracer,
        Self::Blkparse,
        Self::FioIolog,
        Self::Columns,
        Self::Vscsi,
        Self::Blktrace,
        Self::Srt,
        Self::Parquet,
    ];

    /// Forms of which each line is read for itself.
    pub(crate) const PLAIN: [Self; 11] = [
        Self::Msr,
        Self::Mqsim,
        Self::Ssdsim,
        Self::Disksim,
        Self::Wordline,
        Self::Spc,
        Self::Systor,
        Self::Alibaba,
        Self::Tencent,
        Self::Diskmon,
        Self::Biotracer,
    ];

    /// Its key in a description.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Msr => "msr",
            Self::Mqsim => "mqsim",
            Self::Ssdsim => "ssdsim",
            Self::Disksim => "disksim",
            Self::Wordline => "wordline",
            Self::Spc => "spc",
            Self::Systor => "systor",
            Self::Alibaba => "alibaba",
            Self::Tencent => "tencent",
            Self::Diskmon => "diskmon",
            Self::Biotracer => "biotracer",
            Self::Blkparse => "blkparse",
            Self::FioIolog => "fio_iolog",
            Self::Columns => "columns",
            Self::Vscsi => "vscsi",
            Self::Blktrace => "blktrace",
            Self::Srt => "srt",
            Self::Parquet => "parquet",
        }
    }

    /// The form that a description names; `None` for `auto`.
    pub(crate) fn named(format: TraceFormat) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.format() == format)
    }

    /// As a description names it.
    pub(crate) fn format(self) -> TraceFormat {
        match self {
            Self::Msr => TraceFormat::Msr,
            Self::Mqsim => TraceFormat::Mqsim,
            Self::Ssdsim => TraceFormat::Ssdsim,
            Self::Disksim => TraceFormat::Disksim,
            Self::Wordline => TraceFormat::Wordline,
            Self::Spc => TraceFormat::Spc,
            Self::Systor => TraceFormat::Systor,
            Self::Alibaba => TraceFormat::Alibaba,
            Self::Tencent => TraceFormat::Tencent,
            Self::Diskmon => TraceFormat::Diskmon,
            Self::Biotracer => TraceFormat::Biotracer,
            Self::Blkparse => TraceFormat::Blkparse,
            Self::FioIolog => TraceFormat::FioIolog,
            Self::Columns => TraceFormat::Columns,
            Self::Vscsi => TraceFormat::Vscsi,
            Self::Blktrace => TraceFormat::Blktrace,
            Self::Srt => TraceFormat::Srt,
            Self::Parquet => TraceFormat::Parquet,
        }
    }

    /// Unit of times unless the description says otherwise, ns.
    pub(super) const fn unit_ns(self) -> u64 {
        match self {
            Self::Msr => msr::UNIT_NS,
            Self::Disksim => disksim::UNIT_NS,
            Self::Alibaba | Self::FioIolog | Self::Vscsi | Self::Srt => 1_000,
            Self::Spc | Self::Systor | Self::Tencent | Self::Diskmon | Self::Biotracer | Self::Blkparse => {
                1_000_000_000
            }
            Self::Mqsim | Self::Ssdsim | Self::Wordline | Self::Columns | Self::Blktrace | Self::Parquet => 1,
        }
    }

    /// Whether offsets are numbers of sectors.
    pub(super) const fn offsets_in_sectors(self) -> bool {
        matches!(self, Self::Spc | Self::Vscsi | Self::Blktrace) || self.lengths_in_sectors()
    }

    /// Whether lengths are numbers of sectors.
    pub(super) const fn lengths_in_sectors(self) -> bool {
        matches!(
            self,
            Self::Mqsim
                | Self::Ssdsim
                | Self::Disksim
                | Self::Tencent
                | Self::Diskmon
                | Self::Biotracer
                | Self::Blkparse
        )
    }

    /// The value of the type column, or of its lowest bit, that says read.
    pub(super) const fn read_is(self) -> u8 {
        match self {
            Self::Tencent | Self::Biotracer => 0,
            _ => 1,
        }
    }

    /// The event whose time counts.
    pub(super) const fn event(self) -> BlockEvent {
        match self {
            Self::Biotracer => BlockEvent::Queue,
            _ => BlockEvent::Issue,
        }
    }
}
