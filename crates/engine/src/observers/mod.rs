//! Whoever is told of what happens in the drive, and changes nothing: the report, series and samples, energy, probes, counts.
//!
//! [`Observers`] is their state. What is told is a method of it, which sees the flash, the translation layer or the front where it
//! must; what looks at the whole drive takes that as [`AroundObservers`].

mod around;
mod blocks;
mod chips;
mod counts;
mod energy;
mod known_reads;
mod looks;
mod monitor;
mod probing;
mod state;

#[cfg(test)]
mod tests;

pub(crate) use around::AroundObservers;
pub(crate) use looks::{measure, note_read, note_time, report, window_opens};
pub(crate) use state::Observers;
