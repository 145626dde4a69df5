//! The stream of a snapshot: records in frames with checksums, what a part of the state must be able to do, and what can go
//! wrong. `docs/snapshots.md` has the form.

mod frames;
mod part;
mod policies;
#[cfg(any(test, feature = "shapes"))]
pub mod shape;
mod stream;

pub use frames::FrameWriter;
pub use part::{Part, Stored};
pub use policies::expect_policy;
pub use stream::{In, Out};

/// Version of the form. It changes when the state does: `snapshot/shapes.txt` of the engine holds what the state of
/// this version looks like, and a test there fails when that changes and this number doesn't.
pub const FORMAT: u32 = 58;

/// Why a state could not be saved, loaded or forked. Each prints as one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// The bytes could not be written.
    #[error("the snapshot can't be written: {0}")]
    Write(String),
    /// The bytes could not be read.
    #[error("the snapshot can't be read: {0}")]
    Read(String),
    /// Something else.
    #[error("this is no snapshot of Wordline")]
    NoSnapshot,
    /// The form of another version.
    #[error("the snapshot has form {0}; allowed: {FORMAT}, that of this version")]
    Format(u32),
    /// Of another version.
    #[error("the snapshot was made by version {0} of the simulator; allowed: {version}, which this is", version = crate::VERSION)]
    Version(String),
    /// A drive where a run is wanted, or the reverse.
    #[error("the snapshot holds {found}; allowed here: {wanted}")]
    Kind {
        /// What it holds.
        found: String,
        /// What is wanted.
        wanted: &'static str,
    },
    /// It ends in the middle.
    #[error("the snapshot is truncated")]
    Truncated,
    /// A checksum does not agree.
    #[error("the snapshot is damaged: the checksum of frame {frame} (from 0) does not agree")]
    Damaged {
        /// Frame, counted from 0.
        frame: u64,
    },
    /// Of another configuration.
    #[error("the snapshot was made with another configuration: {0}")]
    Configuration(String),
    /// The state doesn't belong to this configuration.
    #[error("the snapshot does not fit: {0}")]
    Misfit(String),
    /// A policy of a user's own that can't be forked.
    #[error("{0} can't be forked: its method `fork` returns none")]
    NoFork(String),
}
