//! Superblocks are emptied and erased: victims, moves, pace, wear levelling, the SLC cache.

pub(crate) mod background;
pub(crate) mod collect;
pub(crate) mod copyback;
pub(crate) mod erase;
pub(crate) mod moves;
pub(crate) mod pace;
pub(crate) mod rotating;
pub(crate) mod slc_cache;
pub(crate) mod victim_places;
pub(crate) mod victims;
pub(crate) mod wear;
pub(crate) mod wear_out;
