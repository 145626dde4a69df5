//! The built-in systems and policies of read reclaim, and a user's own.

mod reclaim;
mod system;

pub use reclaim::ReclaimPolicy;
pub use system::{SystemPolicy, of_scheme};
