//! The translation layer of a drive: map, spare areas (OOB), blocks, write points, victims, placement, copies and parity.
//!
//! Tables, the policies' traits with the small policies, and what happens ([`work`]). It knows places, logical pages and operations;
//! of dies what the flash says of them, of requests, systems and the data cache what whoever holds it answers
//! ([`work::AboveFtl`]).

pub mod arrangement;
pub mod blocks;
pub mod durable;
pub mod events;
pub mod gc;
pub mod mapping;
pub mod placement;
pub mod plan;
pub mod reclaim;
pub mod redundancy;
pub mod replicate;
pub mod space;
pub mod versions;
pub mod view;
pub mod work;

/// What is told of requests or other writes that nothing can bring on any more, behind their number or name.
pub const NO_COLLECTION_WINS: &str = "wait for free space that no collection can win";
