//! Patterned read collisions: pages that keep colliding on a die are replicated to a quieter one.
//!
//! Y. Jun, J. Park, J.-U. Kang, E. Seo, "Analysis and Mitigation of Patterned Read Collisions in Flash SSDs". Sections
//! and equations below are that paper's. `docs/collision.md` says where it had to be read.

pub mod map;
pub mod pairs;
pub mod rate;
pub mod together;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use self::together::Together;
use super::awaited::Awaited;
use crate::action::Action;
use crate::events::{Event, ReadEvent};
use crate::system::{Figure, System};
use crate::view::DriveView;
use crate::watches::Watches;
use map::ReplicationMap;
use pairs::PairList;
use rate::ReadRates;
use wordline_base::ids::{DieId, Lpa, Ppa};
use wordline_base::request::ReadThere;
use wordline_base::snapshot::Stored;
use wordline_config::DeviceConfig;
use wordline_config::collision::{CollisionConfig, RecordedPairs, VictimTie};
use wordline_flash::nand::Geometry;
use wordline_flash::nand::timing::Timing;
use wordline_ftl::replicate::{CopyBudget, CopyTarget, Serving};

/// Bits of a page address in the paper (§III-A).
const ADDRESS_BITS: u64 = 30;

/// Bits of a slack counter (§III-A).
const SLACK_BITS: u64 = 16;

/// Bytes of an entry of the replication map (§III-B).
pub const MAP_ENTRY_BYTES: u64 = 24;

/// Victims whose read is awaited at most.
const MOST_AWAITED: usize = 256;

/// Bits of an entry of a pair list on a drive of so many dies: two addresses within a die, and a slack counter for each
/// die (§III-A: 38.5 bytes for 16 dies). The paper's sum leaves the occurrence count and the links of the list out.
pub fn pair_entry_bits(dies: u32) -> u64 {
    let of_die = u64::from(u32::BITS - dies.saturating_sub(1).leading_zeros());
    2 * ADDRESS_BITS.saturating_sub(of_die) + SLACK_BITS * u64::from(dies)
}

/// What it did in the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Counters {
    reads: u64,
    collisions: u64,
    imbalanced: u64,
    pairs: u64,
    decisions: u64,
    victims_have_copies: u64,
    dropped_replicas: u64,
    dropped_originals: u64,
    reads_of_replica: u64,
    reads_of_original: u64,
}

/// The system.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Collision {
    config: CollisionConfig,
    /// Time of the array for a read and for a program, ns: means over the pages of a block.
    read_ns: f64,
    program_ns: f64,
    dies: u32,
    budget: u32,
    lists: Vec<PairList>,
    /// Which reads at each die an imbalanced collision has counted.
    together: Vec<Together>,
    rates: ReadRates,
    map: ReplicationMap,
    /// Victims, and where they go.
    awaited: Awaited<DieId>,
    /// Pages whose replica was asked for.
    under_way: BTreeSet<Lpa>,
    counters: Counters,
    #[serde(skip)]
    there: Vec<ReadThere>,
    /// Commands on each die where some are reserved, and more than any on those.
    #[serde(skip)]
    loads: Vec<u32>,
    /// Dies that are quiet at the collision that is looked at ([`pairs::note_quiet`]).
    #[serde(skip)]
    quiet: Vec<u16>,
}

/// What so much slack is worth where a read takes so long (equation 2).
fn benefit(read_ns: f64, slack: u32) -> f64 {
    read_ns * f64::from(slack)
}

/// What a replication costs at a die of so many reads a second where a program takes so long (equations 3 and 4).
fn cost(program_ns: f64, reads_per_second: f64) -> f64 {
    let conflicts = reads_per_second * program_ns * 1e-9;
    conflicts * program_ns * 0.5
}

impl Stored for Collision {
    fn take_up(&mut self, saved: Self) -> Option<()> {
        let fits = saved.config == self.config
            && (saved.dies, saved.budget) == (self.dies, self.budget)
            && (saved.lists.len(), saved.together.len()) == (self.lists.len(), self.together.len())
            && saved.rates.fits(&self.rates);
        fits.then(|| *self = saved)
    }
}

