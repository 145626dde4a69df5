//! The flash, held by nobody but a test: when each operation was done, where its time went, and what was told meanwhile.

mod above;
mod description;

pub use description::*;
use std::collections::BTreeSet;

use crate::nand::Geometry;
use crate::nand::bit_errors::ReadOutcome;
use crate::sched::queue::{NONE, Op, OpId};
use crate::work;
use crate::{Count, Flash};
use wordline_base::class::Class;
use wordline_base::ids::{DieId, PlaneId, Ppa};
use wordline_base::parts::{Part, Parts};
use wordline_base::time::Ns;
use wordline_config::{Layer, resolve_run};

/// An operation that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    pub op: OpId,
    /// When it came, or the unit that it came with.
    pub arrived: Ns,
    pub at: Ns,
    /// The parts of its response time.
    pub parts: Parts,
}

/// What was told, but for times of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// A server begins a command of so many planes.
    Begins(u32, Class, u32),
    /// A server has the channel until then.
    Channel(u32, u64),
    /// The array of a server is stopped, at work until then.
    Stops(u32, u64),
    /// It goes on from then until then.
    GoesOn(u32, u64, u64),
    /// A read meets errors, and its block is worn with so many reads.
    Disturbed(ReadOutcome, Option<u32>),
    /// A command of so many planes is done, of so many flash pages each.
    Ends(Class, u32, u32),
    /// Something else.
    Counted(Count),
}

/// What whoever holds the flash answers; as it is, every read stands and no program takes further units.
#[derive(Default)]
pub struct Answers {
    /// Blocks of every plane that are in SLC mode.
    pub slc_blocks: BTreeSet<u32>,
    /// Units of writes that wait for room.
    pub waiting_writes: u32,
    /// Programs that units may still join.
    pub open: BTreeSet<OpId>,
    /// Reads whose pages are elsewhere by now.
    pub elsewhere: BTreeSet<OpId>,
}

/// An operation that comes when another has ended, in the same nanosecond.
struct Next {
    behind: OpId,
    class: Class,
    place: Ppa,
}

/// The flash, and what it told.
pub struct Drive {
    pub flash: Flash,
    pub answers: Answers,
    pub done: Vec<Done>,
    pub told: Vec<(u64, Told)>,
    /// Reads whose turn came when their pages were elsewhere.
    pub sent_on: Vec<OpId>,
    next: Vec<Next>,
    /// What came behind another, in the order in which it came.
    pub came: Vec<OpId>,
    /// Heads in queues, by what was told of them.
    waiting: i32,
}

impl Drive {
    /// The drive of the description with some keys set otherwise.
    pub fn new(overrides: &[(&str, &str)]) -> Self {
        let layer = |text| Layer::from_toml("test", text).unwrap();
        let overrides: Vec<_> =
            overrides.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        let (device, scheme) = resolve_run(&layer(DEVICE), &layer(""), &overrides).unwrap();
        let mut flash = Flash::new(&device, &scheme, &Geometry::new(&device.geometry), 0);
        flash.rules.checked = true;
        Self {
            flash,
            answers: Answers::default(),
            done: Vec::new(),
            told: Vec::new(),
            sent_on: Vec::new(),
            next: Vec::new(),
            came: Vec::new(),
            waiting: 0,
        }
    }

    /// A page of a plane of a die.
    pub fn page(&self, die: u32, plane: u32, block: u32, page: u32) -> Ppa {
        self.flash.geometry.first_unit(PlaneId(die * self.flash.geometry.planes_per_die + plane), block, page)
    }

    /// An operation on a page of a plane of die 0 comes at a time that hasn't passed.
    pub fn comes(&mut self, at: u64, class: Class, [plane, block, page]: [u32; 3]) -> OpId {
        let place = self.page(0, plane, block, page);
        self.comes_to(at, class, place)
    }

    /// An operation on any page comes.
    pub fn comes_to(&mut self, at: u64, class: Class, place: Ppa) -> OpId {
        let bytes = self.flash.geometry.unit_bytes;
        self.come(at, &[Op { bytes, ..Op::new(class, place) }])
    }

    /// Operations of a class on pages of die 0 come together.
    pub fn come_together<const N: usize>(
        &mut self,
        at: u64,
        class: Class,
        places: [[u32; 3]; N],
    ) -> [OpId; N] {
        let all = places.map(|[plane, block, page]| (class, self.page(0, plane, block, page)));
        self.come_all(at, all)
    }

    /// Operations on any pages come together.
    pub fn come_all<const N: usize>(&mut self, at: u64, all: [(Class, Ppa); N]) -> [OpId; N] {
        self.run(at);
        let bytes = self.flash.geometry.unit_bytes;
        let heads = all.map(|(class, place)| {
            self.flash.pool.insert(Op { bytes, waited_for: true, ..Op::new(class, place) })
        });
        heads.iter().for_each(|&head| work::submit(self, head));
        work::look_at_touched(self);
        heads
    }

    /// A program that takes its page from another of die 0 comes.
    pub fn copyback(&mut self, at: u64, class: Class, from: [u32; 3], to: [u32; 3]) -> OpId {
        let [source, place] = [from, to].map(|[plane, block, page]| self.page(0, plane, block, page));
        self.come(at, &[Op { bytes: PAGE, source, copyback: true, ..Op::new(class, place) }])
    }

