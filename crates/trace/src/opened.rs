//! A source that was opened, and what that takes.

use std::path::Path;

use wordline_base::request::{RequestSource, SourceError};
use wordline_config::error::ConfigError;

use crate::notes::Notes;

/// What a source must know beside its description.
#[derive(Clone, Copy, Debug)]
pub struct OpenContext<'a> {
    /// Logical size of the drive, bytes; `u64::MAX` to read a trace without one.
    pub drive_bytes: u64,
    /// Seed of the run.
    pub seed: u64,
    /// Folder that relative paths are taken from: the description's own.
    pub base_dir: &'a Path,
}

/// A source, ready to give requests.
pub struct Opened {
    /// Gives the requests.
    pub source: Box<dyn RequestSource + Send>,
    /// Remarks on the source, kept up to date while it is read, even after `source` was handed on.
    pub notes: Notes,
}

/// Why a source can't be opened. One line for a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The description doesn't suit the drive. The path begins with `source`.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The file can't be used.
    #[error(transparent)]
    Source(#[from] SourceError),
}
