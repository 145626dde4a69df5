//! Garbage collection at work: victims are read ahead, their valid units programmed elsewhere in the same domain, and
//! erased when the last of them is safe.

use super::Device;
use crate::blocks::BlockState;
use crate::gc::VictimPolicy;
use crate::ids::{DomainId, Lpa, Ppa, SuperblockId};
use crate::sched::class::{Cause, Class};
use crate::sched::queue::{NONE, Op, OpId};

/// Rows of a victim that are looked up ahead of their reads.
const LOOK_AHEAD: u32 = 8;

impl Device {
    /// Starts or continues the collection of a domain where it is needed.
    #[inline]
    pub(super) fn check_collection(&mut self, domain: DomainId) {
        let state = &mut self.domain[domain.index()];
        if (state.free.len() as u32) < self.thresholds.trigger {
            state.collector.active = true;
        }
        if state.collector.active {
            self.advance_collection(domain);
        }
    }

    /// Chooses victims and reads ahead, as far as the thresholds and the space allow.
    pub(super) fn advance_collection(&mut self, domain: DomainId) {
        while self.domain[domain.index()].collector.active {
            if !self.domain[domain.index()].collector.victim.is_some() {
                if !self.next_victim(domain) {
                    break;
                }
            } else if !self.read_victim(domain) {
                break;
            }
        }
        let collector = &self.domain[domain.index()].collector;
        let nothing_to_come = collector.reading == 0 && !collector.victim.is_some();
        if nothing_to_come && !collector.gathered.is_empty() {
            self.program_gathered(domain);
        }
    }

    /// Takes the next victim; `false` when none is needed, possible or affordable now.
    fn next_victim(&mut self, domain: DomainId) -> bool {
        let state = &mut self.domain[domain.index()];
        if state.free.len() as u32 + state.collector.victims >= self.thresholds.stop {
            state.collector.active = false;
            return false;
        }
        let Some(superblock) = self.choose_victim(domain) else {
            self.domain[domain.index()].collector.active = false;
            return false;
        };
        let valid = self.blocks.valid(superblock);
        let page = self.geometry.units_per_page();
        let state = &mut self.domain[domain.index()];
        // Only one victim may be under way unless the space for the next is certain: of the free superblocks the host
        // leaves the reserve only.
        let pages_left = state.gc.pages_left(self.domains.width()) * self.geometry.units_per_page();
        let kept = (state.free.len() as u64).min(u64::from(self.thresholds.reserve));
        let room = u64::from(pages_left) + kept * u64::from(self.blocks.capacity());
        let collector = &state.collector;
        if (collector.victims > 0 || collector.reading > 0)
            && u64::from(valid + state.collector.reading + page) > room
        {
            return false;
        }
        self.recorder.gc.victims += 1;
        let collector = &mut state.collector;
        collector.victims += 1;
        (collector.victim, collector.row, collector.column) = (superblock, 0, 0);
        self.blocks.set_state(superblock, BlockState::Collecting);
        if valid == 0 {
            self.begin_erase(superblock);
        }
        true
    }

    /// Asks the policy; `None` when nothing would be won by collecting.
    pub(super) fn choose_victim(&mut self, domain: DomainId) -> Option<SuperblockId> {
        let superblock = self.gc.choose(&self.blocks.view(domain))?;
        let inside = superblock.index() < self.blocks.len() && self.blocks.split(superblock).0 == domain;
        if !inside || self.blocks.state(superblock) != BlockState::Full {
            self.fail(format!(
                "the GC policy chose {superblock:?}, which is not a full superblock of {domain:?}"
            ));
            return None;
        }
        // Less than a flash page won could be lost again to the last page, which may be filled in part.
        let page = self.geometry.units_per_page();
        (self.blocks.valid(superblock) + page <= self.blocks.capacity()).then_some(superblock)
    }

    /// Sends reads of the victim's valid units; `false` when enough are under way.
    fn read_victim(&mut self, domain: DomainId) -> bool {
        let (superblock, row, column) = {
            let collector = &self.domain[domain.index()].collector;
            // A row that was begun is read to its end, so that its planes can be read together.
            if collector.in_flight >= self.thresholds.read_ahead && collector.column == 0 {
                return false;
            }
            (collector.victim, collector.row, collector.column)
        };
        if row == self.blocks.rows(superblock) {
            self.domain[domain.index()].collector.victim = SuperblockId::NONE;
            return true;
        }
        let block = self.blocks.split(superblock).1;
        let plane = self.domains.planes(domain)[column as usize];
        if row + LOOK_AHEAD < self.geometry.pages_per_block {
            self.prefetch_page(self.geometry.first_unit(plane, block, row + LOOK_AHEAD));
        }
        let page = self.geometry.first_unit(plane, block, row);
        let collector = &mut self.domain[domain.index()].collector;
        collector.column += 1;
        if collector.column == self.domains.width() {
            (collector.row, collector.column) = (row + 1, 0);
        }
        self.read_page_to_move(domain, page);
        true
    }

    fn prefetch_page(&self, page: Ppa) {
        for unit in 0..self.geometry.units_per_page() {
            let lpa = self.oob.lpa(Ppa(page.0 + unit), &self.layout);
            self.map.prefetch(u64::from(lpa.0));
        }
    }

