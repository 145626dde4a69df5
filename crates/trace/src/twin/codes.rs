//! What a profile says of one request: its operation, entries of the profile's tables, and its place among earlier requests.

use wordline_base::request::HostOp;

/// Most entries of `gaps_ns`.
pub(super) const MOST_GAPS: usize = 256;

/// Largest distance of [`Place::Far`], sectors.
pub(super) const FAR: i64 = 131_071;

/// Values of a slot: steps of 16 KiB in 16 MiB.
pub(super) const SLOTS: u64 = 1024;

/// Where a request goes, relative to what was requested before. `touched` says whether its last page was touched before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    /// Somewhere that was not touched yet, in this slot: so many steps of 16 KiB, modulo 16 MiB. Drives stripe pages over their dies, so
    /// that slots decide which requests meet.
    Fresh(u16),
    /// It continues the stream of this rank (0: the one continued or begun last).
    Sequential { rank: u16, touched: bool },
    /// Where the request so many before began.
    Same(u8),
    /// Where the request began that came so many after the one that was last referred to.
    Follow(u8),
    /// Near the end of the stream of this rank, and so many sectors behind it (or before it).
    Near { rank: u8, sectors: i16, touched: bool },
    /// So many sectors from where the request before began.
    Far { sectors: i32, touched: bool },
    /// Where an older request of this length began, so many before; whether that wrote; and its slot, as for a fresh place.
    Again { back: u32, written: bool, slot: u16 },
    /// So many sectors from where the request began that touched this block of 64 KiB last, or its neighbourhood, so many before.
    Inside { back: u32, sectors: i32 },
}

/// One request of a piece, in codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Token {
    pub op: HostOp,
    /// Entry of `shapes`; 0 for a flush.
    pub shape: u16,
    /// Entry of `gaps_ns`: time since the request before; 0 for the first of a piece, whose gap stands with the order of pieces.
    pub gap: u8,
    /// `Fresh(0)` for a flush.
    pub place: Place,
}
