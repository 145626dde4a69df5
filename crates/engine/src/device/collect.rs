//! Garbage collection at work: victims are read ahead, their valid units programmed elsewhere in the same domain, and
//! erased when the last of them is safe.

use super::Device;
use crate::blocks::BlockState;
use crate::blocks::separation::Separation;
use crate::cpu::Cost;
use crate::gc::VictimPolicy;
use crate::gc::collector::Collector;
use crate::ids::{DomainId, Lpa, PlaneId, Ppa, SuperblockId};
use crate::mapping::dealt::Dealt;
use crate::memory::ENTRIES_OF_LINE;
use crate::placement::Placement;
use crate::sched::class::{Cause, Class};
use crate::sched::queue::{NONE, Op, OpId};

/// Rows of a victim whose map entries are fetched together, as long ahead of their reads: a fetch whose address translation
/// must be looked up holds the processor for as long as several of them together.
const FETCHED_TOGETHER: u32 = 8;

impl Device {
    /// Starts or continues the collection of a domain where it is needed.
    #[inline(always)]
    pub(super) fn check_collection(&mut self, domain: DomainId) {
        let paced = self.pace.is_some();
        let state = &self.domain[domain.index()];
        // What goes on for space already isn't changed by asking whether it should begin.
        let goes_on = state.collector.active && !state.collector.background;
        // Nor is one begun while there is space, and nothing else to be emptied.
        let rests = !paced
            && state.free.len() >= self.thresholds.trigger.max(state.demand)
            && state.collector.wanted.is_empty();
        if !((goes_on || rests) && self.rules.fast_path_moves) {
            self.consider_collection(domain);
        }
        if self.domain[domain.index()].collector.active {
            self.advance_collection(domain);
        }
    }

    /// Starts the collection of a domain where it is needed.
    #[inline(never)]
    fn consider_collection(&mut self, domain: DomainId) {
        let (for_cache, fold) = (self.reserved_for_cache(domain), self.fold_is_due(domain));
        let lacks_space = self.lacks_space(domain);
        let state = &mut self.domain[domain.index()];
        if lacks_space {
            // Below the trigger there is still space: the host waits when only the reserve is left.
            let few = (self.thresholds.reserve + 1).max(state.demand) + for_cache;
            let host_waits_soon = state.free.len() < few;
            state.collector.active = true;
            state.collector.background = false;
            if self.reclaim.is_some() && host_waits_soon {
                self.hurry_reclaim_of(domain);
            }
        } else if fold || !state.collector.wanted.is_empty() {
            state.collector.active = true;
        }
    }

    /// Whether a domain has less space than shall be free.
    fn lacks_space(&self, domain: DomainId) -> bool {
        let state = &self.domain[domain.index()];
        match &self.pace {
            None => {
                state.free.len() < self.thresholds.trigger.max(state.demand) + self.reserved_for_cache(domain)
            }
            Some(pace) => !self.paced_enough(domain, state.free.len(), self.reserved_for_cache(domain), pace),
        }
    }

    /// Asks for a superblock to be emptied and erased although space suffices. It joins the domain's victims when a
    /// block can be spared for its pages; one that is not full, or is asked for already, is left alone.
    pub(super) fn want_emptied(&mut self, superblock: SuperblockId, cause: Cause) {
        let domain = self.blocks.split(superblock).0;
        let collector = &mut self.domain[domain.index()].collector;
        let known = collector.wanted.iter().any(|&(other, _)| other == superblock);
        if known || self.blocks.state(superblock) != BlockState::Full {
            return;
        }
        collector.wanted.push_back((superblock, cause));
        collector.active = true;
        self.advance_collection(domain);
    }

    /// Chooses victims and reads ahead, as far as the thresholds and the space allow.
    #[inline]
    pub(super) fn advance_collection(&mut self, domain: DomainId) {
        if self.pace.is_some() {
            self.pace_changed(domain);
        }
        let Collector { active, background, victim, column, in_flight, .. } =
            self.domain[domain.index()].collector;
        // Most often a victim is being read, and enough of it is under way.
        let enough = in_flight >= self.thresholds.read_ahead && column == 0;
        if !(self.rules.fast_path_moves && enough && active && victim.is_some() && !background) {
            self.go_on_collecting(domain);
        }
    }

