//! Numbers that are not each other: pages, planes, dies, channels, superblocks.

use serde::{Deserialize, Serialize};

macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// Stands for "none"; never a real number, since a drive has at most 2^32 − 16 units.
            pub const NONE: Self = Self(u32::MAX);

            /// As an index of a table.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// Whether it is a real number.
            #[inline]
            pub fn is_some(self) -> bool {
                self.0 != u32::MAX
            }
        }
    };
}

number! {
    /// Logical page: a mapping unit of the host's address space.
    Lpa
}
impl Lpa {
    /// Stands in the spare area of a page that holds parity; never a real number.
    pub const PARITY: Self = Self(u32::MAX - 2);
}

number! {
    /// Physical page: a mapping unit of flash, numbered plane by plane, block by block, page by page.
    Ppa
}
number! {
    /// Plane, counted through channels, ways, dies and planes (channel-major).
    PlaneId
}
number! {
    /// Die, counted through channels, ways and dies (channel-major).
    DieId
}
number! {
    /// Group of planes whose blocks of one number form a superblock; a single plane where there are no superblocks.
    DomainId
}
number! {
    /// Superblock (a block, where there are no superblocks): domain × blocks of a plane + block number.
    SuperblockId
}
