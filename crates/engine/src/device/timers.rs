//! Timers of the drive's other parts, which stand among the events of the flash: what comes first is one order.

use crate::cache::work::CacheTimer;
use crate::front::Direction;

/// Whose timer runs out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timer {
    /// The first transfer over the link to the drive ends.
    LinkIn,
    /// The first transfer over the link to the host ends.
    LinkOut,
    /// The first task of the processor is done.
    Cores,
    /// The first entry of the map comes from the host's memory.
    HostMemory,
    /// The first access to the DRAM ends.
    Dram,
    /// The first page that is joined from its stripe is done.
    Joining,
    /// A pause of write-back ends.
    Pause,
    /// A throttled write enters.
    Throttle,
}

impl Timer {
    /// All, in the order of their numbers.
    const ALL: [Self; 8] = [
        Self::LinkIn,
        Self::LinkOut,
        Self::Cores,
        Self::HostMemory,
        Self::Dram,
        Self::Joining,
        Self::Pause,
        Self::Throttle,
    ];

    /// How many there are.
    pub const COUNT: usize = Self::ALL.len();

    /// That of a direction of the link.
    pub fn of_link(direction: Direction) -> Self {
        match direction {
            Direction::ToDrive => Self::LinkIn,
            Direction::ToHost => Self::LinkOut,
        }
    }

    /// That of the data cache.
    pub fn of_cache(timer: CacheTimer) -> Self {
        match timer {
            CacheTimer::Dram => Self::Dram,
            CacheTimer::Pause => Self::Pause,
            CacheTimer::Throttle => Self::Throttle,
        }
    }

    /// That of a number.
    pub fn of(number: usize) -> Option<Self> {
        Self::ALL.get(number).copied()
    }

    /// Its number among them.
    pub fn number(self) -> usize {
        self as usize
    }
}