    #[inline(never)]
    fn go_on_collecting(&mut self, domain: DomainId) {
        while self.domain[domain.index()].collector.active {
            if !self.domain[domain.index()].collector.victim.is_some() {
                if !self.next_victim(domain) {
                    break;
                }
            } else if !self.read_victim(domain) {
                break;
            }
        }
        let collector = &self.domain[domain.index()].collector;
        if collector.reading == 0
            && (!collector.victim.is_some() || self.fold_waits(domain) || self.waits_for_itself(domain))
        {
            self.program_gathered_of(domain);
        }
    }

    /// Whether a victim is read no further, as enough of it is under way, and all of that lies in rows that more of it would fill:
    /// pages that move to several domains, or write points, may leave each of their rows in part.
    fn waits_for_itself(&self, home: DomainId) -> bool {
        let in_flight = self.domain[home.index()].collector.in_flight;
        in_flight >= self.read_ahead(home) && self.gathered_from(home) == in_flight
    }

    /// Units from victims of this domain that lie in rows that are being gathered.
    fn gathered_from(&self, home: DomainId) -> u32 {
        let heads = self.gathering_for(home).flat_map(|domain| &self.domain[domain.index()].points);
        let units = heads.flat_map(|point| &point.gathered).flat_map(|&head| self.pool.units(head));
        units.filter(|&unit| self.domain_of(self.pool[unit].source) == home).count() as u32
    }

    /// The domains that pages of this one may move to.
    fn gathering_for(&self, home: DomainId) -> impl Iterator<Item = DomainId> + use<> {
        let domains = if self.rules.places_moves { 0..self.domain.len() as u32 } else { home.0..home.0 + 1 };
        domains.map(DomainId)
    }

    /// Units of a domain's victims that may be under way before no more of them is read.
    fn read_ahead(&self, domain: DomainId) -> u32 {
        if self.collects_gently(domain) {
            self.geometry.units_per_program() * self.domains.width()
        } else {
            self.thresholds.read_ahead
        }
    }

    /// Takes the next victim; `false` when none is needed, possible or affordable now.
    fn next_victim(&mut self, domain: DomainId) -> bool {
        let Some((superblock, cause)) = self.next_to_empty(domain) else { return false };
        let valid = self.blocks.valid(superblock);
        if !self.has_room_for_victim(domain, valid) {
            return false;
        }
        self.recorder.emptied(cause);
        if cause == Cause::Gc {
            self.recorder.collects(domain.index(), valid);
        }
        self.note_emptied(superblock);
        let collector = &mut self.domain[domain.index()].collector;
        self.recorder.background.victims += u64::from(collector.background);
        collector.wanted.retain(|&(other, _)| other != superblock);
        collector.victims.push((superblock, cause));
        (collector.victim, collector.cause, collector.row, collector.column) = (superblock, cause, 0, 0);
        self.note_pace_of(domain, superblock, valid);
        self.charge(Cost::Decision, 1);
        self.blocks.set_state(superblock, BlockState::Collecting);
        if self.urgent != 0 {
            self.note_urgent();
        }
        if valid == 0 {
            self.begin_erase(superblock);
        }
        true
    }

    /// The next superblock to be emptied, and why. Space comes first; what else is to be emptied comes when there is
    /// enough, or when none can be won. What can't wait only leaves garbage collection the reserve.
    fn next_to_empty(&mut self, domain: DomainId) -> Option<(SuperblockId, Cause)> {
        let by_cache = self.wanted_by_cache(domain);
        let comes_to_rest = self.comes_to_rest(domain);
        let state = &self.domain[domain.index()];
        let free_soon = state.free.len() + state.collector.victims.len() as u32;
        let enough = comes_to_rest
            || match &self.pace {
                None => free_soon >= self.thresholds.stop.max(state.demand) + by_cache,
                Some(pace) => self.paced_enough(domain, free_soon, by_cache, pace),
            };
        let spare = state.free.len() > self.thresholds.reserve;
        if self.urgent != 0 && spare && self.wanted_is_urgent(domain) {
            return self.next_wanted(domain);
        }
        if enough {
            if let Some(wanted) = self.next_wanted(domain) {
                self.domain[domain.index()].collector.background = false;
                return Some(wanted);
            }
            if let Some(fold) = self.fold_at_leisure(domain) {
                self.domain[domain.index()].collector.background = false;
                return Some(fold);
            }
            let collector = &mut self.domain[domain.index()].collector;
            if !collector.wanted.is_empty() {
                return None;
            }
            if !self.goes_on_in_background(domain, free_soon) {
                return self.rest(domain);
            }
            if self.background_waits(domain) {
                return None;
            }
        }
        match self.choose_for_space(domain) {
            Some(victim) => {
                self.domain[domain.index()].collector.background = enough;
                Some(victim)
            }
            None => {
                if !enough {
                    self.domain[domain.index()].pace.found_nothing();
                }
                self.spare_copies(domain);
                let wanted = self.next_wanted(domain).or_else(|| self.fold_at_leisure(domain));
                wanted.or_else(|| self.rest(domain))
            }
        }
    }

