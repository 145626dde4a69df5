//! Pages get their places without simulated time.

pub(crate) mod by_domain;
pub(crate) mod in_turn;
pub(crate) mod overwriting;
pub(crate) mod phases;
pub(crate) mod places;
pub(crate) mod untimed;
pub(crate) mod used_caches;
pub(crate) mod used_map;
