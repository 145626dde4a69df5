//! Whoever holds the cache: requests of the host, and a flash of two planes that do one page after the other.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::cache::work::{self, AroundCache, CacheTimer, Versions};
use crate::cache::{Cache, WRITE_BACK_PROGRAM, WRITE_BACK_READ};
use wordline_base::class::{Class, FlashOp};
use wordline_base::ids::{DomainId, Lpa, PlaneId, Ppa};
use wordline_base::parts::Part;
use wordline_base::time::Ns;
use wordline_config::cache::{CacheConfig, CacheKind, DramConfig, Rewrites};
use wordline_config::device::GeometryConfig;
use wordline_config::scheme::SuperblockSpan;
use wordline_flash::nand::Geometry;
use wordline_flash::sched::queue::{Op, OpId, OpPool};
use wordline_ftl::blocks::{Domains, Points};
use wordline_ftl::work::Purpose;
use wordline_observe::data_cache::CacheReport;

/// Times, ns: of a page read, of one programmed, of an access to the DRAM, of a look-up in the map.
pub const READ: u64 = 10_000;
pub const PROGRAM: u64 = 100_000;
pub const ACCESS: u64 = 100;
pub const LOOK_UP: u64 = 5_000;

/// Bytes of a mapping unit.
pub const UNIT: u64 = 4096;

/// Mapping units of which tests may ask what is cached.
pub const UNITS: u32 = 24;

/// Mapping units of the drive.
const ALL_UNITS: u32 = 1024;

const PLANES: u32 = 2;

/// What the drive around the cache is, and what the cache is.
#[derive(Clone, Debug)]
pub struct Described {
    pub cache: CacheConfig,
    /// Units that the cache has room for.
    pub capacity: u32,
    pub units_per_page: u32,
    /// Write points of the host: streams.
    pub points: u32,
    /// Whether the address of a unit fixes its plane.
    pub fixed: bool,
    /// Whether write-backs are looked up in the map, which takes [`LOOK_UP`].
    pub looks_up: bool,
}

/// A cache of four units that sends what is dirty when it is full, on a drive whose pages are units and whose addresses fix nothing.
pub fn described(policy: CacheKind) -> Described {
    let cache = CacheConfig { policy, dirty_high: 1.0, dirty_low: Some(0.75), ..CacheConfig::default() };
    Described { cache, capacity: 4, units_per_page: 1, points: 1, fixed: false, looks_up: false }
}

#[derive(Clone, Debug)]
struct Request {
    offset: u64,
    length: u64,
    stream: u16,
    durable: bool,
    left: u32,
    done: Option<Ns>,
    /// What must be in flash when it is done.
    safe_then: BTreeMap<u32, u32>,
}

/// A plane: the page that it reads or programs, until when, and those that wait.
#[derive(Default)]
struct Plane {
    running: Option<(Ns, Vec<OpId>)>,
    waiting: VecDeque<Vec<OpId>>,
}

/// Something that a plane did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Did {
    /// It began to read this unit.
    Read(u32),
    /// It began to program it.
    Program(u32),
    /// It began a program of data that is nobody's any more.
    Nothing,
}

/// The cache, and what is around it.
pub struct Alone {
    pub cache: Cache,
    pub geometry: Geometry,
    described: Described,
    domains: Domains,
    points: Points,
    pool: OpPool,
    purposes: Vec<Purpose>,
    now: Ns,
    timers: [Option<Ns>; 3],
    planes: Vec<Plane>,
    look_ups: VecDeque<(Ns, OpId)>,
    requests: Vec<Request>,
    /// Place and version of what flash holds, as of the begin of each program.
    pub flash: BTreeMap<u32, (Ppa, u32)>,
    programs: u32,
    /// Newest version of each unit that was ever written or trimmed.
    pub newest: BTreeMap<u32, u32>,
    /// Versions of which a power cut would leave one at least as new.
    safe: BTreeMap<u32, u32>,
    /// The naive cache: what is newer than flash.
    pub dirty: BTreeMap<u32, u32>,
    pub collecting: BTreeSet<u32>,
    pub pages_programmed: u32,
    /// What planes did, and when.
    pub did: Vec<(u64, Did)>,
    /// Waits of requests' operations that were longer than nothing: the request, the time and what it is blamed on.
    pub blamed: Vec<(u32, Part, u64)>,
    pub fault: Option<String>,
}

