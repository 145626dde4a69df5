//! The tests of libwordline in one program.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

mod calls;
mod example;
mod header;
