//! The front of the drive, its host interface layer: requests come in over the link, are split into commands and handed on, and
//! their answers leave over the link.
//!
//! [`Front`] is its state. A function that may ask or tell what lies around the front takes that as [`AroundFront`]; what needs
//! nobody is a method of the state.

mod admission;
mod answers;
mod around;
mod commands;
mod completion;
mod delivery;
mod link;
mod parts;
mod requests;
mod state;
mod transfers;
mod units;
mod write_data;

#[cfg(test)]
mod tests;

pub(crate) use admission::submit;
pub use answers::Answers;
pub(crate) use around::AroundFront;
pub(crate) use completion::{part_done, unit_done};
pub(crate) use delivery::deliver;
pub(crate) use link::Direction;
pub(crate) use requests::Request;
pub(crate) use state::Front;
pub(crate) use transfers::transfer_ended;
pub(crate) use units::Units;
