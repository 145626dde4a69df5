//! Maps of blocks: each logical block has its pages in order in one data block, and what was changed since in log blocks.
//!
//! - Block map: a change begins a replacement block, into which the pages before and behind it are copied.
//! - BAST: J. Kim, J. M. Kim, S. H. Noh, S. L. Min, Y. Cho, "A space-efficient flash translation layer for CompactFlash
//!   systems", IEEE Transactions on Consumer Electronics 48(2), 2002.
//! - FAST: S.-W. Lee, D.-J. Park, T.-S. Chung, D.-H. Lee, S. Park, H.-J. Song, "A log buffer-based flash translation layer
//!   using fully-associative sector translation", ACM Transactions on Embedded Computing Systems 6(3), 2007.
//!
//! A logical block is what the preconditioned layout puts into one (super)block, so that consecutive pages go round the planes.
//! `docs/mapping.md` has the rules, and says where the sources had to be read.

pub mod choice;
mod limits;
pub mod logs;
mod merges;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Action, DriveView, Event, Figure, System, Watches, WritePlace};
use choice::{Choice, PageWrite, choose};
use limits::check_start;
use logs::{Log, Logs, Work};
use wordline_base::ids::{DomainId, Lpa, Ppa, SuperblockId};
use wordline_base::snapshot::Stored;
use wordline_config::block_map::{BlockMapConfig, BlockMapKind};
use wordline_config::{ConfigError, DeviceConfig, SchemeConfig, StartConfig};
use wordline_flash::nand::Geometry;
use wordline_ftl::blocks::{BlockState, Domains};
use wordline_ftl::placement::ProgramIntent;
use wordline_ftl::replicate::Reserved;
use wordline_ftl::space::described_units;

/// No block.
const NOBODY: u32 = u32::MAX;

/// Bytes of an entry of the map of blocks, and of the number of a log block: a block number. Assumed.
const BLOCK_ENTRY: u64 = 4;

/// What it did in the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Counters {
    switch: u64,
    partial: u64,
    full: u64,
    /// Units that merges were to copy.
    copied: u64,
    /// Log blocks opened.
    opened: u64,
    /// Log blocks of which nothing was valid any more.
    dropped: u64,
    /// Pages that came to lie neither in a log block nor at their place in a data block.
    astray: u64,
}

/// The system.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BlockMap {
    config: BlockMapConfig,
    bad_blocks: bool,
    units: u32,
    /// Bytes of an entry of the map of pages in log blocks.
    entry_bytes: u32,
    blocks_per_plane: u32,
    units_per_block: u32,
    planes: u32,
    /// Data block of each logical block, and the reverse; known from the first write on.
    data: Vec<u32>,
    owner: Vec<u32>,
    domains: Vec<Logs>,
    /// The domain of each plan under way, by its number.
    plans: BTreeMap<u64, u32>,
    asked: u64,
    /// Writes so far.
    writes: u64,
    counters: Counters,
}

impl Stored for BlockMap {
    fn take_up(&mut self, saved: Self) -> Option<()> {
        let fits = saved.config == self.config && saved.units == self.units && saved.planes == self.planes;
        fits.then(|| *self = saved)
    }
}

/// Where a domain's entry is in a list.
fn slot<T>(list: &mut [T], index: u32) -> Option<&mut T> {
    list.get_mut(index as usize)
}

impl BlockMap {
    /// The one that a scheme names.
    pub fn of_scheme(scheme: &SchemeConfig, device: &DeviceConfig) -> Option<Self> {
        let config = &scheme.block_map;
        config.is_on().then(|| {
            let geometry = Geometry::new(&device.geometry);
            Self {
                config: config.clone(),
                bad_blocks: device.bad_blocks.is_some(),
                units: described_units(device, &geometry),
                entry_bytes: scheme.mapping.translation_entry_bytes,
                blocks_per_plane: geometry.blocks_per_plane,
                units_per_block: geometry.units_per_block(),
                planes: geometry.planes(),
                data: Vec::new(),
                owner: Vec::new(),
                domains: Vec::new(),
                plans: BTreeMap::new(),
                asked: 0,
                writes: 0,
                counters: Counters::default(),
            }
        })
    }

    /// Blocks of each plane that hold the host's data when all of it is written.
    fn needed(&self, geometry: &Geometry) -> u32 {
        let pages = self.units.div_ceil(geometry.units_per_page()).div_ceil(geometry.planes());
        pages.div_ceil(geometry.pages_per_block)
    }

    /// Finds out which logical blocks have data, once.
    fn learn(&mut self, drive: &DriveView<'_>) {
        if !self.domains.is_empty() {
            return;
        }
        let count = drive.domains().len() as u32;
        self.domains = vec![Logs::default(); count as usize];
        for domain in (0..count).map(DomainId) {
            let view = drive.blocks(domain);
            for (&state, block) in view.state.iter().zip(view.first.0..) {
                let holds = state == BlockState::Full && drive.valid(SuperblockId(block)) > 0;
                // As laid out, a logical block lies in the block of its number.
                self.data.push(if holds { block } else { NOBODY });
            }
        }
        self.owner.clone_from(&self.data);
    }

