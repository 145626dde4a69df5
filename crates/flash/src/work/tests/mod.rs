//! Worked examples, nanosecond by nanosecond, of a flash that is held by nobody but a test.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is the failure")]

mod alone_and_beside;
mod apart;
mod apart_from_the_die;
mod cache_programs;
mod cache_reads;
mod channel;
mod chips;
mod commands;
mod copyback;
mod disturb;
mod gates;
mod harness;
mod ideal;
mod joining;
mod loads;
mod overlap;
mod partners;
mod plane_turns;
mod properties;
mod suspended;
mod suspension;
mod together;
mod turns;
mod units;
