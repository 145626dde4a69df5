//! Bad blocks and their spares. Block numbers stay what they are to everybody else: block b of plane p is *backed by* the
//! physical block r(p, b), and only wear goes by r. At the start r(p, b) is the b-th good block of the plane; the good ones
//! behind those that superblocks use are spares. A block that fails is replaced by a spare when it is empty, at its
//! erase, so that whatever else is kept by block number (reads since the erase, age of the data) starts anew with it.

use rand::Rng;
use serde::{Deserialize, Serialize};

use wordline_base::ids::PlaneId;
use wordline_base::rng::{Xoshiro256PlusPlus, stream};
use wordline_config::bad_blocks::BadBlocksConfig;
use wordline_flash::nand::{CellMode, Geometry};

/// What became of a block that was erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Erased {
    /// It is as good as before.
    Good,
    /// It failed; a spare takes its place.
    Replaced,
    /// It failed, and its plane has no spare left.
    Lost,
}

/// Counts of bad blocks, as in results: over the drive's life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadBlocksReport {
    /// Bad from the factory.
    pub factory: u64,
    /// Blocks that superblocks were made of when the drive was new; the others were bad, spare, or had no partner in each plane.
    pub in_use: u64,
    /// Programs that failed.
    pub failed_programs: u64,
    /// Blocks that went bad in use: after a failed program, by a failed erase, or at the end of their endurance.
    pub grown: u64,
    /// Those that a spare replaced.
    pub replaced: u64,
    /// Superblocks given up because a plane had no spare.
    pub retired_superblocks: u64,
    /// Spares left, all planes together.
    pub spares_left: u64,
    /// Erases of all blocks, those of the drive's preparation included.
    pub erases: u64,
}

/// Wear of physical blocks whose erases count by the mode that they end. In units of which an erase in native mode is as many as a
/// block endures erases in SLC mode, and the other way round.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Wear {
    native: u64,
    slc: u64,
    worn: Vec<u64>,
}

impl Wear {
    fn new(config: &BadBlocksConfig, blocks: usize) -> Option<Self> {
        let (native, slc) = (config.slc_endurance_cycles?.into(), config.endurance_cycles?.into());
        Some(Self { native, slc, worn: vec![0; blocks] })
    }

    fn add(&mut self, block: usize, mode: CellMode) {
        self.worn[block] += if mode == CellMode::Slc { self.slc } else { self.native };
    }

    /// Erases in native mode that wear as much.
    fn cycles(&self, block: usize) -> u32 {
        u32::try_from(self.worn[block] / self.native).unwrap_or(u32::MAX)
    }
}

/// The physical blocks of every plane.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BadBlocks {
    /// Those of the description; it is not stored whole, since it leaves out what has its default.
    spare_blocks_per_plane: u32,
    program_failures: f64,
    erase_failures: f64,
    blocks: u32,
    /// r(p, b), plane by plane.
    backing: Vec<u32>,
    /// Good physical blocks of each plane that back none.
    spares: Vec<Vec<u32>>,
    good: Vec<u32>,
    /// By physical block: erases, and the number of them with which it fails.
    erases: Vec<u32>,
    limits: Vec<u32>,
    wear: Option<Wear>,
    /// By block number: a program failed since the last erase.
    failing: Vec<bool>,
    random: Xoshiro256PlusPlus,
    counts: BadBlocksReport,
}

