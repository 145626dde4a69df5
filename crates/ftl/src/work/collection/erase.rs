//! Superblocks of which nothing is wanted any more are erased, and free.

use crate::blocks::BlockState;
use crate::events::Event;
use crate::work::above::AboveFtl;
use crate::work::collection::collect::check_collection;
use crate::work::collection::rotating::pass_turn;
use crate::work::collection::wear::level_wear;
use crate::work::collection::wear_out::retire_if_lost;
use crate::work::ftl::Ftl;
use crate::work::plans::start_waiting_plans;
use crate::work::purposes::Purpose;
use crate::work::purposes::new_op;
use crate::work::reclaim::{reclaim_block_erased, reclaim_ended};
use crate::work::translation::look_ups::tell_map_of_erase;
use crate::work::writes::places::release_stalled;
use wordline_base::class::Class;
use wordline_base::ids::{DomainId, Lpa, SuperblockId};
use wordline_flash::sched::queue::{Op, OpId};
use wordline_flash::work::submit;

impl Ftl {
    /// Counts an erase and puts the superblock with the other free ones.
    pub(crate) fn make_free(&mut self, domain: DomainId, superblock: SuperblockId) {
        self.blocks.count_erase(superblock);
        self.erase_rows(superblock);
        self.blocks.set_state(superblock, BlockState::Free);
        let erases = self.blocks.erase_counts()[superblock.index()];
        self.domain[domain.index()].free.put(superblock, erases);
    }
}

/// Nothing valid is left in a superblock: erases its blocks.
pub(crate) fn begin_erase<A: AboveFtl>(above: &mut A, superblock: SuperblockId) {
    let (domain, block) = above.ftl().blocks.split(superblock);
    above.ftl_mut().blocks.set_state(superblock, BlockState::Erasing);
    let collector = &mut above.ftl_mut().domain[domain.index()].collector;
    if collector.victim == superblock {
        collector.victim = SuperblockId::NONE;
    }
    let class = Class::erase_for(collector.cause_of(superblock));
    for index in 0..above.ftl().domains.width() as usize {
        let plane = above.ftl().domains.planes(domain)[index];
        let op = Op::new(class, above.ftl().geometry.first_unit(plane, block, 0));
        let id = new_op(above, op, Purpose::of(Lpa::NONE));
        above.ftl_mut().blocks.begin(superblock);
        submit(above, id);
    }
}

/// One block is erased; with the last of its superblock the space is free.
pub fn block_erased<A: AboveFtl>(above: &mut A, head: OpId) {
    let ppa = above.flash().pool[head].ppa;
    above.flash_mut().pool.remove(head);
    reclaim_block_erased(above, ppa);
    above.ftl_mut().erase_may_fail(ppa);
    let ftl = above.ftl_mut();
    let units = ftl.geometry.units_per_block();
    if let Some(sequences) = ftl.sequences() {
        sequences.erase(ppa, units);
    }
    let superblock = above.ftl().blocks.of(&above.ftl().geometry, ppa);
    if !above.ftl_mut().blocks.end(superblock) {
        return;
    }
    let domain = above.ftl().domain_of(ppa);
    above.ftl_mut().note_freed(domain, superblock);
    if !retire_if_lost(above, domain, superblock) {
        above.ftl_mut().make_free(domain, superblock);
    }
    let collector = &mut above.ftl_mut().domain[domain.index()].collector;
    collector.victims.retain(|victim| victim.0 != superblock);
    collector.planned.retain(|victim| victim.0 != superblock);
    above.ftl_mut().domain[domain.index()].pace.end(superblock);
    reclaim_ended(above, superblock);
    above.ftl_mut().forget_in_plans(superblock);
    above.tell(&Event::Erased(superblock));
    tell_map_of_erase(above);
    start_waiting_plans(above);
    release_stalled(above, domain);
    if above.ftl().rotation.is_some() {
        pass_turn(above, domain);
    }
    check_collection(above, domain);
    level_wear(above, domain);
    if above.ftl().rules.past_collection {
        // What the cache kept back may go now.
        above.plane_is_free();
    }
}
