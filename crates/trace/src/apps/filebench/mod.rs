//! Filebench's personalities over a file system of extents with a page cache.
//!
//! V. Tarasov, E. Zadok, S. Shepler, "Filebench: A Flexible Framework for File System Benchmarking", ;login: 41(1), 2016:
//! the operations of a loop. The file system is modelled after the documentation of ext4: extents, delayed write-back,
//! a journal for metadata (ordered mode), discards of what was deleted.

mod cache;
mod files;
mod journal;
mod personality;
mod source;

pub use crate::config::{FilebenchConfig, Personality};
pub(crate) use source::FilebenchSource;
