//! Paced collection: the free space that a domain has, or has as good as won, and who may go on at that.
//!
//! Space is counted before a victim is erased, unit by unit as its valid units find new places: partial block cleaning
//! (S. Choudhuri, T. Givargis, "Deterministic service guarantees for NAND flash using partial block cleaning", CODES+ISSS
//! 2008). A write pays for its place with what collection has won, as with the tokens of L.-P. Chang, T.-W. Kuo, S.-W. Lo,
//! "Real-time garbage collection for flash-memory storage systems of real-time embedded systems", ACM TECS 3(4), 2004.

use serde::{Deserialize, Serialize};

use wordline_base::ids::{DomainId, SuperblockId};

/// The rule of every domain, and who waits for it to be asked again.
#[derive(Clone, Debug)]
pub struct Pace {
    /// Virtual free space at which collection rests, mapping units.
    target: u64,
    /// How far below that the host's programs may bring it, mapping units.
    band: u64,
    /// Mapping units of a superblock.
    capacity: u64,
    /// Domains whose virtual free space may have grown while writes waited for it, in this event.
    pub due: Vec<DomainId>,
}

impl Pace {
    /// `free` superblocks of `capacity` units shall be free or as good as won, less `band` units.
    pub fn new(free: u32, band: u64, capacity: u32) -> Self {
        let capacity = u64::from(capacity);
        Self { target: u64::from(free) * capacity, band, capacity, due: Vec::new() }
    }

    /// Virtual free space at which the collection of a domain rests, mapping units; `for_cache` free superblocks are for the SLC
    /// cache only.
    pub fn target(&self, for_cache: u32) -> u64 {
        self.target + u64::from(for_cache) * self.capacity
    }

    /// How far below the target the host's programs may bring the virtual free space, mapping units.
    pub fn band(&self) -> u64 {
        self.band
    }

    /// What a victim counts as won, mapping units: the share of its valid units that it no longer holds, of all its units.
    /// `start` units were valid when it was chosen, `left` are to be given new places.
    pub fn won(&self, start: u32, left: u32) -> u64 {
        match start {
            0 => self.capacity,
            start => self.capacity * u64::from(start - left.min(start)) / u64::from(start),
        }
    }

    /// What a superblock that others empty counts as won, mapping units.
    pub fn whole(&self) -> u64 {
        self.capacity
    }

    /// The domain is asked again at the end of the event.
    pub fn ask_again(&mut self, domain: DomainId) {
        if self.due.last() != Some(&domain) {
            self.due.push(domain);
        }
    }
}

/// What a domain remembers. Everything else follows from its free space and the progress of its victims: in the long run, the
/// floor is the target less the band.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaceLedger {
    /// Victims, and the units that were valid when each was chosen.
    starts: Vec<(SuperblockId, u32)>,
    /// The host's programs may take places while the virtual free space is above this, mapping units; `None` before the first.
    floor: Option<u64>,
    /// Virtual free space when it was looked at last.
    seen: u64,
    /// What was won since the floor rose for it last.
    won: u64,
    /// Whether the policy found nothing to win when it was asked last.
    in_vain: bool,
}

impl PaceLedger {
    /// A victim was chosen that holds so many valid units.
    pub fn begin(&mut self, superblock: SuperblockId, valid: u32) {
        self.starts.push((superblock, valid));
        self.in_vain = false;
    }

    /// A superblock is no victim any more: erased, or given up.
    pub fn end(&mut self, superblock: SuperblockId) {
        self.starts.retain(|&(other, _)| other != superblock);
    }

    /// Units that were valid in a victim when it was chosen; 0 where it was never noted, having none.
    pub fn start_of(&self, superblock: SuperblockId) -> u32 {
        self.starts.iter().find(|start| start.0 == superblock).map_or(0, |start| start.1)
    }

    /// Nothing can be won: the host may take what there is.
    pub fn found_nothing(&mut self) {
        self.in_vain = true;
    }

    /// Whether the host's next program must wait at this virtual free space.
    #[inline]
    pub fn holds(&self, virtual_free: u64) -> bool {
        !self.in_vain && self.floor.is_some_and(|floor| virtual_free <= floor)
    }

