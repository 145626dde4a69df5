//! Parity of rows and of logical pages, and reads that are rebuilt from it.

pub(crate) mod pages;
pub(crate) mod rebuild;
pub(crate) mod rows;
