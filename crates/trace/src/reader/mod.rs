//! Replays a trace file as a stream of requests.

mod clock;
mod compact;
mod devices;
mod file;
mod range;
mod trace;

pub(crate) use trace::TraceReader;
