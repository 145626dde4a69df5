//! Memory that the system hands out in the order in which it will be written: by a thread of its own, and by the one that writes
//! when that comes too near.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::{Extent, HUGE_PAGE};

/// Memory of tables, in pieces of a huge page.
#[derive(Debug, Default)]
pub struct Handout {
    pieces: Vec<Extent>,
    /// Of each, whether it is handed out.
    is_out: Vec<AtomicBool>,
    /// Pieces that somebody hands out, or has.
    begun: AtomicUsize,
    ended: AtomicBool,
}

impl Handout {
    /// Entries of a table of numbers of four bytes in a piece.
    pub const ENTRIES: usize = HUGE_PAGE / size_of::<u32>();

    /// Adds memory behind the rest; returns the number of its first piece.
    ///
    /// # Safety
    /// It must be a table's until this is dropped.
    pub unsafe fn add(&mut self, extent: Extent) -> usize {
        let first = self.pieces.len();
        self.pieces.extend(extent.pieces(HUGE_PAGE));
        self.is_out.resize_with(self.pieces.len(), AtomicBool::default);
        first
    }

    /// Does something while a thread has the memory handed out, in order, until all of it is or the work has ended. Without a
    /// thread the memory comes when it is waited for, or written.
    pub fn beside<R>(&self, work: impl FnOnce() -> R) -> R {
        std::thread::scope(|scope| {
            if !self.pieces.is_empty() {
                let _ = std::thread::Builder::new().spawn_scoped(scope, || while self.hand_out_next() {});
            }
            let done = work();
            self.ended.store(true, Ordering::Relaxed);
            done
        })
    }

    /// Returns when so many pieces are handed out; hands out the next ones meanwhile.
    pub fn wait_for(&self, pieces: usize) {
        for is_out in self.is_out.iter().take(pieces) {
            while !is_out.load(Ordering::Relaxed) {
                if !self.hand_out_next() {
                    std::thread::yield_now();
                }
            }
        }
    }

    /// Hands out a piece; `false` if none is left.
    fn hand_out_next(&self) -> bool {
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        let (Some(piece), Some(is_out)) = (self.pieces.get(number), self.is_out.get(number)) else {
            return false;
        };
        // SAFETY: who added the piece vouches for its table.
        unsafe { piece.touch(&self.ended) };
        is_out.store(true, Ordering::Relaxed);
        !self.ended.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Table;

    #[test]
    fn what_is_waited_for_is_handed_out_and_holds_what_is_written() {
        let mut first = Table::<u32>::zeroed(3 * Handout::ENTRIES + 17);
        let mut second = Table::<u32>::zeroed(5 * Handout::ENTRIES);
        let mut handout = Handout::default();
        // SAFETY: both tables live until the end of this function.
        let starts = unsafe { [handout.add(Extent::of(&first)), handout.add(Extent::of(&second))] };
        assert_eq!(starts, [0, 4]);
        let is_out = |handout: &Handout, pieces: usize| {
            handout.is_out.iter().take(pieces).all(|is_out| is_out.load(Ordering::Relaxed))
        };
        handout.beside(|| {
            for pieces in [7, 0, 9] {
                handout.wait_for(pieces);
                assert!(is_out(&handout, pieces));
                first.iter_mut().zip(1..).for_each(|(entry, value)| *entry = value);
            }
            second.iter_mut().zip(5..).for_each(|(entry, value)| *entry = value);
            handout.wait_for(usize::MAX);
            assert!(is_out(&handout, 9));
        });
        assert!(first.iter().zip(1..).all(|(&entry, value)| entry == value));
        assert!(second.iter().zip(5..).all(|(&entry, value)| entry == value));
    }

    #[test]
    fn nothing_to_hand_out_is_nothing_to_wait_for() {
        let handout = Handout::default();
        assert_eq!(handout.beside(|| handout.wait_for(3)), ());
    }
}
