//! The cores alone.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is the failure")]

mod cpu;
mod harness;
mod work;
