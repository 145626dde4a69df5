//! What happens in the flash: operations are submitted, dies take commands, channels carry data, arrays work.
//!
//! One file for each thing that happens. A function that may ask or tell whoever holds the flash takes them as [`Above`](crate::Above); what
//! needs nobody is a method of [`Flash`](crate::Flash).

mod apart;
mod cache_operations;
mod chips;
mod copyback;
mod data_out;
mod disturb;
mod gates;
mod issue;
mod joining;
mod loads;
mod planes;
mod progress;
mod queue;
mod suspension;
mod transfers;

#[cfg(test)]
mod tests;

pub use issue::{look_at_touched, suspends};
pub use loads::{running, waiting_ahead};
pub use progress::handle_event;
pub use queue::{change_load, submit};
