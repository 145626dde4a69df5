//! Address translation at work: what the firmware knows is asked of the mapping policy; pages of the map are read and
//! written, guesses checked.
//!
//! A translation page is a logical page behind those of the host, and so is a page of the map's journal: their table entries,
//! versions, moves and audit are those of any page. One that is in the controller, because it was just read or waits to be programmed, serves all
//! who want it without a read of its own.

use crate::events::Event;
use crate::mapping::{Found, Lookup, MapSizes, MapView, Mapping, MappingPolicy, Update, WriteBack};
use crate::work::above::AboveFtl;
use crate::work::counted::Counted;
use crate::work::ftl::Ftl;
use crate::work::plans::awaited_moves::waits_for_move;
use crate::work::preparation::places::allocate_on_first_read;
use crate::work::purposes::Purpose;
use crate::work::purposes::new_op;
use crate::work::reads::read::{end_with_zeros, send_read};
use crate::work::translation::guesses::read_at_guess;
use crate::work::translation::map_pages::{Stage, Work};
use crate::work::translation::map_pages::{compare_with_flash, new_map_read, write_back};
use crate::work::writes::program::{program_anywhere, read_old_content};
use wordline_base::class::{Cause, Class, FlashOp};
use wordline_base::ids::{Lpa, Ppa};
use wordline_base::parts::Part as BlamePart;
use wordline_base::snapshot::{In, Out, Part, SnapshotError};
use wordline_config::scheme::{Loads, MappingConfig, StoredPages, UnmappedReads};
use wordline_flash::sched::queue::{NONE, Op, OpId};
use wordline_flash::work::submit;

/// Questions about one page of a request after which its policy is said to lead nowhere.
const MOST_QUESTIONS: u32 = 16;

/// Noted with the number of questions about a page: the mapping policy wants a translation page read for it.
const LOADS_FOR_POLICY: u32 = 1 << 31;

/// State of address translation.
pub struct Translation {
    pub policy: MappingPolicy,
    /// Whether lookups ask the policy: not while the whole map is in DRAM.
    asks: bool,
    /// Whether it is told what changes.
    follows: bool,
    asks_systems: bool,
    /// Whether places that are said to be known are compared with the map: where a user's policy or a system may say them, and in
    /// checked mode.
    compares: bool,
    pub sizes: MapSizes,
    /// Bytes of a translation page that a read sends over the channel.
    pub(crate) page_bytes: u32,
    /// Whether each look-up that misses has a read of its own.
    pub separate_loads: bool,
    pub(crate) stores_all: bool,
    /// Whether what the data cache writes back is looked up.
    pub looks_up_write_backs: bool,
    search_buckets: u32,
    /// Of each page of the map; 0 = none.
    pub(crate) work_plus_one: Vec<u32>,
    pub(crate) works: Vec<Work>,
    pub(crate) free: Vec<u32>,
    /// Asked for by the policy.
    pub(crate) writes: Vec<WriteBack>,
    /// Checked mode: the map as its pages on flash have it, by logical page.
    pub(crate) on_flash: Option<Vec<Ppa>>,
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
    pub fn all_units(&self) -> u32 {
        let parity =
            self.striped.as_ref().map_or(0, |striped| striped.stripes.parity_units(self.logical_units));
        self.logical_units + self.translation.sizes.map_pages() + parity
    }

    /// The logical page that a page of the map is.
    pub fn map_page(&self, page: u32) -> Lpa {
        Lpa(self.logical_units + page)
    }
}

/// What an operation waited for its entry counts as that.
pub fn end_translation_wait<A: AboveFtl>(above: &mut A, id: OpId) {
    let waited = above.flash().now().since(above.flash().pool[id].wait_from).0;
    if waited > 0 {
        above.flash_mut().pool.parts_mut(id).add(BlamePart::Translation, waited);
    }
}

