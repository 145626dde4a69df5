//! Controller DRAM: who uses how much of it, and the data cache in it.
//!
//! A [`CachePolicy`] decides what is held, given up and written back; what happens then (`work/`) keeps the units, moves the data
//! and charges the time. Nothing outside this folder sees the fields of the cache.

pub mod cold;
pub mod dram;
pub mod gap;
pub mod index;
pub mod ledger;
pub mod list;
mod looked_at;
pub mod lru;
pub mod marks;
pub mod pause;
pub mod rate_limit;
pub mod state;
pub mod table;
pub mod throttle;
pub mod together;
pub(crate) mod work;
pub mod write_buffer;

use table::UnitTable;
use wordline_base::class::Class;
use wordline_base::ids::Lpa;
use wordline_base::policies;
use wordline_base::snapshot::Stored;
use wordline_config::cache::{CacheConfig, CacheKind};

pub use ledger::Ledger;
pub use lru::Lru;
pub use state::{Cache, CacheState};
pub use write_buffer::WriteBuffer;

/// Class of the programs that carry cached units to flash.
pub const WRITE_BACK_PROGRAM: Class = Class::WriteBackProgram;

/// Class of the reads that fetch the rest of a unit that was written in part.
pub const WRITE_BACK_READ: Class = Class::WriteBackRead;

/// What the host does with a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads it.
    Read,
    /// Writes it.
    Write,
}

/// What the cache holds, read-only. Units on their way to flash are in neither list.
pub struct CacheView<'a> {
    /// The cached units.
    pub table: &'a UnitTable,
}

impl CacheView<'_> {
    /// Units that are as in flash, from the one refreshed longest ago.
    pub fn clean(&self) -> impl Iterator<Item = Lpa> {
        self.table.clean().map(|slot| self.table.lpa(slot))
    }

    /// Units that are newer than flash, from the one refreshed longest ago.
    pub fn dirty(&self) -> impl Iterator<Item = Lpa> {
        self.table.dirty().map(|slot| self.table.lpa(slot))
    }
}

/// Decides what the data cache holds.
///
/// Every write of the host goes into the cache. The engine keeps the clean and the dirty units in two lists from old to
/// young; a unit enters at the young end. The policy must depend on its own state and on the view only.
pub trait CachePolicy {
    /// Whether a unit that was read from flash is kept.
    fn admits_read(&mut self, lpa: Lpa) -> bool;

    /// Whether a unit that is there becomes the youngest by this access.
    fn refreshes(&mut self, lpa: Lpa, access: Access) -> bool;

    /// Whether a unit stays when it has been written back.
    fn keeps(&mut self, lpa: Lpa) -> bool;

    /// The clean unit that is given up for another; `None` when none shall be, or there is none. While nothing is dirty,
    /// a write that waits for room must get one.
    fn evict(&mut self, view: &CacheView<'_>) -> Option<Lpa> {
        view.clean().next()
    }

    /// The dirty unit that is written back next. Must name one while there is one.
    fn write_back(&mut self, view: &CacheView<'_>) -> Option<Lpa> {
        view.dirty().next()
    }

    wordline_base::state_methods!(CachePolicy);
}

/// The built-in policies, and a user's own.
pub enum CacheSlot {
    /// Holds writes until they are in flash.
    WriteBuffer(WriteBuffer),
    /// Holds what was used last.
    Lru(Lru),
    /// None: there is no cache.
    Off,
    /// A user's own.
    Custom(Box<dyn CachePolicy + Send>),
}

impl CacheSlot {
    /// The one that a scheme names.
    pub fn new(config: &CacheConfig) -> Self {
        match config.policy {
            CacheKind::None => Self::Off,
            CacheKind::WriteBuffer => Self::WriteBuffer(WriteBuffer),
            CacheKind::Lru => Self::Lru(Lru::new(config.admit_reads)),
        }
    }
}

macro_rules! each {
    ($self:ident, $policy:ident => $answer:expr, off: $off:expr) => {
        match $self {
            Self::Off => $off,
            Self::WriteBuffer($policy) => $answer,
            Self::Lru($policy) => $answer,
            Self::Custom($policy) => $answer,
        }
    };
}

impl CachePolicy for CacheSlot {
    fn admits_read(&mut self, lpa: Lpa) -> bool {
        each!(self, policy => policy.admits_read(lpa), off: false)
    }

    fn refreshes(&mut self, lpa: Lpa, access: Access) -> bool {
        each!(self, policy => policy.refreshes(lpa, access), off: false)
    }

    fn keeps(&mut self, lpa: Lpa) -> bool {
        each!(self, policy => policy.keeps(lpa), off: false)
    }

    fn evict(&mut self, view: &CacheView<'_>) -> Option<Lpa> {
        each!(self, policy => policy.evict(view), off: None)
    }

    fn write_back(&mut self, view: &CacheView<'_>) -> Option<Lpa> {
        each!(self, policy => policy.write_back(view), off: None)
    }
}

policies!(CacheSlot, "policy of the data cache", none: [Off], rebuilt: [WriteBuffer], stored: [Lru]);

impl Stored for Lru {}
