//! Bytes of a trace file: opened, decompressed, cut into lines.

mod lines;
mod open;
mod siblings;

pub(crate) use lines::{LineFault, LineReader};
pub(crate) use open::{FileInput, open_input, opening_fault};
pub(crate) use siblings::{Processors, processor_files};
