//! The forms that are known, and what each has by default.

use serde::{Deserialize, Serialize};

use super::{disksim, msr};
use crate::config::BlockEvent;

/// A line for each form: what it is, and its key in a description.
macro_rules! forms {
    ($($(#[$doc:meta])* $form:ident = $key:literal,)*) => {
        /// Form of a trace, as a description names it.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub enum TraceFormat {
            /// Told from the first lines.
            #[default]
            #[serde(rename = "auto")]
            Auto,
            $($(#[$doc])* #[serde(rename = $key)] $form,)*
        }

        /// A form that is known.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Form {
            $($form,)*
        }

        impl Form {
            /// Its key in a description.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Self::$form => $key,)*
                }
            }

            /// The form that a description names; `None` for `auto`.
            pub(crate) fn named(format: TraceFormat) -> Option<Self> {
                match format {
                    TraceFormat::Auto => None,
                    $(TraceFormat::$form => Some(Self::$form),)*
                }
            }

        }
    };
}

forms! {
    /// MSR Cambridge CSV.
    Msr = "msr",
    /// MQSim ASCII.
    Mqsim = "mqsim",
    /// SSDsim ASCII.
    Ssdsim = "ssdsim",
    /// DiskSim ASCII.
    Disksim = "disksim",
    /// Traces of replayers: DiskSim's columns in bytes.
    Replayer = "replayer",
    /// Wordline CSV.
    Wordline = "wordline",
    /// SPC (UMass Financial and WebSearch).
    Spc = "spc",
    /// SYSTOR '17 VDI LUN CSV.
    Systor = "systor",
    /// Alibaba block traces.
    Alibaba = "alibaba",
    /// Tencent CBS.
    Tencent = "tencent",
    /// DiskMon logs.
    Diskmon = "diskmon",
    /// BIOtracer logs.
    Biotracer = "biotracer",
    /// blkparse text.
    Blkparse = "blkparse",
    /// fio iologs, versions 2 and 3.
    FioIolog = "fio_iolog",
    /// CSV with named or numbered columns.
    Columns = "columns",
    /// Binary vscsi traces, versions 1 and 2.
    Vscsi = "vscsi",
    /// Binary blktrace files of one or all processors.
    Blktrace = "blktrace",
    /// HP Labs SRT traces.
    Srt = "srt",
    /// Parquet with named columns.
    Parquet = "parquet",
}

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
