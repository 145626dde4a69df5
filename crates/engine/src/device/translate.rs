//! Address translation at work: what the firmware knows is asked of the mapping policy; pages of the map are read and
//! written, guesses checked.
//!
//! A translation page is a logical page behind those of the host, and so is a page of the map's journal: their table entries,
//! versions, moves and audit are those of any page. One that is in the controller, because it was just read or waits to be programmed, serves all
//! who want it without a read of its own.

use super::Device;
use super::ftl::Ftl;
use super::map_pages::{Stage, Work};
use super::purposes::Purpose;
use crate::cache::WRITE_BACK_PROGRAM;
use crate::mapping::{Found, Lookup, MapSizes, MapView, Mapping, MappingPolicy, Update, WriteBack};
use crate::sched::queue::{Op, OpId};
use crate::snapshot::{In, Out, Part, SnapshotError};
use crate::stats::blame::Part as BlamePart;
use crate::stats::mapping::MappingReport;
use crate::systems::Event;
use wordline_base::class::{Cause, Class, FlashOp};
use wordline_base::ids::{Lpa, Ppa};
use wordline_config::scheme::{Loads, MappingConfig, StoredPages, UnmappedReads};
use wordline_flash::work::submit;

/// Questions about one page of a request after which its policy is said to lead nowhere.
const MOST_QUESTIONS: u32 = 16;

/// Noted with the number of questions about a page: the mapping policy wants a translation page read for it.
const LOADS_FOR_POLICY: u32 = 1 << 31;

/// State of address translation.
pub(super) struct Translation {
    pub(super) policy: MappingPolicy,
    /// Whether lookups ask the policy: not while the whole map is in DRAM.
    asks: bool,
    /// Whether it is told what changes.
    follows: bool,
    asks_systems: bool,
    /// Whether places that are said to be known are compared with the map: where a user's policy or a system may say them, and in
    /// checked mode.
    compares: bool,
    pub(super) sizes: MapSizes,
    /// Bytes of a translation page that a read sends over the channel.
    pub(super) page_bytes: u32,
    /// Whether each look-up that misses has a read of its own.
    pub(super) separate_loads: bool,
    pub(super) stores_all: bool,
    /// Whether what the data cache writes back is looked up.
    pub(super) looks_up_write_backs: bool,
    search_buckets: u32,
    /// Of each page of the map; 0 = none.
    pub(super) work_plus_one: Vec<u32>,
    pub(super) works: Vec<Work>,
    pub(super) free: Vec<u32>,
    /// Asked for by the policy.
    pub(super) writes: Vec<WriteBack>,
    /// Checked mode: the map as its pages on flash have it, by logical page.
    pub(super) on_flash: Option<Vec<Ppa>>,
}

impl Part for Translation {
    fn save(&self, out: &mut Out<'_>) -> Result<(), SnapshotError> {
        let Self { policy, work_plus_one, works, free, writes, on_flash, .. } = self;
        out.put(&(work_plus_one, works, free, writes, on_flash))?;
        Part::save(policy, out)
    }

    fn restore(&mut self, input: &mut In<'_>) -> Result<(), SnapshotError> {
        let lengths = |this: &Self| (this.work_plus_one.len(), this.on_flash.as_ref().map(Vec::len));
        let here = lengths(self);
        (self.work_plus_one, self.works, self.free, self.writes, self.on_flash) = input.take()?;
        if lengths(self) != here {
            return Err(SnapshotError::Misfit("the translation pages".to_owned()));
        }
        Part::restore(&mut self.policy, input)
    }

    fn fork(&self) -> Result<Self, SnapshotError> {
        let Self { policy, work_plus_one, works, free, writes, on_flash, .. } = self;
        Ok(Self {
            policy: Part::fork(policy)?,
            asks: self.asks,
            follows: self.follows,
            asks_systems: self.asks_systems,
            compares: self.compares,
            sizes: self.sizes,
            page_bytes: self.page_bytes,
            separate_loads: self.separate_loads,
            stores_all: self.stores_all,
            looks_up_write_backs: self.looks_up_write_backs,
            search_buckets: self.search_buckets,
            work_plus_one: work_plus_one.clone(),
            works: works.clone(),
            free: free.clone(),
            writes: writes.clone(),
            on_flash: on_flash.clone(),
        })
    }
}