    /// Nothing is to be emptied now. What waits until other victims are out of the way is asked for again as they end.
    fn rest(&mut self, domain: DomainId) -> Option<(SuperblockId, Cause)> {
        let waits = self.fold_is_due(domain) || !self.domain[domain.index()].collector.wanted.is_empty();
        let collector = &mut self.domain[domain.index()].collector;
        (collector.active, collector.background) = (waits, false);
        None
    }

    /// The first of the superblocks asked for that is still full. A fully valid one needs a whole free superblock
    /// beside the reserve.
    fn next_wanted(&mut self, domain: DomainId) -> Option<(SuperblockId, Cause)> {
        loop {
            let state = &mut self.domain[domain.index()];
            let &(superblock, cause) = state.collector.wanted.front()?;
            if self.blocks.state(superblock) != BlockState::Full {
                state.collector.wanted.pop_front();
                continue;
            }
            let alone = state.collector.victims.is_empty() && state.collector.reading == 0;
            return (alone && state.free.len() > self.thresholds.reserve).then_some((superblock, cause));
        }
    }

    /// Whether the pages of one more victim are certain to find space. The first always does, since less than a whole
    /// superblock of it is valid and the host leaves the reserve (a superblock asked for has one more). Of the free
    /// superblocks the host leaves the reserve only.
    fn has_room_for_victim(&self, domain: DomainId, valid: u32) -> bool {
        let state = &self.domain[domain.index()];
        let collector = &state.collector;
        if collector.victims.is_empty() && collector.reading == 0 {
            return true;
        }
        if collector.victims.iter().any(|&(_, cause)| self.points.is_separate(cause)) {
            // It may take the reserve for a write point of its own.
            return false;
        }
        let points = self.points.of_collection().map(|number| &state.points[usize::from(number)]);
        let pages_left: u32 = points.map(|point| point.pages_left(self.data_planes())).sum();
        let pages_left = pages_left * self.geometry.units_per_page();
        let kept = u64::from(state.free.len().min(self.thresholds.reserve));
        let room = u64::from(pages_left) + kept * u64::from(self.blocks.capacity());
        // Each of them may fill its last one in part.
        let program_unit = self.geometry.units_per_program() * self.points.of_collection().count() as u32;
        u64::from(valid + collector.reading + program_unit) <= room
    }

    /// Asks the policy; `None` when nothing would be won by collecting.
    pub(super) fn choose_victim(&mut self, domain: DomainId) -> Option<SuperblockId> {
        if self.systems_collect() {
            return None;
        }
        let superblock = self.gc.choose(&self.blocks.view(domain))?;
        let inside = superblock.index() < self.blocks.len() && self.blocks.split(superblock).0 == domain;
        if !inside || self.blocks.state(superblock) != BlockState::Full {
            self.fail(format!(
                "the GC policy chose {superblock:?}, which is not a full superblock of {domain:?}"
            ));
            return None;
        }
        (self.blocks.valid(superblock) <= self.blocks.most_valid()).then_some(superblock)
    }

    /// Sends reads of the victim's valid units; `false` when enough are under way.
    fn read_victim(&mut self, domain: DomainId) -> bool {
        let ahead = self.read_ahead(domain);
        let Collector { victim: superblock, cause, .. } = self.domain[domain.index()].collector;
        let (block, rows) = (self.blocks.split(superblock).1, self.blocks.rows(superblock));
        let class = Class::read_for(cause);
        loop {
            let Collector { row, column, in_flight, .. } = self.domain[domain.index()].collector;
            // A row that was begun is read to its end, so that its planes can be read together.
            if in_flight >= ahead && column == 0 {
                return false;
            }
            if column == 0 && self.fold_waits(domain) {
                self.pause_fold(domain);
                return false;
            }
            if row == rows {
                self.domain[domain.index()].collector.victim = SuperblockId::NONE;
                return true;
            }
            if column == 0 && self.pace_pauses(domain) {
                return false;
            }
            let plane = self.domains.planes(domain)[column as usize];
            let page = self.geometry.first_unit(plane, block, row);
            if row.is_multiple_of(self.rows_together()) {
                self.fetch_rows(page, row, rows);
            }
            let collector = &mut self.domain[domain.index()].collector;
            let row_ends = column + 1 == self.domains.width();
            (collector.row, collector.column) = if row_ends { (row + 1, 0) } else { (row, column + 1) };
            if self.rules.fast_path_moves {
                self.read_move_on_fast_path(domain, page, class);
            } else {
                self.read_page_to_move(domain, page, class);
            }
        }
    }

