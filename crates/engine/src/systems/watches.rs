//! What a system may be told of.

/// What a system wants to be told of: a set of flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watches(u32);

impl Watches {
    /// Nothing.
    pub const NOTHING: Self = Self(0);
    /// [`System::read`](super::System::read).
    pub const READ: Self = Self(1);
    /// [`System::read_done`](super::System::read_done).
    pub const READ_DONE: Self = Self(2);
    /// [`System::written`](super::System::written).
    pub const WRITTEN: Self = Self(4);
    /// [`System::moved`](super::System::moved).
    pub const MOVED: Self = Self(8);
    /// [`System::invalidated`](super::System::invalidated).
    pub const INVALIDATED: Self = Self(16);
    /// [`System::erased`](super::System::erased).
    pub const ERASED: Self = Self(32);
    /// [`System::idle`](super::System::idle).
    pub const IDLE: Self = Self(64);
    /// [`System::find`](super::System::find), [`System::loaded`](super::System::loaded) and
    /// [`System::wrong_guess`](super::System::wrong_guess).
    pub const TRANSLATION: Self = Self(128);
    /// [`System::reclaim`](super::System::reclaim).
    pub const RECLAIM: Self = Self(256);
    /// A recorder of the engine's own looks at reads.
    pub(crate) const RECORDED: Self = Self(512);
    /// [`System::confine`](super::System::confine) for programs of the host and of the data cache, and for pages that
    /// are first read.
    pub const PLACEMENT: Self = Self(1024);
    /// [`System::confine`](super::System::confine) for pages that move.
    pub const MOVES_PLACEMENT: Self = Self(2048);
    /// [`System::accessed`](super::System::accessed).
    pub const ACCESS: Self = Self(4096);
    /// [`System::allocated`](super::System::allocated).
    pub const ALLOCATED: Self = Self(8192);
    /// [`System::trimmed`](super::System::trimmed).
    pub const TRIMMED: Self = Self(16_384);
    /// [`System::steer`](super::System::steer).
    pub const STEERING: Self = Self(32_768);
    /// [`System::programmed`](super::System::programmed).
    pub const PROGRAMMED: Self = Self(65_536);
    /// The system makes space itself, by plans: garbage collection moves nothing, and a full superblock in which
    /// nothing is valid any more is erased at once.
    pub const COLLECTION: Self = Self(131_072);
    /// [`System::collected`](super::System::collected).
    pub const COLLECTED: Self = Self(262_144);

    /// Both sets.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the two have something in common.
    #[inline]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}
