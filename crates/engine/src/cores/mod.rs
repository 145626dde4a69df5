//! The cores of the controller: firmware's work before a request enters the flash queues, before a move is programmed, and for
//! decisions; and the way to the host's memory, where a part of the map may lie.
//!
//! [`Cpu`] and [`HostMemory`] are their state. A function that may ask or tell what lies around the cores takes that as
//! [`AroundCores`].

mod around;
mod cpu;
mod host_memory;
mod work;

#[cfg(test)]
mod tests;

pub(crate) use around::AroundCores;
pub(crate) use cpu::{Cost, Cpu};
pub(crate) use host_memory::HostMemory;
pub(crate) use work::{charge, enqueue_moves, places_later, work_done, work_for_request};
