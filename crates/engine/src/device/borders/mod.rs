//! What each part asks of the drive, and what it tells: one file for each, in which the others answer.

mod cache;
pub(super) mod cores;
mod flash;
mod front;
mod ftl;
mod observers;
mod systems;