impl Collision {
    /// For a drive.
    pub fn new(config: &CollisionConfig, device: &DeviceConfig) -> Self {
        let geometry = Geometry::new(&device.geometry);
        let [read_ns, program_ns] = Timing::new(device).mean_cell_ns();
        let (dies, pages) = (geometry.dies(), geometry.physical_units() / geometry.units_per_page());
        Self {
            config: config.clone(),
            read_ns,
            program_ns,
            dies,
            // In flash pages: a lone unit takes a whole one.
            budget: (f64::from(pages) * config.copies_share).floor() as u32,
            lists: vec![PairList::default(); dies as usize],
            together: vec![Together::default(); dies as usize],
            rates: ReadRates::new(dies, config.rate_window_ns),
            map: ReplicationMap::default(),
            awaited: Awaited::new(MOST_AWAITED),
            under_way: BTreeSet::new(),
            counters: Counters::default(),
            there: Vec::new(),
            loads: Vec::new(),
            quiet: Vec::new(),
        }
    }

    /// What a replication is worth, ns (equation 2).
    pub fn benefit_ns(&self, slack: u32) -> f64 {
        benefit(self.read_ns, slack)
    }

    /// What it costs at a die of so many reads a second, ns (equations 3 and 4).
    pub fn cost_ns(&self, reads_per_second: f64) -> f64 {
        cost(self.program_ns, reads_per_second)
    }

    /// An imbalanced collision of the reads that are there, of which the last has just come.
    fn collide(&mut self, die: DieId, outstanding: &[u32], drive: &DriveView<'_>) {
        let there = std::mem::take(&mut self.there);
        let shift = drive.geometry().unit_shift;
        let page = |ppa: Ppa| Ppa(ppa.0 >> shift << shift);
        let last = there.len().saturating_sub(1);
        let from = there.len().saturating_sub(self.config.reads_considered as usize);
        let now = self.rates.at(drive.now());
        // What is worth less than it costs at the die that is read least is not worth a look at the others. What that is
        // need not be known of pairs that are too new for what it is at least.
        let mut least_cost = self.cost_ns(self.rates.floor_per_second(now));
        let mut is_exact = false;
        pairs::note_quiet(die, outstanding, &mut self.quiet);
        let together = std::mem::take(&mut self.together[die.index()]);
        // The pairs of the read that came are recorded last, so that they are the last to be forgotten.
        'pairs: for later in from + 1..=last {
            if self.config.record == RecordedPairs::New && later != last {
                continue;
            }
            for earlier in from..later {
                let reads = [there[earlier], there[later]];
                let key = pairs::pair(page(reads[0].ppa), page(reads[1].ppa));
                if key.0 == key.1 || !reads.iter().any(|read| together.is_new(read.order)) {
                    continue;
                }
                self.counters.pairs += 1;
                let most = self.config.pairs_per_die;
                let Some(entry) = self.lists[die.index()].record(key, &self.quiet, most) else { continue };
                let is_new = entry.occurrences < self.config.least_occurrences;
                if is_new || benefit(self.read_ns, entry.occurrences) <= least_cost {
                    continue;
                }
                if !is_exact {
                    least_cost = cost(self.program_ns, self.rates.least_per_second(now));
                    is_exact = true;
                }
                if benefit(self.read_ns, entry.most_slack().into()) <= least_cost {
                    continue;
                }
                let Some((to, slack)) = entry.destination(outstanding) else { continue };
                let rate = self.rates.per_second(to.index(), now);
                if self.benefit_ns(slack) > self.cost_ns(rate) && self.decide(die, key, reads, to, &page) {
                    break 'pairs;
                }
            }
        }
        self.together[die.index()] = together;
        self.together[die.index()].counted(there.iter().map(|read| read.order));
        self.there = there;
        self.there.clear();
    }

    /// Chooses the victim and awaits its data. `false` if neither page can be replicated.
    fn decide(
        &mut self,
        die: DieId,
        key: pairs::PagePair,
        reads: [ReadThere; 2],
        to: DieId,
        page: &impl Fn(Ppa) -> Ppa,
    ) -> bool {
        let list = &mut self.lists[die.index()];
        let (first, second) = list.appearances(key);
        let appearances = |read: ReadThere| if page(read.ppa) == key.0 { first } else { second };
        let [earlier, later] = reads;
        let prefers_later = match appearances(later).cmp(&appearances(earlier)) {
            std::cmp::Ordering::Greater => true,
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Equal => self.config.tie == VictimTie::Later,
        };
        let order = if prefers_later { [later.lpa, earlier.lpa] } else { [earlier.lpa, later.lpa] };
        let on_its_way = |lpa: Lpa| self.under_way.contains(&lpa) || self.awaited.contains(lpa);
        if order.into_iter().any(on_its_way) {
            // What parts them is being made.
            return false;
        }
        let replicated = |lpa: Lpa| !self.config.replace_copies && self.map.get(lpa).is_some();
        let Some(victim) = order.into_iter().find(|&lpa| !replicated(lpa)) else {
            self.counters.victims_have_copies += 1;
            return false;
        };
        list.clear();
        self.awaited.push(victim, to);
        self.counters.decisions += 1;
        true
    }

    /// Gives the page up that was not read for longest: its replica, or its original.
    fn make_room(&mut self, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        let Some((lpa, page)) = self.map.drop_oldest() else { return };
        let original = drive.find(lpa);
        if page.keeps_replica() {
            self.counters.dropped_originals += 1;
            actions.push(Action::Promote { lpa, ppa: page.replica });
            actions.push(Action::DropCopy { lpa, ppa: original });
        } else {
            self.counters.dropped_replicas += 1;
            actions.push(Action::DropCopy { lpa, ppa: page.replica });
        }
    }
}

