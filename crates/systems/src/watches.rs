//! What a system may be told of.

use crate::events::Event;

/// What a system wants to be told of: a set of flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watches(u32);

impl Watches {
    /// Nothing.
    pub const NOTHING: Self = Self(0);
    /// [`Event::Read`](super::Event::Read).
    pub const READ: Self = Self(1);
    /// [`Event::ReadDone`](super::Event::ReadDone).
    pub const READ_DONE: Self = Self(2);
    /// [`Event::Written`](super::Event::Written).
    pub const WRITTEN: Self = Self(4);
    /// [`Event::Moved`](super::Event::Moved).
    pub const MOVED: Self = Self(8);
    /// [`Event::Invalidated`](super::Event::Invalidated).
    pub const INVALIDATED: Self = Self(16);
    /// [`Event::Erased`](super::Event::Erased).
    pub const ERASED: Self = Self(32);
    /// [`Event::Idle`](super::Event::Idle).
    pub const IDLE: Self = Self(64);
    /// [`System::find`](super::System::find), [`Event::Loaded`](super::Event::Loaded) and
    /// [`Event::WrongGuess`](super::Event::WrongGuess).
    pub const TRANSLATION: Self = Self(128);
    /// [`System::reclaim`](super::System::reclaim).
    pub const RECLAIM: Self = Self(256);
    /// A recorder of the engine's own looks at reads.
    pub const RECORDED: Self = Self(512);
    /// [`System::allowed_planes`](super::System::allowed_planes) for programs of the host and of the data cache, and for pages that
    /// are first read.
    pub const PLACEMENT: Self = Self(1024);
    /// [`System::allowed_planes`](super::System::allowed_planes) for pages that move.
    pub const MOVES_PLACEMENT: Self = Self(2048);
    /// [`System::accessed`](super::System::accessed).
    pub const ACCESS: Self = Self(4096);
    /// [`Event::Allocated`](super::Event::Allocated).
    pub const ALLOCATED: Self = Self(8192);
    /// [`Event::Trimmed`](super::Event::Trimmed).
    pub const TRIMMED: Self = Self(16_384);
    /// [`System::place_write`](super::System::place_write).
    pub const WRITE_PLACE: Self = Self(32_768);
    /// [`Event::Programmed`](super::Event::Programmed).
    pub const PROGRAMMED: Self = Self(65_536);
    /// The system makes space itself, by plans: garbage collection moves nothing, and a full superblock in which
    /// nothing is valid any more is erased at once.
    pub const COLLECTION: Self = Self(131_072);
    /// [`Event::Collected`](super::Event::Collected).
    pub const COLLECTED: Self = Self(262_144);

    /// What a system watches for that is told of this event; nothing for events that concern one system alone.
    #[inline(always)]
    pub const fn of(event: &Event) -> Self {
        match event {
            Event::Read(_) => Self::READ,
            Event::ReadDone(_) => Self::READ_DONE,
            Event::Written { .. } => Self::WRITTEN,
            Event::Moved { .. } => Self::MOVED,
            Event::Trimmed { .. } => Self::TRIMMED,
            Event::Allocated { .. } => Self::ALLOCATED,
            Event::Invalidated(_) => Self::INVALIDATED,
            Event::Collected(_) => Self::COLLECTED,
            Event::Erased(_) => Self::ERASED,
            Event::Programmed(_) => Self::PROGRAMMED,
            Event::Loaded { .. } | Event::WrongGuess { .. } => Self::TRANSLATION,
            Event::Idle => Self::IDLE,
            Event::WornWhileOpen(_)
            | Event::Woken
            | Event::PlanDone(_)
            | Event::Copied { .. }
            | Event::CopyMoved { .. }
            | Event::CopyDropped { .. } => Self::NOTHING,
        }
    }

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
