//! The reads under way in the loop.

use std::ops::{Index, IndexMut};

use super::NONE;
use crate::host::{HostOp, HostRequest};
use crate::ids::Ppa;
use crate::time::Ns;

/// A read on its way.
#[derive(Clone, Copy)]
pub(super) struct Flight {
    pub request: HostRequest,
    pub id: u64,
    pub arrival: Ns,
    pub measured: bool,
    pub ppa: Ppa,
    pub die: u32,
    /// Time of the cell array for its page.
    pub cell: Ns,
    /// When it entered the drive, and came to its die.
    pub entered: Ns,
    pub at_die: Ns,
    /// Of a command, the head of its next page.
    pub next: u32,
    /// The next read of the same flash page in the same command.
    pub mate: u32,
}

const NO_REQUEST: HostRequest =
    HostRequest { time: Ns::ZERO, op: HostOp::Read, offset: 0, length: 0, flow: 0, stream: 0 };

/// Nothing, until it is written.
pub(super) const NO_FLIGHT: Flight = Flight {
    request: NO_REQUEST,
    id: 0,
    arrival: Ns::ZERO,
    measured: false,
    ppa: Ppa::NONE,
    die: NONE,
    cell: Ns::ZERO,
    entered: Ns::ZERO,
    at_die: Ns::ZERO,
    next: NONE,
    mate: NONE,
};

/// The reads under way, by number.
#[derive(Default)]
pub(super) struct Flights {
    all: Vec<Flight>,
    free: Vec<u32>,
}

impl Flights {
    pub fn insert(&mut self, flight: Flight) -> u32 {
        let number = self.claim(&flight.request);
        self[number] = flight;
        number
    }

    /// A place for a request, which is written there at once; all else there is of another read.
    #[inline(always)]
    pub fn claim(&mut self, request: &HostRequest) -> u32 {
        let number = match self.free.pop() {
            Some(number) => number,
            None => self.grow(),
        };
        self[number].request = *request;
        number
    }

    #[cold]
    fn grow(&mut self) -> u32 {
        self.all.push(NO_FLIGHT);
        (self.all.len() - 1) as u32
    }

    #[inline(always)]
    pub fn remove(&mut self, number: u32) {
        self.free.push(number);
    }

    pub fn clear(&mut self) {
        self.all.clear();
        self.free.clear();
    }

    /// So many were under way at once at most.
    pub fn most(&self) -> usize {
        self.all.len()
    }

    /// Bytes of a flash page that its readers want; a unit that several want moves once.
    #[inline]
    pub fn bytes_of_page(&self, head: u32) -> u32 {
        let first = &self[head];
        let bytes = first.request.length as u32;
        if first.mate == NONE { bytes } else { self.bytes_of_readers(head) }
    }

    #[cold]
    fn bytes_of_readers(&self, head: u32) -> u32 {
        let wanted = |read: u32| self[read].request.length as u32;
        self.readers(head).fold(0, |bytes: u32, read| {
            let before = self.readers(head).take_while(|&other| other != read);
            let moved = before.filter(|&other| self[other].ppa == self[read].ppa).map(wanted).max();
            bytes.saturating_add(wanted(read).saturating_sub(moved.unwrap_or(0)))
        })
    }

    /// The reads of a flash page.
    pub fn readers(&self, head: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(Some(head), |&read| Some(self[read].mate).filter(|&mate| mate != NONE))
    }
}

impl Index<u32> for Flights {
    type Output = Flight;
    #[inline(always)]
    fn index(&self, number: u32) -> &Flight {
        &self.all[number as usize]
    }
}

impl IndexMut<u32> for Flights {
    #[inline(always)]
    fn index_mut(&mut self, number: u32) -> &mut Flight {
        &mut self.all[number as usize]
    }
}
