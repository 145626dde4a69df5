//! What goes with a read that begins in the loop: reads of the same flash page, which is read once for all of them, and
//! of other planes, which work together. The choice is that of [a command of the slow path](crate::device::issue).

use super::serve::ActiveReadLoop;
use super::{Flight, NONE};
use crate::ids::{DieId, Ppa};
use crate::time::Ns;

/// A command under construction.
struct Draft {
    head: u32,
    /// The head of its last page.
    last: u32,
    planes: u32,
    /// Planes of the die that are taken, one bit each.
    used: u32,
    /// Most planes that it may have; known from the first further one on that fits.
    most: Option<u32>,
}

impl ActiveReadLoop<'_> {
    /// Takes out of the queue of a die what goes with `head`, which is out of it already: further pages are linked through
    /// `next`, further reads of one page through `mate`. Returns the planes of the command and its time in the cells.
    #[inline(never)]
    pub(super) fn find_partners(&mut self, number: u32, head: u32) -> (u32, Ns) {
        let Flight { ppa: first, mut cell, .. } = self.reads.flights[head];
        if !self.has_partners(number, first) {
            return (1, cell);
        }
        let used = 1 << self.drive.die_of(first).1;
        let mut draft = Draft { head, last: head, planes: 1, used, most: None };
        let mut place = 0;
        for _ in 0..self.drive.rules.window {
            let Some(&candidate) = self.reads.dies[number as usize].waiting.get(place) else { break };
            let page = self.head_of_page(head, candidate.ppa);
            if page != NONE {
                self.share_page(number, page, candidate.read);
            } else if self.is_partner(number, &mut draft, candidate.ppa) {
                cell = cell.max(self.reads.flights[candidate.read].cell);
                self.add_plane(&mut draft, candidate.read);
            } else {
                place += 1;
                continue;
            }
            self.reads.dies[number as usize].waiting.remove(place);
        }
        (draft.planes, cell)
    }

    /// Whether anything that waits may go with a read of this unit: where planes work alone, only reads of its page.
    #[inline]
    fn has_partners(&self, number: u32, unit: Ppa) -> bool {
        let shift = self.drive.geometry.unit_shift;
        let near = self.reads.dies[number as usize].waiting.iter().take(self.drive.rules.window as usize);
        self.drive.planes_together() > 1
            || near.map(|other| other.ppa.0 >> shift).any(|page| page == unit.0 >> shift)
    }

    /// The head in a command of the flash page of a unit; [`NONE`] if the command hasn't it.
    #[inline]
    fn head_of_page(&self, mut head: u32, unit: Ppa) -> u32 {
        let (flights, shift) = (&self.reads.flights, self.drive.geometry.unit_shift);
        while head != NONE && flights[head].ppa.0 >> shift != unit.0 >> shift {
            head = flights[head].next;
        }
        head
    }

    /// Whether a read of another page may go with a command.
    #[inline]
    fn is_partner(&self, number: u32, draft: &mut Draft, unit: Ppa) -> bool {
        let together = self.drive.planes_together();
        if draft.planes >= draft.most.unwrap_or(together) || !self.fits(draft, unit) {
            return false;
        }
        let most = draft.most.unwrap_or_else(|| self.most_planes(number, draft.head).min(together));
        draft.most = Some(most);
        draft.planes < most
    }

    /// As on [the slow path](crate::device::joining).
    fn most_planes(&self, number: u32, head: u32) -> u32 {
        if !self.drive.is_joining_dear() {
            return u32::MAX;
        }
        let dies = &self.reads.dies;
        let waits = |&other: &usize| dies.get(other).is_some_and(|die| !die.waiting.is_empty());
        let beside = self.drive.dies_beside(number as usize).filter(waits).count() as u64;
        let flights = &self.reads.flights;
        let times = [flights[head].cell, self.drive.transfer(flights.bytes_of_page(head))];
        self.drive.planes_worth_joining(DieId(number), beside, times, self.now)
    }

    fn fits(&self, draft: &Draft, unit: Ppa) -> bool {
        let place = |ppa: Ppa| self.drive.geometry.place(ppa);
        let there = place(unit);
        draft.used & (1 << self.drive.geometry.die_of(there.plane).1) == 0
            && self.drive.fit(there, place(self.reads.flights[draft.head].ppa))
    }

    fn add_plane(&mut self, draft: &mut Draft, read: u32) {
        draft.used |= 1 << self.drive.die_of(self.reads.flights[read].ppa).1;
        draft.planes += 1;
        self.reads.flights[draft.last].next = read;
        self.reads.flights[read].next = NONE;
        draft.last = read;
    }

    /// A read goes with another of its page: the two are one page for the die from now on.
    fn share_page(&mut self, number: u32, head: u32, read: u32) {
        let (now, base) = (self.now, self.reads.base);
        let die = &mut self.reads.dies[number as usize];
        let flights = &mut self.reads.flights;
        die.load -= 1;
        die.area += now.since(flights[read].at_die.max(base)).0;
        let last = flights.readers(head).last().unwrap_or(head);
        flights[last].mate = read;
    }
}