    /// Units of one flash page, or of one program, come together; returns the first.
    pub fn come(&mut self, at: u64, units: &[Op]) -> OpId {
        self.run(at);
        let mut head = NONE;
        for unit in units {
            let id = self.flash.pool.insert(Op { waited_for: true, ..*unit });
            if head == NONE {
                head = id;
            } else {
                self.flash.pool.chain(head, id);
            }
        }
        self.submit(head);
        head
    }

    /// What is there already comes, or comes again.
    pub fn submit(&mut self, head: OpId) {
        work::submit(self, head);
        work::look_at_touched(self);
    }

    /// One that was sent on comes to another place.
    pub fn send_to(&mut self, op: OpId, place: Ppa) {
        self.sent_on.retain(|&sent| sent != op);
        self.flash.pool[op].ppa = place;
        self.submit(op);
    }

    /// As soon as an operation has ended, in the same nanosecond, another comes.
    pub fn comes_behind(&mut self, behind: OpId, class: Class, place: Ppa) {
        self.next.push(Next { behind, class, place });
    }

    /// Handles all events up to this time, ns.
    pub fn run(&mut self, until: u64) {
        while self.flash.next_time() <= Ns(until) {
            self.flash.set_now(self.flash.next_time());
            assert_eq!(work::handle_event(self), None, "nobody else has a timer");
            work::look_at_touched(self);
            for channel in self.flash.channels() {
                assert!(channel.waiting.is_empty() || channel.free_at >= self.flash.now(), "a channel rests");
            }
        }
        self.flash.set_now(Ns(until));
    }

    /// Runs until nothing is left to do: then nothing waits, and every operation has ended or was sent on.
    pub fn run_dry(&mut self) {
        while self.flash.next_time() != Ns::NEVER {
            self.run(self.flash.next_time().0);
        }
        assert_eq!((self.waiting, self.flash.loads().iter().sum::<u32>()), (0, 0));
        self.flash.audit_planes().unwrap();
        assert_eq!(self.flash.pool.len(), self.done.len() + self.sent_on.len());
    }

    /// An operation that has ended.
    #[track_caller]
    pub fn done(&self, op: OpId) -> &Done {
        self.done.iter().find(|done| done.op == op).unwrap()
    }

    /// When an operation ended, ns; it has.
    #[track_caller]
    pub fn end(&self, op: OpId) -> u64 {
        self.done(op).at.0
    }

    /// The same, if it has.
    pub fn end_of(&self, op: OpId) -> Option<u64> {
        self.has_ended(op).then(|| self.end(op))
    }

    /// An operation ended at this time, and its response time had these parts; those that are nothing are left out. They are the
    /// whole time since it came.
    #[track_caller]
    pub fn ended(&self, op: OpId, at: u64, parts: &[(Part, u64)]) {
        let done = self.done(op);
        let names: Vec<String> = Part::names().collect();
        let named = |(index, ns): (usize, u64)| (names[index].as_str(), ns);
        let taken: BTreeSet<_> = done.parts.iter().filter(|&(_, ns)| ns > 0).map(named).collect();
        let expected = parts.iter().map(|&(part, ns)| named((part.index(), ns))).collect();
        assert_eq!((done.at.0, taken), (at, expected));
        let taken: u64 = parts.iter().map(|(_, ns)| ns).sum();
        assert_eq!(taken, at - done.arrived.0, "the parts are not the whole time");
    }

    /// Whether an operation has ended.
    pub fn has_ended(&self, op: OpId) -> bool {
        self.done.iter().any(|done| done.op == op)
    }

    /// Times at which this was told.
    pub fn times_of(&self, what: Told) -> Vec<u64> {
        self.told.iter().filter(|(_, told)| *told == what).map(|&(at, _)| at).collect()
    }

    /// Commands that began: when, where, of which class, of how many planes.
    pub fn begun(&self) -> Vec<(u64, u32, Class, u32)> {
        let begins = |&(at, told): &(u64, Told)| match told {
            Told::Begins(server, class, planes) => Some((at, server, class, planes)),
            _ => None,
        };
        self.told.iter().filter_map(begins).collect()
    }

    /// Grants of channels: from when until when, and whose.
    pub fn granted(&self) -> Vec<(u64, u64, u32)> {
        let granted = |&(from, told): &(u64, Told)| match told {
            Told::Channel(server, until) => Some((from, until, server)),
            _ => None,
        };
        self.told.iter().filter_map(granted).collect()
    }

    fn tell(&mut self, what: Told) {
        self.told.push((self.flash.now().0, what));
    }

    /// The units of a flash page or a program are done; `die` is whose command's parts count for them.
    fn ends(&mut self, head: OpId, die: Option<DieId>) {
        let units: Vec<OpId> = self.flash.pool.units(head).collect();
        for op in units {
            // A read that joined another came by itself; of units that come together only the first does.
            let came = if self.flash.pool[op].order > 0 { op } else { head };
            let arrived = self.flash.pool[came].arrived;
            let mut parts = self.flash.pool.parts(op).copied().unwrap_or_default();
            if let Some(die) = die {
                parts.merge(&self.flash.die(die).command.parts);
            }
            self.done.push(Done { op, arrived, at: self.flash.now(), parts });
            while let Some(place) = self.next.iter().position(|next| next.behind == op) {
                let Next { class, place, .. } = self.next.remove(place);
                let coming = Op { bytes: PAGE, waited_for: true, ..Op::new(class, place) };
                let coming = self.flash.pool.insert(coming);
                self.came.push(coming);
                work::submit(self, coming);
            }
        }
    }
}
