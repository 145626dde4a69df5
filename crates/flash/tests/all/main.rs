//! The flash by itself: one die, one channel, and whatever comes.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is the failure")]

mod apart;
mod commands;
mod harness;
mod overlap;
mod partners;
mod properties;
mod turns;
