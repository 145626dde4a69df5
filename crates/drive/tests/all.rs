//! The tests of embedded drives in one program.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

mod as_a_run;
mod common;
mod misuse;
mod restored;
