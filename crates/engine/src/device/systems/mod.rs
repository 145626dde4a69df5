//! The systems of a drive: they are told of what happens, asked, and what they ask for is done.

mod act;
mod answer;
mod idle;
mod state;
mod told;

use std::collections::BTreeMap;

use super::Device;
use crate::placement::PlaneSet;
use wordline_base::ids::{Lpa, Ppa};

use crate::stats::copies::SystemReport;
use crate::systems::{Action, Distance, Figure, ReclaimPolicy, System, SystemPolicy, Watches};
use wordline_base::time::Ns;

/// Which system, the page and place of the read that it was told of then, and what it asks for.
type Asked = (usize, Option<(Lpa, Ppa)>, Action);

/// The systems of a drive, and what they asked for.
#[derive(Default)]
pub(super) struct Systems {
    all: Vec<SystemPolicy>,
    /// What each of them wants to be told of.
    each: Vec<Watches>,
    /// What any of them wants to be told of.
    watches: Watches,
    /// Whether any of them fetches ahead what it looks up.
    fetches_ahead: bool,
    /// Not done yet: which system, what.
    asked: Vec<Asked>,
    /// The read whose data is with the controller while the systems are told of it.
    read: Option<(Lpa, Ppa)>,
    actions: Vec<Action>,
    /// When each wants to be woken.
    wake: Vec<Ns>,
    /// When the drive will have been idle for long enough; [`Ns::NEVER`] while it is not, or was told of it.
    idle_at: Ns,
    idle_after: Ns,
    /// When one is to be woken or told that the drive is idle: [`Self::wake_at`], kept.
    pub(super) next_wake: Ns,
    /// Whether it has been idle for long enough, and still is.
    idle: bool,
    /// What becomes of worn blocks.
    pub(super) reclaim: ReclaimPolicy,
    /// The planes that a program was left last, for their memory.
    planes: PlaneSet,
    /// So many, the first to be added, are in the ledger of the DRAM already.
    in_ledger: usize,
}

impl Systems {
    /// None yet, so many of which the ledger knows; the drive is idle once no request has been inside for so long.
    pub fn new(idle_after: Ns, in_ledger: usize, reclaim: ReclaimPolicy) -> Self {
        Self { idle_at: Ns::NEVER, next_wake: Ns::NEVER, idle_after, in_ledger, reclaim, ..Self::default() }
    }

    /// All systems, to be put back, if any of them watches for it.
    pub fn take_all_watching(&mut self, what: Watches) -> Option<Vec<SystemPolicy>> {
        self.watches.has(what).then(|| std::mem::take(&mut self.all))
    }

    pub fn are_none(&self) -> bool {
        self.all.is_empty()
    }

    #[inline]
    pub fn put_all_back(&mut self, all: Vec<SystemPolicy>) {
        put_back(&mut self.all, all);
    }

    /// When the next of them is to be woken.
    fn wake_at(&self) -> Ns {
        self.wake.iter().copied().min().unwrap_or(Ns::NEVER).min(self.idle_at)
    }
}

/// Puts a list back that was taken out. What stands in its place has no memory, which need not be found out anew.
#[inline]
fn put_back<T>(place: &mut Vec<T>, list: Vec<T>) {
    let empty = std::mem::replace(place, list);
    debug_assert!(empty.capacity() == 0, "nothing was added meanwhile");
    std::mem::forget(empty);
}

impl Systems {
    /// Whether any of them watches for this.
    #[inline]
    pub(super) fn systems_watch(&self, what: Watches) -> bool {
        self.watches.has(what)
    }

    /// Whether any system is asked where pages move to.
    pub(super) fn systems_place_moves(&self) -> bool {
        self.watches.has(Watches::MOVES_PLACEMENT)
    }

    /// Whether any system fetches ahead what it looks up.
    #[inline(always)]
    pub(super) fn systems_fetch_ahead(&self) -> bool {
        self.fetches_ahead
    }

    /// A recorder looks at the host's reads from now on.
    pub(super) fn watch_reads_for_recorder(&mut self) {
        self.watches = self.watches.and(Watches::RECORDED);
    }

    /// The measured window opens.
    pub(super) fn systems_open_window(&mut self) {
        self.all.iter_mut().for_each(|system| system.get_mut().window_opens());
    }

    /// What the systems have to say of themselves; those that say nothing are left out.
    pub(super) fn systems_report(&self) -> BTreeMap<String, SystemReport> {
        let report = |system: &SystemPolicy| {
            let system = system.get();
            let figures = system.figures();
            let named = |(name, value): Figure| (name.to_owned(), value);
            (!figures.is_empty()).then(|| {
                let figures = figures.into_iter().map(named).collect();
                (system.name().to_owned(), SystemReport { bytes: system.bytes(), figures })
            })
        };
        self.all.iter().filter_map(report).collect()
    }

    pub(super) fn system_name(&self, number: usize) -> String {
        self.all.get(number).map_or_else(String::new, |system| system.get().name().to_owned())
    }
}

impl Device {
    /// Adds a system. Its number is the count of those before it.
    /// One that makes copies or reserves space is a fault on a drive that was not laid out for it
    /// ([`Device::new_for`]).
    pub fn add_system(&mut self, system: SystemPolicy) {
        if !self.is_laid_out_for(&system) {
            let name = system.get().name().to_owned();
            self.fail(format!(
                "the system {name} makes copies or reserves space: the drive must be laid out for it (Device::new_for)"
            ));
        }
        let watches = system.get().watches();
        self.systems.watches = self.systems.watches.and(watches);
        self.systems.each.push(watches);
        self.systems.fetches_ahead |= system.get().fetches_ahead();
        if self.systems.all.len() >= self.systems.in_ledger {
            self.reserve_dram(system.get().name(), system.get().bytes());
        }
        self.systems.all.push(system);
        self.systems.wake.push(Ns::NEVER);
        self.systems.next_wake = self.systems.wake_at();
        if self.systems.watches.has(Watches::TRANSLATION) {
            self.ftl.ask_systems_for_places();
        }
        self.note_policies();
    }

    fn is_laid_out_for(&self, system: &SystemPolicy) -> bool {
        let (number, system) = (self.systems.all.len(), system.get());
        self.ftl.is_laid_out_for(number, system.copies(), &system.reservation())
    }

    /// Enters a user of the DRAM that comes behind the data cache.
    pub(super) fn reserve_dram(&mut self, name: &str, bytes: u64) {
        self.controller.dram.reserve(name, bytes);
        if let Err(error) = self.controller.dram.check() {
            self.fail(error.to_string());
        }
    }

    /// The systems, by number.
    pub fn systems(&self) -> impl Iterator<Item = &dyn System> {
        self.systems.all.iter().map(SystemPolicy::get)
    }

    /// Lets systems fetch what they will look up for a read of this page, which is likely to come.
    #[inline(always)]
    pub(super) fn fetch_for_systems(&self, lpa: u32, distance: Distance) {
        if self.systems.fetches_ahead {
            self.let_systems_fetch(lpa, distance);
        }
    }

    #[inline(never)]
    fn let_systems_fetch(&self, lpa: u32, distance: Distance) {
        let ppa = if lpa < self.ftl.logical_units() { self.ftl.lookup(Lpa(lpa)) } else { Ppa::NONE };
        if ppa.is_some() {
            let die = self.geometry.die_at(ppa).0;
            self.systems().for_each(|system| system.fetch_for_read(Lpa(lpa), die, distance));
        }
    }
}
