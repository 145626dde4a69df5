//! Superblocks that reach the hard limit before they are full: closed early, or what fills them goes first.

use super::{Device, Evacuation, Routine, classes_of};
use crate::blocks::{BlockState, WritePoint};
use crate::device::ftl::Ftl;
use crate::reclaim::mover::Order;
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
    pub(super) fn filling_classes(&self, superblock: SuperblockId) -> u32 {
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
    pub(super) fn evacuation_ended(&mut self, superblock: SuperblockId, first: Ppa) {
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

impl Device {
    /// Closes the write point that fills this superblock, so that it can be emptied; the pages left in it stay unused, and
    /// a row that was begun gets the parity of what it holds. That of moves is closed only while nothing is being moved:
    /// what is being moved counts on its space.
    pub(super) fn close_early(&mut self, superblock: SuperblockId) {
        let domain = self.ftl.blocks.split(superblock).0;
        let state = &self.ftl.domain[domain.index()];
        let fills = |point: &WritePoint| point.superblock == superblock && point.has_place();
        let Some(number) = state.points.iter().position(fills) else { return };
        let collector = &state.collector;
        let at_rest = !collector.collects() && collector.reading == 0 && collector.in_flight == 0;
        if !(self.ftl.points.is_of_host(number as u8) || at_rest && state.points[number].gathered.is_empty())
        {
            return;
        }
        self.close_untimed_place(domain, number as u8);
        self.end_row_early(domain, number);
        self.ftl.domain[domain.index()].points[number].close();
        self.observers.recorder.reclaim.closed_early += 1;
        if self.ftl.blocks.has_no_program_under_way(superblock) {
            self.superblock_is_full(superblock);
        } else {
            self.ftl.blocks.set_state(superblock, BlockState::Closing);
        }
    }

    /// A superblock can't wait that isn't full yet: what must end before it is goes before all others.
    pub(super) fn hurry_filling(&mut self, superblock: SuperblockId) {
        for source in self.ftl.plans.sources_of(superblock) {
            if self.ftl.blocks.state(source) == BlockState::Collecting {
                self.hurry(source);
            }
        }
        if self.ftl.filling_classes(superblock) == 0 {
            return;
        }
        let Some(reclaim) = &mut self.ftl.reclaim else { return };
        if !reclaim.urgent.iter().any(|&(other, _)| other == superblock) {
            reclaim.urgent.push((superblock, Cause::ReadReclaim));
        }
        self.note_urgent();
        self.check_collection(self.ftl.blocks.split(superblock).0);
    }

    /// A superblock became full: what of it can't wait is asked about at once.
    pub(in crate::device) fn reclaim_full(&mut self, superblock: SuperblockId) {
        let waited = |reclaim: &super::Reclaim| reclaim.urgent.iter().any(|&(other, _)| other == superblock);
        if !self.ftl.reclaim.as_deref().is_some_and(waited) {
            return;
        }
        self.reclaim_ended(superblock);
        self.ftl.ask_again_about(superblock, |record| record.over_limit && !record.asked);
    }

    /// A block at the hard limit from which all pages were moved away is read on for the stripes of its superblock: then
    /// that moves as a whole.
    pub(super) fn reclaim_behind_evacuation(&mut self, superblock: SuperblockId, number: usize) {
        let ended = |reclaim: &super::Reclaim| reclaim.records[number].evacuation == Evacuation::Ended;
        if self.ftl.redundancy.is_some() && self.ftl.reclaim.as_deref().is_some_and(ended) {
            self.refill(superblock, Routine::InPlace, &Order::InPlace);
            self.ftl.set_all_asked(superblock, true);
            self.observers.recorder.reclaim.by_trigger[1] += 1;
        }
    }

    /// Whether something of this domain can't wait: then its collection doesn't pause.
    #[inline]
    pub(in crate::device) fn has_urgent(&self, domain: DomainId) -> bool {
        self.flash.urgent() != 0
            && self.ftl.reclaim.as_ref().is_some_and(|reclaim| {
                reclaim.urgent.iter().any(|&(superblock, _)| self.ftl.blocks.split(superblock).0 == domain)
            })
    }
}