    /// Rows of a victim that are fetched together: fewer where a row is wide or its pages hold many units, so that what was fetched is still in the caches
    /// when it is read.
    #[inline]
    fn rows_together(&self) -> u32 {
        (FETCHED_TOGETHER / (self.domains.width() << self.geometry.unit_shift)).max(1)
    }

    /// Brings what is needed of the next but one [`Self::rows_together`] of a plane towards the caches, at first of the
    /// next ones too. `page` lies in row `row` of `rows`.
    fn fetch_rows(&mut self, page: Ppa, row: u32, rows: u32) {
        let (shift, together) = (self.geometry.unit_shift, self.rows_together());
        let first = if row == 0 { 0 } else { together };
        let units = (rows - row).min(2 * together) << shift;
        if self.dealt.is_none() && self.layout.steady().is_some() {
            let (planes, units) = (self.geometry.planes(), self.geometry.units_per_plane());
            self.dealt = Some(Box::new(Dealt::new(planes, units, (2 * together) << shift)));
        }
        for ppa in (page.0 + (first << shift)..page.0 + units).map(Ppa) {
            let lpa = match &mut self.dealt {
                Some(dealt) => self.oob.lpa_or(ppa, || dealt.ask(ppa, &self.layout)),
                None => self.oob.lpa(ppa, &self.layout),
            };
            self.map.prefetch(u64::from(lpa.0));
            if let Some(versions) = &self.versions {
                versions.prefetch(u64::from(lpa.0));
            }
        }
        // The logical pages of those behind, which are looked at next time.
        let behind = (2 * together) << shift;
        (0..together << shift)
            .step_by(ENTRIES_OF_LINE)
            .for_each(|unit| self.oob.prefetch(Ppa(page.0 + behind + unit)));
    }

    /// The logical page that was written with a physical page of a victim.
    #[inline(always)]
    pub(super) fn lpa_of_victim(&self, ppa: Ppa) -> Lpa {
        match &self.dealt {
            Some(dealt) => self.oob.lpa_or(ppa, || dealt.lpa(ppa, &self.layout)),
            None => self.oob.lpa(ppa, &self.layout),
        }
    }

    /// The logical page that a physical page holds, if it is still wanted.
    pub(super) fn valid_lpa(&self, ppa: Ppa) -> Option<Lpa> {
        let lpa = self.lpa_of_victim(ppa);
        (lpa.0 < self.all_units() && self.holds(lpa, ppa)).then_some(lpa)
    }

    /// Whether a physical page is the primary or a further copy of a logical one.
    #[inline]
    pub(super) fn holds(&self, lpa: Lpa, ppa: Ppa) -> bool {
        self.is_at(lpa, ppa) || self.copies.at(lpa, ppa).is_some()
    }

    #[inline(never)]
    pub(super) fn read_page_to_move(&mut self, domain: DomainId, page: Ppa, class: Class) {
        // What moves without the controller can have no part in a parity.
        let copybacks = self.copybacks.supported && self.redundancy.is_none();
        if copybacks && self.copy_back(domain, page, class.cause()) {
            return;
        }
        let (mut head, mut units) = (NONE, 0);
        for ppa in (page.0..page.0 + self.geometry.units_per_page()).map(Ppa) {
            if let Some(lpa) = self.valid_lpa(ppa) {
                let bytes = self.geometry.unit_bytes;
                let id = self.pool.insert(Op { source: ppa, bytes, ..Op::new(class, lpa, ppa) });
                units += 1;
                if head == NONE {
                    head = id;
                } else {
                    self.pool.chain(head, id);
                }
            }
        }
        if head != NONE {
            let collector = &mut self.domain[domain.index()].collector;
            collector.in_flight += units;
            collector.reading += units;
            self.enqueue(head);
        }
    }

    /// A unit to be moved was overwritten or trimmed before it was read.
    pub(super) fn move_dropped(&mut self, ppa: Ppa) {
        let domain = self.domain_of(ppa);
        let collector = &mut self.domain[domain.index()].collector;
        collector.in_flight -= 1;
        collector.reading -= 1;
        self.advance_collection(domain);
    }