impl System for Collision {
    fn name(&self) -> &str {
        "collision"
    }

    fn watches(&self) -> Watches {
        Watches::READ.and(Watches::READ_DONE)
    }

    fn copies(&self) -> CopyBudget {
        if self.budget == 0 { CopyBudget::None } else { CopyBudget::Units(self.budget) }
    }

    fn told(&mut self, event: &Event, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        match *event {
            Event::Read(ref read) => self.read(read, drive),
            Event::ReadDone(ref read) => self.read_done(read, drive, actions),
            Event::Copied { lpa, ppa } => self.copied(lpa, ppa),
            Event::CopyMoved { lpa, old, new } => self.copy_moved(lpa, old, new),
            Event::CopyDropped { lpa, ppa, .. } => self.copy_dropped(lpa, ppa),
            _ => {}
        }
    }

    #[inline]
    fn awaits(&self, lpa: Lpa) -> bool {
        self.awaited.contains(lpa)
    }

    fn serve(&mut self, read: &Serving<'_>, _: &DriveView<'_>) -> Option<usize> {
        if read.again {
            // The choice was made when the read was issued.
            return read.candidates.iter().position(|candidate| candidate.here);
        }
        let load = |index: &usize| read.candidates.get(*index).map(|candidate| candidate.outstanding);
        let chosen = (0..read.candidates.len()).min_by_key(load)?;
        let ppa = read.candidates.get(chosen)?.ppa;
        let of_replica = self.map.get(read.lpa).is_some_and(|page| page.replica == ppa);
        if of_replica {
            self.counters.reads_of_replica += 1;
        } else {
            self.counters.reads_of_original += 1;
        }
        self.map.read(read.lpa, of_replica);
        Some(chosen)
    }

    /// Lists and map at their full length, as §III and §IV-A count them.
    fn bytes(&self) -> u64 {
        let entries = u64::from(self.config.pairs_per_die) * u64::from(self.dies);
        (entries * pair_entry_bits(self.dies)).div_ceil(8) + u64::from(self.budget) * MAP_ENTRY_BYTES
    }

