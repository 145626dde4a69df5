//! ASTRO: pages of a logical region are put in order when they are moved anyway, so that where one lies can be guessed.
//!
//! H. Kim, S. Kim, J. Park, G. Byeon, S. Hong, "Don't Cache, Speculate!: Speculative Address Translation for Flash-Based
//! Storage Systems", IEEE Access 2025. Sections are that paper's. `docs/astro.md` says where it had to be read.

pub mod due;
pub mod ordering;
mod orders;
mod planning;
mod region;
mod space;
pub mod stretch;
pub mod table;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::WornBlock;
use super::{Action, DriveView, Event, Figure, Plan, ReadEvent, System, Watches};
use due::{Agenda, Due};
use ordering::Ordering;
use orders::AstroCounters;
pub use orders::Trigger;
use region::Region;
use stretch::{Shape, Stretches};
use table::RegionTable;
use wordline_base::class::Cause;
use wordline_base::ids::{Lpa, Ppa, SuperblockId};
use wordline_base::snapshot::Stored;
use wordline_config::astro::{AstroConfig, UpdatesOf};
use wordline_config::{ConfigError, DeviceConfig, SchemeConfig};
use wordline_flash::nand::Geometry;
use wordline_ftl::blocks::Domains;
use wordline_ftl::mapping::{Found, Lookup};
use wordline_ftl::replicate::Reserved;
use wordline_ftl::space::described_units;

/// The system.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Astro {
    config: AstroConfig,
    unit_bytes: u32,
    table: RegionTable,
    regions: Vec<Region>,
    /// Whether the pages that hold data were counted.
    counted: bool,
    /// Known from the first plan on.
    shape: Option<Shape>,
    stretches: Stretches,
    /// Those under way, by the number of their plan.
    orderings: BTreeMap<u64, Ordering>,
    agenda: Agenda,
    /// Regions of which the plan of this number moves pages without order.
    scattered: BTreeMap<u64, Vec<u32>>,
    /// Plans that were asked for.
    plans: u64,
    /// The domain that comes first among equals.
    turn: u32,
    /// Bytes of the buffer of pages that are not of the region.
    residual_bytes: u64,
    counters: AstroCounters,
}

impl Stored for Astro {
    fn take_up(&mut self, saved: Self) -> Option<()> {
        let fits = saved.config == self.config
            && saved.table.fits(&self.table)
            && saved.regions.len() == self.regions.len();
        fits.then(|| *self = saved)
    }
}

impl Astro {
    /// For a drive.
    pub fn new(config: &AstroConfig, device: &DeviceConfig) -> Self {
        let geometry = Geometry::new(&device.geometry);
        let units = described_units(device, &geometry);
        let table = RegionTable::new(units, config.region_pages, config.pages_per_bit);
        Self {
            config: config.clone(),
            unit_bytes: geometry.unit_bytes,
            regions: vec![Region::default(); table.len() as usize],
            table,
            counted: false,
            shape: None,
            stretches: Stretches::default(),
            orderings: BTreeMap::new(),
            agenda: Agenda::default(),
            scattered: BTreeMap::new(),
            plans: 0,
            turn: 0,
            residual_bytes: u64::from(geometry.units_per_block()) * u64::from(geometry.unit_bytes),
            counters: AstroCounters::default(),
        }
    }

    fn region_mut(&mut self, region: u32) -> Option<&mut Region> {
        self.regions.get_mut(region as usize)
    }

    fn region(&self, region: u32) -> Region {
        self.regions.get(region as usize).copied().unwrap_or_default()
    }

    /// The order that is being made of the region of a page, and its plan.
    fn ordering_of(&self, lpa: Lpa) -> Option<(u64, &Ordering)> {
        let region = self.table.region_of(lpa);
        let mut orderings = self.region(region).ordering.then(|| self.orderings.iter())?;
        orderings.find(|(_, ordering)| ordering.region == region).map(|(&plan, ordering)| (plan, ordering))
    }

    /// A page has got another place, or none. What plans of this system put where it belongs changes nothing.
    fn page_moved(&mut self, lpa: Lpa, new: Ppa, drive: &DriveView<'_>) {
        let offset = self.table.offset_of(lpa);
        if let Some((plan, ordering)) = self.ordering_of(lpa) {
            let there = ordering.started && self.page_at(ordering.base + offset, drive) == Some(new);
            if let Some(ordering) = self.orderings.get_mut(&plan) {
                ordering.place(offset, there);
                if there {
                    return;
                }
                self.table.update_in(&mut ordering.updates, lpa);
            }
        }
        if let Some(position) = self.table.find(lpa)
            && self.page_at(position, drive) != Some(new)
        {
            self.table.update(lpa);
        }
    }

    /// A page that held nothing holds data.
    fn count_new_page(&mut self, lpa: Lpa) {
        let region = self.table.region_of(lpa);
        if self.counted
            && let Some(state) = self.region_mut(region)
        {
            state.valid += 1;
        }
    }

