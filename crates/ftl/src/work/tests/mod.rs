//! The translation layer over a flash, held by nobody but a test: no request's way, no cache, no system.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is the failure")]

mod awaited_moves;
mod background;
mod bad_blocks;
mod collection;
mod copies;
mod copy_courses;
mod copyback;
mod guesses;
pub(in crate::work) mod harness;
mod kept_open;
mod pacing;
mod parity;
mod parity_pages;
mod plan_courses;
mod plans;
mod properties;
mod reads;
mod reclaim;
mod reclaim_courses;
mod rotating;
mod slc_cache;
mod translation;
mod victims;
mod wear_levelling;
mod writes;
