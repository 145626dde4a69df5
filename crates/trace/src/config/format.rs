//! The forms of traces that are known, by name.

use serde::{Deserialize, Serialize};

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
    /// Text of ftrace.
    Ftrace = "ftrace",
    /// Lines of bcc's biosnoop.
    Biosnoop = "biosnoop",
    /// Dumps of Windows' event traces.
    Etw = "etw",
    /// FIU's traces (SRCMap, IODedup).
    Fiu = "fiu",
    /// libCacheSim's CSV.
    Libcachesim = "libcachesim",
    /// What replayers measured.
    Replayed = "replayed",
    /// fio iologs, versions 2 and 3.
    FioIolog = "fio_iolog",
    /// CSV with named or numbered columns.
    Columns = "columns",
    /// Binary vscsi traces, versions 1 and 2.
    Vscsi = "vscsi",
    /// libCacheSim's binary oracleGeneral.
    OracleGeneral = "oracle_general",
    /// Binary blktrace files of one or all processors.
    Blktrace = "blktrace",
    /// HP Labs SRT traces.
    Srt = "srt",
    /// Parquet with named columns.
    Parquet = "parquet",
}
