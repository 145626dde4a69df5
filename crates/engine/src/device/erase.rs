//! Superblocks of which nothing is wanted any more are erased, and free.

use super::Device;
use super::ftl::Ftl;
use super::purposes::Purpose;
use crate::blocks::BlockState;
use crate::sched::queue::{Op, OpId};
use wordline_base::class::Class;
use wordline_base::ids::{DomainId, Lpa, SuperblockId};
use wordline_flash::work::submit;

impl Ftl {
    /// Counts an erase and puts the superblock with the other free ones.
    pub(super) fn make_free(&mut self, domain: DomainId, superblock: SuperblockId) {
        self.blocks.count_erase(superblock);
        self.erase_rows(superblock);
        self.blocks.set_state(superblock, BlockState::Free);
        let erases = self.blocks.erase_counts()[superblock.index()];
        self.domain[domain.index()].free.put(superblock, erases);
    }
}

impl Device {
    /// Nothing valid is left in a superblock: erases its blocks.
    pub(super) fn begin_erase(&mut self, superblock: SuperblockId) {
        let (domain, block) = self.ftl.blocks.split(superblock);
        self.ftl.blocks.set_state(superblock, BlockState::Erasing);
        let collector = &mut self.ftl.domain[domain.index()].collector;
        if collector.victim == superblock {
            collector.victim = SuperblockId::NONE;
        }
        let class = Class::erase_for(collector.cause_of(superblock));
        for index in 0..self.ftl.domains.width() as usize {
            let plane = self.ftl.domains.planes(domain)[index];
            let id = self
                .new_op(Op::new(class, self.geometry.first_unit(plane, block, 0)), Purpose::of(Lpa::NONE));
            self.ftl.blocks.begin(superblock);
            submit(self, id);
        }
    }

    /// One block is erased; with the last of its superblock the space is free.
    pub(super) fn block_erased(&mut self, head: OpId) {
        let ppa = self.flash.pool[head].ppa;
        self.flash.pool.remove(head);
        self.reclaim_block_erased(ppa);
        self.ftl.erase_may_fail(ppa);
        if let Some(versions) = &mut self.ftl.versions {
            versions.erase(ppa, self.geometry.units_per_block());
        }
        let superblock = self.ftl.blocks.of(&self.geometry, ppa);
        if !self.ftl.blocks.end(superblock) {
            return;
        }
        let domain = self.ftl.domain_of(ppa);
        self.ftl.note_freed(domain, superblock);
        if !self.retire_if_lost(domain, superblock) {
            self.ftl.make_free(domain, superblock);
        }
        let collector = &mut self.ftl.domain[domain.index()].collector;
        collector.victims.retain(|victim| victim.0 != superblock);
        collector.planned.retain(|victim| victim.0 != superblock);
        self.ftl.domain[domain.index()].pace.end(superblock);
        self.reclaim_ended(superblock);
        self.ftl.forget_in_plans(superblock);
        self.tell_erased(superblock);
        self.tell_map_of_erase();
        self.start_waiting_plans();
        self.release_stalled(domain);
        if self.ftl.rotation.is_some() {
            self.pass_turn(domain);
        }
        self.check_collection(domain);
        self.level_wear(domain);
        if self.rules.past_collection {
            // What the cache kept back may go now.
            self.tend_cache();
        }
    }
}
