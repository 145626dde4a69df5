//! The reads under way in the lane.

use std::ops::{Index, IndexMut};

use super::{NONE, Taken};
use crate::ids::Ppa;
use crate::time::Ns;

/// A read on its way.
#[derive(Clone, Copy)]
pub(super) struct Flight {
    pub taken: Taken,
    pub ppa: Ppa,
    pub die: u32,
    /// Time of the cell array for its page.
    pub cell: Ns,
    /// When it entered the drive, and came to its die.
    pub entered: Ns,
    pub at_die: Ns,
    /// The next that waits for the same die; of a command, the head of its next page.
    pub next: u32,
    /// The next read of the same flash page in the same command.
    pub mate: u32,
}

/// The reads under way, by number.
#[derive(Default)]
pub(super) struct Flights {
    all: Vec<Flight>,
    free: Vec<u32>,
}

impl Flights {
    #[inline(always)]
    pub fn insert(&mut self, flight: Flight) -> u32 {
        match self.free.pop() {
            Some(number) => {
                self[number] = flight;
                number
            }
            None => {
                self.all.push(flight);
                (self.all.len() - 1) as u32
            }
        }
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
        let bytes = first.taken.request.length as u32;
        if first.mate == NONE { bytes } else { self.bytes_of_readers(head) }
    }

    #[cold]
    fn bytes_of_readers(&self, head: u32) -> u32 {
        let wanted = |read: u32| self[read].taken.request.length as u32;
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
