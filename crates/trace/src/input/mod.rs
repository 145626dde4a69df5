//! Bytes of a trace file: opened, decompressed, cut into lines.

mod lines;
mod open;

pub(crate) use lines::{LineFault, LineReader};
pub(crate) use open::{FileInput, open_input};
