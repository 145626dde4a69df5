//! Readers and generators of block workloads.
//!
//! A [`WorkloadConfig`] describes a workload; [`open`] turns a source into a stream of requests: a trace file
//! (docs/trace-formats.md lists the forms) or a generator; [`open_flows`] does so for each flow of a workload that has
//! several. Both give requests in batches, in constant memory, and the
//! same ones each time that they are opened with the same seed.
//!
//! ```
//! use std::path::Path;
//! use wordline_trace::{OpenContext, WorkloadConfig, open_all};
//!
//! let workload: WorkloadConfig = toml::from_str(
//!     r#"
//!     name = "example"
//!     [source]
//!     kind = "synthetic"
//!     requests = 1000
//!     read_share = 0.7
//!     sizes = 4096
//!     pattern = { kind = "zipf", theta = 0.9 }
//!     "#,
//! )?;
//! workload.validate()?;
//! let context = OpenContext { drive_bytes: 1 << 30, seed: 1, base_dir: Path::new(".") };
//! let mut opened = open_all(&workload, &context)?;
//! let mut batch = Vec::new();
//! opened.source.next_batch(&mut batch)?;
//! assert_eq!(batch.len(), 1000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(clippy::indexing_slicing)]

mod alike;
pub mod apps;
mod bits;
pub mod config;
mod expected;
pub mod fio;
mod flows;
mod footprint;
mod format;
pub mod fuzz;
mod info;
mod input;
mod interleaved;
mod law;
mod notes;
mod one_by_one;
mod open;
mod opened;
mod piece;
mod reader;
mod rng;
mod seen;
mod settle;
mod synthetic;
mod transform;
pub mod twin;
mod write;
mod writes;

/// What a build without it says of Parquet.
#[cfg(not(feature = "parquet"))]
const WITHOUT_PARQUET: &str =
    "Parquet, which this build leaves out: allowed: any other form, or a build with the feature `parquet`";

pub use config::{FlowConfig, SourceConfig, SyntheticConfig, TraceConfig, TwinConfig, WorkloadConfig};
pub use expected::silence_expected_panics;
pub use flows::{OpenedFlow, flows_before, open_all, open_flows};
pub use footprint::{Footprint, footprint};
pub use info::{
    AlignmentShares, ArrivalInfo, ClassInfo, Dispersion, LoadPoint, OpInfo, PageClasses, PageCounts,
    Popularity, PopularityPoint, Quantiles, ReuseInfo, ReusePoint, SequenceInfo, SizeBin, SizeInfo,
    Succession, TraceInfo, ZipfFit,
};
pub use law::law_before;
pub use notes::Notes;
pub use open::open;
pub use opened::{OpenContext, OpenError, Opened};
pub use seen::{MeasuredDirection, MeasuredFigures, MeasuredLatencies, TraceFacts};
pub use settle::{Preceded, before, recorded_before};
pub use write::{LoggedRequest, OutputFile, RequestLog, WriteFormat, Written, write_csv, write_trace};
pub use writes::{Writes, requests_before};
