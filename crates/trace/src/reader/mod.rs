//! Replays a trace file as a stream of requests.

mod clock;
mod compact;
mod devices;
mod file;
mod range;
mod shown;
mod sort;
mod trace;

pub(crate) use range::Range;
pub(crate) use trace::TraceReader;