    /// A unit to be moved is in the controller: gives it its new place. Its program begins when the whole row of program
    /// units (the superpage) is there.
    pub(super) fn unit_read_for_move(&mut self, unit: OpId) {
        let Op { lpa, ppa, class, request, .. } = self.pool[unit];
        if request != NONE {
            return self.plan_page_read(unit);
        }
        let home = self.domain_of(ppa);
        let primary = self.is_at(lpa, ppa);
        let wanted = primary || self.copies.at(lpa, ppa).is_some();
        let collector = &mut self.domain[home.index()].collector;
        collector.reading -= 1;
        if !wanted {
            // Overwritten or trimmed while it was read: nothing left to move.
            collector.in_flight -= 1;
            return self.pool.remove(unit);
        }
        let number = self.point_of_move(class.cause(), lpa);
        let op = &mut self.pool[unit];
        (op.class, op.order, op.point) = (Class::program_for(class.cause()), 0, number);
        // Copies stay on the die that they were made for, as far as their domain has only one.
        let domain = if self.rules.places_moves && primary { self.place_move(unit, home) } else { home };
        self.domain[domain.index()].live += 1;
        self.keep_within_room(domain, unit);
        self.gather(domain, unit);
    }

    /// The write point of a page that moves.
    fn point_of_move(&self, cause: Cause, lpa: Lpa) -> u8 {
        match self.points.of_hot_moves() {
            Some(hot) if cause == Cause::Gc && self.separation.is_hot(lpa) => hot,
            _ => self.points.of(cause),
        }
    }

    /// Where collection fills two write points, one of them must not take the last free superblock while the other has
    /// room: a victim is chosen when there is room for it in all of them together.
    fn keep_within_room(&mut self, domain: DomainId, unit: OpId) {
        let Some(hot) = self.points.of_hot_moves() else { return };
        let (number, cold) = (self.pool[unit].point, self.points.of(Cause::Gc));
        let state = &self.domain[domain.index()];
        let has_room = |number: u8| {
            let point = &state.points[usize::from(number)];
            point.open_unit != NONE || point.has_place()
        };
        let other = if number == hot { cold } else { hot };
        let shared = number == hot || number == cold;
        if shared && !has_room(number) && has_room(other) && state.free.len() <= self.thresholds.reserve {
            self.pool[unit].point = other;
        }
    }

    /// Asks systems and the placement for the domain that a page moves to. The domain that it comes from has space for
    /// certain; any other must have some to spare.
    fn place_move(&mut self, unit: OpId, home: DomainId) -> DomainId {
        let Some(plane) = self.place_of_move(unit) else { return home };
        let domain = self.domains.of(plane);
        if domain == home || self.spares_for_move(domain, self.pool[unit].point) { domain } else { home }
    }

    /// Where a page goes that moves; `None`: nobody asks for anything but its own domain.
    pub(super) fn place_of_move(&mut self, unit: OpId) -> Option<PlaneId> {
        let intent = self.intent(unit);
        if let Some(planes) = self.confined(&intent) {
            return Some(self.place_confined(&intent, planes));
        }
        self.placement.places_moves().then(|| self.place_among(&intent, None))
    }

    /// Whether a domain has space to spare for a page that moves there from another, to this write point. A domain that
    /// empties superblocks itself counts on the places that it has.
    pub(super) fn spares_for_move(&self, domain: DomainId, point: u8) -> bool {
        let state = &self.domain[domain.index()];
        if !state.collector.victims.is_empty() {
            return false;
        }
        let open = state.points.get(usize::from(point)).is_some_and(|point| point.open_unit != NONE);
        open || state.free.len() >= self.thresholds.trigger + self.reserved_for_cache(domain)
    }

    /// Puts a unit into the row that is being gathered for a write point of moves, and programs the row when it is full.
    fn gather(&mut self, domain: DomainId, unit: OpId) {
        let number = self.pool[unit].point;
        let point = &mut self.domain[domain.index()].points[usize::from(number)];
        if point.open_unit != NONE {
            let head = point.open_unit;
            self.pool[unit].ppa = Ppa(point.place.0 + point.filled);
            point.filled += 1;
            self.pool.chain(head, unit);
        } else {
            let place = self.take_place(domain, number);
            self.pool[unit].ppa = place;
            let point = &mut self.domain[domain.index()].points[usize::from(number)];
            (point.open_unit, point.filled) = (unit, 1);
            point.gathered.push(unit);
        }
        let point = &mut self.domain[domain.index()].points[usize::from(number)];
        if point.filled == point.size {
            point.open_unit = NONE;
            let (first, row_is_full) = (point.place, point.at_row_start());
            self.unit_is_final(first);
            if row_is_full {
                self.program_gathered(domain, number);
            }
        }
    }