/// Sends a unit of a read of the host on its way, or lets it wait for its entry. See [`read_for_host`].
#[inline(never)]
pub(crate) fn translate_read<A: AboveFtl>(
    above: &mut A,
    request: u32,
    lpa: Lpa,
    bytes: u32,
    head: OpId,
) -> OpId {
    let id =
        new_op(above, Op { bytes, ..Op::new(Class::HostRead, Ppa::NONE) }, Purpose::of_host(request, lpa));
    match first_answer(above, id) {
        Found::Known(_) if above.fetches_entry(id) => head,
        Found::Known(ppa) if ppa.is_some() => {
            above.tell_access_of(id, false);
            above.flash_mut().pool[id].ppa = ppa;
            send_read(above, id, head)
        }
        Found::Known(ppa) => {
            read_known(above, id, ppa);
            head
        }
        Found::Load(page) => {
            if let Some(read) = map_read_for(above, id, page) {
                submit(above, read);
            }
            head
        }
        Found::Guess(ppa) => {
            above.tell_access_of(id, false);
            above.flash_mut().pool[id].ppa = ppa;
            above.flash_mut().pool[id].tentative = true;
            send_read(above, id, head)
        }
    }
}

/// Whether what the firmware knows suffices for a write that has come; if not, it is on its way to find out.
pub fn is_translated<A: AboveFtl>(above: &mut A, id: OpId) -> bool {
    match first_answer(above, id) {
        Found::Known(_) => !above.fetches_entry(id),
        Found::Guess(ppa) => {
            if above.ftl().purposes[id].partial {
                read_at_guess(above, id, ppa);
            }
            !above.ftl().purposes[id].partial
        }
        Found::Load(page) => {
            wait_for_page(above, id, page);
            false
        }
    }
}

fn first_answer<A: AboveFtl>(above: &mut A, id: OpId) -> Found {
    above.ftl_mut().purposes[id].tag = 0;
    let found = ask(above, id);
    let partial = above.ftl().purposes[id].partial;
    let class = above.flash().pool[id].class;
    let write = partial || class.op() == FlashOp::Program;
    above.counted(Counted::LookUp { found, write });
    found
}

/// What is asked about the page of an operation.
pub(crate) fn question_of<A: AboveFtl>(above: &A, id: OpId) -> Lookup {
    let Purpose { whose, lpa, partial, .. } = above.ftl().purposes[id];
    let write = partial || above.flash().pool[id].class.op() == FlashOp::Program;
    let Some(request) = whose.host() else { return Lookup::alone(lpa, write) };
    let units = above.units_from(request, lpa, above.ftl().geometry.unit_bytes);
    Lookup { lpa, write, units, flow: above.flow_of_request(request) }
}

