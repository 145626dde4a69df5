//! The systems of a drive at work: they are told of what happens, asked, and what they ask for is done when that is over.
//!
//! [`Systems`] is their state. A function that lets them see the drive, or has done what they ask for, takes the drive as
//! [`AroundSystems`]; what needs nobody is a method of the state.

mod around;
mod asked;
mod done;
mod idleness;
mod snapshot;
mod state;
mod told;
mod wakes;

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
mod tests;

pub use around::AroundSystems;
pub use asked::{allowed_planes_of, ask_owners, ask_reclaim_policy, ask_to_reclaim, ask_write_place, find};
pub use done::do_what_was_asked;
pub use state::{ReadOf, Systems};
pub use told::{accessed, fetch, plan_started, read_done, tell, tell_one, wake_due};
