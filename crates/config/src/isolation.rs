//! Whether garbage collection keeps the streams of the host apart.

use serde::{Deserialize, Serialize};

/// What of the streams stays apart when garbage collection moves it (`scheme.gc.isolation`): the types of reclaim unit handles of
/// NVMe's Flexible Data Placement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// Initially isolated: what is moved of all streams goes together.
    #[default]
    Initial,
    /// Persistently isolated: what is moved goes to a write point of its stream's own.
    Persistent,
}
