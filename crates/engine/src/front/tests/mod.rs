//! The front alone: a core and dies around it that are just enough for it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is the failure")]

mod answers;
mod commands;
mod completion;
mod delivery;
mod harness;
mod link;
mod properties;
mod snapshot;
mod write_data;
