//! Applications whose block-level load follows from a model of their storage: YCSB over a log-structured merge tree, Filebench
//! over a file system with a page cache. What is modelled stands in `docs/generators.md`.

mod extents;
pub mod filebench;
mod io;
pub mod ycsb;

pub(crate) use filebench::FilebenchSource;
pub(crate) use ycsb::YcsbSource;
