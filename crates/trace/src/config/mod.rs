//! Descriptions of workloads: plain data, validated once.

mod columns;
mod filebench;
mod fio;
mod fio_course;
mod fio_place;
mod flow;
mod format;
mod forms;
mod generated;
mod pattern;
mod synthetic;
mod trace;
mod transform;
mod without_effect;
mod workload;
mod ycsb;

pub use columns::{ColumnRef, ColumnsConfig};
pub use filebench::{FilebenchConfig, Personality};
pub use fio::{Access, Direction, FioConfig, Zone};
pub use fio_course::{FileOrder, FileOrderKind, FilePart, HostZones, Strided, Verify};
pub use fio_place::{JobPlace, JobSetting};
pub(crate) use flow::rules_of;
pub use flow::{AtEnd, FlowConfig};
pub(crate) use format::Form;
pub use format::TraceFormat;
pub use generated::{FilebenchSourceConfig, FioSourceConfig, TwinConfig, YcsbSourceConfig};
pub use pattern::{InterarrivalConfig, PatternConfig};
pub use synthetic::{RegionConfig, SizeWeight, Sizes, SyntheticConfig};
pub use trace::{BlockEvent, OutOfRange, TimeUnit, TraceConfig};
pub use transform::{OpName, TransformConfig};
pub use workload::{SourceConfig, WorkloadConfig};
pub use ycsb::{Distribution, YcsbConfig, YcsbWorkload};
