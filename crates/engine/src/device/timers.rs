//! Timers of the drive that stand among the events of the flash: of the data cache and of the joining of stripes.

/// Whose timer runs out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timer {
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
    const ALL: [Self; 4] = [Self::Dram, Self::Joining, Self::Pause, Self::Throttle];

    /// That of a number.
    pub fn of(number: usize) -> Option<Self> {
        Self::ALL.get(number).copied()
    }

    /// Its number: as many timers must come before it.
    pub fn number(self) -> usize {
        self as usize
    }
}
