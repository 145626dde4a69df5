//! Tests of the crate from outside: descriptions, files, generators, and the traces of the field where they are
//! at hand.

// The exceptions that clippy.toml makes for tests end at functions that tests share.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod apps;
mod descriptions;
mod facts;
mod files;
mod fio;
mod fio_any;
mod fio_files;
mod fio_of_others;
mod fio_order;
mod fio_places;
mod flows;
mod fuzz;
mod fuzz_descriptions;
mod guesses;
mod headers;
mod layered;
mod losses;
mod models;
mod patterns;
mod policies;
mod presets;
mod properties;
mod settle;
mod shared;
mod summaries;
mod support;
mod synthetic;
mod transforms;
mod twins;
mod unread;
mod written;
