//! What is known of a cached unit, and its links in two lists.

use serde::{Deserialize, Serialize};

use crate::cache::list::{Link, Links};
use crate::cache::marks::Marks;

/// What is known of a cached unit; it lies in one line of the processor's cache.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[repr(align(64))]
pub(super) struct Unit {
    /// Its page; of a free slot the next free one.
    pub lpa: u32,
    /// The operation that carries it to flash; [`NIL`] when none does.
    pub op: u32,
    pub group: u32,
    /// Of the request that wrote it last.
    pub stream: u16,
    pub marks: Marks,
    /// Among all that are clean, or dirty.
    pub all: Link,
    /// Among the dirty ones of its group; on its way to flash, the number of the write whose program is running (0: none is).
    pub of_group: Link,
    /// Version held, and version in flash (checked mode).
    pub version: u32,
    pub in_flash: u32,
    /// Number of the write that made it dirty.
    pub stamp: u64,
    /// Number of its last use.
    pub used: u64,
    /// One bit for each of the first 64 sectors, set where it is held.
    pub held: u64,
}

/// The links among all.
pub(super) struct All<'a>(pub &'a mut [Unit]);

impl Links for All<'_> {
    #[inline]
    fn link(&self, member: u32) -> Link {
        self.0[member as usize].all
    }

    #[inline]
    fn link_mut(&mut self, member: u32) -> &mut Link {
        &mut self.0[member as usize].all
    }
}

/// Those among the units of a group.
pub(super) struct OfGroup<'a>(pub &'a mut [Unit]);

impl Links for OfGroup<'_> {
    #[inline]
    fn link(&self, member: u32) -> Link {
        self.0[member as usize].of_group
    }

    #[inline]
    fn link_mut(&mut self, member: u32) -> &mut Link {
        &mut self.0[member as usize].of_group
    }
}
