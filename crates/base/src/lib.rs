//! What every room of the simulator stands on: time, numbers of pages and dies, classes of commands, the host's requests, the
//! set of coming events, large tables, random streams, and the stream of snapshots. It depends on nothing of the simulator.

pub mod class;
pub mod clock;
pub mod divisor;
pub mod draws;
pub mod events;
pub mod ids;
pub mod lru;
pub mod memory;
pub mod parts;
pub mod permutation;
pub mod request;
pub mod rng;
pub mod slab;
pub mod snapshot;
pub mod sparse;
pub mod time;

/// Version of the simulator.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
