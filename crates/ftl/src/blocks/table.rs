//! What every superblock holds, column by column.

use serde::{Deserialize, Serialize};

use super::history::{FullOrder, History, Needs};
use wordline_base::ids::{DomainId, PlaneId, Ppa, SuperblockId};
use wordline_base::memory::{prefetch, zeroed_table};
use wordline_flash::nand::{CellMode, Geometry};

/// Stage in the life of a superblock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum BlockState {
    /// Erased.
    #[default]
    Free,
    /// A write point fills it.
    Open,
    /// All pages are allocated, some programs have not ended.
    Closing,
    /// Programmed to its end: a candidate for collection.
    Full,
    /// Its valid pages are being moved away.
    Collecting,
    /// It is being erased.
    Erasing,
    /// It is not in use: spare, or without one of its blocks.
    Retired,
}

/// Set in the column of valid units unless the superblock is [`BlockState::Full`], so that a policy finds the
/// candidates in one scan of one array.
pub const NOT_A_CANDIDATE: u32 = 1 << 30;

/// The superblocks of the drive (blocks, where there are no superblocks).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BlockTable {
    valid: Vec<u32>,
    state: Vec<BlockState>,
    pending: Vec<u32>,
    erases: Vec<u32>,
    /// Superblocks that are free, and the fewest since this was asked last.
    free: u32,
    lowest_free: u32,
    blocks_per_plane: u32,
    capacity: u32,
    least_won: u32,
    domain_of_plane: Vec<u32>,
    /// Mode of each; empty when the device has one mode only.
    mode: Vec<CellMode>,
    /// Whether full superblocks in SLC mode are candidates for collection.
    slc_candidates: bool,
    /// Flash pages of a block in native mode, and in SLC mode.
    rows: [u32; 2],
    history: History,
}

impl BlockTable {
    /// Collecting a superblock must win so many units at least.
    pub fn set_least_won(&mut self, units: u32) {
        self.least_won = units;
    }

    /// All free, for domains of `width` planes, `data` of which hold data in each row.
    pub fn new(geometry: &Geometry, width: u32, data: u32, domain_of: impl Fn(PlaneId) -> DomainId) -> Self {
        let superblocks = (geometry.planes() / width * geometry.blocks_per_plane) as usize;
        Self {
            valid: vec![NOT_A_CANDIDATE; superblocks],
            state: vec![BlockState::Free; superblocks],
            pending: zeroed_table(superblocks),
            erases: zeroed_table(superblocks),
            free: superblocks as u32,
            lowest_free: superblocks as u32,
            blocks_per_plane: geometry.blocks_per_plane,
            capacity: geometry.units_per_block() * data,
            least_won: geometry.units_per_program(),
            history: History::default(),
            domain_of_plane: (0..geometry.planes()).map(|plane| domain_of(PlaneId(plane)).0).collect(),
            mode: Vec::new(),
            slc_candidates: true,
            rows: [geometry.pages_per_block; 2],
        }
    }

    /// Keeps what a policy needs to know of the past. Superblocks that are full already count as full in the order of
    /// their numbers, and as changed just now.
    pub fn keep(&mut self, needs: Needs) {
        let domains = self.len() / self.blocks_per_plane as usize;
        let mut order = FullOrder::new(if needs.full_order { domains } else { 0 }, self.blocks_per_plane);
        if needs.full_order {
            for superblock in (0..self.len() as u32).map(SuperblockId) {
                let (domain, block) = self.split(superblock);
                if self.is_candidate(superblock) {
                    order.push(domain, block);
                }
            }
        }
        self.history.keep(needs, self.len(), order);
    }

    /// The host wrote a unit.
    #[inline]
    pub fn count_host_write(&mut self) {
        self.count_host_writes(1);
    }

    /// The host wrote so many units, none of which was the time of anything that is kept.
    #[inline]
    pub fn count_host_writes(&mut self, units: u64) {
        self.history.tick(units);
    }

    /// Whether it is kept when each superblock changed last.
    pub fn keeps_last_change(&self) -> bool {
        self.history.keeps_last_change()
    }

    /// Superblocks may be opened in SLC mode, with so many flash pages in each block. All are native until then.
    pub fn allow_slc_mode(&mut self, pages: u32) {
        self.mode = vec![CellMode::Native; self.state.len()];
        self.rows[CellMode::Slc as usize] = pages;
    }

    /// Superblocks in SLC mode are no candidates of the GC policy from now on: the SLC cache folds them.
    pub fn keep_slc_from_collection(&mut self) {
        self.slc_candidates = false;
    }

