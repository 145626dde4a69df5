//! What each form has by default.

use super::{disksim, msr};
use crate::config::BlockEvent;
pub(crate) use crate::config::Form;

impl Form {
    /// Forms of which each line is read for itself.
    pub(crate) const PLAIN: [Self; 14] = [
        Self::Msr,
        Self::Mqsim,
        Self::Ssdsim,
        Self::Disksim,
        Self::Replayer,
        Self::Wordline,
        Self::Spc,
        Self::Systor,
        Self::Alibaba,
        Self::Tencent,
        Self::Diskmon,
        Self::Biotracer,
        Self::Libcachesim,
        Self::Replayed,
    ];

    /// Whether it is made of lines.
    pub(crate) const fn is_text(self) -> bool {
        !matches!(self, Self::Vscsi | Self::Blktrace | Self::Srt | Self::Parquet | Self::OracleGeneral)
    }

    /// Unit of times unless the description says otherwise, ns.
    pub(super) const fn unit_ns(self) -> u64 {
        match self {
            Self::Msr => msr::UNIT_NS,
            Self::Disksim | Self::Replayer | Self::Replayed => disksim::UNIT_NS,
            Self::Alibaba | Self::FioIolog | Self::Vscsi | Self::Srt | Self::Etw => 1_000,
            Self::Spc
            | Self::Systor
            | Self::Tencent
            | Self::Diskmon
            | Self::Biotracer
            | Self::Blkparse
            | Self::Ftrace
            | Self::Biosnoop
            | Self::Libcachesim
            | Self::OracleGeneral => 1_000_000_000,
            Self::Mqsim
            | Self::Ssdsim
            | Self::Wordline
            | Self::Columns
            | Self::Blktrace
            | Self::Parquet
            | Self::Fiu => 1,
        }
    }

    /// Unit of the response times that its lines hold, ns.
    pub(super) const fn latency_ns(self) -> Option<u64> {
        match self {
            Self::Msr => Some(msr::UNIT_NS),
            Self::Systor | Self::Diskmon => Some(1_000_000_000),
            Self::Biosnoop => Some(1_000_000),
            Self::Etw | Self::Replayed => Some(1_000),
            _ => None,
        }
    }

    /// Whether offsets are numbers of sectors.
    pub(super) const fn offsets_in_sectors(self) -> bool {
        matches!(
            self,
            Self::Spc
                | Self::Vscsi
                | Self::Blktrace
                | Self::Biosnoop
                | Self::Libcachesim
                | Self::OracleGeneral
        ) || self.lengths_in_sectors()
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
                | Self::Ftrace
                | Self::Fiu
        )
    }

    /// The value of the type column, or of its lowest bit, that says read.
    pub(super) const fn read_is(self) -> u8 {
        match self {
            Self::Tencent | Self::Biotracer => 0,
            _ => 1,
        }
    }

    /// Whether the type of a request is a number, or a bit of one.
    pub(super) const fn has_numbers_as_types(self) -> bool {
        matches!(
            self,
            Self::Mqsim
                | Self::Ssdsim
                | Self::Disksim
                | Self::Replayer
                | Self::Replayed
                | Self::Tencent
                | Self::Biotracer
                | Self::Srt
        )
    }

    /// Whether it tells of several events of a request.
    pub(super) const fn has_events(self) -> bool {
        matches!(
            self,
            Self::Blktrace
                | Self::Blkparse
                | Self::Ftrace
                | Self::Biotracer
                | Self::Biosnoop
                | Self::Etw
                | Self::Replayed
        )
    }

    /// How many requests are put in order at least: those of lines that are written when a request is answered.
    pub(crate) const fn sort_window(self, event: BlockEvent) -> u32 {
        match (self, event) {
            (Self::Biosnoop | Self::Etw | Self::Replayed, BlockEvent::Queue | BlockEvent::Issue) => 4096,
            _ => 0,
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