    fn figures(&self) -> Vec<Figure> {
        let Counters {
            reads,
            collisions,
            imbalanced,
            pairs,
            decisions,
            victims_have_copies,
            dropped_replicas,
            dropped_originals,
            reads_of_replica,
            reads_of_original,
        } = self.counters;
        let lists = u64::from(self.config.pairs_per_die) * u64::from(self.dies);
        vec![
            ("reads_issued", reads),
            ("collisions", collisions),
            ("imbalanced_collisions", imbalanced),
            ("recorded_pairs", pairs),
            ("replications_decided", decisions),
            ("victims_had_copies", victims_have_copies),
            ("dropped_replicas", dropped_replicas),
            ("dropped_originals", dropped_originals),
            ("reads_of_replica", reads_of_replica),
            ("reads_of_original", reads_of_original),
            ("replicated_pages", self.map.len() as u64),
            ("pair_list_entries", lists),
            ("pair_lists_bytes", (lists * pair_entry_bits(self.dies)).div_ceil(8)),
            ("replication_map_entries", u64::from(self.budget)),
            ("replication_map_bytes", u64::from(self.budget) * MAP_ENTRY_BYTES),
        ]
    }

    fn window_opens(&mut self) {
        self.counters = Counters::default();
    }
}

impl Collision {
    fn read(&mut self, read: &ReadEvent, drive: &DriveView<'_>) {
        if read.joins || drive.is_reserved(read.die) {
            return;
        }
        self.counters.reads += 1;
        self.rates.count(read.die.index(), drive.now());
        let outstanding = drive.outstanding();
        let here = outstanding.get(read.die.index()).copied().unwrap_or(0);
        if here < 2 {
            return;
        }
        self.there.clear();
        drive.reads_at(read.die, &mut self.there);
        // One that is sent on keeps its turn; one that is rebuilt from parity isn't there.
        let Some(index) = self.there.iter().rposition(|other| other.ppa == read.ppa) else { return };
        let this = self.there.remove(index);
        if self.there.is_empty() {
            // Nothing to collide with but programs and erases.
            return self.together[read.die.index()].is_alone();
        }
        self.together[read.die.index()].comes(this.order);
        self.there.push(this);
        self.counters.collisions += 1;
        let mut loads = std::mem::take(&mut self.loads);
        let counted = if drive.reserves_dies() {
            let dies = (0u32..).zip(outstanding);
            let counts = |(die, &load)| if drive.is_reserved(DieId(die)) { u32::MAX } else { load };
            loads.clear();
            loads.extend(dies.map(counts));
            &loads
        } else {
            outstanding
        };
        let least = counted.iter().copied().fold(here, u32::min);
        if here - least >= 2 {
            self.counters.imbalanced += 1;
            self.collide(read.die, counted, drive);
        }
        self.loads = loads;
    }

    fn read_done(&mut self, read: &ReadEvent, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        let lpa = read.lpa;
        let Some(to) = self.awaited.take(lpa) else { return };
        if self.budget == 0 || to == drive.die_of(drive.find(lpa)) {
            // It has moved to that die meanwhile.
            return;
        }
        if let Some(old) = self.map.remove(lpa) {
            actions.push(Action::DropCopy { lpa, ppa: old.replica });
        }
        while self.map.len() + self.under_way.len() >= self.budget as usize {
            if self.map.is_empty() {
                return;
            }
            self.make_room(drive, actions);
        }
        self.under_way.insert(lpa);
        actions.push(Action::Copy { lpa, to: CopyTarget::Die(to) });
    }

    fn copied(&mut self, lpa: Lpa, ppa: Ppa) {
        self.under_way.remove(&lpa);
        self.map.add(lpa, ppa);
    }

    fn copy_moved(&mut self, lpa: Lpa, old: Ppa, new: Ppa) {
        self.map.relocate(lpa, old, new);
    }

    fn copy_dropped(&mut self, lpa: Lpa, ppa: Ppa) {
        if ppa.is_some() {
            self.map.forget(lpa, ppa);
        } else {
            self.under_way.remove(&lpa);
        }
    }
}

#[cfg(test)]
mod tests;
