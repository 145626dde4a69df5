//! The cache alone: requests and a flash around it that are just enough for it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is the failure")]

mod durable;
mod eviction;
mod flush;
mod given_up;
mod harness;
mod overtaken;
mod pacing;
mod properties;
mod reads;
mod write_back;