impl BadBlocks {
    /// Draws the blocks that are bad from the factory, and what each block endures.
    pub fn new(config: &BadBlocksConfig, geometry: &Geometry, seed: u64) -> Self {
        let (planes, blocks) = (geometry.planes(), geometry.blocks_per_plane);
        let mut factory = stream(seed, "bad blocks: factory");
        let (mut backing, mut spares, mut good) = (Vec::new(), Vec::new(), Vec::new());
        for plane in 0..planes {
            let listed = |block| config.factory.contains(&[plane, block]);
            let mut usable: Vec<u32> = (0..blocks)
                .filter(|&block| !(happens(&mut factory, config.factory_share) | listed(block)))
                .collect();
            good.push(usable.len() as u32);
            usable.resize(blocks as usize, u32::MAX);
            backing.extend(usable);
            spares.push(Vec::new());
        }
        let total = planes as usize * blocks as usize;
        let mut endurance = stream(seed, "bad blocks: endurance");
        let limits = config.endurance_cycles.map_or_else(Vec::new, |cycles| {
            let spread = config.endurance_spread;
            (0..total).map(|_| (f64::from(cycles) * (1.0 + spread * normal(&mut endurance))) as u32).collect()
        });
        let found: u64 = good.iter().map(|&good| u64::from(good)).sum();
        Self {
            spare_blocks_per_plane: config.spare_blocks_per_plane,
            program_failures: config.program_failures,
            erase_failures: config.erase_failures,
            blocks,
            backing,
            spares,
            good,
            erases: vec![0; total],
            limits,
            wear: Wear::new(config, total),
            failing: vec![false; total],
            random: stream(seed, "bad blocks: failures"),
            counts: BadBlocksReport { factory: total as u64 - found, ..BadBlocksReport::default() },
        }
    }

    /// Superblocks that can be formed over these planes beside the spares: numbers 0 to one less than this.
    pub fn usable(&self, planes: &[PlaneId]) -> u32 {
        let good = planes.iter().map(|plane| self.good[plane.index()]).min().unwrap_or(0);
        good.saturating_sub(self.spare_blocks_per_plane)
    }

    /// Of a new plane: the blocks behind the first `used` are spares.
    pub fn set_spares(&mut self, plane: PlaneId, used: u32) {
        self.counts.in_use += u64::from(used);
        let first = plane.index() * self.blocks as usize;
        let rest = &mut self.backing[first..][..self.blocks as usize][used as usize..];
        self.spares[plane.index()] = rest.iter().copied().filter(|&block| block != u32::MAX).rev().collect();
        rest.fill(u32::MAX);
    }

    /// The physical block behind a block of a plane; `None` where there is none.
    pub fn backing(&self, plane: PlaneId, block: u32) -> Option<u32> {
        let physical = self.backing[self.index(plane, block)];
        (physical != u32::MAX).then_some(physical)
    }

    fn index(&self, plane: PlaneId, block: u32) -> usize {
        plane.index() * self.blocks as usize + block as usize
    }

    /// Erases of the physical block behind a block.
    pub fn erases(&self, plane: PlaneId, block: u32) -> u32 {
        self.backing(plane, block).map_or(0, |physical| self.erases[self.index(plane, physical)])
    }

    /// The same, those in SLC mode as so many in native mode as wear as much.
    pub fn cycles(&self, plane: PlaneId, block: u32) -> u32 {
        self.backing(plane, block).map_or(0, |physical| self.cycles_of(self.index(plane, physical)))
    }

    fn cycles_of(&self, block: usize) -> u32 {
        self.wear.as_ref().map_or_else(|| self.erases[block], |wear| wear.cycles(block))
    }

    /// Whether a physical block of a plane is bad: it backs none, and is no spare.
    pub fn is_bad(&self, plane: PlaneId, physical: u32) -> bool {
        let backing = &self.backing[self.index(plane, 0)..][..self.blocks as usize];
        !backing.contains(&physical) && !self.spares[plane.index()].contains(&physical)
    }

    /// Erases of every physical block, plane by plane.
    pub fn all_erases(&self) -> &[u32] {
        &self.erases
    }

    /// Those of a plane.
    pub fn erases_of_plane(&self, plane: PlaneId) -> &[u32] {
        let count = self.blocks as usize;
        self.erases.get(plane.index() * count..).and_then(|erases| erases.get(..count)).unwrap_or_default()
    }

    /// A program of this block ended: whether it failed. The block is bad then, once it is empty.
    pub fn program_fails(&mut self, plane: PlaneId, block: u32) -> bool {
        let fails = happens(&mut self.random, self.program_failures);
        if fails {
            let index = self.index(plane, block);
            self.failing[index] = true;
            self.counts.failed_programs += 1;
        }
        fails
    }

