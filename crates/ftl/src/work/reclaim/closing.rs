//! Superblocks that reach the hard limit before they are full: closed early, or what fills them goes first.

use super::{Evacuation, Routine, classes_of};
use crate::blocks::{BlockState, WritePoint};
use crate::reclaim::mover::Order;
use crate::work::above::AboveFtl;
use crate::work::collection::collect::check_collection;
use crate::work::counted::Counted;
use crate::work::ftl::Ftl;
use crate::work::parity::rows::end_row_early;
use crate::work::preparation::places::close_untimed_place;
use crate::work::reclaim::{hurry, note_urgent, reclaim_ended, refill};
use crate::work::writes::commit::superblock_is_full;
use wordline_base::class::{Cause, Class, FlashOp};
use wordline_base::ids::{DomainId, Ppa, SuperblockId};

/// One bit for each class that programs.
fn programs() -> u32 {
    let programs = Class::ALL.iter().filter(|class| class.op() == FlashOp::Program);
    programs.fold(0, |mask, class| mask | 1 << class.index())
}

impl Ftl {
    /// The classes of what must end before a superblock is full, or its write point at rest: the programs under way in one
    /// that is closed, the collection that fills one that is open.
    pub(crate) fn filling_classes(&self, superblock: SuperblockId) -> u32 {
        match self.blocks.state(superblock) {
            BlockState::Closing => programs(),
            BlockState::Open => {
                let (domain, _) = self.blocks.split(superblock);
                let state = &self.domain[domain.index()];
                let of_moves = |point: &WritePoint| point.superblock == superblock && point.has_place();
                let fills = state.points.iter().skip(usize::from(self.points.host())).any(of_moves);
                let causes = state.collector.victims.iter().filter(|_| fills).map(|victim| victim.1);
                causes.fold(0, |mask, cause| mask | classes_of(cause))
            }
            _ => 0,
        }
    }
}

impl Ftl {
    /// The blocks of a superblock to which this applies are due again.
    pub(super) fn ask_again_about(
        &mut self,
        superblock: SuperblockId,
        applies: impl Fn(&super::Record) -> bool,
    ) {
        let per_block = self.geometry.units_per_block();
        for number in self.block_numbers(superblock) {
            if let Some(reclaim) = &mut self.reclaim
                && reclaim.records.get(number).is_some_and(&applies)
            {
                reclaim.due.push(Ppa(number as u32 * per_block));
            }
        }
    }

    /// Pages have left a block of a superblock. Where others of its stripes are rebuilt it is read on, and counts.
    pub(crate) fn evacuation_ended(&mut self, superblock: SuperblockId, first: Ppa) {
        let number = (first.0 / self.geometry.units_per_block()) as usize;
        let Some(record) = self.reclaim.as_mut().and_then(|reclaim| reclaim.records.get_mut(number)) else {
            return;
        };
        if record.evacuation == Evacuation::UnderWay {
            record.evacuation = Evacuation::Ended;
            let over_limit = record.over_limit;
            if over_limit && self.redundancy.is_some() && self.blocks.state(superblock) == BlockState::Full {
                self.ask_again_about(superblock, |record| {
                    record.over_limit && record.evacuation == Evacuation::Ended
                });
            }
        }
    }
}

/// Closes the write point that fills this superblock, so that it can be emptied; the pages left in it stay unused, and
/// a row that was begun gets the parity of what it holds. That of moves is closed only while nothing is being moved:
/// what is being moved counts on its space.
pub(crate) fn close_early<A: AboveFtl>(above: &mut A, superblock: SuperblockId) {
    let domain = above.ftl().blocks.split(superblock).0;
    let state = &above.ftl().domain[domain.index()];
    let fills = |point: &WritePoint| point.superblock == superblock && point.has_place();
    let Some(number) = state.points.iter().position(fills) else { return };
    let collector = &state.collector;
    let at_rest = !collector.collects() && collector.reading == 0 && collector.in_flight == 0;
    if !(above.ftl().points.is_of_host(number as u8) || at_rest && state.points[number].gathered.is_empty()) {
        return;
    }
    close_untimed_place(above, domain, number as u8);
    end_row_early(above, domain, number);
    above.ftl_mut().domain[domain.index()].points[number].close();
    above.counted(Counted::ClosedEarly);
    if above.ftl().blocks.has_no_program_under_way(superblock) {
        superblock_is_full(above, superblock);
    } else {
        above.ftl_mut().blocks.set_state(superblock, BlockState::Closing);
    }
}

/// A superblock can't wait that isn't full yet: what must end before it is goes before all others.
pub(crate) fn hurry_filling<A: AboveFtl>(above: &mut A, superblock: SuperblockId) {
    for source in above.ftl().plans.sources_of(superblock) {
        if above.ftl().blocks.state(source) == BlockState::Collecting {
            hurry(above, source);
        }
    }
    if above.ftl().filling_classes(superblock) == 0 {
        return;
    }
    let Some(reclaim) = &mut above.ftl_mut().reclaim else { return };
    if !reclaim.urgent.iter().any(|&(other, _)| other == superblock) {
        reclaim.urgent.push((superblock, Cause::ReadReclaim));
    }
    note_urgent(above);
    let domain = above.ftl().blocks.split(superblock).0;
    check_collection(above, domain);
}

/// A superblock became full: what of it can't wait is asked about at once.
pub(crate) fn reclaim_full<A: AboveFtl>(above: &mut A, superblock: SuperblockId) {
    let waited = |reclaim: &super::Reclaim| reclaim.urgent.iter().any(|&(other, _)| other == superblock);
    if !above.ftl().reclaim.as_deref().is_some_and(waited) {
        return;
    }
    reclaim_ended(above, superblock);
    above.ftl_mut().ask_again_about(superblock, |record| record.over_limit && !record.asked);
}

/// A block at the hard limit from which all pages were moved away is read on for the stripes of its superblock: then
/// that moves as a whole.
pub(crate) fn reclaim_behind_evacuation<A: AboveFtl>(above: &mut A, superblock: SuperblockId, number: usize) {
    let ended = |reclaim: &super::Reclaim| reclaim.records[number].evacuation == Evacuation::Ended;
    if above.ftl().redundancy.is_some() && above.ftl().reclaim.as_deref().is_some_and(ended) {
        refill(above, superblock, Routine::InPlace, &Order::InPlace);
        above.ftl_mut().set_all_asked(superblock, true);
        above.counted(Counted::Reclaims { over_limit: true });
    }
}

/// Whether something of this domain can't wait: then its collection doesn't pause.
#[inline]
pub(crate) fn has_urgent<A: AboveFtl>(above: &A, domain: DomainId) -> bool {
    above.flash().urgent() != 0
        && above.ftl().reclaim.as_ref().is_some_and(|reclaim| {
            reclaim.urgent.iter().any(|&(superblock, _)| above.ftl().blocks.split(superblock).0 == domain)
        })
}
