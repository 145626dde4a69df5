//! HotR: hot read pages have a copy in a staging space, which serves them while their own chip programs.
//!
//! S. Wu, W. Zhang, B. Mao, H. Jiang, "HotR: Alleviating Read/Write Interference with Hot Read Data Replication for Flash
//! Storage", DATE 2019. Sections are that paper's. `docs/hotr.md` says where it had to be read.

pub mod lists;
mod obstacle;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::awaited::Awaited;
use crate::action::Action;
use crate::events::{Distance, Event, ReadEvent};
use crate::system::{Figure, System};
use crate::view::DriveView;
use crate::watches::Watches;
use lists::{Found, ReadLists};
use obstacle::Obstacle;
use wordline_base::class::Class;
use wordline_base::ids::{DieId, Lpa, Ppa};
use wordline_base::memory::prefetch;
use wordline_base::snapshot::Stored;
use wordline_config::DeviceConfig;
use wordline_config::hotr::{HotrConfig, Staging, TrackedReads};
use wordline_flash::nand::Geometry;
use wordline_ftl::replicate::{Candidate, CopyBudget, CopyLoss, CopyTarget, Reservation, Serving};

/// Bytes of an entry of a list: two offsets, a count and the two links of the list, of 32 bits each. The paper names the
/// fields and no sizes.
pub const ENTRY_BYTES: u64 = 20;

/// Pages whose read is awaited at most.
const MOST_AWAITED: usize = 1024;

/// What it did in the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Counters {
    reads: u64,
    blocked: u64,
    queued_behind: u64,
    redirected: u64,
    redirected_to_busy: u64,
    redirected_to_queued: u64,
    hits: u64,
    misses: u64,
    migrations: u64,
    gave_way: u64,
    invalidated: u64,
}

/// The system.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hotr {
    /// Not state: the run's own.
    #[serde(skip)]
    config: HotrConfig,
    dies: u32,
    dies_per_chip: u32,
    budget: u32,
    lists: ReadLists,
    /// Pages that were read, one bit each; for the share of them that is staged.
    read_pages: Vec<u64>,
    read_count: u32,
    /// Pages to be staged, and the chip in whose list they are.
    awaited: Awaited<u32>,
    /// The same of pages that are on their way to the staging space.
    under_way: BTreeMap<Lpa, u32>,
    counters: Counters,
}

impl Stored for Hotr {
    fn take_up(&mut self, saved: Self) -> Option<()> {
        let fits = (saved.dies, saved.dies_per_chip, saved.budget)
            == (self.dies, self.dies_per_chip, self.budget)
            && saved.lists.fits(&self.lists);
        fits.then(|| *self = Self { config: std::mem::take(&mut self.config), ..saved })
    }
}

impl Hotr {
    /// For a drive.
    pub fn new(config: &HotrConfig, device: &DeviceConfig) -> Self {
        let geometry = Geometry::new(&device.geometry);
        let (dies, per_chip) = (geometry.dies(), geometry.dies_per_chip.max(1));
        let units = geometry.physical_units();
        let budget = match config.staging {
            Staging::Chip => {
                let staging = (config.staging_chips.saturating_mul(per_chip)).min(dies);
                (u64::from(units) * u64::from(staging) / u64::from(dies)) as u32
            }
            Staging::Overprovisioned => {
                (f64::from(units / geometry.units_per_page()) * config.staging_share).floor() as u32
            }
        };
        Self {
            config: config.clone(),
            dies,
            dies_per_chip: per_chip,
            budget,
            lists: ReadLists::new(dies / per_chip, dies, config.list_length),
            read_pages: Vec::new(),
            read_count: 0,
            awaited: Awaited::new(MOST_AWAITED),
            under_way: BTreeMap::new(),
            counters: Counters::default(),
        }
    }

    /// What a read that comes now meets at a die.
    fn met(&self, running: Option<Class>, die: DieId, drive: &DriveView<'_>) -> Option<Obstacle> {
        Obstacle::met(&self.config, running, |kind| drive.waits_ahead(die, kind))
    }

    /// Whether a read that meets this is blocked.
    fn is_blocked(&self, obstacle: Option<Obstacle>) -> bool {
        obstacle.is_some_and(|met| met.blocks(&self.config))
    }

    /// Counts what a read meets; whether it is blocked.
    fn count_obstacle(&mut self, obstacle: Option<Obstacle>) -> bool {
        let blocked = self.is_blocked(obstacle);
        self.counters.blocked += u64::from(blocked);
        self.counters.queued_behind += u64::from(obstacle == Some(Obstacle::Queued));
        blocked
    }

