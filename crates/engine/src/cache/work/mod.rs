//! What the data cache does: units of writes enter or wait for room, units of reads are served or kept, and dirty ones go to flash,
//! readable in the cache until their program has ended.
//!
//! [`Cache`](super::Cache) is its state. A function that may ask or tell what lies around the cache takes that as [`AroundCache`];
//! what needs nobody is a method of the state.

mod accesses;
mod around;
mod choice;
mod flush;
mod kept_reads;
mod lacking;
mod late_reads;
mod merges;
mod pages;
mod programs;
mod promises;
mod reads;
mod room;
mod send;
mod tend;
mod trim;
mod waiting;
mod writes;

#[cfg(test)]
mod tests;

pub(crate) use accesses::access_ended;
pub(crate) use around::{AroundCache, CacheTimer, Versions};
pub(crate) use flush::flush;
pub(crate) use kept_reads::keep_read;
pub(crate) use lacking::merged;
pub(crate) use late_reads::{is_overtaken, serve_late};
pub(crate) use programs::{begins, ended, stream_of, take_point};
pub(crate) use reads::read_unit;
pub(crate) use send::carry_looked_up;
pub(crate) use tend::tend;
pub(crate) use trim::drop_unit;
pub(crate) use writes::write_unit;