    /// The host changed a page that held data.
    fn count_update(&mut self, lpa: Lpa, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        let region = self.table.region_of(lpa);
        let limit = f64::from(self.table.pages_of(region).1) * self.config.update_share;
        if self.config.updates_of == UpdatesOf::Ordered && self.table.base_of(region).is_none() {
            return;
        }
        let Some(state) = self.region_mut(region) else { return };
        state.updates = state.updates.saturating_add(1);
        if f64::from(state.updates) > limit && self.is_worth_ordering(region) {
            self.make_due(region, Trigger::Updates, drive, actions);
        }
    }

    /// Whether a region isn't in order, or is with so many updates that it is to be ordered anew.
    fn is_worth_ordering(&self, region: u32) -> bool {
        self.table.updated_share(region).is_none_or(|share| share >= self.config.least_updated)
    }

    fn make_due(&mut self, region: u32, trigger: Trigger, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        let Some(state) = self.region_mut(region).filter(|state| !state.due && !state.ordering) else {
            return;
        };
        state.due = true;
        self.agenda.push(Due::Region(region, trigger));
        actions.push(Action::WakeAt(drive.now()));
    }

    /// Counts the pages that hold data, once; events keep the numbers afterwards.
    fn count_pages(&mut self, drive: &DriveView<'_>) {
        if std::mem::replace(&mut self.counted, true) {
            return;
        }
        for region in 0..self.table.len() {
            let (first, pages) = self.table.pages_of(region);
            let holds = |&lpa: &u32| drive.find(Lpa(lpa)).is_some();
            let valid = (first.0..first.0 + pages).filter(holds).count() as u32;
            if let Some(state) = self.region_mut(region) {
                state.valid = valid;
            }
        }
    }

    /// Notes the regions whose pages the plan of this number moves without order.
    fn scatter(&mut self, plan: u64, mut regions: Vec<u32>) {
        regions.sort_unstable();
        regions.dedup();
        for &region in &regions {
            if let Some(state) = self.region_mut(region) {
                state.scattering += 1;
            }
        }
        self.scattered.insert(plan, regions);
    }
}

impl System for Astro {
    fn name(&self) -> &str {
        "astro"
    }

    fn watches(&self) -> Watches {
        let collected = if self.config.at_collection { Watches::COLLECTED } else { Watches::NOTHING };
        collected
            .and(Watches::TRANSLATION)
            .and(Watches::READ_DONE)
            .and(Watches::WRITTEN)
            .and(Watches::MOVED)
            .and(Watches::TRIMMED)
            .and(Watches::ALLOCATED)
            .and(Watches::RECLAIM)
    }

    fn check(
        &self,
        scheme: &SchemeConfig,
        geometry: &Geometry,
        domains: &Domains,
        _reserved: &Reserved,
    ) -> Result<(), ConfigError> {
        let data_planes = scheme.redundancy.data_planes(domains.width(), geometry.planes_per_die)?;
        let AstroConfig { region_pages, planes, .. } = self.config;
        let (capacity, superpage) = (geometry.units_per_block(), geometry.units_per_program());
        let count = domains.len() as u32;
        match Shape::new(region_pages, planes, count, capacity * data_planes, superpage * data_planes) {
            Some(_) => Ok(()),
            None => {
                let allowed = "as many as 64 superblocks hold, over scheme.astro.planes planes";
                Err(ConfigError::new("scheme.astro.region_pages", region_pages, allowed))
            }
        }
    }

    fn find(&mut self, lookup: &Lookup, drive: &DriveView<'_>) -> Option<Found> {
        if lookup.write {
            return None;
        }
        let offset = self.table.offset_of(lookup.lpa);
        let anew = self.ordering_of(lookup.lpa).and_then(|(_, ordering)| ordering.find(offset));
        let position = anew.or_else(|| self.table.find(lookup.lpa))?;
        self.page_at(position, drive).map(Found::Guess)
    }

    fn told(&mut self, event: &Event, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        match *event {
            Event::WrongGuess { lpa, .. } => self.wrong_guess(lpa),
            Event::ReadDone(ref read) => self.read_done(read, drive, actions),
            Event::Written { lpa, old, new } => self.written(lpa, old, new, drive, actions),
            Event::Allocated { lpa, ppa } => self.allocated(lpa, ppa, drive),
            Event::Moved { lpa, new, .. } => self.moved(lpa, new, drive),
            Event::Trimmed { lpa, .. } => self.trimmed(lpa, drive, actions),
            Event::Collected(superblock) => self.collected(superblock, drive, actions),
            Event::WornWhileOpen(superblock) => self.worn_while_open(superblock, drive, actions),
            Event::Woken => self.woken(drive, actions),
            Event::PlanDone(number) => self.plan_done(number, drive, actions),
            _ => {}
        }
    }

    fn awaits(&self, _lpa: Lpa) -> bool {
        self.config.read_threshold > 0
    }

    fn reclaim(&mut self, worn: &WornBlock, _drive: &DriveView<'_>) -> Option<Plan> {
        // Its turn comes when the plan, which moves nothing, has ended.
        self.agenda.push(Due::Block(worn.superblock));
        self.plans += 1;
        Some(Plan { cause: Cause::ReadReclaim, destinations: vec![], steps: vec![], erase: vec![] })
    }