impl Translation {
    pub fn new(
        config: &MappingConfig,
        sizes: MapSizes,
        superblock_units: u32,
        unit_bytes: u32,
        checked: bool,
    ) -> Self {
        let compares = checked && config.policy.is_on_flash();
        Self {
            asks: config.policy.is_cached(),
            follows: config.policy.is_on_flash(),
            policy: MappingPolicy::new(config, sizes, superblock_units, unit_bytes),
            asks_systems: false,
            compares: checked,
            sizes,
            page_bytes: config.page_bytes(unit_bytes),
            separate_loads: config.loads == Loads::Each,
            stores_all: config.stored_at_start == StoredPages::All,
            looks_up_write_backs: config.write_back_lookups && config.policy.is_cached(),
            search_buckets: config.search_buckets,
            work_plus_one: vec![0; sizes.map_pages() as usize],
            works: Vec::new(),
            free: Vec::new(),
            writes: Vec::new(),
            on_flash: compares.then(|| vec![Ppa::NONE; sizes.logical_units as usize]),
        }
    }

    /// Whether look-ups ask the policy.
    #[inline]
    pub fn is_asked(&self) -> bool {
        self.asks
    }

    /// Steps of a search among the entries that are cached now: the doublings of a sorted table, or the length of a chain.
    pub fn search_steps(&self) -> u64 {
        let entries = self.policy.get().cached_entries();
        match self.search_buckets {
            0 => u64::from(u64::BITS - entries.leading_zeros()),
            buckets => entries.div_ceil(u64::from(buckets)),
        }
    }

    /// Whether systems answer before the policy.
    #[inline]
    pub fn asks_systems(&self) -> bool {
        self.asks_systems
    }

    /// A system answers from now on.
    pub fn ask_systems(&mut self) {
        (self.asks, self.follows) = (true, true);
        (self.asks_systems, self.compares) = (true, true);
    }
}

impl Ftl {
    /// Logical pages of the host and pages of the map.
    #[inline]
    pub(super) fn all_units(&self) -> u32 {
        let parity =
            self.striped.as_ref().map_or(0, |striped| striped.stripes.parity_units(self.logical_units));
        self.logical_units + self.translation.sizes.map_pages() + parity
    }

    pub(super) fn map_page(&self, page: u32) -> Lpa {
        Lpa(self.logical_units + page)
    }
}

impl Device {
    pub(super) fn end_translation_wait(&mut self, id: OpId) {
        let waited = self.flash.now().since(self.flash.pool[id].wait_from).0;
        if waited > 0 {
            self.flash.pool.parts_mut(id).add(BlamePart::Translation, waited);
        }
    }

    /// Replaces the mapping policy by a user's own. Translation pages exist if the scheme's policy keeps the map on
    /// flash.
    pub fn set_mapping(&mut self, policy: Box<dyn Mapping + Send>) {
        self.ftl.translation.policy = MappingPolicy::Custom(policy);
        (self.ftl.translation.asks, self.ftl.translation.follows) = (true, true);
        self.ftl.translation.compares = true;
    }

    /// Bytes of controller memory that the tables of address translation take.
    pub fn mapping_bytes(&self) -> u64 {
        self.ftl.translation.policy.get().bytes()
    }

    /// Sends a unit of a read of the host on its way, or lets it wait for its entry. See [`Self::read_for_host`].
    #[inline(never)]
    pub(super) fn translate_read(&mut self, request: u32, lpa: Lpa, bytes: u32, head: OpId) -> OpId {
        let id =
            self.new_op(Op { bytes, ..Op::new(Class::HostRead, Ppa::NONE) }, Purpose::of_host(request, lpa));
        match self.first_answer(id) {
            Found::Known(_) if self.fetches_entry(id) => head,
            Found::Known(ppa) if ppa.is_some() => {
                self.tell_access_of(id, false);
                self.flash.pool[id].ppa = ppa;
                self.send_read(id, head)
            }
            Found::Known(ppa) => {
                self.read_known(id, ppa);
                head
            }
            Found::Load(page) => {
                if let Some(read) = self.map_read_for(id, page) {
                    submit(self, read);
                }
                head
            }
            Found::Guess(ppa) => {
                self.tell_access_of(id, false);
                self.flash.pool[id].ppa = ppa;
                self.flash.pool[id].tentative = true;
                self.send_read(id, head)
            }
        }
    }

    /// Whether what the firmware knows suffices for a write that has come; if not, it is on its way to find out.
    pub(super) fn is_translated(&mut self, id: OpId) -> bool {
        match self.first_answer(id) {
            Found::Known(_) => !self.fetches_entry(id),
            Found::Guess(ppa) => {
                if self.ftl.purposes[id].partial {
                    self.read_at_guess(id, ppa);
                }
                !self.ftl.purposes[id].partial
            }
            Found::Load(page) => {
                self.wait_for_page(id, page);
                false
            }
        }
    }