impl Alone {
    pub fn new(described: &Described) -> Self {
        let geometry = Geometry::new(&GeometryConfig {
            channels: 1,
            ways: PLANES,
            dies: 1,
            planes: 1,
            blocks: 8,
            pages: 8,
            page_bytes: UNIT as u32 * described.units_per_page,
            spare_bytes: 0,
            mapping_unit_bytes: UNIT as u32,
            pages_per_program: 1,
        });
        let planes: Vec<PlaneId> = (0..PLANES).map(PlaneId).collect();
        let bytes = u64::from(described.capacity) * UNIT;
        let groups = described.points * if described.fixed { PLANES } else { 1 };
        let sizes = [ALL_UNITS, UNIT as u32, described.units_per_page, groups];
        let dram = DramConfig { access_ns: ACCESS, ..DramConfig::default() };
        Self {
            cache: Cache::new(&described.cache, &dram, bytes, sizes).unwrap(),
            domains: Domains::new(&geometry, SuperblockSpan::None, &planes),
            geometry,
            described: described.clone(),
            points: Points::new(described.points, &[]),
            pool: OpPool::default(),
            purposes: Vec::new(),
            now: Ns::ZERO,
            timers: [None; 3],
            planes: planes.iter().map(|_| Plane::default()).collect(),
            look_ups: VecDeque::new(),
            requests: Vec::new(),
            flash: BTreeMap::new(),
            programs: 0,
            newest: BTreeMap::new(),
            safe: BTreeMap::new(),
            dirty: BTreeMap::new(),
            collecting: BTreeSet::new(),
            pages_programmed: 0,
            did: Vec::new(),
            blamed: Vec::new(),
            fault: None,
        }
    }

    /// The same on a drive that holds data of all its units, the even ones on the first plane.
    pub fn filled(described: &Described) -> Self {
        let mut this = Self::new(described);
        let version = |lpa| (lpa, 1);
        (this.newest, this.safe) = ((0..UNITS).map(version).collect(), (0..UNITS).map(version).collect());
        this.flash = (0..UNITS).map(|lpa| (lpa, (Ppa(lpa), 1))).collect();
        this.programs = UNITS;
        this
    }

    fn request(&mut self, offset: u64, length: u64, stream: u16, durable: bool) -> u32 {
        let units = (offset + length).div_ceil(UNIT) - offset / UNIT;
        let left = units as u32 + 1;
        let safe_then = BTreeMap::new();
        self.requests.push(Request { offset, length, stream, durable, left, done: None, safe_then });
        (self.requests.len() - 1) as u32
    }

    /// The units of a request, and the bytes that it wants of each.
    fn units(&self, request: u32) -> Vec<(Lpa, u32)> {
        let Request { offset, length, .. } = self.requests[request as usize];
        let units = (offset / UNIT) as u32..(offset + length).div_ceil(UNIT) as u32;
        let wanted = |lpa| self.wanted_range(request, lpa);
        units.map(|lpa| (Lpa(lpa), wanted(Lpa(lpa)).1 - wanted(Lpa(lpa)).0)).collect()
    }

    /// The host writes bytes; returns the request's number.
    pub fn write_bytes(&mut self, offset: u64, length: u64, stream: u16, durable: bool) -> u32 {
        let request = self.request(offset, length, stream, durable);
        for (lpa, bytes) in self.units(request) {
            work::write_unit(self, request, lpa, bytes, durable);
        }
        work::tend(self);
        self.part_done(request);
        self.look_at_planes();
        request
    }

    /// The host writes a unit.
    pub fn write(&mut self, lpa: u32) -> u32 {
        self.write_bytes(u64::from(lpa) * UNIT, UNIT, 0, false)
    }

