//! The translation layer over a flash, held by nobody but a test: no request's way, no cache, no system.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is the failure")]

mod collection;
mod copies;
mod harness;
mod parity;
mod plans;
mod properties;
mod reclaim;
mod translation;
mod writes;
