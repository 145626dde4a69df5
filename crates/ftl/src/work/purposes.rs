//! What operations are for: kept beside those of the flash, which know no logical page and no request, by the same numbers.

use crate::work::above::AboveFtl;
use serde::{Deserialize, Serialize};

use wordline_base::ids::{Lpa, Ppa};
use wordline_flash::sched::queue::{NONE, Op, OpId};

/// Whose work an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum For {
    /// A request of the host, by its number inside the drive.
    Host(u32),
    /// A read that is rebuilt from its stripe: its time is blamed as that of a request.
    Rebuild(u32),
    /// A plan of a system or of read reclaim, by its number.
    Plan(u32),
    /// The map's pages.
    Map,
    /// The drive; its class says all that is to be known.
    Drive,
}

impl For {
    /// Whether its time is part of a response time.
    #[inline]
    pub fn is_waited_for(self) -> bool {
        matches!(self, Self::Host(_) | Self::Rebuild(_))
    }

    /// The request, if it is the host's.
    #[inline]
    pub fn host(self) -> Option<u32> {
        if let Self::Host(number) = self { Some(number) } else { None }
    }

    /// The same, [`NONE`] if it is none of the host's.
    #[inline]
    pub fn request(self) -> u32 {
        self.host().unwrap_or(NONE)
    }

    /// The read that is rebuilt, if it is for one.
    #[inline]
    pub fn rebuild(self) -> Option<u32> {
        if let Self::Rebuild(number) = self { Some(number) } else { None }
    }
}

/// What an operation is for.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Purpose {
    /// Whose work it does.
    pub whose: For,
    /// Logical page.
    pub lpa: Lpa,
    /// The page that this program replaced, once it is committed.
    pub replaced: Ppa,
    /// Slot of the data cache whose unit this takes to flash, or took as long as the cache says so; [`NONE`] where it is
    /// none.
    pub slot: u32,
    /// What whoever made it wants to know of it again.
    pub tag: u32,
    /// Write point of a program.
    pub point: u8,
    /// A write of a part of a unit, whose old content must be read first.
    pub partial: bool,
    /// Systems were told that the host looked its page up.
    pub accessed: bool,
}

impl Purpose {
    /// Of the drive's own work on a logical page.
    #[inline]
    pub fn of(lpa: Lpa) -> Self {
        Self {
            whose: For::Drive,
            lpa,
            replaced: Ppa::NONE,
            slot: NONE,
            tag: 0,
            point: 0,
            partial: false,
            accessed: false,
        }
    }

    /// Of a request of the host.
    #[inline]
    pub fn of_host(request: u32, lpa: Lpa) -> Self {
        Self { whose: For::Host(request), ..Self::of(lpa) }
    }
}

/// What each operation is for, by its number.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Purposes(Vec<Purpose>);

impl Purposes {
    /// That of an operation just taken in.
    #[inline]
    fn put(&mut self, id: OpId, purpose: Purpose) {
        if self.0.len() <= id as usize {
            self.0.resize(id as usize + 1, Purpose::of(Lpa::NONE));
        }
        self.0[id as usize] = purpose;
    }
}

impl std::ops::Index<OpId> for Purposes {
    type Output = Purpose;
    #[inline]
    fn index(&self, id: OpId) -> &Purpose {
        &self.0[id as usize]
    }
}

impl std::ops::IndexMut<OpId> for Purposes {
    #[inline]
    fn index_mut(&mut self, id: OpId) -> &mut Purpose {
        &mut self.0[id as usize]
    }
}

/// Takes an operation in, and what it is for.
#[inline(always)]
pub fn new_op<A: AboveFtl>(above: &mut A, op: Op, purpose: Purpose) -> OpId {
    let id = above.flash_mut().pool.insert(Op {
        waited_for: purpose.whose.is_waited_for(),
        for_write: purpose.partial,
        ..op
    });
    above.ftl_mut().purposes.put(id, purpose);
    id
}