    /// The host writes these units; returns the numbers of the requests.
    pub fn write_all(&mut self, units: impl IntoIterator<Item = u32>) -> Vec<u32> {
        units.into_iter().map(|lpa| self.write(lpa)).collect()
    }

    /// The host writes the first sector of a unit.
    pub fn write_sector(&mut self, lpa: u32) -> u32 {
        self.write_bytes(u64::from(lpa) * UNIT, 512, 0, false)
    }

    /// The host writes a unit with FUA.
    pub fn write_through(&mut self, lpa: u32) -> u32 {
        self.write_bytes(u64::from(lpa) * UNIT, UNIT, 0, true)
    }

    /// The host reads bytes.
    pub fn read_bytes(&mut self, offset: u64, length: u64) -> u32 {
        let request = self.request(offset, length, 0, false);
        for (lpa, bytes) in self.units(request) {
            if !work::read_unit(self, request, lpa, bytes) {
                self.read_from_flash(request, lpa, bytes);
            }
        }
        self.part_done(request);
        self.look_at_planes();
        request
    }

    /// The host reads a unit.
    pub fn read(&mut self, lpa: u32) -> u32 {
        self.read_bytes(u64::from(lpa) * UNIT, UNIT)
    }

    fn read_from_flash(&mut self, request: u32, lpa: Lpa, bytes: u32) {
        let Some(&(ppa, _)) = self.flash.get(&lpa.0) else { return self.part_done(request) };
        let op = Op { bytes, ..Op::new(Class::HostRead, ppa) };
        let id = self.new_operation(op, Purpose::of_host(request, lpa));
        self.plane_of(ppa).waiting.push_back(vec![id]);
    }

    /// The host wants all that it wrote to be in flash.
    pub fn flush(&mut self) -> u32 {
        let request = self.request(0, 0, 0, false);
        let cached = |lpa: &u32| self.cache.holds(Lpa(*lpa));
        let written = self.newest.iter().filter(|(lpa, _)| cached(lpa));
        self.requests[request as usize].safe_then = written.map(|(&lpa, &version)| (lpa, version)).collect();
        work::flush(self, request);
        self.look_at_planes();
        request
    }

    /// The host trims a unit.
    pub fn trim(&mut self, lpa: u32) {
        let version = self.newest.entry(lpa).or_default();
        *version += 1;
        self.safe.insert(lpa, *version);
        self.flash.remove(&lpa);
        self.dirty.remove(&lpa);
        work::drop_unit(self, Lpa(lpa));
        work::tend(self);
        self.look_at_planes();
    }

    /// A plane is collected from now on, or no longer.
    pub fn collect(&mut self, plane: u32, begins: bool) {
        if begins {
            self.collecting.insert(plane);
        } else {
            self.collecting.remove(&plane);
            work::tend(self);
            self.look_at_planes();
        }
    }

    /// When a request was done, ns.
    pub fn done(&self, request: u32) -> Option<u64> {
        self.requests[request as usize].done.map(|done| done.0)
    }

    /// Requests that are not done.
    pub fn open(&self) -> usize {
        self.requests.iter().filter(|request| request.done.is_none()).count()
    }

    pub fn now(&self) -> u64 {
        self.now.0
    }

    /// What the cache counted so far.
    pub fn counts(&self) -> CacheReport {
        self.cache.report(self.now).unwrap()
    }

    /// What the planes programmed, in order.
    pub fn programmed(&self) -> Vec<u32> {
        let unit = |&(_, did): &(u64, Did)| if let Did::Program(lpa) = did { Some(lpa) } else { None };
        self.did.iter().filter_map(unit).collect()
    }

    /// The units that the cache holds.
    pub fn cached(&self) -> Vec<u32> {
        (0..UNITS).filter(|&lpa| self.cache.holds(Lpa(lpa))).collect()
    }

    /// Operations in flight.
    pub fn in_flight(&self) -> usize {
        self.pool.len()
    }

    /// Handles all events up to this time, ns.
    pub fn run(&mut self, until: u64) {
        while self.next().is_some_and(|next| next.0 <= until) {
            self.step();
        }
        self.now = Ns(until);
    }