    /// Mapping units of a block in this mode.
    pub fn units_in(&self, mode: CellMode, geometry: &Geometry) -> u32 {
        self.rows[mode as usize] * geometry.units_per_page()
    }

    /// Whether superblocks may be in another mode than the native one.
    #[inline]
    pub fn has_modes(&self) -> bool {
        !self.mode.is_empty()
    }

    /// Mode of a superblock: that in which it was opened last.
    #[inline]
    pub fn mode(&self, superblock: SuperblockId) -> CellMode {
        self.mode.get(superblock.index()).copied().unwrap_or_default()
    }

    /// Flash pages of each block of a superblock, in its mode.
    #[inline]
    pub fn rows(&self, superblock: SuperblockId) -> u32 {
        self.rows[self.mode(superblock) as usize]
    }

    /// A write point opens a superblock in this mode; returns its [rows](Self::rows).
    pub fn open(&mut self, superblock: SuperblockId, mode: CellMode) -> u32 {
        self.set_state(superblock, BlockState::Open);
        if let Some(entry) = self.mode.get_mut(superblock.index()) {
            *entry = mode;
        }
        self.rows(superblock)
    }

    /// Mapping units of a superblock in native mode.
    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    /// Valid units up to which collecting a superblock wins space for sure: less than a flash page won could be lost
    /// again to the last page, which may be filled in part.
    pub fn most_valid(&self) -> u32 {
        self.capacity.saturating_sub(self.least_won)
    }

    /// Superblocks of the drive.
    pub fn len(&self) -> usize {
        self.state.len()
    }

    /// Whether there is none; never for a drive.
    pub fn is_empty(&self) -> bool {
        self.state.is_empty()
    }

    /// The superblock of a page.
    #[inline(always)]
    pub fn of(&self, geometry: &Geometry, ppa: Ppa) -> SuperblockId {
        self.locate(geometry, ppa).1
    }

    /// The domain and the superblock of a page.
    #[inline(always)]
    pub fn locate(&self, geometry: &Geometry, ppa: Ppa) -> (DomainId, SuperblockId) {
        let (plane, block) = geometry.block_of(ppa);
        let domain = DomainId(self.domain_of_plane[plane.index()]);
        (domain, self.at(domain, block))
    }

    /// The superblock with this number in a domain.
    #[inline]
    pub fn at(&self, domain: DomainId, block: u32) -> SuperblockId {
        SuperblockId(domain.0 * self.blocks_per_plane + block)
    }

    /// Domain and block number of a superblock.
    #[inline]
    pub fn split(&self, superblock: SuperblockId) -> (DomainId, u32) {
        (DomainId(superblock.0 / self.blocks_per_plane), superblock.0 % self.blocks_per_plane)
    }

    /// Valid mapping units.
    #[inline]
    pub fn valid(&self, superblock: SuperblockId) -> u32 {
        self.valid[superblock.index()] & !NOT_A_CANDIDATE
    }

    /// Changes the number of valid units and returns the new one.
    #[inline(always)]
    pub fn add_valid(&mut self, superblock: SuperblockId, change: i32) -> u32 {
        let valid = &mut self.valid[superblock.index()];
        *valid = valid.wrapping_add_signed(change);
        let count = *valid & !NOT_A_CANDIDATE;
        if change < 0 {
            self.history.note_change(superblock.index());
        }
        debug_assert!(count <= self.capacity, "valid units of a superblock within its capacity");
        count
    }

    #[inline]
    fn may_be_candidate(&self, superblock: SuperblockId) -> bool {
        self.slc_candidates || self.mode(superblock) == CellMode::Native
    }

    fn is_candidate(&self, superblock: SuperblockId) -> bool {
        self.state(superblock) == BlockState::Full && self.may_be_candidate(superblock)
    }

    /// The superblocks of a domain of a new drive hold so many valid units each, and are full where they hold any; those from
    /// number `in_use` on are not in use.
    pub fn lay_out(&mut self, domain: DomainId, units: &[u32], in_use: u32) {
        let first = self.at(domain, 0);
        let valid = self.valid.iter_mut().skip(first.index());
        for (valid, &units) in valid.zip(units) {
            *valid = units | (*valid & NOT_A_CANDIDATE);
        }
        for (&units, block) in units.iter().zip(0..) {
            let state = match units {
                _ if block >= in_use => BlockState::Retired,
                0 => BlockState::Free,
                _ => BlockState::Full,
            };
            let superblock = SuperblockId(first.0 + block);
            if self.state(superblock) != state {
                self.set_state(superblock, state);
            }
        }
    }