/// Asks where the page of an operation is, and checks the answer.
fn ask<A: AboveFtl>(above: &mut A, id: OpId) -> Found {
    let lookup = question_of(above, id);
    let lpa = lookup.lpa;
    let noted = above.ftl().purposes[id].tag;
    let asked = (noted & !LOADS_FOR_POLICY) + 1;
    // Whom a translation page was read for finds the entry in it: a system would but guess what is known by then.
    let mut found = None;
    if above.ftl().translation.asks_systems && noted & LOADS_FOR_POLICY == 0 {
        found = above.find_in_systems(&lookup);
    }
    let by_policy = found.is_none();
    let found = match found {
        Some(found) => found,
        None => {
            let ftl = above.ftl_mut();
            let Translation { policy, sizes, .. } = &mut ftl.translation;
            let occupied = ftl.mapped_units as u32;
            let view = MapView { map: &ftl.map, layout: &ftl.layout, occupied, sizes: *sizes };
            policy.find(&lookup, &view)
        }
    };
    let loads = by_policy && matches!(found, Found::Load(_));
    above.ftl_mut().purposes[id].tag = asked | if loads { LOADS_FOR_POLICY } else { 0 };
    let sizes = above.ftl().translation.sizes;
    let wrong = match found {
        _ if asked > MOST_QUESTIONS => Some(format!("again, the answer to question {asked} about it")),
        Found::Known(ppa) if above.ftl().translation.compares && ppa != above.ftl().lookup(lpa) => {
            Some(format!("but it is at {:?}", above.ftl().lookup(lpa)))
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
    above.fail(format!("the mapping answered {found:?} for {lpa:?}, {wrong}"));
    Found::Known(above.ftl().lookup(lpa))
}

/// Asks again, and goes on accordingly.
pub(crate) fn ask_again<A: AboveFtl>(above: &mut A, id: OpId) {
    let found = ask(above, id);
    go_on_with(above, id, found);
}

/// Goes on with the answer to a further question.
fn go_on_with<A: AboveFtl>(above: &mut A, id: OpId, found: Found) {
    match found {
        Found::Known(ppa) => go_on_to(above, id, ppa),
        Found::Load(page) => wait_for_page(above, id, page),
        Found::Guess(ppa) => {
            let partial = above.ftl().purposes[id].partial;
            let class = above.flash().pool[id].class;
            if partial || class.op() == FlashOp::Read {
                read_at_guess(above, id, ppa);
            } else {
                go_on(above, id);
            }
        }
    }
}

/// The place of a page is known: on to the flash.
pub fn go_on<A: AboveFtl>(above: &mut A, id: OpId) {
    let ppa = above.ftl().lookup(above.ftl().purposes[id].lpa);
    go_on_to(above, id, ppa);
}

/// The same; the page is here, or holds no data.
fn go_on_to<A: AboveFtl>(above: &mut A, id: OpId, ppa: Ppa) {
    let partial = above.ftl().purposes[id].partial;
    let class = above.flash().pool[id].class;
    if class == Class::WriteBackProgram {
        above.carry_looked_up(id);
    } else if partial {
        read_old_content(above, id);
    } else if class.op() == FlashOp::Read {
        read_known(above, id, ppa);
    } else if !waits_for_move(above, id) {
        program_anywhere(above, id);
    }
}

/// A read of the host whose place is known, if its page holds data.
fn read_known<A: AboveFtl>(above: &mut A, id: OpId, mut ppa: Ppa) {
    if above.answered_by_cache(id) {
        // The host wrote it meanwhile.
        return;
    }
    if !ppa.is_some() {
        let lpa = above.ftl().purposes[id].lpa;
        above.counted(Counted::Unmapped);
        if above.ftl().rules.unmapped_reads == UnmappedReads::Allocate {
            ppa = allocate_on_first_read(above, lpa);
        }
    }
    above.tell_access_of(id, false);
    if !ppa.is_some() {
        return end_with_zeros(above, id);
    }
    above.flash_mut().pool[id].ppa = ppa;
    if waits_for_move(above, id) {
        return;
    }
    submit(above, id);
    above.tell_read(id);
}

/// A page of a request needs a translation page.
fn wait_for_page<A: AboveFtl>(above: &mut A, id: OpId, page: u32) {
    if let Some(read) = map_read_for(above, id, page) {
        submit(above, read);
    }
}

/// The same; the read of it that is to be sent, if this look-up needs one.
fn map_read_for<A: AboveFtl>(above: &mut A, id: OpId, page: u32) -> Option<OpId> {
    above.flash_mut().pool[id].wait_from = above.flash().now();
    let work = above.ftl().translation.work_of(page);
    let under_way = work.filter(|&number| above.ftl().translation.works[number].stage == Stage::Reading);
    if let Some(number) = under_way
        && !above.ftl().translation.separate_loads
    {
        let (ftl, flash) = above.ftl_and_flash();
        ftl.translation.works[number].waiting.push(&mut flash.pool, id);
        return None;
    }
    let place = above.ftl().lookup(above.ftl().map_page(page));
    if under_way.is_some() {
        // Beside that one, for this look-up only.
        above.counted(Counted::MapLoad);
        return Some(new_map_read(above, page, place, id + 1));
    }
    if work.is_some() || !place.is_some() {
        // Of one that was never written all entries are empty, and the directory says so.
        page_is_here(above, id, page);
        return None;
    }
    let number = above.ftl_mut().translation.begin(page, Stage::Reading, false);
    let (ftl, flash) = above.ftl_and_flash();
    ftl.translation.works[number].waiting.push(&mut flash.pool, id);
    above.counted(Counted::MapLoad);
    Some(new_map_read(above, page, place, 0))
}

/// The translation page that a page of a request needs is in the controller.
pub(crate) fn page_is_here<A: AboveFtl>(above: &mut A, id: OpId, page: u32) {
    end_translation_wait(above, id);
    let lookup = question_of(above, id);
    let lpa = lookup.lpa;
    compare_with_flash(above, lpa, page);
    let ftl = above.ftl_mut();
    let Translation { policy, sizes, writes, .. } = &mut ftl.translation;
    let occupied = ftl.mapped_units as u32;
    let view = MapView { map: &ftl.map, layout: &ftl.layout, occupied, sizes: *sizes };
    policy.get_mut().loaded(page, &lookup, &view, writes);
    let waits = policy.get().waits_for_evictions();
    above.tell(&Event::Loaded { page, lpa });
    let written = if above.ftl().translation.writes.is_empty() { None } else { write_back(above) };
    let found = ask(above, id);
    let eviction = written.filter(|_| waits && matches!(found, Found::Known(_)));
    match eviction.and_then(|page| above.ftl().translation.work_of(page)) {
        Some(number) => {
            above.flash_mut().pool[id].wait_from = above.flash().now();
            let (ftl, flash) = above.ftl_and_flash();
            ftl.translation.works[number].held.push(&mut flash.pool, id);
        }
        None => go_on_with(above, id, found),
    }
}

/// Entries of all units of a program are about to change: what that takes is fetched for all of them at once.
#[inline]
pub fn fetch_changes<A: AboveFtl>(above: &A, head: OpId) {
    if !above.ftl().translation.follows {
        return;
    }
    let policy = above.ftl().translation.policy.get();
    let mut unit = head;
    while unit != NONE {
        policy.fetch(above.ftl().purposes[unit].lpa);
        unit = above.flash().pool[unit].next_unit;
    }
}

/// An entry of the host's map has changed.
#[inline]
pub fn map_changed<A: AboveFtl>(above: &mut A, lpa: Lpa, old: Ppa, new: Ppa, cause: Cause) {
    if above.ftl().translation.follows {
        let ftl = above.ftl_mut();
        let Translation { policy, sizes, writes, .. } = &mut ftl.translation;
        let occupied = ftl.mapped_units as u32;
        let view = MapView { map: &ftl.map, layout: &ftl.layout, occupied, sizes: *sizes };
        policy.get_mut().updated(&Update { lpa, old, new, cause }, &view, writes);
        write_back(above);
    }
}

/// A superblock has been erased, by which changes of its collection may be written.
pub(crate) fn tell_map_of_erase<A: AboveFtl>(above: &mut A) {
    if above.ftl().translation.follows {
        let Translation { policy, writes, .. } = &mut above.ftl_mut().translation;
        policy.get_mut().erased(writes);
        write_back(above);
    }
}

impl Ftl {
    /// Replaces the mapping policy by a user's own. Translation pages exist if the scheme's policy keeps the map on
    /// flash.
    pub fn set_mapping(&mut self, policy: Box<dyn Mapping + Send>) {
        self.translation.policy = MappingPolicy::Custom(policy);
        (self.translation.asks, self.translation.follows) = (true, true);
        self.translation.compares = true;
    }

    /// Bytes of controller memory that the tables of address translation take.
    pub fn mapping_bytes(&self) -> u64 {
        self.translation.policy.get().bytes()
    }

    /// Whether the policy of the map is told of changes: it keeps the map, or a part of it, by itself.
    pub fn follows_map(&self) -> bool {
        self.translation.follows
    }
}
