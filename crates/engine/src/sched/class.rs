//! Classes of flash commands: the cause and the kind of operation. Queues, priorities and blame go by class.

use serde::Serialize;

use crate::config::scheme::ClassName;

/// Why a resource is occupied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// A request of the host, its read-modify-write reads included.
    Host,
    /// Garbage collection.
    Gc,
}

impl Cause {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Gc => "gc",
        }
    }
}

/// What a die does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlashOp {
    /// tR, then data out.
    Read,
    /// Data in, then tPROG.
    Program,
    /// tERASE.
    Erase,
}

/// A class of flash commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Class {
    /// Reads for the host.
    HostRead,
    /// Programs for the host.
    HostProgram,
    /// Reads of garbage collection.
    GcRead,
    /// Programs of garbage collection.
    GcProgram,
    /// Erases of garbage collection.
    GcErase,
}

/// Number of classes.
pub const CLASSES: usize = 5;

/// A figure for each class.
pub type ByClass<T> = [T; CLASSES];

impl Class {
    /// Every class, in the order of its number.
    pub const ALL: [Self; CLASSES] =
        [Self::HostRead, Self::HostProgram, Self::GcRead, Self::GcProgram, Self::GcErase];

    /// Its place in a [`ByClass`].
    #[inline]
    pub fn index(self) -> usize {
        self as usize
    }

    /// Why.
    pub fn cause(self) -> Cause {
        match self {
            Self::HostRead | Self::HostProgram => Cause::Host,
            Self::GcRead | Self::GcProgram | Self::GcErase => Cause::Gc,
        }
    }

    /// What.
    #[inline]
    pub fn op(self) -> FlashOp {
        match self {
            Self::HostRead | Self::GcRead => FlashOp::Read,
            Self::HostProgram | Self::GcProgram => FlashOp::Program,
            Self::GcErase => FlashOp::Erase,
        }
    }

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::HostRead => "host_read",
            Self::HostProgram => "host_program",
            Self::GcRead => "gc_read",
            Self::GcProgram => "gc_program",
            Self::GcErase => "gc_erase",
        }
    }
}

impl From<ClassName> for Class {
    fn from(name: ClassName) -> Self {
        match name {
            ClassName::HostRead => Self::HostRead,
            ClassName::HostProgram => Self::HostProgram,
            ClassName::GcRead => Self::GcRead,
            ClassName::GcProgram => Self::GcProgram,
            ClassName::GcErase => Self::GcErase,
        }
    }
}
