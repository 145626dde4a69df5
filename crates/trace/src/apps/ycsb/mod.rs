//! YCSB's core workloads A to F over a log-structured merge tree.
//!
//! B. F. Cooper et al., "Benchmarking Cloud Serving Systems with YCSB", SoCC 2010: operations and their shares, request
//! distributions. P. O'Neil et al., "The Log-Structured Merge-Tree", 1996, in the form with levels that RocksDB documents.

mod compaction;
mod keys;
mod reads;
mod source;
mod table;
mod tree;

pub use crate::config::{Distribution, YcsbConfig, YcsbWorkload};
pub(crate) use source::YcsbSource;