    fn logs(&mut self, domain: DomainId) -> Option<&mut Logs> {
        slot(&mut self.domains, domain.0)
    }

    /// The data block of a logical block is this from now on.
    fn set_data(&mut self, block: u32, superblock: SuperblockId) {
        let old = slot(&mut self.data, block).map_or(NOBODY, |data| std::mem::replace(data, superblock.0));
        if let Some(owner) = slot(&mut self.owner, old).filter(|owner| **owner == block) {
            *owner = NOBODY;
        }
        if let Some(owner) = slot(&mut self.owner, superblock.0) {
            *owner = block;
        }
    }

    fn capacity(drive: &DriveView<'_>) -> u32 {
        drive.blocks(DomainId(0)).capacity
    }

    /// What becomes of a write; `None`: it is to be asked once more, since something was done that made room.
    fn answer(
        &mut self,
        program: &ProgramIntent,
        drive: &DriveView<'_>,
        actions: &mut Vec<Action>,
    ) -> Option<WritePlace> {
        let (block, unit) = drive.home(program.lpa);
        let (domain, _) = drive.split(block);
        let capacity = Self::capacity(drive);
        let Some(logs) = self.domains.get(domain.index()) else { return Some(WritePlace::Free) };
        let own = logs.of(block.0).map_or(SuperblockId::NONE, |log| log.superblock);
        let next = |superblock| drive.next_unit(superblock).unwrap_or(capacity);
        let lacks = |from, to| !Self::pages(block.0, from, to, own, drive).is_empty();
        let one_by_one = drive.geometry().units_per_program() == 1;
        let write = PageWrite { block: block.0, unit, capacity, one_by_one, next: &next, lacks: &lacks };
        let choice = choose(&self.config, &write, logs);
        let number = self.writes;
        match choice {
            Choice::Append(superblock) | Choice::InPlace(superblock) => {
                let in_order = choice == Choice::InPlace(superblock) || next(superblock) == unit;
                if let Some(log) = self.logs(domain).and_then(|logs| logs.at_mut(superblock)) {
                    (log.last, log.in_order) = (number, log.in_order && in_order);
                    log.taken_along |= log.owner.is_some() && (log.filled || unit > next(superblock));
                }
                return Some(match choice {
                    Choice::InPlace(_) => WritePlace::At { superblock, unit },
                    _ => WritePlace::Into(superblock),
                });
            }
            Choice::Open(owner) => {
                if let Some(logs) = self.logs(domain) {
                    logs.work = Some(Work::Open(owner));
                }
                self.ask(domain, true, vec![], actions);
            }
            Choice::Merge(log) | Choice::Rewrite(log) => {
                if let Some(log) = self.logs(domain).and_then(|logs| logs.at_mut(log)) {
                    log.in_order &= matches!(choice, Choice::Merge(_));
                }
                self.merge(log, drive, actions);
                // What took no copying is done, and this write comes before others that wait.
                self.logs(domain)?.work?;
            }
            Choice::Fill(log, from) => {
                let pages = Self::pages(block.0, from, unit, log, drive);
                if let Some(logs) = self.logs(domain) {
                    logs.work = Some(Work::Fill(log));
                    if let Some(log) = logs.at_mut(log) {
                        log.filled = true;
                    }
                }
                self.copy_into(log, &pages, drive, actions);
            }
            Choice::Wait => {}
        }
        Some(WritePlace::Wait)
    }

    /// Where a page may lie: in a log block, or at its unit of its logical block's data block, old or new.
    fn check_place(&mut self, lpa: Lpa, ppa: Ppa, drive: &DriveView<'_>) {
        let (block, unit) = drive.home(lpa);
        let superblock = drive.superblock_of(ppa);
        let Some(logs) = self.domains.get(drive.split(superblock).0.index()) else { return };
        let fresh = matches!(logs.work, Some(Work::Full { fresh, .. }) if fresh == superblock);
        let is_data = self.data.get(block.index()) == Some(&superblock.0);
        let in_place = (fresh || is_data) && drive.unit_of(ppa) == unit;
        if !in_place && logs.at(superblock).is_none() {
            self.counters.astray += 1;
        }
    }
}

impl System for BlockMap {
    fn name(&self) -> &str {
        "block_map"
    }

    fn watches(&self) -> Watches {
        Watches::WRITE_PLACE
            .and(Watches::PROGRAMMED)
            .and(Watches::COLLECTION)
            .and(Watches::WRITTEN)
            .and(Watches::MOVED)
            .and(Watches::ERASED)
    }

    fn holds_map(&self) -> bool {
        true
    }

    fn check(
        &self,
        scheme: &SchemeConfig,
        geometry: &Geometry,
        _domains: &Domains,
        reserved: &Reserved,
    ) -> Result<(), ConfigError> {
        self.check_beside(scheme, geometry, reserved)
    }

