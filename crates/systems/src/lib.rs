//! Systems: schemes that span several slots, with one state of their own, and what they were compared with.
//!
//! A published system seldom fills one slot only: the region table of speculative translation serves reads, reclaim and
//! writes; the history behind a channel partition serves reads, placement and collection. Such a system is *one* value
//! that implements [`System`]: it is told of what happens ([`Watches`]), answers with [`Action`]s, and accounts for its
//! memory. It sees the [`View`] of a drive and [`Event`]s; the drive alone carries actions out.
//!
//! | system | paper | where |
//! |---|---|---|
//! | read collisions by copies | papers/000 | [`collision`] |
//! | Shuffler; Page, Page-8, Page-64; block and superblock reclaim | papers/001 | [`shuffler`]; [`page_counters`]; [`reclaim`] |
//! | PACP, static partition | papers/002 | [`pacp`] |
//! | ASTRO | papers/003 | [`astro`]; of its competitors DFTL and HMB are mappings (`wordline_ftl::mapping`), block map, BAST and FAST [`block_map`] |
//! | HotR | papers/004 | [`hotr`] |
//! | TTFlash, read reconstruction | papers/004 | `wordline_ftl::redundancy`, collection that rotates, copyback within a plane |
//! | Rails | papers/004 | two drives, one of which reads while the other writes: arrays, gates, the data cache |

mod action;
pub mod astro;
pub mod awaited;
pub mod block_map;
pub mod collision;
pub mod hotr;
pub mod pacp;
pub mod page_counters;
pub mod policies;
pub mod shuffler;
mod system;
mod watches;
pub mod work;

pub use wordline_ftl::{events, plan, reclaim, view};

pub use action::Action;
pub use policies::{ReclaimPolicy, SystemPolicy, of_scheme};
pub use system::{Figure, System};
pub use watches::Watches;
pub use wordline_ftl::events::{Access, AllowedPlanes, Distance, Event, ReadEvent, WornBlock, WritePlace};
pub use wordline_ftl::plan::{Pin, Place, Plan, Step};
pub use wordline_ftl::view::{DriveView, View};
