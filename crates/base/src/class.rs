//! Classes of flash commands: the cause and the kind of operation. Queues, priorities and blame go by class.

use serde::{Deserialize, Serialize};

/// Why a resource is occupied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// A request of the host, its read-modify-write reads included.
    Host,
    /// Garbage collection.
    Gc,
    /// Pages of the map on flash.
    Mapping,
    /// Read reclaim: pages leave a block that was read too often.
    ReadReclaim,
    /// Static wear levelling.
    WearLevelling,
    /// Pages moved at no one's request: to another channel, into an order, out of an SLC-mode cache.
    Migration,
    /// Further copies of pages.
    Replication,
    /// Dirty pages leave the controller's cache.
    WriteBack,
    /// Parity of stripes.
    Parity,
}

/// Number of causes.
pub const CAUSES: usize = 9;

impl Cause {
    /// Every cause, in the order of its number.
    pub const ALL: [Self; CAUSES] = [
        Self::Host,
        Self::Gc,
        Self::Mapping,
        Self::ReadReclaim,
        Self::WearLevelling,
        Self::Migration,
        Self::Replication,
        Self::WriteBack,
        Self::Parity,
    ];

    /// Its place in a table of causes.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Whether pages go from one block to another for it.
    const fn moves(self) -> bool {
        matches!(self, Self::Gc | Self::ReadReclaim | Self::WearLevelling | Self::Migration)
    }

    /// Its name in results.
    #[inline]
    pub fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Gc => "gc",
            Self::Mapping => "mapping",
            Self::ReadReclaim => "read_reclaim",
            Self::WearLevelling => "wear_levelling",
            Self::Migration => "migration",
            Self::Replication => "replication",
            Self::WriteBack => "write_back",
            Self::Parity => "parity",
        }
    }
}

/// What a die does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FlashOp {
    /// tR, then data out.
    Read,
    /// Data in, then tPROG.
    Program,
    /// tERASE.
    Erase,
}

impl FlashOp {
    /// The classes that do this, one bit each.
    #[inline]
    pub fn classes(self) -> u32 {
        const CLASSES_OF: [u32; 3] =
            [Class::mask_of(FlashOp::Read), Class::mask_of(FlashOp::Program), Class::mask_of(FlashOp::Erase)];
        CLASSES_OF[self as usize]
    }
}

/// Classes of which each has one bit, in the order of their numbers.
#[inline]
pub fn classes_in(bits: u32) -> impl Iterator<Item = Class> {
    let mut left = bits & ((1 << CLASSES) - 1);
    std::iter::from_fn(move || {
        let class = Class::ALL.get(left.trailing_zeros() as usize).copied();
        left &= left.wrapping_sub(1);
        class
    })
}

