//! Blocks go bad: spares replace them, superblocks are retired, and in the end the drive's life is over.

use crate::work::above::AboveFtl;
use crate::work::collection::collect::want_emptied;
use crate::work::ftl::Ftl;
use serde::{Deserialize, Serialize};

use crate::blocks::EndOfLife;
use crate::blocks::bad::{BadBlocks, BadBlocksReport, Erased};
use crate::blocks::{BlockState, Domains};
use crate::placement::planes_in_order;
use wordline_base::class::Cause;
use wordline_base::ids::{DomainId, PlaneId, Ppa, SuperblockId};
use wordline_config::{DeviceConfig, SchemeConfig};
use wordline_flash::nand::Geometry;

/// What a drive with bad blocks keeps beside their table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WearOut {
    pub bad: BadBlocks,
    /// Superblocks in use that a domain needs at least.
    needed: u32,
    /// Those that each domain has.
    in_use: Vec<u32>,
    /// Numbers of the superblocks of which a program failed, to be emptied when they are full.
    failing: Vec<u32>,
    end: Option<EndOfLife>,
}

/// The bad blocks of a new drive, and what is left.
pub struct BadPlan {
    bad: Option<BadBlocks>,
    in_use: Vec<u32>,
    /// Superblocks in use in the domain that has fewest.
    pub usable: u32,
}

impl BadPlan {
    /// Of a described drive.
    pub fn of(device: &DeviceConfig, scheme: &SchemeConfig, seed: u64) -> Self {
        let geometry = Geometry::new(&device.geometry);
        let plane_at = planes_in_order(&geometry, scheme.placement.order);
        let domains = Domains::new(&geometry, scheme.blocks.superblock, &plane_at);
        Self::new(device, &geometry, &domains, seed)
    }

    fn new(device: &DeviceConfig, geometry: &Geometry, domains: &Domains, seed: u64) -> Self {
        let Some(config) = &device.bad_blocks else {
            return Self { bad: None, in_use: Vec::new(), usable: geometry.blocks_per_plane };
        };
        let mut bad = BadBlocks::new(config, geometry, seed);
        let mut in_use = Vec::new();
        for domain in (0..domains.len() as u32).map(DomainId) {
            let used = bad.usable(domains.planes(domain));
            domains.planes(domain).iter().for_each(|&plane| bad.set_spares(plane, used));
            in_use.push(used);
        }
        Self { usable: in_use.iter().copied().min().unwrap_or(0), in_use, bad: Some(bad) }
    }

    /// Its life begins; a domain needs so many superblocks.
    pub fn start(self, needed: u32) -> Option<Box<WearOut>> {
        let (in_use, failing) = (self.in_use, Vec::new());
        self.bad.map(|bad| Box::new(WearOut { bad, needed, in_use, failing, end: None }))
    }
}

impl Ftl {
    /// Superblocks of a domain that are in use at the start: numbers 0 to one less.
    pub(crate) fn superblocks_in_use(&self, domain: DomainId) -> u32 {
        self.wear_out.as_ref().map_or(self.geometry.blocks_per_plane, |wear| wear.in_use[domain.index()])
    }

    /// Erases of the block of a page: of its physical block, where blocks can be bad, by what each took of its life.
    pub fn cycles_of_block(&self, ppa: Ppa) -> u32 {
        let (plane, block) = self.geometry.block_of(ppa);
        match &self.wear_out {
            Some(wear) => wear.bad.cycles(plane, block),
            None => self.blocks.erase_counts()[self.blocks.of(&self.geometry, ppa).index()],
        }
    }

    /// A program of one plane ended; it may have failed. Its data is safe: the controller keeps it until it is moved
    /// elsewhere with the rest of the superblock, as soon as that is full.
    #[inline]
    pub(crate) fn program_may_fail(&mut self, place: Ppa) {
        if self.wear_out.is_some() {
            let (plane, block) = self.geometry.block_of(place);
            let superblock = self.blocks.of(&self.geometry, place).0;
            if let Some(wear) = &mut self.wear_out
                && wear.bad.program_fails(plane, block)
                && !wear.failing.contains(&superblock)
            {
                wear.failing.push(superblock);
            }
        }
    }

    /// One block was erased; it may go bad.
    #[inline]
    pub(crate) fn erase_may_fail(&mut self, first: Ppa) {
        if let Some(wear) = &mut self.wear_out {
            let (plane, block) = self.geometry.block_of(first);
            let mode = self.blocks.mode(self.blocks.of(&self.geometry, first));
            let erased = wear.bad.erase(plane, block, mode);
            debug_assert!(erased != Erased::Good || wear.bad.backing(plane, block).is_some());
        }
    }