    fn first_answer(&mut self, id: OpId) -> Found {
        self.ftl.purposes[id].tag = 0;
        let found = self.ask(id);
        let partial = self.ftl.purposes[id].partial;
        let class = self.flash.pool[id].class;
        let write = u64::from(partial || class.op() == FlashOp::Program);
        let counters = &mut self.observers.recorder.mapping;
        match found {
            Found::Known(_) => {
                counters.hits += 1;
                counters.hits_of_writes += write;
            }
            Found::Load(_) => {
                counters.misses += 1;
                counters.misses_of_writes += write;
            }
            Found::Guess(_) => {
                counters.guessed += 1;
                counters.guessed_of_writes += write;
            }
        }
        found
    }

    /// Asks where the page of an operation is, and checks the answer.
    fn ask(&mut self, id: OpId) -> Found {
        let Purpose { lpa, partial, .. } = self.ftl.purposes[id];
        let class = self.flash.pool[id].class;
        let lookup = Lookup { lpa, write: partial || class.op() == FlashOp::Program };
        let noted = self.ftl.purposes[id].tag;
        let asked = (noted & !LOADS_FOR_POLICY) + 1;
        // Whom a translation page was read for finds the entry in it: a system would but guess what is known by then.
        let mut found = None;
        if self.ftl.translation.asks_systems && noted & LOADS_FOR_POLICY == 0 {
            found = self.find_in_systems(&lookup);
        }
        let by_policy = found.is_none();
        let found = match found {
            Some(found) => found,
            None => {
                let Translation { policy, sizes, .. } = &mut self.ftl.translation;
                let occupied = self.ftl.mapped_units as u32;
                let view = MapView { map: &self.ftl.map, layout: &self.ftl.layout, occupied, sizes: *sizes };
                policy.find(&lookup, &view)
            }
        };
        let loads = by_policy && matches!(found, Found::Load(_));
        self.ftl.purposes[id].tag = asked | if loads { LOADS_FOR_POLICY } else { 0 };
        let sizes = self.ftl.translation.sizes;
        let wrong = match found {
            _ if asked > MOST_QUESTIONS => Some(format!("again, the answer to question {asked} about it")),
            Found::Known(ppa) if self.ftl.translation.compares && ppa != self.ftl.lookup(lpa) => {
                Some(format!("but it is at {:?}", self.ftl.lookup(lpa)))
            }
            Found::Load(page) if page >= sizes.translation_pages => {
                Some(format!("of {} translation pages", sizes.translation_pages))
            }
            Found::Guess(ppa) if ppa.0 >= sizes.physical_units => {
                Some(format!("of {} physical pages", sizes.physical_units))
            }
            _ => None,
        };
        let Some(wrong) = wrong else { return found };
        self.fail(format!("the mapping answered {found:?} for {lpa:?}, {wrong}"));
        Found::Known(self.ftl.lookup(lpa))
    }

    /// Asks again, and goes on accordingly.
    pub(super) fn ask_again(&mut self, id: OpId) {
        let found = self.ask(id);
        self.go_on_with(id, found);
    }

    /// Goes on with the answer to a further question.
    fn go_on_with(&mut self, id: OpId, found: Found) {
        match found {
            Found::Known(ppa) => self.go_on_to(id, ppa),
            Found::Load(page) => self.wait_for_page(id, page),
            Found::Guess(ppa) => {
                let partial = self.ftl.purposes[id].partial;
                let class = self.flash.pool[id].class;
                if partial || class.op() == FlashOp::Read {
                    self.read_at_guess(id, ppa);
                } else {
                    self.go_on(id);
                }
            }
        }
    }

    /// The place of a page is known: on to the flash.
    pub(super) fn go_on(&mut self, id: OpId) {
        self.go_on_to(id, self.ftl.lookup(self.ftl.purposes[id].lpa));
    }

    /// The same; the page is here, or holds no data.
    fn go_on_to(&mut self, id: OpId, ppa: Ppa) {
        let partial = self.ftl.purposes[id].partial;
        let class = self.flash.pool[id].class;
        if class == WRITE_BACK_PROGRAM {
            self.carry_looked_up(id);
        } else if partial {
            self.read_old_content(id);
        } else if class.op() == FlashOp::Read {
            self.read_known(id, ppa);
        } else if !self.waits_for_move(id) {
            self.program_anywhere(id);
        }
    }

    /// A read of the host whose place is known, if its page holds data.
    fn read_known(&mut self, id: OpId, mut ppa: Ppa) {
        if self.controller.cache.is_on() && self.serve_late(id) {
            // The host wrote it meanwhile.
            return;
        }
        if !ppa.is_some() {
            let lpa = self.ftl.purposes[id].lpa;
            self.observers.recorder.unmapped_reads += 1;
            if self.rules.unmapped_reads == UnmappedReads::Allocate {
                ppa = self.allocate_on_first_read(lpa);
            }
        }
        self.tell_access_of(id, false);
        if !ppa.is_some() {
            return self.end_with_zeros(id);
        }
        self.flash.pool[id].ppa = ppa;
        if self.waits_for_move(id) {
            return;
        }
        submit(self, id);
        self.tell_read(id);
    }