    /// A block that was used in this mode was erased without simulated time: it wears, but doesn't fail.
    pub fn wear(&mut self, plane: PlaneId, block: u32, mode: CellMode) {
        if let Some(physical) = self.backing(plane, block) {
            let index = self.index(plane, physical);
            self.erases[index] += 1;
            self.counts.erases += 1;
            if let Some(wear) = &mut self.wear {
                wear.add(index, mode);
            }
        }
    }

    /// A block that was used in this mode was erased; replaces it if it is bad from now on.
    pub fn erase(&mut self, plane: PlaneId, block: u32, mode: CellMode) -> Erased {
        self.wear(plane, block, mode);
        let Some(physical) = self.backing(plane, block) else { return Erased::Lost };
        let (index, worn) = (self.index(plane, block), self.index(plane, physical));
        let drawn = happens(&mut self.random, self.erase_failures);
        let over = self.limits.get(worn).is_some_and(|&limit| self.cycles_of(worn) >= limit);
        if !(std::mem::take(&mut self.failing[index]) | drawn | over) {
            return Erased::Good;
        }
        self.counts.grown += 1;
        match self.spares[plane.index()].pop() {
            Some(spare) => {
                self.backing[index] = spare;
                self.counts.replaced += 1;
                Erased::Replaced
            }
            None => {
                self.backing[index] = u32::MAX;
                Erased::Lost
            }
        }
    }

    /// A superblock is given up: its good blocks become spares of their planes.
    pub fn retire(&mut self, planes: &[PlaneId], block: u32) {
        self.counts.retired_superblocks += 1;
        for &plane in planes {
            let index = self.index(plane, block);
            let physical = std::mem::replace(&mut self.backing[index], u32::MAX);
            if physical != u32::MAX {
                self.spares[plane.index()].insert(0, physical);
            }
        }
    }

    /// Whether a superblock lost a block that nothing replaced.
    pub fn is_lost(&self, planes: &[PlaneId], block: u32) -> bool {
        planes.iter().any(|&plane| self.backing(plane, block).is_none())
    }

    /// The counts now.
    pub fn report(&self) -> BadBlocksReport {
        BadBlocksReport {
            spares_left: self.spares.iter().map(|spares| spares.len() as u64).sum(),
            ..self.counts
        }
    }

    /// No physical block backs two, and none that is spare backs any.
    pub fn audit(&self) -> Result<(), String> {
        for (plane, spares) in self.spares.iter().enumerate() {
            let mut seen = vec![false; self.blocks as usize];
            let backing = &self.backing[plane * self.blocks as usize..][..self.blocks as usize];
            for &physical in backing.iter().chain(spares).filter(|&&physical| physical != u32::MAX) {
                if std::mem::replace(&mut seen[physical as usize], true) {
                    return Err(format!("block {physical} of plane {plane} is used twice"));
                }
            }
        }
        Ok(())
    }
}

/// True with this chance; draws nothing when it is none.
fn happens(random: &mut Xoshiro256PlusPlus, chance: f64) -> bool {
    chance > 0.0 && (random.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64) < chance
}