    fn check_start(&self, start: &StartConfig) -> Result<(), ConfigError> {
        check_start(start)
    }

    fn place_write(
        &mut self,
        program: &ProgramIntent,
        drive: &DriveView<'_>,
        actions: &mut Vec<Action>,
    ) -> WritePlace {
        self.learn(drive);
        self.writes += 1;
        loop {
            if let Some(answer) = self.answer(program, drive, actions) {
                return answer;
            }
        }
    }

    fn told(&mut self, event: &Event, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        match *event {
            Event::Programmed(superblock) => self.programmed(superblock, drive, actions),
            Event::PlanDone(number) => self.plan_done(number, drive, actions),
            Event::Written { lpa, new, .. } => self.written(lpa, new, drive),
            Event::Moved { lpa, new, .. } => self.moved(lpa, new, drive),
            Event::Erased(superblock) => self.erased(superblock, drive, actions),
            _ => {}
        }
    }

    fn plan_started(&mut self, number: u64, opened: &[SuperblockId], _drive: &DriveView<'_>) -> bool {
        let writes = self.writes;
        let Some(&superblock) = opened.first() else { return false };
        let Some(logs) = self.plans.get(&number).copied().and_then(|domain| slot(&mut self.domains, domain))
        else {
            return false;
        };
        match &mut logs.work {
            Some(Work::Open(owner)) => {
                let log = Log {
                    superblock,
                    owner: *owner,
                    in_order: true,
                    filled: false,
                    taken_along: false,
                    closed: false,
                    last: writes,
                };
                logs.all.push(log);
                self.counters.opened += 1;
                true
            }
            Some(Work::Full { fresh, .. }) => {
                *fresh = superblock;
                false
            }
            _ => false,
        }
    }

    fn bytes(&self) -> u64 {
        let planes = u64::from(self.planes);
        let blocks =
            planes * u64::from(self.units.div_ceil(self.planes.max(1)).div_ceil(self.units_per_block.max(1)));
        let logs = planes * u64::from(self.config.log_blocks);
        let pages = match self.config.policy {
            BlockMapKind::Bast | BlockMapKind::Fast => {
                u64::from(self.units_per_block) * u64::from(self.entry_bytes)
            }
            BlockMapKind::Block | BlockMapKind::Off => 0,
        };
        blocks * BLOCK_ENTRY + logs * (BLOCK_ENTRY + pages)
    }

    fn figures(&self) -> Vec<Figure> {
        let Counters { switch, partial, full, copied, opened, dropped, astray } = self.counters;
        vec![
            ("switch_merges", switch),
            ("partial_merges", partial),
            ("full_merges", full),
            ("units_to_copy", copied),
            ("log_blocks_opened", opened),
            ("log_blocks_dropped", dropped),
            ("astray_pages", astray),
        ]
    }

    fn window_opens(&mut self) {
        self.counters = Counters::default();
    }
}

impl BlockMap {
    fn programmed(&mut self, superblock: SuperblockId, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        let (domain, _) = drive.split(superblock);
        let Some(logs) = self.domains.get(domain.index()) else { return };
        let Some(&log) = logs.at(superblock) else { return };
        let is_idle = logs.work.is_none();
        let (held, waits) = (logs.is_held(superblock), logs.work == Some(Work::Settle(superblock)));
        let full = drive.next_unit(superblock).is_some_and(|next| next >= Self::capacity(drive));
        if full && !log.closed && (!held || (waits && log.owner.is_none())) {
            self.is_full(log, drive, actions);
        }
        // The page that others were copied for is there.
        let taken_along = self.config.policy == BlockMapKind::Fast && log.taken_along && is_idle && !full;
        if waits || taken_along {
            self.merge(superblock, drive, actions);
        }
    }

    fn plan_done(&mut self, number: u64, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        if let Some(domain) = self.plans.remove(&number) {
            self.plan_ended(DomainId(domain), drive, actions);
        }
    }

    fn written(&mut self, lpa: Lpa, new: Ppa, drive: &DriveView<'_>) {
        self.check_place(lpa, new, drive);
    }

    fn moved(&mut self, lpa: Lpa, new: Ppa, drive: &DriveView<'_>) {
        self.check_place(lpa, new, drive);
    }

    fn erased(&mut self, superblock: SuperblockId, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        let (domain, _) = drive.split(superblock);
        if let Some(logs) = self.logs(domain) {
            logs.remove(superblock);
            match &mut logs.work {
                // Nothing is to be merged for it any more.
                Some(Work::Full { log, .. }) if *log == superblock => *log = SuperblockId::NONE,
                Some(Work::Settle(log)) if *log == superblock => {
                    logs.work = None;
                    actions.push(Action::AskAgain);
                }
                _ => {}
            }
        }
        let block =
            slot(&mut self.owner, superblock.0).map_or(NOBODY, |owner| std::mem::replace(owner, NOBODY));
        if let Some(data) = slot(&mut self.data, block).filter(|data| **data == superblock.0) {
            *data = NOBODY;
        }
    }
}
