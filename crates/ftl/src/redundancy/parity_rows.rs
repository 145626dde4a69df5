//! Parity over the dies of a superblock, as in tiny-tail flash (Yan et al., "Tiny-Tail Flash: Near-Perfect Elimination of
//! Garbage Collection Tail Latencies in NAND SSDs", FAST 2017): a read whose die is busy is rebuilt from the rest of its
//! stripe, provided that no other die of the stripe is busy as well.

use super::{BlockedRead, Decision, Redundancy};
use wordline_base::class::Cause;
use wordline_config::redundancy::RebuildWhen;

/// Rebuilds a blocked read if it is of the kind asked for and its own die is the only one of the stripe that is busy.
#[derive(Clone, Copy, Debug)]
pub struct ParityRows {
    when: RebuildWhen,
}

impl ParityRows {
    /// For reads of this kind.
    pub fn new(when: RebuildWhen) -> Self {
        Self { when }
    }
}

impl Redundancy for ParityRows {
    fn blocked(&self, read: &BlockedRead) -> Decision {
        let asked = self.when == RebuildWhen::AnyWait || read.running.cause() == Cause::Gc;
        if asked && read.busy_sources == 0 { Decision::Reconstruct } else { Decision::Wait }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_base::class::Class;
    use wordline_base::ids::{DieId, Ppa};

    #[test]
    fn a_read_is_rebuilt_when_its_own_die_alone_is_busy_with_what_counts() {
        let decide = |when, running, busy_sources| {
            let read = BlockedRead {
                ppa: Ppa(0),
                die: DieId(0),
                running,
                sources: 4,
                busy_sources,
                most_outstanding: 9,
            };
            ParityRows::new(when).blocked(&read) == Decision::Reconstruct
        };
        for (running, for_gc) in [
            (Class::HostProgram, false),
            (Class::GcProgram, true),
            (Class::GcErase, true),
            (Class::ReclaimErase, false),
        ] {
            assert_eq!(decide(RebuildWhen::GcOnly, running, 0), for_gc);
            assert!(decide(RebuildWhen::AnyWait, running, 0));
            assert!(!decide(RebuildWhen::AnyWait, running, 1));
        }
    }
}
