//! What a cache of the map holds when requests of a known law have gone through it for long, as formulas.
//!
//! Che, Tung, Wang ("Hierarchical web caching systems", IEEE JSAC 20(7), 2002): an entry stays in a cache of the least recently used
//! for a *characteristic time* after its last use, which is nearly the same for all; so each entry is there or not by itself, and the
//! same goes for translation pages and for the time since each was written. Times are in requests of the load.

pub mod ages;
pub mod backward;
pub mod dirty;
pub mod held;
pub mod law;
pub mod page_rates;
pub mod pages;
pub mod stay;
