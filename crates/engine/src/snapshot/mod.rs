//! Snapshots: the whole state of a drive or of a run as bytes, and back.
//!
//! What follows from the configuration is not in a snapshot: it is made anew, and the state put in its place. A snapshot
//! is therefore bound to its configuration, which it carries, and to the version that wrote it. `docs/snapshots.md` has
//! the form.

#[cfg(test)]
mod forged;
pub mod identity;
#[cfg(test)]
mod older;
#[cfg(test)]
mod shapes;

pub use identity::Identity;
pub(crate) use wordline_base::snapshot::Part;
pub use wordline_base::snapshot::{FORMAT, In, Out, SnapshotError};