    /// The logical page that a physical page holds, if it is still wanted.
    pub(super) fn valid_lpa(&self, ppa: Ppa) -> Option<Lpa> {
        let lpa = self.oob.lpa(ppa, &self.layout);
        (lpa.0 < self.logical_units && self.lookup(lpa) == ppa).then_some(lpa)
    }

    fn read_page_to_move(&mut self, domain: DomainId, page: Ppa) {
        if self.copybacks.supported && self.copy_back(domain, page) {
            return;
        }
        let (mut head, mut units) = (NONE, 0);
        for ppa in (page.0..page.0 + self.geometry.units_per_page()).map(Ppa) {
            if let Some(lpa) = self.valid_lpa(ppa) {
                let bytes = self.geometry.unit_bytes;
                let id = self.pool.insert(Op { source: ppa, bytes, ..Op::new(Class::GcRead, lpa, ppa) });
                units += 1;
                if head == NONE {
                    head = id;
                } else {
                    self.pool.chain(head, id);
                }
            }
        }
        if head != NONE {
            let collector = &mut self.domain[domain.index()].collector;
            collector.in_flight += units;
            collector.reading += units;
            self.enqueue(head);
        }
    }

    /// A unit to be moved was overwritten or trimmed before it was read.
    pub(super) fn gc_unit_dropped(&mut self, ppa: Ppa) {
        let domain = self.domain_of(ppa);
        let collector = &mut self.domain[domain.index()].collector;
        collector.in_flight -= 1;
        collector.reading -= 1;
        self.advance_collection(domain);
    }

    /// A unit to be moved is in the controller: gives it its new place. Its flash page is programmed when the whole
    /// superpage is there.
    pub(super) fn unit_read_for_move(&mut self, unit: OpId) {
        let Op { lpa, ppa, .. } = self.pool[unit];
        let domain = self.domain_of(ppa);
        if self.lookup(lpa) != ppa {
            // Overwritten or trimmed while it was read: nothing left to move.
            self.pool.remove(unit);
            let collector = &mut self.domain[domain.index()].collector;
            collector.in_flight -= 1;
            collector.reading -= 1;
            return;
        }
        let units_per_page = self.geometry.units_per_page();
        self.pool[unit].class = Class::GcProgram;
        self.pool[unit].order = 0;
        let state = &mut self.domain[domain.index()];
        state.collector.reading -= 1;
        state.live += 1;
        if state.gc.open_page != NONE {
            let ppa = Ppa(state.gc.page.0 + state.gc.filled);
            state.gc.filled += 1;
            let head = state.gc.open_page;
            self.pool[unit].ppa = ppa;
            self.pool.chain(head, unit);
        } else {
            let page = self.take_page(domain, Cause::Gc);
            self.pool[unit].ppa = page;
            let state = &mut self.domain[domain.index()];
            (state.gc.open_page, state.gc.filled) = (unit, 1);
            state.collector.gathered.push(unit);
        }
        let state = &mut self.domain[domain.index()];
        if state.gc.filled == units_per_page {
            state.gc.open_page = NONE;
            if state.gc.at_row_start() {
                self.program_gathered(domain);
            }
        }
    }

    /// Queues the programs of what was gathered; a flash page that is filled in part stays so.
    pub(super) fn program_gathered(&mut self, domain: DomainId) {
        let state = &mut self.domain[domain.index()];
        state.gc.open_page = NONE;
        let mut gathered = std::mem::take(&mut state.collector.gathered);
        for head in gathered.drain(..) {
            self.enqueue(head);
        }
        self.domain[domain.index()].collector.gathered = gathered;
    }

    /// Nothing valid is left in a superblock: erases its blocks.
    pub(super) fn begin_erase(&mut self, superblock: SuperblockId) {
        let (domain, block) = self.blocks.split(superblock);
        self.blocks.set_state(superblock, BlockState::Erasing);
        let collector = &mut self.domain[domain.index()].collector;
        if collector.victim == superblock {
            collector.victim = SuperblockId::NONE;
        }
        for index in 0..self.domains.width() as usize {
            let plane = self.domains.planes(domain)[index];
            let id = self.pool.insert(Op::new(Class::GcErase, Lpa::NONE, self.block_start(plane, block)));
            self.blocks.begin(superblock);
            self.enqueue(id);
        }
    }

    /// One block is erased; with the last of its superblock the space is free.
    pub(super) fn block_erased(&mut self, head: OpId) {
        let ppa = self.pool[head].ppa;
        self.pool.remove(head);
        if let Some(versions) = &mut self.versions {
            versions.erase(ppa, self.geometry.units_per_block());
        }
        let superblock = self.blocks.of(&self.geometry, ppa);
        if !self.blocks.end(superblock) {
            return;
        }
        let domain = self.domain_of(ppa);
        self.make_free(domain, superblock);
        self.domain[domain.index()].collector.victims -= 1;
        self.release_stalled(domain);
        self.check_collection(domain);
    }

    /// Counts an erase and puts the superblock behind the other free ones.
    pub(super) fn make_free(&mut self, domain: DomainId, superblock: SuperblockId) {
        self.blocks.count_erase(superblock);
        self.blocks.set_state(superblock, BlockState::Free);
        self.domain[domain.index()].free.push_back(superblock);
    }
}