    /// Takes notice of the virtual free space. The floor is `goal` but where space was lost at a stroke (a block was retired, a
    /// plan or the SLC cache took a superblock, the drive starts with less): there it begins at what is left, and rises by half
    /// of what is won from then on, so that the host goes on, more slowly, while the rest makes good for the loss.
    pub fn observe(&mut self, virtual_free: u64, goal: u64, band: u64) {
        let floor = self.floor.map_or(goal, |floor| floor.min(goal));
        if virtual_free + band < floor || (self.floor.is_none() && virtual_free < floor) {
            (self.floor, self.seen, self.won) = (Some(virtual_free), virtual_free, 0);
            return;
        }
        self.won += virtual_free.saturating_sub(self.seen);
        self.floor = Some((floor + self.won / 2).min(goal));
        (self.seen, self.won) = (virtual_free, self.won % 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BAND: u64 = 24;

    fn pace() -> Pace {
        Pace::new(3, BAND, 1000)
    }

    /// A domain of one victim after the other, each with so many valid units of a thousand, whose host writes whenever it may
    /// and whose collection moves a unit for each question. Returns the units that both placed, and the least and the most
    /// virtual free space once there was enough.
    fn overload(valid: u32, free_at_start: u64, units: u32) -> (u64, u64, [u64; 2]) {
        let (pace, mut ledger) = (pace(), PaceLedger::default());
        let goal = pace.target(0) - BAND;
        let (mut free, mut left, mut host, mut moved) = (free_at_start, 0, 0, 0);
        let (mut range, mut reached) = ([u64::MAX, 0], false);
        for number in 0..units {
            let victim = SuperblockId(number);
            if left == 0 {
                (free, left) = (free + if number > 0 { pace.whole() } else { 0 }, valid);
                ledger = PaceLedger { starts: vec![(victim, valid)], ..ledger };
            }
            (left, free, moved) = (left - 1, free - 1, moved + 1);
            let space = |free| free + pace.won(valid, left);
            ledger.observe(space(free), goal, BAND);
            while !ledger.holds(space(free)) {
                (free, host) = (free - 1, host + 1);
                ledger.observe(space(free), goal, BAND);
            }
            reached |= space(free) + 1 >= goal;
            if reached {
                range = [range[0].min(space(free)), range[1].max(space(free))];
            }
        }
        (host, moved, range)
    }

    #[test]
    fn the_host_gets_what_the_victims_win_and_no_more() {
        for valid in [100, 500, 800, 950] {
            let (host, moved, [least, most]) = overload(valid, 3000, 200_000);
            let expected = f64::from(1000 - valid) / f64::from(valid);
            let found = host as f64 / moved as f64;
            assert!((found / expected - 1.0).abs() < 0.01, "{valid}: {found} instead of {expected}");
            let goal = pace().target(0) - BAND;
            assert!(least + 1 >= goal && most <= goal + 1, "{valid}: {least} to {most} around {goal}");
        }
    }

    #[test]
    fn a_domain_that_begins_with_too_little_makes_good_while_its_host_goes_on() {
        // Half of what is won goes to the host until the deficit is made good, all of it from then on.
        let deficit = pace().target(0) - BAND - 1500;
        for (units, made_good) in [(4_000, 500), (20_000, deficit)] {
            let (host, moved, _) = overload(800, 1500, units);
            assert!((moved / 4 - made_good).abs_diff(host) < 20, "{host} of {moved}");
        }
    }

    #[test]
    fn nothing_to_win_holds_nobody() {
        let mut ledger = PaceLedger::default();
        ledger.observe(10, 100, BAND);
        assert!(ledger.holds(10));
        ledger.found_nothing();
        assert!(!ledger.holds(10));
        ledger.begin(SuperblockId(3), 5);
        assert!(ledger.holds(10));
    }

    #[test]
    fn a_victim_counts_by_the_share_that_it_gave_up() {
        let (pace, mut ledger) = (pace(), PaceLedger::default());
        ledger.begin(SuperblockId(7), 800);
        assert_eq!(pace.won(ledger.start_of(SuperblockId(7)), 800), 0);
        assert_eq!(pace.won(800, 200), 750);
        assert_eq!(pace.won(800, 900), 0, "more than there were");
        ledger.end(SuperblockId(7));
        assert_eq!(pace.won(ledger.start_of(SuperblockId(7)), 0), 1000);
        assert_eq!((pace.target(0), pace.target(2)), (3000, 5000));
    }
}