/// Standard normal but for its tails, which end at ±6: the sum of twelve uniform numbers less six (Irwin–Hall).
fn normal(random: &mut Xoshiro256PlusPlus) -> f64 {
    (0..12).map(|_| (random.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)).sum::<f64>() - 6.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_config::device::GeometryConfig;

    fn geometry() -> Geometry {
        Geometry::new(&GeometryConfig {
            channels: 2,
            ways: 1,
            dies: 1,
            planes: 1,
            blocks: 8,
            pages: 4,
            page_bytes: 4096,
            spare_bytes: 0,
            mapping_unit_bytes: 4096,
            pages_per_program: 1,
        })
    }

    #[test]
    fn blocks_are_backed_by_the_good_ones_in_order_and_the_rest_are_spares() {
        let config = BadBlocksConfig {
            factory: vec![[0, 1], [0, 2], [1, 7]],
            spare_blocks_per_plane: 2,
            erase_failures: 1.0,
            ..BadBlocksConfig::default()
        };
        let mut bad = BadBlocks::new(&config, &geometry(), 1);
        let planes = [PlaneId(0), PlaneId(1)];
        assert_eq!(bad.usable(&planes), 4);
        planes.iter().for_each(|&plane| bad.set_spares(plane, 4));
        let backed =
            |bad: &BadBlocks, plane| (0..8).filter_map(|b| bad.backing(plane, b)).collect::<Vec<_>>();
        assert_eq!(backed(&bad, PlaneId(0)), [0, 3, 4, 5]);
        assert_eq!(backed(&bad, PlaneId(1)), [0, 1, 2, 3]);
        assert_eq!((bad.report().factory, bad.report().spares_left), (3, 2 + 3));
        // Plane 0 has two spares, then superblocks are lost.
        assert_eq!(
            [0, 1, 2].map(|b| bad.erase(PlaneId(0), b, CellMode::Native)),
            [Erased::Replaced, Erased::Replaced, Erased::Lost]
        );
        assert_eq!(backed(&bad, PlaneId(0)), [6, 7, 5]);
        assert!(bad.is_lost(&planes, 2) && !bad.is_lost(&planes, 1));
        bad.retire(&planes, 2);
        assert_eq!((bad.report().grown, bad.report().replaced, bad.report().spares_left), (3, 2, 4));
        assert_eq!(bad.erase(PlaneId(1), 0, CellMode::Native), Erased::Replaced);
        bad.audit().unwrap();
    }

    #[test]
    fn a_block_fails_with_the_erase_at_which_its_endurance_ends() {
        let config = BadBlocksConfig { endurance_cycles: Some(3), ..BadBlocksConfig::default() };
        let mut bad = BadBlocks::new(&config, &geometry(), 1);
        bad.set_spares(PlaneId(0), 7);
        let erased = [0; 4].map(|block| bad.erase(PlaneId(0), block, CellMode::Native));
        assert_eq!(erased, [Erased::Good, Erased::Good, Erased::Replaced, Erased::Good]);
        assert_eq!((bad.cycles(PlaneId(0), 0), bad.report().erases), (1, 4));
    }

    #[test]
    fn an_erase_in_slc_mode_takes_its_share_of_a_blocks_life() {
        let config = BadBlocksConfig {
            endurance_cycles: Some(3),
            slc_endurance_cycles: Some(12),
            ..BadBlocksConfig::default()
        };
        let mut bad = BadBlocks::new(&config, &geometry(), 1);
        bad.set_spares(PlaneId(0), 4);
        let mut lasts = |modes: &[CellMode]| {
            let mut erased = |mode| bad.erase(PlaneId(0), 0, mode);
            modes
                .iter()
                .cycle()
                .take(20)
                .map(|&mode| erased(mode))
                .take_while(|&it| it == Erased::Good)
                .count()
        };
        // With the next one it fails; each goes on with a fresh block then, a spare.
        assert_eq!(lasts(&[CellMode::Native]), 2);
        assert_eq!(lasts(&[CellMode::Slc]), 11);
        assert_eq!(lasts(&[CellMode::Native, CellMode::Slc]), 4);
        bad.wear(PlaneId(0), 0, CellMode::Slc);
        assert_eq!((bad.erases(PlaneId(0), 0), bad.cycles(PlaneId(0), 0)), (1, 0));
    }

    #[test]
    fn factory_blocks_and_endurance_follow_their_distributions() {
        let mut wide = geometry();
        wide.blocks_per_plane = 20_000;
        let config = BadBlocksConfig {
            factory_share: 0.02,
            endurance_cycles: Some(1000),
            endurance_spread: 0.1,
            ..BadBlocksConfig::default()
        };
        let bad = BadBlocks::new(&config, &wide, 7);
        // 40,000 draws: 800 ± 28 (one standard deviation).
        assert!((700..900).contains(&bad.report().factory), "{}", bad.report().factory);
        let mean = bad.limits.iter().map(|&limit| f64::from(limit)).sum::<f64>() / 40_000.0;
        let variance =
            bad.limits.iter().map(|&limit| (f64::from(limit) - mean).powi(2)).sum::<f64>() / 40_000.0;
        assert!((mean - 999.5).abs() < 2.5 && (variance.sqrt() - 100.0).abs() < 2.0, "{mean} {variance}");
    }
}
