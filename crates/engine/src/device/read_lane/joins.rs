//! What goes with a read that begins in the lane: reads of the same flash page, which is read once for all of them, and
//! of other planes, which work together. The choice is that of [a command of the long way](crate::device::issue).

use super::NONE;
use super::serve::Lane;
use crate::ids::Ppa;
use crate::time::Ns;

/// A command under construction.
struct Draft {
    head: u32,
    /// The head of its last page.
    last: u32,
    planes: u32,
    /// Planes of the die that are taken, one bit each.
    used: u32,
}

impl Lane<'_> {
    /// Takes out of the queue of a die what goes with `head`, which is out of it already: further pages are linked through
    /// `next`, further reads of one page through `mate`. Returns the planes of the command and its time in the cells.
    #[inline(never)]
    pub(super) fn find_partners(&mut self, number: u32, head: u32) -> (u32, Ns) {
        let first = self.lane.flights[head].ppa;
        let used = 1 << self.drive.die_of(first).1;
        let mut draft = Draft { head, last: head, planes: 1, used };
        let mut cell = self.lane.flights[head].cell;
        let (mut previous, mut candidate) = (NONE, self.lane.dies[number as usize].first);
        for _ in 0..self.drive.rules.window {
            if candidate == NONE {
                break;
            }
            let after = self.lane.flights[candidate].next;
            let page = self.head_of_page(head, candidate);
            if page != NONE {
                self.share_page(number, page, candidate);
            } else if self.is_partner(&draft, candidate) {
                cell = cell.max(self.lane.flights[candidate].cell);
                self.add_plane(&mut draft, candidate);
            } else {
                (previous, candidate) = (candidate, after);
                continue;
            }
            self.unlink(number, previous, after);
            candidate = after;
        }
        (draft.planes, cell)
    }

    /// The head in a command of the flash page that a read wants; [`NONE`] if the command hasn't it.
    fn head_of_page(&self, mut head: u32, read: u32) -> u32 {
        let (flights, shift) = (&self.lane.flights, self.drive.geometry.unit_shift);
        let page = flights[read].ppa.0 >> shift;
        while head != NONE && flights[head].ppa.0 >> shift != page {
            head = flights[head].next;
        }
        head
    }

    fn is_partner(&self, draft: &Draft, read: u32) -> bool {
        let place = |ppa: Ppa| self.drive.geometry.place(ppa);
        let there = place(self.lane.flights[read].ppa);
        draft.planes < self.drive.planes_together()
            && draft.used & (1 << self.drive.geometry.die_of(there.plane).1) == 0
            && self.drive.fit(there, place(self.lane.flights[draft.head].ppa))
    }

    fn add_plane(&mut self, draft: &mut Draft, read: u32) {
        draft.used |= 1 << self.drive.die_of(self.lane.flights[read].ppa).1;
        draft.planes += 1;
        self.lane.flights[draft.last].next = read;
        self.lane.flights[read].next = NONE;
        draft.last = read;
    }

    /// A read goes with another of its page: the two are one page for the die from now on.
    fn share_page(&mut self, number: u32, head: u32, read: u32) {
        let (now, base) = (self.now, self.lane.base);
        let die = &mut self.lane.dies[number as usize];
        let flights = &mut self.lane.flights;
        die.load -= 1;
        die.area += now.since(flights[read].at_die.max(base)).0;
        let last = flights.readers(head).last().unwrap_or(head);
        flights[last].mate = read;
    }

    /// A read leaves a die's queue: the one before it, or [`NONE`], and the one behind it.
    fn unlink(&mut self, number: u32, previous: u32, after: u32) {
        let die = &mut self.lane.dies[number as usize];
        if previous == NONE {
            die.first = after;
        } else {
            self.lane.flights[previous].next = after;
        }
        if after == NONE {
            die.last = previous;
        }
    }
}
