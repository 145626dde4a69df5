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
pub mod logs;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Action, Direct, DriveView, Figure, Pin, Place, Plan, Step, System, Watches};
use crate::blocks::{BlockState, Domains};
use crate::config::block_map::{BlockMapConfig, BlockMapKind};
use crate::config::run::{Occupancy, StartLayout};
use crate::config::scheme::{GcKind, MappingKind, PlacementKind, UnmappedReads};
use crate::config::{ConfigError, DeviceConfig, SchemeConfig, StartConfig};
use crate::ids::{DomainId, Lpa, Ppa, SuperblockId};
use crate::nand::Geometry;
use crate::placement::ProgramIntent;
use crate::replicate::Reserved;
use crate::sched::class::Cause;
use crate::snapshot::Stored;
use crate::space::described_units;
use choice::{Choice, Wish, choose};
use logs::{Log, Logs, Work};

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

    /// The pages of a logical block that lie elsewhere than in `but`, from one of its units up to before another.
    fn pages(block: u32, from: u32, to: u32, but: SuperblockId, drive: &DriveView<'_>) -> Vec<(u32, Ppa)> {
        let found = |unit| {
            let ppa = drive.find(drive.at_home(SuperblockId(block), unit)?);
            (ppa.is_some() && drive.superblock_of(ppa) != but).then_some((unit, ppa))
        };
        (from..to).filter_map(found).collect()
    }

    fn capacity(drive: &DriveView<'_>) -> u32 {
        drive.blocks(DomainId(0)).capacity
    }

    /// Asks for a plan of garbage collection's.
    fn ask(&mut self, domain: DomainId, fresh: bool, steps: Vec<Step>, actions: &mut Vec<Action>) {
        self.counters.copied += steps.len() as u64;
        self.plans.insert(self.asked, domain.0);
        self.asked += 1;
        let destinations = if fresh { vec![domain] } else { vec![] };
        actions.push(Action::Plan(Plan { cause: Cause::Gc, destinations, steps, erase: vec![] }));
    }

    /// Copies pages into a log block, each to its unit.
    fn copy_into(
        &mut self,
        log: SuperblockId,
        pages: &[(u32, Ppa)],
        drive: &DriveView<'_>,
        actions: &mut Vec<Action>,
    ) {
        let step =
            |&(unit, ppa): &(u32, Ppa)| Step { pages: vec![ppa], pin: Pin::In { superblock: log, unit } };
        let steps = pages.iter().map(step).collect();
        self.ask(drive.split(log).0, false, steps, actions);
    }

    /// Merges a log block, as soon as its programs have ended.
    fn merge(&mut self, log: SuperblockId, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        let (domain, _) = drive.split(log);
        if !drive.is_settled(log) {
            if let Some(logs) = self.logs(domain) {
                logs.work = Some(Work::Settle(log));
            }
            return;
        }
        let Some(entry) = self.logs(domain).and_then(|logs| {
            logs.work = None;
            logs.at(log).copied()
        }) else {
            return;
        };
        if drive.valid(log) == 0 {
            // One that is closed is being erased.
            if !entry.closed {
                actions.push(Action::Close(log));
            }
            self.counters.dropped += 1;
            return self.merged(domain, log, actions);
        }
        match entry.owner {
            Some(block) if entry.in_order => self.complete(log, block, drive, actions),
            Some(block) => {
                actions.push(Action::Close(log));
                self.put_together(log, block, drive, actions);
            }
            None => self.put_together_next(log, drive, actions),
        }
    }

    /// A log block is none any more.
    fn merged(&mut self, domain: DomainId, log: SuperblockId, actions: &mut Vec<Action>) {
        if let Some(logs) = self.logs(domain) {
            logs.work = None;
            logs.remove(log);
        }
        actions.push(Action::AskAgain);
    }

    /// Switch merge or partial merge: a log block in order becomes the data block, with what it lacks.
    fn complete(&mut self, log: SuperblockId, block: u32, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        let capacity = Self::capacity(drive);
        let from = drive.next_unit(log).unwrap_or(capacity);
        if self.misses_any(log, block, from, drive) {
            actions.push(Action::Close(log));
            return self.put_together(log, block, drive, actions);
        }
        let rest = Self::pages(block, from, capacity, log, drive);
        if rest.is_empty() {
            self.counters.switch += 1;
            return self.becomes_data(log, block, drive, actions);
        }
        self.counters.partial += 1;
        if let Some(logs) = self.logs(drive.split(log).0) {
            logs.work = Some(Work::Partial(log));
        }
        self.copy_into(log, &rest, drive, actions);
    }

    /// Whether a full merge of this logical block is under way.
    fn is_put_together(&self, domain: DomainId, block: u32) -> bool {
        let work = self.domains.get(domain.index()).and_then(|logs| logs.work);
        matches!(work, Some(Work::Full { block: other, .. }) if other == block)
    }

    /// Whether a page that should be among the first units of this log block is in the data block still: its place stayed unused,
    /// since what was written there came to nothing.
    fn misses_any(&self, log: SuperblockId, block: u32, until: u32, drive: &DriveView<'_>) -> bool {
        let logs = self.domains.get(drive.split(log).0.index());
        let is_log = |superblock| logs.is_some_and(|logs| logs.at(superblock).is_some());
        let pages = Self::pages(block, 0, until, log, drive);
        pages.iter().any(|&(_, ppa)| !is_log(drive.superblock_of(ppa)))
    }

    fn becomes_data(
        &mut self,
        log: SuperblockId,
        block: u32,
        drive: &DriveView<'_>,
        actions: &mut Vec<Action>,
    ) {
        self.set_data(block, log);
        actions.push(Action::Close(log));
        self.merged(drive.split(log).0, log, actions);
    }

    /// Full merge: the pages of a logical block go to a fresh block. What is in its own log block, where `log` is another,
    /// stays there.
    fn put_together(
        &mut self,
        log: SuperblockId,
        block: u32,
        drive: &DriveView<'_>,
        actions: &mut Vec<Action>,
    ) {
        let (domain, _) = drive.split(log);
        let Some(logs) = self.logs(domain) else { return };
        let own = logs.of(block).map(|own| own.superblock).filter(|&own| own != log);
        logs.work = Some(Work::Full { log, block, fresh: SuperblockId::NONE });
        let pages = Self::pages(block, 0, Self::capacity(drive), own.unwrap_or(SuperblockId::NONE), drive);
        let step = |&(unit, ppa): &(u32, Ppa)| Step {
            pages: vec![ppa],
            pin: Pin::Exact(Place { destination: 0, unit }),
        };
        self.counters.full += 1;
        self.ask(domain, true, pages.iter().map(step).collect(), actions);
    }

    /// The next full merge that a shared log block needs; without any it is done with.
    fn put_together_next(&mut self, log: SuperblockId, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        let units = 0..Self::capacity(drive);
        let block = |unit| drive.valid_lpa(drive.unit_at(log, unit)).map(|lpa| drive.home(lpa).0);
        match { units }.find_map(block) {
            Some(block) => self.put_together(log, block.0, drive, actions),
            None => self.merged(drive.split(log).0, log, actions),
        }
    }

    /// What becomes of a write; `None`: it is to be asked once more, since something was done that made room.
    fn answer(
        &mut self,
        program: &ProgramIntent,
        drive: &DriveView<'_>,
        actions: &mut Vec<Action>,
    ) -> Option<Direct> {
        let (block, unit) = drive.home(program.lpa);
        let (domain, _) = drive.split(block);
        let capacity = Self::capacity(drive);
        let Some(logs) = self.domains.get(domain.index()) else { return Some(Direct::Free) };
        let own = logs.of(block.0).map_or(SuperblockId::NONE, |log| log.superblock);
        let next = |superblock| drive.next_unit(superblock).unwrap_or(capacity);
        let lacks = |from, to| !Self::pages(block.0, from, to, own, drive).is_empty();
        let wish = Wish { block: block.0, unit, capacity, next: &next, lacks: &lacks };
        let choice = choose(&self.config, &wish, logs);
        let number = self.writes;
        match choice {
            Choice::Append(superblock) | Choice::InPlace(superblock) => {
                let in_order = choice == Choice::InPlace(superblock) || next(superblock) == unit;
                if let Some(log) = self.logs(domain).and_then(|logs| logs.at_mut(superblock)) {
                    (log.last, log.in_order) = (number, log.in_order && in_order);
                }
                return Some(match choice {
                    Choice::InPlace(_) => Direct::At { superblock, unit },
                    _ => Direct::Into(superblock),
                });
            }
            Choice::Open(owner) => {
                if let Some(logs) = self.logs(domain) {
                    logs.work = Some(Work::Open(owner));
                }
                self.ask(domain, true, vec![], actions);
            }
            Choice::Merge(log) => {
                self.merge(log, drive, actions);
                // What took no copying is done, and this write comes before others that wait.
                self.logs(domain)?.work?;
            }
            Choice::Fill(log, from) => {
                let pages = Self::pages(block.0, from, unit, log, drive);
                if let Some(logs) = self.logs(domain) {
                    logs.work = Some(Work::Fill(log));
                }
                self.copy_into(log, &pages, drive, actions);
            }
            Choice::Wait => {}
        }
        Some(Direct::Wait)
    }

    /// A log block gave all its units away and all its programs have ended.
    fn is_full(&mut self, log: Log, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        let (domain, _) = drive.split(log.superblock);
        match log.owner {
            // Nothing has to be copied: it needn't wait for what is under way elsewhere in the domain.
            Some(block)
                if log.in_order
                    && !self.is_put_together(domain, block)
                    && drive.valid(log.superblock) > 0
                    && !self.misses_any(log.superblock, block, Self::capacity(drive), drive) =>
            {
                self.counters.switch += 1;
                self.set_data(block, log.superblock);
                actions.push(Action::Close(log.superblock));
                if let Some(logs) = self.logs(domain) {
                    logs.remove(log.superblock);
                }
                actions.push(Action::AskAgain);
            }
            Some(_) => {}
            None => {
                if let Some(log) = self.logs(domain).and_then(|logs| logs.at_mut(log.superblock)) {
                    log.closed = true;
                }
                actions.push(Action::Close(log.superblock));
            }
        }
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
        Watches::DIRECTION
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
        let beside = |key: &str, value: String, allowed: &str| {
            let allowed = format!("{allowed} beside scheme.block_map.policy");
            Err(ConfigError::new(key, value, allowed))
        };
        let mapping = &scheme.mapping;
        if mapping.policy != MappingKind::Page {
            return beside("scheme.mapping.policy", format!("{:?}", mapping.policy), "\"page\"");
        }
        if mapping.unmapped_reads != UnmappedReads::Zeros {
            return beside("scheme.mapping.unmapped_reads", "\"allocate\"".to_owned(), "\"zeros\"");
        }
        if scheme.placement.policy != PlacementKind::Static {
            return beside("scheme.placement.policy", "\"dynamic\"".to_owned(), "\"static\"");
        }
        if scheme.gc.policy != GcKind::default() {
            let value = format!("{:?}", scheme.gc.policy);
            return beside("scheme.gc.policy", value, "\"greedy\", which is never asked,");
        }
        if scheme.blocks.host_write_points != 1 {
            return beside(
                "scheme.blocks.host_write_points",
                scheme.blocks.host_write_points.to_string(),
                "1",
            );
        }
        let parts = [
            ("scheme.gc.background", scheme.gc.background.is_some()),
            ("scheme.gc.pace", scheme.gc.pace.is_some()),
            ("scheme.reclaim.policy", scheme.reclaim.is_on()),
            ("scheme.wear.static_spread", scheme.wear.static_spread.is_some()),
            ("scheme.slc_cache.policy", scheme.slc_cache.is_on()),
            ("scheme.redundancy.policy", scheme.redundancy.is_on()),
            ("scheme.partition.enabled", scheme.partition.enabled),
            ("scheme.astro.enabled", scheme.astro.enabled),
            ("scheme.copies", reserved.planes() > 0),
            ("scheme.collision.enabled", scheme.collision.enabled),
            ("scheme.hotr.enabled", scheme.hotr.enabled),
            ("device.bad_blocks", self.bad_blocks),
        ];
        if let Some((key, _)) = parts.iter().find(|(_, on)| *on) {
            return beside(key, "on".to_owned(), "off");
        }
        if self.config.policy == BlockMapKind::Block && geometry.units_per_program() > 1 {
            let allowed = format!(
                "\"bast\" or \"fast\", as {} mapping units are programmed at once: a block map puts each at its own place",
                geometry.units_per_program()
            );
            return Err(ConfigError::new("scheme.block_map.policy", "\"block\"", &allowed));
        }
        // One superblock is kept, and one is filled by a merge.
        let spare = geometry.blocks_per_plane.saturating_sub(self.needed(geometry));
        if self.config.log_blocks + 2 > spare {
            let allowed = format!(
                "up to {}: each plane has {spare} blocks more than the host's data takes, and merges take two",
                spare.saturating_sub(2)
            );
            return Err(ConfigError::new("scheme.block_map.log_blocks", self.config.log_blocks, &allowed));
        }
        Ok(())
    }

    fn check_start(&self, start: &StartConfig) -> Result<(), ConfigError> {
        let allowed =
            "beside scheme.block_map.policy: log blocks fill while requests are served (workload.window)";
        if start.layout != StartLayout::InOrder {
            let value = format!("{:?}", start.layout);
            return Err(ConfigError::new("layout", value, format!("\"in_order\" {allowed}")));
        }
        if start.overwrite != 0.0 {
            return Err(ConfigError::new("overwrite", start.overwrite, format!("0 {allowed}")));
        }
        if start.occupancy.follows_requests() {
            let value = if start.occupancy == Occupancy::Span { "\"span\"" } else { "\"footprint\"" };
            let allowed = "\"all\", \"none\" or a share beside scheme.block_map.policy";
            return Err(ConfigError::new("occupancy", value, allowed));
        }
        Ok(())
    }

    fn direct(
        &mut self,
        program: &ProgramIntent,
        drive: &DriveView<'_>,
        actions: &mut Vec<Action>,
    ) -> Direct {
        self.learn(drive);
        self.writes += 1;
        loop {
            if let Some(answer) = self.answer(program, drive, actions) {
                return answer;
            }
        }
    }

    fn programmed(&mut self, superblock: SuperblockId, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        let (domain, _) = drive.split(superblock);
        let Some(logs) = self.domains.get(domain.index()) else { return };
        let Some(&log) = logs.at(superblock) else { return };
        let (held, waits) = (logs.is_held(superblock), logs.work == Some(Work::Settle(superblock)));
        let full = drive.next_unit(superblock).is_some_and(|next| next >= Self::capacity(drive));
        if full && !log.closed && (!held || (waits && log.owner.is_none())) {
            self.is_full(log, drive, actions);
        }
        if waits {
            self.merge(superblock, drive, actions);
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
                let log = Log { superblock, owner: *owner, in_order: true, closed: false, last: writes };
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

    fn plan_done(&mut self, number: u64, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        let Some(domain) = self.plans.remove(&number) else { return };
        let Some(logs) = slot(&mut self.domains, domain) else { return };
        let work = logs.work.take();
        match work {
            Some(Work::Partial(log)) => {
                if let Some(block) = logs.at(log).and_then(|log| log.owner) {
                    self.becomes_data(log, block, drive, actions);
                }
            }
            Some(Work::Full { log, block, fresh }) => {
                // Nothing may have been left to be copied.
                if fresh.is_some() && drive.valid(fresh) > 0 {
                    self.set_data(block, fresh);
                }
                let shared = self
                    .logs(DomainId(domain))
                    .and_then(|logs| logs.at(log))
                    .is_some_and(|log| log.owner.is_none());
                if shared {
                    self.put_together_next(log, drive, actions);
                } else {
                    self.merged(DomainId(domain), log, actions);
                }
            }
            Some(Work::Open(_) | Work::Fill(_) | Work::Settle(_)) | None => actions.push(Action::AskAgain),
        }
    }

    fn written(&mut self, lpa: Lpa, _old: Ppa, new: Ppa, drive: &DriveView<'_>, _actions: &mut Vec<Action>) {
        self.check_place(lpa, new, drive);
    }

    fn moved(
        &mut self,
        lpa: Lpa,
        _old: Ppa,
        new: Ppa,
        _cause: Cause,
        drive: &DriveView<'_>,
        _actions: &mut Vec<Action>,
    ) {
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