    /// Handles all events before this time, ns; it is that time then, and those of it are still to come.
    pub fn run_before(&mut self, time: u64) {
        self.run(time - 1);
        self.now = Ns(time);
    }

    /// Runs until nothing is left to do, which must then be at rest.
    pub fn run_dry(&mut self) {
        while self.next().is_some() {
            self.step();
        }
        assert_eq!(self.fault, None);
    }

    fn next(&self) -> Option<Ns> {
        let planes = self.planes.iter().filter_map(|plane| plane.running.as_ref().map(|running| running.0));
        let others = self.timers.iter().flatten().copied().chain(self.look_ups.front().map(|first| first.0));
        planes.chain(others).min()
    }

    /// The next event; of those of one time timers come first, then look-ups, then planes.
    fn step(&mut self) {
        let Some(now) = self.next() else { return };
        self.now = now;
        let due = |at: &Option<Ns>| *at == Some(now);
        if let Some(timer) = self.timers.iter().position(due) {
            self.timers[timer] = None;
            if timer == CacheTimer::Dram as usize { work::access_ended(self) } else { work::tend(self) }
        } else if self.look_ups.front().is_some_and(|first| first.0 == now) {
            let (_, id) = self.look_ups.pop_front().unwrap();
            work::carry_looked_up(self, id);
        } else {
            let ends = |plane: &Plane| plane.running.as_ref().is_some_and(|running| running.0 == now);
            let plane = self.planes.iter().position(ends).unwrap();
            let (_, page) = self.planes[plane].running.take().unwrap();
            self.page_ends(&page);
        }
        self.look_at_planes();
    }

    fn page_ends(&mut self, page: &[OpId]) {
        match self.pool[page[0]].class {
            Class::HostRead => {
                work::keep_read(self, page[0]);
                AroundCache::done(self, page[0]);
            }
            WRITE_BACK_READ => work::merged(self, page[0]),
            _ => {
                for &id in page {
                    let lpa = self.purposes[id as usize].lpa;
                    if lpa.is_some() {
                        let version = self.flash.get(&lpa.0).map_or(0, |found| found.1);
                        let safe = self.safe.entry(lpa.0).or_default();
                        *safe = (*safe).max(version);
                    }
                    work::ended(self, id);
                    AroundCache::done(self, id);
                }
                work::tend(self);
            }
        }
    }

    /// Idle planes take what waits for them.
    fn look_at_planes(&mut self) {
        while let Some((plane, page)) = self.take_waiting() {
            let is_read = self.pool[page[0]].class.op() == FlashOp::Read;
            if is_read && !self.read_begins(page[0]) {
                continue;
            }
            if !is_read {
                self.pages_programmed += 1;
                page.iter().for_each(|&id| self.program_begins(id));
            }
            let time = if is_read { READ } else { PROGRAM };
            self.planes[plane].running = Some((self.now + Ns(time), page));
        }
    }

    fn take_waiting(&mut self) -> Option<(usize, Vec<OpId>)> {
        let waits = |plane: &Plane| plane.running.is_none() && !plane.waiting.is_empty();
        let plane = self.planes.iter().position(waits)?;
        Some((plane, self.planes[plane].waiting.pop_front()?))
    }

    /// Whether a read whose turn has come is carried out.
    fn read_begins(&mut self, id: OpId) -> bool {
        let lpa = self.purposes[id as usize].lpa;
        let there = self.flash.get(&lpa.0).copied();
        let stands = there.is_some_and(|(ppa, _)| ppa == self.pool[id].ppa) && !work::is_overtaken(self, id);
        if stands {
            let behind = self.cache.version_in_flash(lpa).unwrap_or(self.newest[&lpa.0]);
            assert_eq!(there.unwrap().1, behind, "{lpa:?}");
            self.did.push((self.now.0, Did::Read(lpa.0)));
        } else if !work::serve_late(self, id) {
            match there {
                None => AroundCache::done(self, id),
                Some((ppa, _)) => {
                    self.pool[id].ppa = ppa;
                    self.plane_of(ppa).waiting.push_back(vec![id]);
                }
            }
        }
        stands
    }

