//! Wordline's drives for C. Every function that can fail returns a [`WordlineStatus`]; what went wrong is told by
//! [`error::wordline_last_error`] of the same thread. Nothing unwinds into C.
//!
//! A handle may be used by one thread at a time.

mod border;
pub mod drive;
pub mod error;
pub mod make;
pub mod memory;
pub mod requests;
pub mod state;

pub use border::WordlineStatus;
