//! The systems of a drive, and what they asked for.

use super::idleness::Idleness;
use crate::action::Action;
use crate::policies::{ReclaimPolicy, SystemPolicy};
use crate::system::System;
use crate::watches::Watches;
use wordline_base::ids::{Lpa, Ppa};
use wordline_base::time::Ns;
use wordline_ftl::placement::PlaneSet;

/// The page and place of a read whose data is with the controller.
pub type ReadOf = Option<(Lpa, Ppa)>;

/// Which system asks, in the end of which read, and for what.
pub(super) type Asked = (usize, ReadOf, Action);

/// The systems of a drive, and what they asked for.
#[derive(Default)]
pub struct Systems {
    pub(super) all: Vec<SystemPolicy>,
    /// What each of them wants to be told of.
    pub(super) each: Vec<Watches>,
    /// What any of them wants to be told of.
    pub(super) watches: Watches,
    /// Whether any of them fetches ahead what it looks up.
    pub(super) fetches_ahead: bool,
    /// Not done yet.
    pub(super) asked: Vec<Asked>,
    /// The read whose data is with the controller while the systems are told of it.
    pub(super) read: ReadOf,
    pub(super) actions: Vec<Action>,
    /// When each wants to be woken.
    pub(super) wake: Vec<Ns>,
    pub(super) idleness: Idleness,
    /// [`Self::wake_at`], kept.
    pub(super) next_wake: Ns,
    /// What becomes of worn blocks.
    pub(super) reclaim: ReclaimPolicy,
    /// The planes that a program was left last, for their memory.
    pub(super) planes: PlaneSet,
}

impl Systems {
    /// None yet; the drive is idle once no request has been inside for so long.
    pub fn new(idle_after: Ns, reclaim: ReclaimPolicy) -> Self {
        Self { idleness: Idleness::new(idle_after), next_wake: Ns::NEVER, reclaim, ..Self::default() }
    }

    /// Adds a system. Its number is the count of those before it.
    pub fn add(&mut self, system: SystemPolicy) {
        let watches = system.get().watches();
        self.watches = self.watches.and(watches);
        self.each.push(watches);
        self.fetches_ahead |= system.get().fetches_ahead();
        self.all.push(system);
        self.wake.push(Ns::NEVER);
        self.set_next_wake();
    }

    /// Whether there are none.
    #[inline(always)]
    pub fn are_none(&self) -> bool {
        self.all.is_empty()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// All of them, by number.
    pub fn iter(&self) -> impl Iterator<Item = &dyn System> {
        self.all.iter().map(SystemPolicy::get)
    }

    /// Name of a system; empty for a number that none has.
    pub fn name(&self, number: usize) -> String {
        self.all.get(number).map_or_else(String::new, |system| system.get().name().to_owned())
    }

    /// Whether any of them watches for one of these.
    #[inline(always)]
    pub fn watch(&self, what: Watches) -> bool {
        self.watches.has(what)
    }

    /// Whether any system fetches ahead what it looks up.
    #[inline(always)]
    pub fn fetch_ahead(&self) -> bool {
        self.fetches_ahead
    }

    /// A recorder looks at the host's reads from now on.
    pub fn watch_reads_for_recorder(&mut self) {
        self.watches = self.watches.and(Watches::RECORDED);
    }

    /// The measured window opens.
    pub fn open_window(&mut self) {
        self.all.iter_mut().for_each(|system| system.get_mut().window_opens());
    }

    /// The policy of read reclaim.
    pub fn reclaim(&self) -> &ReclaimPolicy {
        &self.reclaim
    }

    /// The policy of read reclaim, to tell it of reads.
    #[inline(always)]
    pub fn reclaim_mut(&mut self) -> &mut ReclaimPolicy {
        &mut self.reclaim
    }

    /// A system asks for this, behind what was asked for before.
    pub fn asks_for(&mut self, number: usize, action: Action) {
        self.asked.push((number, None, action));
    }

    /// What [`allowed_planes_of`](super::allowed_planes_of) gave is not needed any more.
    #[inline]
    pub fn put_planes_back(&mut self, planes: PlaneSet) {
        self.planes = planes;
    }

    /// Whether a system, by its number, watches for one of these.
    #[inline]
    pub(super) fn watches_for(&self, number: usize, what: Watches) -> bool {
        self.each.get(number).is_some_and(|watches| watches.has(what))
    }

    /// Whether any system wants to know that a read of this page is done.
    #[inline]
    pub(super) fn await_read_of(&self, lpa: Lpa) -> bool {
        self.all.iter().any(|system| system.awaits(lpa))
    }

    /// All systems, to be put back.
    #[inline]
    pub(super) fn take_all(&mut self) -> Vec<SystemPolicy> {
        std::mem::take(&mut self.all)
    }

    /// The same, if any of them watches for one of these.
    #[inline]
    pub(super) fn take_all_watching(&mut self, what: Watches) -> Option<Vec<SystemPolicy>> {
        self.watches.has(what).then(|| self.take_all())
    }

    #[inline]
    pub(super) fn put_all_back(&mut self, all: Vec<SystemPolicy>) {
        put_back(&mut self.all, all);
    }
}

/// Puts a list back that was taken out. What stands in its place has no memory, which need not be found out anew.
#[inline]
pub(super) fn put_back<T>(place: &mut Vec<T>, list: Vec<T>) {
    let empty = std::mem::replace(place, list);
    debug_assert!(empty.capacity() == 0, "nothing was added meanwhile");
    std::mem::forget(empty);
}