macro_rules! classes {
    ($($(#[$doc:meta])* $class:ident = $name:literal: $cause:ident $op:ident,)*) => {
        /// A class of flash commands.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[repr(u8)]
        pub enum Class {
            $($(#[$doc])* $class,)*
        }

        impl Class {
            /// Every class, in the order of its number.
            pub const ALL: [Self; CLASSES] = [$(Self::$class),*];
            const CAUSE: [Cause; CLASSES] = [$(Cause::$cause),*];
            const OP: [FlashOp; CLASSES] = [$(FlashOp::$op),*];
            const NAME: [&'static str; CLASSES] = [$($name),*];
            const IS_MOVE: [bool; CLASSES] = [$(Cause::$cause.moves()),*];

            const fn mask_of(op: FlashOp) -> u32 {
                let (mut mask, mut index) = (0, 0);
                while index < CLASSES {
                    if Self::OP[index] as u8 == op as u8 {
                        mask |= 1 << index;
                    }
                    index += 1;
                }
                mask
            }
        }

        /// Number of classes.
        pub const CLASSES: usize = [$($name),*].len();
    };
}

// The classes that every drive uses come first: see `ByClass`.
classes! {
    /// Reads for the host.
    HostRead = "host_read": Host Read,
    /// Programs for the host.
    HostProgram = "host_program": Host Program,
    /// Reads of garbage collection.
    GcRead = "gc_read": Gc Read,
    /// Programs of garbage collection.
    GcProgram = "gc_program": Gc Program,
    /// Erases of garbage collection.
    GcErase = "gc_erase": Gc Erase,
    /// Reads of pages of the map.
    MapRead = "map_read": Mapping Read,
    /// Programs of pages of the map.
    MapProgram = "map_program": Mapping Program,
    /// Reads of read reclaim.
    ReclaimRead = "reclaim_read": ReadReclaim Read,
    /// Programs of read reclaim.
    ReclaimProgram = "reclaim_program": ReadReclaim Program,
    /// Erases of read reclaim.
    ReclaimErase = "reclaim_erase": ReadReclaim Erase,
    /// Reads of static wear levelling.
    WearRead = "wear_read": WearLevelling Read,
    /// Programs of static wear levelling.
    WearProgram = "wear_program": WearLevelling Program,
    /// Erases of static wear levelling.
    WearErase = "wear_erase": WearLevelling Erase,
    /// Reads of migration.
    MigrationRead = "migration_read": Migration Read,
    /// Programs of migration.
    MigrationProgram = "migration_program": Migration Program,
    /// Erases of migration.
    MigrationErase = "migration_erase": Migration Erase,
    /// Reads of pages for further copies, where no read of the host brings the data.
    CopyRead = "copy_read": Replication Read,
    /// Programs of further copies.
    CopyProgram = "copy_program": Replication Program,
    /// Reads of what a write-back merges with.
    WriteBackRead = "write_back_read": WriteBack Read,
    /// Programs of write-backs.
    WriteBackProgram = "write_back_program": WriteBack Program,
    /// Programs of parity.
    ParityProgram = "parity_program": Parity Program,
    /// Reads of what a parity is made of.
    ParityRead = "parity_read": Parity Read,
}

/// A figure for each class.
pub type ByClass<T> = [T; CLASSES];

impl Class {
    /// Its place in a [`ByClass`].
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Why.
    #[inline]
    pub const fn cause(self) -> Cause {
        Self::CAUSE[self.index()]
    }

    /// What.
    #[inline]
    pub const fn op(self) -> FlashOp {
        Self::OP[self.index()]
    }

    /// Whether results name it even where nothing of it happened: every drive has it.
    #[inline]
    pub fn is_common(self) -> bool {
        matches!(self.cause(), Cause::Host | Cause::Gc)
    }

    /// Its name in results.
    #[inline]
    pub fn name(self) -> &'static str {
        Self::NAME[self.index()]
    }

    /// Whether it moves pages from one block to another: all that a plan does.
    #[inline]
    pub fn is_move(self) -> bool {
        Self::IS_MOVE[self.index()]
    }

    /// The class that reads for a cause.
    #[inline]
    pub fn read_for(cause: Cause) -> Self {
        match cause {
            Cause::Host => Self::HostRead,
            Cause::Parity => Self::ParityRead,
            Cause::Gc => Self::GcRead,
            Cause::Mapping => Self::MapRead,
            Cause::ReadReclaim => Self::ReclaimRead,
            Cause::WearLevelling => Self::WearRead,
            Cause::Migration => Self::MigrationRead,
            Cause::WriteBack => Self::WriteBackRead,
            Cause::Replication => Self::CopyRead,
        }
    }

    /// The class that programs for a cause.
    #[inline]
    pub fn program_for(cause: Cause) -> Self {
        match cause {
            Cause::Host => Self::HostProgram,
            Cause::Gc => Self::GcProgram,
            Cause::Mapping => Self::MapProgram,
            Cause::ReadReclaim => Self::ReclaimProgram,
            Cause::WearLevelling => Self::WearProgram,
            Cause::Migration => Self::MigrationProgram,
            Cause::Replication => Self::CopyProgram,
            Cause::WriteBack => Self::WriteBackProgram,
            Cause::Parity => Self::ParityProgram,
        }
    }

    /// The class that erases for a cause.
    #[inline]
    pub fn erase_for(cause: Cause) -> Self {
        match cause {
            Cause::ReadReclaim => Self::ReclaimErase,
            Cause::WearLevelling => Self::WearErase,
            Cause::Migration => Self::MigrationErase,
            _ => Self::GcErase,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_names_and_causes_of_the_classes_agree() {
        for (number, class) in Class::ALL.into_iter().enumerate() {
            assert_eq!(class.index(), number);
            let same = match class.op() {
                FlashOp::Read => Class::read_for(class.cause()),
                FlashOp::Program => Class::program_for(class.cause()),
                FlashOp::Erase => Class::erase_for(class.cause()),
            };
            assert_eq!(same, class);
        }
        for (number, cause) in Cause::ALL.into_iter().enumerate() {
            assert_eq!(cause.index(), number);
        }
    }
}
