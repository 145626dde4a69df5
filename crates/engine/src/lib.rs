//! The simulator of flash SSDs: geometry, timing, translation layer, scheduling and statistics.
//!
//! No I/O, no wall clock and no transport: requests come from a [`host::RequestSource`], results leave as data.
//! Start at [`run::simulate`].

pub mod arrange;
pub mod array;
pub mod cache;
mod cores;
pub mod custom;
pub mod device;
mod front;
pub mod host;
mod observers;
pub mod run;
pub mod snapshot;

pub use wordline_base::{ids, rng, time};
pub use wordline_config as config;
pub use wordline_flash::{nand, sched};
pub use wordline_ftl::durable::Kept;
pub use wordline_ftl::{blocks, gc, mapping, placement, redundancy, replicate, space};
pub use wordline_observe as stats;
pub use wordline_observe::probe;
pub use wordline_systems as systems;
pub use wordline_systems::reclaim;

pub use run::{
    Before, Ending, LookedUp, NO_COLLECTION_WINS, Observer, Outcome, Overwrites, Overwritten, RunError,
    Setup, Split, Stop, Unobserved, WritePattern, logical_bytes, nvm_sets, replay, replay_flows,
    replay_flows_in_parts, replay_in_parts, simulate, volume::Volume,
};

#[cfg(doctest)]
#[doc = "```"]
#[doc = include_str!("../../../docs/examples/own_victims.rs")]
#[doc = "```"]
struct OwnVictims;

#[cfg(doctest)]
#[doc = "```"]
#[doc = include_str!("../../../docs/examples/own_placement.rs")]
#[doc = "```"]
struct OwnPlacement;

#[cfg(doctest)]
#[doc = "```"]
#[doc = include_str!("../../../docs/examples/own_scheduler.rs")]
#[doc = "```"]
struct OwnScheduler;
