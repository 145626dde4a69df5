//! Pages are read: for the host, for writes of a part of a page, and what becomes of what was read.

pub(crate) mod data_out;
pub(crate) mod read;
