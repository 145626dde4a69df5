//! Descriptions of workloads: plain data, validated once.

mod columns;
mod flow;
mod forms;
mod generated;
mod pattern;
mod synthetic;
mod trace;
mod transform;
mod workload;

pub use crate::format::TraceFormat;
pub use columns::{ColumnRef, ColumnsConfig};
pub use flow::{AtEnd, FlowConfig};
pub use generated::{FilebenchSourceConfig, FioSourceConfig, TwinConfig, YcsbSourceConfig};
pub use pattern::{InterarrivalConfig, PatternConfig};
pub use synthetic::{RegionConfig, SizeWeight, Sizes, SyntheticConfig};
pub use trace::{BlockEvent, OutOfRange, TimeUnit, TraceConfig};
pub use transform::{OpName, TransformConfig};
pub use workload::{SourceConfig, WorkloadConfig};