    fn chip_of(&self, die: DieId) -> u32 {
        die.0 / self.dies_per_chip
    }

    /// Pages that may be in the staging space now.
    fn limit(&self) -> usize {
        let of_read = |share: f64| {
            let pages = (f64::from(self.read_count) * share).floor() as u32;
            pages.max(u32::from(share > 0.0))
        };
        let bound = self.config.hot_share.map(of_read).or(self.config.hot_pages);
        bound.map_or(self.budget, |pages| pages.min(self.budget)) as usize
    }

    fn note_page(&mut self, lpa: Lpa, logical_units: u32) {
        if self.read_pages.is_empty() {
            self.read_pages = vec![0; (logical_units as usize).div_ceil(64)];
        }
        if let Some(pages) = self.read_pages.get_mut(lpa.index() / 64) {
            let bit = 1 << (lpa.0 % 64);
            self.read_count += u32::from(*pages & bit == 0);
            *pages |= bit;
        }
    }

    /// Awaits the data of a page that is to be staged.
    fn await_page(&mut self, lpa: Lpa, chip: u32) {
        if !self.under_way.contains_key(&lpa) && !self.awaited.contains(lpa) {
            self.awaited.push(lpa, chip);
        }
    }

    /// Where a page goes that is on this chip; `None` if there is no other.
    fn target(&self, chip: u32, drive: &DriveView<'_>) -> Option<CopyTarget> {
        if self.config.staging == Staging::Chip {
            return Some(CopyTarget::Reserved);
        }
        let elsewhere = |die: &DieId| self.chip_of(*die) != chip && !drive.is_reserved(*die);
        let load = |die: DieId| drive.outstanding().get(die.index()).copied().unwrap_or(u32::MAX);
        let dies = (0..self.dies).map(DieId).filter(elsewhere);
        dies.min_by_key(|&die| (load(die), self.lists.staged_on(die), die.0)).map(CopyTarget::Die)
    }
}

impl System for Hotr {
    fn name(&self) -> &str {
        "hotr"
    }

    fn watches(&self) -> Watches {
        Watches::READ.and(Watches::READ_DONE)
    }

    fn copies(&self) -> CopyBudget {
        if self.budget == 0 { CopyBudget::None } else { CopyBudget::Units(self.budget) }
    }

    fn reservation(&self) -> Reservation {
        match self.config.staging {
            Staging::Overprovisioned => Reservation::default(),
            Staging::Chip => {
                let dies = self.config.staging_chips.saturating_mul(self.dies_per_chip).min(self.dies);
                Reservation { dies: (self.dies - dies..self.dies).map(DieId).collect(), blocks: 0.0 }
            }
        }
    }

    fn fetches_ahead(&self) -> bool {
        true
    }

    fn fetch_for_read(&self, lpa: Lpa, die: DieId, distance: Distance) {
        self.lists.prefetch(self.chip_of(die), lpa, distance);
        if distance == Distance::Far {
            prefetch(&self.read_pages, lpa.index() / 64);
        }
    }

    fn told(&mut self, event: &Event, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        match *event {
            Event::Read(ref read) => self.read(read, drive, actions),
            Event::ReadDone(ref read) => self.read_done(read, drive, actions),
            Event::Copied { lpa, ppa } => self.copied(lpa, ppa, drive, actions),
            Event::CopyMoved { lpa, old, new } => self.copy_moved(lpa, old, new, drive),
            Event::CopyDropped { lpa, ppa, why } => self.copy_dropped(lpa, ppa, why),
            _ => {}
        }
    }

    #[inline]
    fn awaits(&self, lpa: Lpa) -> bool {
        self.awaited.contains(lpa)
    }

    fn serve(&mut self, read: &Serving<'_>, drive: &DriveView<'_>) -> Option<usize> {
        if read.again {
            return read.candidates.iter().position(|candidate| candidate.here);
        }
        let staged = self.lists.staged(read.lpa)?.place;
        let here = read.candidates.iter().position(|candidate| candidate.ppa == staged)?;
        let met = |at: &Candidate| self.met(at.running, at.die, drive);
        let (chip, staging) = (met(read.candidates.first()?), met(read.candidates.get(here)?));
        if !self.is_blocked(chip) {
            // Not for the arbiter, nor for another system: the flash chip serves it, and what it meets there is counted as it comes.
            return Some(0);
        }
        self.count_obstacle(chip);
        self.counters.redirected += 1;
        self.counters.redirected_to_busy += u64::from(staging == Some(Obstacle::Running));
        self.counters.redirected_to_queued += u64::from(staging == Some(Obstacle::Queued));
        self.lists.redirected(read.lpa);
        Some(here)
    }

