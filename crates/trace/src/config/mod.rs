//! Descriptions of workloads: plain data, validated once.

mod flow;
mod forms;
mod generated;
mod pattern;
mod synthetic;
mod trace;
mod workload;

pub use flow::FlowConfig;
pub use generated::{FilebenchSourceConfig, FioSourceConfig, TwinConfig, YcsbSourceConfig};
pub use pattern::{InterarrivalConfig, PatternConfig};
pub use synthetic::{RegionConfig, SizeWeight, Sizes, SyntheticConfig};
pub use trace::{OutOfRange, TimeUnit, TraceConfig, TraceFormat};
pub use workload::{SourceConfig, WorkloadConfig};