    /// Nothing more comes from this domain for now: programs what its moves have gathered, wherever it lies. What lies in a domain
    /// that empties superblocks itself is programmed with those: a page filled in part there is space that they count on.
    pub(super) fn program_gathered_of(&mut self, home: DomainId) {
        for domain in self.gathering_for(home) {
            if domain != home && !self.domain[domain.index()].collector.victims.is_empty() {
                continue;
            }
            for number in 0..self.points.count() as u8 {
                if !self.domain[domain.index()].points[usize::from(number)].gathered.is_empty() {
                    self.program_gathered(domain, number);
                }
            }
        }
    }

    /// Queues the programs of what was gathered; a program unit that is filled in part stays so.
    pub(super) fn program_gathered(&mut self, domain: DomainId, number: u8) {
        let point = &mut self.domain[domain.index()].points[usize::from(number)];
        let open = std::mem::replace(&mut point.open_unit, NONE) != NONE;
        let first = point.place;
        let mut gathered = std::mem::take(&mut point.gathered);
        if open {
            self.unit_is_final(first);
        }
        self.take_parity(&mut gathered);
        self.enqueue_moves(&gathered);
        gathered.clear();
        self.domain[domain.index()].points[usize::from(number)].gathered = gathered;
    }

    /// A move's program has ended: its data, once at `source`, is safe in `domain`.
    pub(super) fn move_ended(&mut self, source: Ppa, domain: DomainId) {
        let home = self.domain_of(source);
        self.domain[home.index()].collector.in_flight -= 1;
        if home != domain {
            self.check_collection(home);
        }
    }

    /// Nothing valid is left in a superblock: erases its blocks.
    pub(super) fn begin_erase(&mut self, superblock: SuperblockId) {
        let (domain, block) = self.blocks.split(superblock);
        self.blocks.set_state(superblock, BlockState::Erasing);
        let collector = &mut self.domain[domain.index()].collector;
        if collector.victim == superblock {
            collector.victim = SuperblockId::NONE;
        }
        let class = Class::erase_for(collector.cause_of(superblock));
        for index in 0..self.domains.width() as usize {
            let plane = self.domains.planes(domain)[index];
            let id = self.pool.insert(Op::new(class, Lpa::NONE, self.block_start(plane, block)));
            self.blocks.begin(superblock);
            self.enqueue(id);
        }
    }

    /// One block is erased; with the last of its superblock the space is free.
    pub(super) fn block_erased(&mut self, head: OpId) {
        let ppa = self.pool[head].ppa;
        self.pool.remove(head);
        self.forget_reads(ppa);
        self.reclaim_block_erased(ppa);
        self.erase_may_fail(ppa);
        if let Some(versions) = &mut self.versions {
            versions.erase(ppa, self.geometry.units_per_block());
        }
        let superblock = self.blocks.of(&self.geometry, ppa);
        if !self.blocks.end(superblock) {
            return;
        }
        let domain = self.domain_of(ppa);
        self.note_freed(domain, superblock);
        if !self.retire_if_lost(domain, superblock) {
            self.make_free(domain, superblock);
        }
        let collector = &mut self.domain[domain.index()].collector;
        collector.victims.retain(|victim| victim.0 != superblock);
        collector.planned.retain(|victim| victim.0 != superblock);
        self.domain[domain.index()].pace.end(superblock);
        self.reclaim_ended(superblock);
        self.forget_in_waiting_plans(superblock);
        self.tell_erased(superblock);
        self.start_waiting_plans();
        self.release_stalled(domain);
        self.check_collection(domain);
        self.level_wear(domain);
    }

    /// Counts an erase and puts the superblock with the other free ones.
    pub(super) fn make_free(&mut self, domain: DomainId, superblock: SuperblockId) {
        self.blocks.count_erase(superblock);
        self.erase_rows(superblock);
        self.blocks.set_state(superblock, BlockState::Free);
        let erases = self.blocks.erase_counts()[superblock.index()];
        self.domain[domain.index()].free.put(superblock, erases);
    }
}
