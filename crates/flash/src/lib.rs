//! The flash of a drive: geometry, cells, dies, planes, channels, queues, scheduler, commands.
//!
//! It knows physical places only: no page of the host, and nobody's request.

pub mod nand;
pub mod sched;