    /// The lists at their full length.
    fn bytes(&self) -> u64 {
        u64::from(self.config.list_length) * u64::from(self.dies / self.dies_per_chip) * ENTRY_BYTES
    }

    fn figures(&self) -> Vec<Figure> {
        let Counters {
            reads,
            blocked,
            queued_behind,
            redirected,
            redirected_to_busy,
            redirected_to_queued,
            hits,
            misses,
            migrations,
            gave_way,
            invalidated,
        } = self.counters;
        vec![
            ("reads", reads),
            ("blocked", blocked),
            ("queued_behind", queued_behind),
            ("redirected", redirected),
            ("redirected_to_busy", redirected_to_busy),
            ("redirected_to_queued", redirected_to_queued),
            ("list_hits", hits),
            ("list_misses", misses),
            ("migrations", migrations),
            ("gave_way", gave_way),
            ("invalidated", invalidated),
            ("staged_pages", self.lists.staged_pages() as u64),
            ("list_entries", self.lists.entries() as u64),
            ("pages_read", u64::from(self.read_count)),
        ]
    }

    fn window_opens(&mut self) {
        self.counters = Counters::default();
    }
}

impl Hotr {
    fn read(&mut self, read: &ReadEvent, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        let lpa = read.lpa;
        self.counters.reads += 1;
        self.note_page(lpa, drive.logical_units());
        if self.lists.staged(lpa).is_some_and(|staged| staged.place == read.ppa) {
            return;
        }
        let obstacle = self.met(drive.command_before_read(read.ppa), read.die, drive);
        let blocked = self.count_obstacle(obstacle);
        if self.config.track == TrackedReads::Blocked && !blocked {
            return;
        }
        let chip = self.chip_of(read.die);
        match self.lists.read(chip, lpa) {
            Found::Miss(gone) => {
                self.counters.misses += 1;
                if let Some((lpa, ppa)) = gone {
                    self.counters.gave_way += 1;
                    actions.push(Action::DropCopy { lpa, ppa });
                }
            }
            Found::NotStaged(before) => {
                self.counters.hits += 1;
                let migrates = blocked || self.config.migrate == TrackedReads::All;
                // A page that was staged from another chip's list is so still.
                if migrates && before >= self.config.hot_count && self.lists.staged(lpa).is_none() {
                    self.await_page(lpa, chip);
                }
            }
            Found::Staged => self.counters.hits += 1,
        }
    }

    fn read_done(&mut self, read: &ReadEvent, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        let lpa = read.lpa;
        let Some(chip) = self.awaited.take(lpa) else { return };
        let Some(to) = self.target(chip, drive).filter(|_| self.limit() > 0) else { return };
        while self.lists.staged_pages() + self.under_way.len() >= self.limit() {
            let Some((old, ppa)) = self.lists.drop_oldest() else { return };
            self.counters.gave_way += 1;
            actions.push(Action::DropCopy { lpa: old, ppa });
        }
        self.under_way.insert(lpa, chip);
        actions.push(Action::Copy { lpa, to });
    }

    fn copied(&mut self, lpa: Lpa, ppa: Ppa, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        let chip = self.under_way.remove(&lpa).unwrap_or(0);
        self.counters.migrations += 1;
        if !self.lists.stage(chip, lpa, ppa, drive.die_of(ppa)) {
            actions.push(Action::DropCopy { lpa, ppa });
        }
    }

    fn copy_moved(&mut self, lpa: Lpa, old: Ppa, new: Ppa, drive: &DriveView<'_>) {
        self.lists.relocate(lpa, old, new, drive.die_of(new));
    }

    fn copy_dropped(&mut self, lpa: Lpa, ppa: Ppa, why: CopyLoss) {
        if !ppa.is_some() {
            self.under_way.remove(&lpa);
            return;
        }
        let by_host = matches!(why, CopyLoss::Written | CopyLoss::Trimmed);
        self.counters.invalidated += u64::from(by_host);
        self.lists.gone(lpa, ppa, by_host);
    }
}

#[cfg(test)]
mod tests;