    /// Stage of life.
    #[inline]
    pub fn state(&self, superblock: SuperblockId) -> BlockState {
        self.state[superblock.index()]
    }

    /// Enters a stage of life.
    pub fn set_state(&mut self, superblock: SuperblockId, state: BlockState) {
        let before = std::mem::replace(&mut self.state[superblock.index()], state);
        self.free -= u32::from(before == BlockState::Free);
        self.free += u32::from(state == BlockState::Free);
        self.lowest_free = self.lowest_free.min(self.free);
        let may_be = self.may_be_candidate(superblock);
        if (before == BlockState::Full) != (state == BlockState::Full) && may_be && self.history.is_kept() {
            let (domain, block) = self.split(superblock);
            self.history.note_full(superblock.index(), domain, block, state == BlockState::Full);
        }
        let valid = &mut self.valid[superblock.index()];
        let candidate = state == BlockState::Full && may_be;
        *valid = (*valid & !NOT_A_CANDIDATE) | if candidate { 0 } else { NOT_A_CANDIDATE };
    }

    /// A program (or an erase) of the superblock was allocated.
    #[inline]
    pub fn begin(&mut self, superblock: SuperblockId) {
        self.pending[superblock.index()] += 1;
    }

    /// One ended; returns whether none is left.
    #[inline]
    pub fn end(&mut self, superblock: SuperblockId) -> bool {
        let pending = &mut self.pending[superblock.index()];
        *pending -= 1;
        *pending == 0
    }

    /// Whether no program of it is under way.
    pub fn has_no_program_under_way(&self, superblock: SuperblockId) -> bool {
        self.pending[superblock.index()] == 0
    }

    /// Superblocks that are free.
    pub fn free(&self) -> u32 {
        self.free
    }

    /// The fewest that were free since [`Self::take_lowest_free`].
    pub fn lowest_free(&self) -> u32 {
        self.lowest_free
    }

    /// The same, beginning anew.
    pub fn take_lowest_free(&mut self) -> u32 {
        std::mem::replace(&mut self.lowest_free, self.free)
    }

    /// Counts an erase.
    pub fn count_erase(&mut self, superblock: SuperblockId) {
        self.erases[superblock.index()] += 1;
    }

    /// Erase count of every superblock.
    pub fn erase_counts(&self) -> &[u32] {
        &self.erases
    }

    /// Brings the entry of a superblock towards the caches.
    #[inline]
    pub fn prefetch(&self, superblock: SuperblockId) {
        prefetch(&self.valid, superblock.index());
    }

    /// The same, of its count of programs under way.
    #[inline]
    pub fn prefetch_pending(&self, superblock: SuperblockId) {
        prefetch(&self.pending, superblock.index());
    }

    /// The superblocks of a domain, as a policy sees them.
    pub fn view(&self, domain: DomainId) -> BlockView<'_> {
        let count = self.blocks_per_plane as usize;
        let first = domain.index() * count;
        BlockView {
            first: SuperblockId(first as u32),
            valid: &self.valid[first..first + count],
            state: &self.state[first..first + count],
            erases: &self.erases[first..first + count],
            full_order: self.history.full_order(domain),
            changed: self.history.changed(first..first + count),
            clock: self.history.clock(),
            capacity: self.capacity,
            most_valid: self.most_valid(),
        }
    }
}

/// The superblocks of one domain, read-only. Indices count from `first`.
#[derive(Clone, Copy, Debug)]
pub struct BlockView<'a> {
    /// Number of the first.
    pub first: SuperblockId,
    /// Valid units of each; [`NOT_A_CANDIDATE`] is added unless it is [`BlockState::Full`].
    pub valid: &'a [u32],
    /// Stage of life of each.
    pub state: &'a [BlockState],
    /// Erase count of each.
    pub erases: &'a [u32],
    /// Indices of those that are [`BlockState::Full`], the longest full first. Empty unless the policy asks for it
    /// ([`Needs::full_order`]).
    pub full_order: &'a [u32],
    /// When a unit of each was invalidated last or, if that was later, when it became full; in units written by the
    /// host, as `clock`. Empty unless the policy asks for it ([`Needs::last_change`]).
    pub changed: &'a [u64],
    /// Units that the host has written to the drive, those of its preparation included.
    pub clock: u64,
    /// Units of each.
    pub capacity: u32,
    /// With more valid units than this, collecting one wins less than a flash page: the engine won't do it.
    pub most_valid: u32,
}