    fn plan_started(&mut self, number: u64, opened: &[SuperblockId], _drive: &DriveView<'_>) -> bool {
        let Some(ordering) = self.orderings.get_mut(&number) else { return false };
        ordering.started = true;
        let Some(stretch) = self.stretches.get_mut(ordering.stretch).filter(|_| !opened.is_empty()) else {
            return false;
        };
        stretch.superblocks = opened.to_vec();
        stretch.open = self.shape.is_some_and(|shape| shape.regions > 1);
        stretch.open
    }

    fn bytes(&self) -> u64 {
        let at_once = u64::from(self.config.at_once);
        let ordering = at_once * u64::from(self.config.region_pages) * u64::from(self.unit_bytes);
        let runs = self.shape.map_or(1, |shape| u64::from(shape.width * shape.rounds));
        let placed = at_once * Ordering::bytes(self.config.region_pages);
        self.table.bytes(runs) + ordering + placed + self.residual_bytes
    }

    fn figures(&self) -> Vec<Figure> {
        let mut figures = self.counters.figures();
        figures.extend([
            ("ordered_regions", self.table.ordered()),
            ("updated_groups", self.table.updated_groups()),
            ("region_table_bytes", self.table.bytes(1)),
        ]);
        figures
    }

    fn window_opens(&mut self) {
        self.counters = AstroCounters::default();
    }
}

impl Astro {
    fn wrong_guess(&mut self, lpa: Lpa) {
        // A page that held nothing when its region was ordered.
        self.table.update(lpa);
    }

    /// Counted when it is done: one that is sent on to another die is no second one, and must not have its page moved again.
    fn read_done(&mut self, read: &ReadEvent, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        let threshold = self.config.read_threshold;
        let region = self.table.region_of(read.lpa);
        let Some(state) = self.region_mut(region) else { return };
        state.reads = state.reads.saturating_add(1);
        if state.reads >= threshold && self.is_worth_ordering(region) {
            self.make_due(region, Trigger::Reads, drive, actions);
        }
    }

    fn written(&mut self, lpa: Lpa, old: Ppa, new: Ppa, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        if !old.is_some() {
            self.count_new_page(lpa);
        }
        self.page_moved(lpa, new, drive);
        if old.is_some() {
            self.count_update(lpa, drive, actions);
        }
        self.spare_space(new, drive, actions);
    }

    fn allocated(&mut self, lpa: Lpa, ppa: Ppa, drive: &DriveView<'_>) {
        self.count_new_page(lpa);
        self.page_moved(lpa, ppa, drive);
    }

    fn moved(&mut self, lpa: Lpa, new: Ppa, drive: &DriveView<'_>) {
        self.page_moved(lpa, new, drive);
    }

    fn trimmed(&mut self, lpa: Lpa, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        if self.counted {
            let region = self.table.region_of(lpa);
            if let Some(state) = self.region_mut(region) {
                state.valid = state.valid.saturating_sub(1);
            }
        }
        self.page_moved(lpa, Ppa::NONE, drive);
        self.count_update(lpa, drive, actions);
    }

    fn collected(&mut self, superblock: SuperblockId, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        self.count_pages(drive);
        let pages = self.pages_in(superblock, drive);
        let region = self.choose(&pages);
        if let Some(region) = region.filter(|&region| self.is_worth_ordering(region)) {
            self.make_due(region, Trigger::Collection, drive, actions);
        }
    }

    fn worn_while_open(
        &mut self,
        superblock: SuperblockId,
        drive: &DriveView<'_>,
        actions: &mut Vec<Action>,
    ) {
        if self.stretches.end(superblock) {
            actions.push(Action::WakeAt(drive.now()));
        }
    }

    fn woken(&mut self, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        self.close(None, actions);
        while (self.orderings.len() as u32) < self.config.at_once {
            let Some(due) = self.agenda.pop() else { return };
            if let Some(plan) = self.next_plan(due, drive) {
                actions.push(Action::Plan(plan));
            }
        }
    }

    fn plan_done(&mut self, number: u64, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        if let Some(Ordering { region, trigger, stretch, base, updates, .. }) = self.orderings.remove(&number)
        {
            let old = self.table.base_of(region).zip(self.shape);
            self.table.order(region, base, updates);
            self.counters.ordered(trigger);
            if let Some(state) = self.region_mut(region) {
                state.was_ordered();
            }
            if let Some(stretch) = self.stretches.get_mut(stretch) {
                stretch.busy = false;
            }
            if let Some((base, shape)) = old {
                self.stretches.leave(base / shape.positions());
            }
        }
        for region in self.scattered.remove(&number).unwrap_or_default() {
            if let Some(state) = self.region_mut(region) {
                state.scattering = state.scattering.saturating_sub(1);
            }
        }
        self.agenda.release();
        actions.push(Action::WakeAt(drive.now()));
    }
}