    /// The blocks of a superblock were erased without simulated time.
    pub(crate) fn wear_untimed(&mut self, superblock: SuperblockId) {
        if let Some(wear) = &mut self.wear_out {
            let (domain, block) = self.blocks.split(superblock);
            let mode = self.blocks.mode(superblock);
            for &plane in self.domains.planes(domain) {
                wear.bad.wear(plane, block, mode);
            }
        }
    }

    /// What became of bad blocks; `None` where no block is ever bad.
    pub fn bad_blocks_report(&self) -> Option<BadBlocksReport> {
        self.wear_out.as_ref().map(|wear| wear.bad.report())
    }

    /// Erase counts, and of how many blocks each is that of: of physical blocks, where blocks can be bad; else a superblock's
    /// count stands for all its blocks.
    pub fn erase_counts(&self) -> (&[u32], u32) {
        match &self.wear_out {
            Some(wear) => (wear.bad.all_erases(), 1),
            None => (self.blocks.erase_counts(), self.domains.width()),
        }
    }

    /// The same of the blocks of a plane.
    pub fn erases_of_plane(&self, plane: PlaneId) -> &[u32] {
        match &self.wear_out {
            Some(wear) => wear.bad.erases_of_plane(plane),
            None => self.blocks.view(self.domains.of(plane)).erases,
        }
    }

    /// Checked mode: every superblock in use is whole, no physical block is used twice.
    pub(crate) fn audit_bad_blocks(&self) -> Result<(), String> {
        let Some(wear) = &self.wear_out else { return Ok(()) };
        wear.bad.audit()?;
        for domain in (0..self.domain.len() as u32).map(DomainId) {
            let mut in_use = 0;
            for block in 0..self.geometry.blocks_per_plane {
                let superblock = self.blocks.at(domain, block);
                if self.blocks.state(superblock) == BlockState::Retired {
                    continue;
                }
                in_use += 1;
                if wear.bad.is_lost(self.domains.planes(domain), block) {
                    return Err(format!("{superblock:?} is in use, but one of its blocks is backed by none"));
                }
            }
            if in_use != wear.in_use[domain.index()] {
                return Err(format!("{domain:?} uses {in_use} superblocks, its count says otherwise"));
            }
        }
        Ok(())
    }
}

impl Ftl {
    /// The end of the drive's life, if it has come: no write succeeds any more.
    pub fn end_of_life(&self) -> Option<EndOfLife> {
        self.wear_out.as_ref().and_then(|wear| wear.end)
    }
}

/// A superblock became full: empties it if a program of it failed.
#[inline]
pub(crate) fn empty_if_failing<A: AboveFtl>(above: &mut A, superblock: SuperblockId) {
    if let Some(wear) = &mut above.ftl_mut().wear_out
        && let Some(index) = wear.failing.iter().position(|&other| other == superblock.0)
    {
        wear.failing.swap_remove(index);
        want_emptied(above, superblock, Cause::Gc);
    }
}

/// All blocks of a superblock are erased: retires it, if one was lost. `false` if it is as good as before.
#[inline]
pub(crate) fn retire_if_lost<A: AboveFtl>(above: &mut A, domain: DomainId, superblock: SuperblockId) -> bool {
    above.ftl().wear_out.is_some() && retire(above, domain, superblock)
}

fn retire<A: AboveFtl>(above: &mut A, domain: DomainId, superblock: SuperblockId) -> bool {
    let block = above.ftl().blocks.split(superblock).1;
    let ftl = above.ftl_mut();
    let Some(wear) = &mut ftl.wear_out else { return false };
    wear.failing.retain(|&other| other != superblock.0);
    let planes = ftl.domains.planes(domain);
    if !wear.bad.is_lost(planes, block) {
        return false;
    }
    wear.bad.retire(planes, block);
    wear.in_use[domain.index()] -= 1;
    let over = wear.in_use[domain.index()] < wear.needed;
    ftl.blocks.count_erase(superblock);
    ftl.blocks.set_state(superblock, BlockState::Retired);
    ftl.erase_rows(superblock);
    if over {
        end_life(above);
    }
    true
}

fn end_life<A: AboveFtl>(above: &mut A) {
    let host_units = above.ftl().blocks.view(DomainId(0)).clock;
    let (time_ns, unit) = (above.flash().now().0, u64::from(above.ftl().geometry.unit_bytes));
    if let Some(wear) = &mut above.ftl_mut().wear_out {
        let erases = wear.bad.report().erases;
        wear.end.get_or_insert(EndOfLife { time_ns, host_bytes_written: host_units * unit, erases });
    }
}

/// Space can't be won: at the end of the drive's life, if it lost any superblock. `false` if it lost none.
pub fn ends_for_want_of_space<A: AboveFtl>(above: &mut A) -> bool {
    let lost = above.ftl().wear_out.as_ref().is_some_and(|wear| wear.bad.report().retired_superblocks > 0);
    if lost {
        end_life(above);
    }
    lost
}