    /// A program takes effect.
    fn program_begins(&mut self, id: OpId) {
        let lpa = self.purposes[id as usize].lpa;
        if work::begins(self, id) {
            let version = self.newest[&lpa.0];
            assert_eq!(self.dirty.remove(&lpa.0), Some(version), "{lpa:?} is programmed once");
            self.flash.insert(lpa.0, (self.pool[id].ppa, version));
            self.did.push((self.now.0, Did::Program(lpa.0)));
        } else {
            self.purposes[id as usize].lpa = Lpa::NONE;
            self.did.push((self.now.0, Did::Nothing));
        }
    }

    /// Places are numbered as programs are queued, so that no two are the same; the planes take turns.
    fn plane_of(&mut self, ppa: Ppa) -> &mut Plane {
        &mut self.planes[(ppa.0 % PLANES) as usize]
    }

    /// Whether nothing is newer than this in flash, or will be.
    fn is_safe(&self, lpa: u32, version: u32) -> bool {
        let superseded = self.described.cache.rewrites == Rewrites::Append && self.newest[&lpa] > version;
        superseded || self.safe.get(&lpa).is_some_and(|&safe| safe >= version)
    }
}

impl AroundCache for Alone {
    fn cache(&self) -> &Cache {
        &self.cache
    }

    fn cache_mut(&mut self) -> &mut Cache {
        &mut self.cache
    }

    fn now(&self) -> Ns {
        self.now
    }

    fn set_timer(&mut self, timer: CacheTimer, at: Ns) {
        self.timers[timer as usize] = Some(at);
    }

    fn fail(&mut self, what: String) {
        self.fault.get_or_insert(what);
    }

    fn wanted_range(&self, request: u32, lpa: Lpa) -> (u32, u32) {
        let Request { offset, length, .. } = self.requests[request as usize];
        let start = u64::from(lpa.0) * UNIT;
        (offset.saturating_sub(start) as u32, (offset + length - start).min(UNIT) as u32)
    }

    fn stream_of(&self, request: u32) -> u16 {
        self.requests[request as usize].stream
    }

    fn is_durable(&self, request: u32) -> bool {
        self.requests[request as usize].durable
    }

    fn part_done(&mut self, request: u32) {
        let now = self.now;
        let ended = &mut self.requests[request as usize];
        assert!(ended.done.is_none(), "request {request} is done twice");
        ended.left -= 1;
        if ended.left == 0 {
            ended.done = Some(now);
            let safe_then = &self.requests[request as usize].safe_then;
            let lacking = safe_then.iter().find(|&(&lpa, &version)| !self.is_safe(lpa, version));
            assert_eq!(lacking, None, "request {request}");
        }
    }

    fn takes_effect(&mut self, request: u32, lpa: Lpa) -> Versions {
        let version = self.newest.entry(lpa.0).or_default();
        let before = *version;
        *version += 1;
        let now = *version;
        self.dirty.insert(lpa.0, now);
        let request = &mut self.requests[request as usize];
        if request.durable {
            request.safe_then.insert(lpa.0, now);
        }
        Versions { before, now }
    }

    fn is_served(&mut self, request: u32, lpa: Lpa, version: u32) {
        assert_eq!(version, self.newest[&lpa.0], "request {request} reads {lpa:?}");
    }

    fn new_operation(&mut self, op: Op, purpose: Purpose) -> OpId {
        let id = self.pool.insert(Op { waited_for: purpose.whose.is_waited_for(), ..op });
        self.purposes.resize(self.purposes.len().max(id as usize + 1), purpose);
        self.purposes[id as usize] = purpose;
        id
    }

    fn operation(&self, id: OpId) -> &Op {
        &self.pool[id]
    }

    fn purpose(&self, id: OpId) -> &Purpose {
        &self.purposes[id as usize]
    }

    fn purpose_mut(&mut self, id: OpId) -> &mut Purpose {
        &mut self.purposes[id as usize]
    }

    fn begin_wait(&mut self, id: OpId) {
        self.pool[id].wait_from = self.now;
    }

