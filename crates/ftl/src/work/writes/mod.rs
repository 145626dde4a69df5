//! Pages are programmed: where, when they wait, and how they take effect.

pub(crate) mod commit;
pub(crate) mod modes;
pub(crate) mod partial_writes;
pub(crate) mod placed_writes;
pub(crate) mod places;
pub(crate) mod program;
pub(crate) mod system_superblocks;
