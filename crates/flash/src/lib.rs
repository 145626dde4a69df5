//! The flash of a drive: geometry, cells, dies, planes, channels, queues, scheduler, commands.
//!
//! It knows physical places only: no page of the host, and nobody's request. [`Flash`] is its state, [`work`] what happens in
//! it, [`Above`] what it asks and tells.

pub mod above;
pub mod apart;
pub mod chips;
pub mod disturb;
pub mod flash;
pub mod nand;
pub mod planes;
pub mod sched;
pub mod servers;
pub mod work;

pub use above::{Above, Count};
pub use flash::{Flash, Rules};