    /// A page of a request needs a translation page.
    fn wait_for_page(&mut self, id: OpId, page: u32) {
        if let Some(read) = self.map_read_for(id, page) {
            submit(self, read);
        }
    }

    /// The same; the read of it that is to be sent, if this look-up needs one.
    fn map_read_for(&mut self, id: OpId, page: u32) -> Option<OpId> {
        self.flash.pool[id].wait_from = self.flash.now();
        let work = self.ftl.translation.work_of(page);
        let under_way = work.filter(|&number| self.ftl.translation.works[number].stage == Stage::Reading);
        if let Some(number) = under_way
            && !self.ftl.translation.separate_loads
        {
            self.ftl.translation.works[number].waiting.push(&mut self.flash.pool, id);
            return None;
        }
        let place = self.ftl.lookup(self.ftl.map_page(page));
        if under_way.is_some() {
            // Beside that one, for this look-up only.
            self.observers.recorder.mapping.loads += 1;
            return Some(self.new_map_read(page, place, id + 1));
        }
        if work.is_some() || !place.is_some() {
            // Of one that was never written all entries are empty, and the directory says so.
            self.page_is_here(id, page);
            return None;
        }
        let number = self.ftl.translation.begin(page, Stage::Reading, false);
        self.ftl.translation.works[number].waiting.push(&mut self.flash.pool, id);
        self.observers.recorder.mapping.loads += 1;
        Some(self.new_map_read(page, place, 0))
    }

    /// The translation page that a page of a request needs is in the controller.
    pub(super) fn page_is_here(&mut self, id: OpId, page: u32) {
        self.end_translation_wait(id);
        let lpa = self.ftl.purposes[id].lpa;
        self.compare_with_flash(lpa, page);
        let Translation { policy, sizes, writes, .. } = &mut self.ftl.translation;
        let occupied = self.ftl.mapped_units as u32;
        let view = MapView { map: &self.ftl.map, layout: &self.ftl.layout, occupied, sizes: *sizes };
        policy.get_mut().loaded(page, lpa, &view, writes);
        let waits = policy.get().waits_for_evictions();
        self.tell_translation(&Event::Loaded { page, lpa });
        let written = if self.ftl.translation.writes.is_empty() { None } else { self.write_back() };
        let found = self.ask(id);
        let eviction = written.filter(|_| waits && matches!(found, Found::Known(_)));
        match eviction.and_then(|page| self.ftl.translation.work_of(page)) {
            Some(number) => {
                self.flash.pool[id].wait_from = self.flash.now();
                self.ftl.translation.works[number].held.push(&mut self.flash.pool, id);
            }
            None => self.go_on_with(id, found),
        }
    }

    /// An entry of the host's map has changed.
    #[inline]
    pub(super) fn map_changed(&mut self, lpa: Lpa, old: Ppa, new: Ppa, cause: Cause) {
        if self.ftl.translation.follows {
            let Translation { policy, sizes, writes, .. } = &mut self.ftl.translation;
            let occupied = self.ftl.mapped_units as u32;
            let view = MapView { map: &self.ftl.map, layout: &self.ftl.layout, occupied, sizes: *sizes };
            policy.get_mut().updated(&Update { lpa, old, new, cause }, &view, writes);
            self.write_back();
        }
    }

    /// A superblock has been erased, by which changes of its collection may be written.
    pub(super) fn tell_map_of_erase(&mut self) {
        if self.ftl.translation.follows {
            let Translation { policy, writes, .. } = &mut self.ftl.translation;
            policy.get_mut().erased(writes);
            self.write_back();
        }
    }

    pub(super) fn mapping_report(&self) -> Option<MappingReport> {
        let translation = &self.ftl.translation;
        if !translation.follows {
            return None;
        }
        let (policy, counters) = (translation.policy.get(), self.observers.recorder.mapping);
        let lookups = counters.lookups();
        Some(MappingReport {
            policy: policy.name().to_owned(),
            lookups,
            counters,
            hit_ratio: (lookups > 0).then(|| counters.hits as f64 / lookups as f64),
            speculative_share: counters.speculative_share(),
            translation_pages: u64::from(translation.sizes.translation_pages),
            entries_per_page: u64::from(translation.sizes.entries_per_page),
            journal_pages: u64::from(translation.sizes.journal_pages),
            cached_entries: policy.cached_entries(),
            dirty_entries: policy.dirty_entries(),
            bytes: policy.bytes(),
        })
    }
}