    fn end_wait(&mut self, id: OpId, part: Part) {
        let time = self.now.since(self.pool[id].wait_from).0;
        if time > 0 {
            self.blamed.push((self.purposes[id as usize].whose.request(), part, time));
        }
        self.pool[id].wait_from = self.now;
    }

    fn done(&mut self, id: OpId) {
        if let Some(request) = self.purposes[id as usize].whose.host() {
            self.part_done(request);
        }
        self.pool.remove(id);
    }

    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn domains(&self) -> &Domains {
        &self.domains
    }

    fn points(&self) -> &Points {
        &self.points
    }

    fn is_in_flash(&self, lpa: Lpa) -> bool {
        self.flash.contains_key(&lpa.0)
    }

    fn version_read(&self, id: OpId) -> Option<u32> {
        let there = self.flash.get(&self.purposes[id as usize].lpa.0);
        there.filter(|(ppa, _)| *ppa == self.pool[id].ppa).map(|&(_, version)| version)
    }

    fn group_of_write(&mut self, lpa: Lpa, stream: u16) -> u32 {
        let domain = self.domain_by_address(lpa).map_or(0, |domain| domain.0);
        self.points.group(domain, self.points.of_stream(stream).unwrap())
    }

    fn domain_by_address(&self, lpa: Lpa) -> Option<DomainId> {
        self.described.fixed.then_some(DomainId(lpa.0 / self.described.units_per_page % PLANES))
    }

    fn collects(&self, domain: DomainId) -> bool {
        self.collecting.contains(&domain.0)
    }

    fn writes_past_collection(&self) -> bool {
        self.described.cache.past_collection
    }

    fn has_room_in(&self, _domain: DomainId) -> bool {
        true
    }

    fn place(&mut self, lpa: Lpa, _stream: u16) -> PlaneId {
        let load = |plane: &Plane| plane.waiting.len() + usize::from(plane.running.is_some());
        let least = || (0..PLANES).min_by_key(|&plane| load(&self.planes[plane as usize])).unwrap();
        PlaneId(self.domain_by_address(lpa).map_or_else(least, |domain| domain.0))
    }

    fn is_translated(&mut self, id: OpId) -> bool {
        if self.described.looks_up {
            self.look_ups.push_back((self.now + Ns(LOOK_UP), id));
        }
        !self.described.looks_up
    }

    fn waits_for_move(&mut self, _id: OpId) -> bool {
        false
    }

    fn programs_written_only(&self) -> bool {
        false
    }

    fn reads_rest(&mut self, id: OpId) -> bool {
        let Some(&(ppa, _)) = self.flash.get(&self.purposes[id as usize].lpa.0) else { return false };
        (self.pool[id].class, self.pool[id].ppa) = (WRITE_BACK_READ, ppa);
        self.plane_of(ppa).waiting.push_back(vec![id]);
        true
    }

    /// Joins the page that was queued last, if that is a program with room.
    fn program_on(&mut self, plane: PlaneId, id: OpId) {
        if self.points.host() > 1 {
            work::take_point(self, id);
        }
        self.programs += 1;
        (self.pool[id].class, self.pool[id].ppa) =
            (WRITE_BACK_PROGRAM, Ppa(self.programs * PLANES + plane.0));
        let (page, point) = (self.geometry.units_per_program() as usize, self.purposes[id as usize].point);
        let (pool, purposes) = (&self.pool, &self.purposes);
        let joins = |units: &&mut Vec<OpId>| {
            let first = units[0];
            units.len() < page
                && pool[first].class == WRITE_BACK_PROGRAM
                && purposes[first as usize].point == point
        };
        let waiting = &mut self.planes[plane.index()].waiting;
        match waiting.back_mut().filter(joins) {
            Some(units) => units.push(id),
            None => waiting.push_back(vec![id]),
        }
    }

    fn program_anywhere(&mut self, id: OpId) {
        let stream = work::stream_of(self, id).unwrap_or_default();
        let plane = self.place(self.purposes[id as usize].lpa, stream);
        self.program_on(plane, id);
    }
}
