//! What each form has by default.

use super::{disksim, msr};
use crate::config::BlockEvent;
pub(crate) use crate::config::Form;

impl Form {
    /// Forms of which each line is read for itself.
    pub(crate) const PLAIN: [Self; 12] = [
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
    ];

    /// Whether it is made of lines.
    pub(crate) const fn is_text(self) -> bool {
        !matches!(self, Self::Vscsi | Self::Blktrace | Self::Srt | Self::Parquet)
    }

    /// Unit of times unless the description says otherwise, ns.
    pub(super) const fn unit_ns(self) -> u64 {
        match self {
            Self::Msr => msr::UNIT_NS,
            Self::Disksim | Self::Replayer => disksim::UNIT_NS,
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
