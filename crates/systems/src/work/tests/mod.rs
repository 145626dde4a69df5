//! The systems of a drive alone: who is told, who is asked, and what is done when.

mod answers;
mod harness;
mod idleness;
mod news;
mod snapshot;
