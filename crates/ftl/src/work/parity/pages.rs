//! Parity of logical pages at work: with each page of a stripe that is written its parity is read, joined and programmed anew, and
//! a read of the host whose plane collects is rebuilt from the rest of its stripe if that is quicker than to wait.

use crate::work::above::AboveFtl;
use crate::work::counted::Counted;
use crate::work::ftl::Ftl;
use crate::work::parity::rebuild::read_pages_of_stripe;
use crate::work::purposes::Purpose;
use crate::work::purposes::new_op;
use crate::work::reads::read::keep_units;
use crate::work::reads::read::{finds_newest, version_in_flash};
use crate::work::writes::program::program_on;
use std::collections::BTreeMap;
use wordline_flash::work;
use wordline_flash::work::{change_load, submit};

use serde::{Deserialize, Serialize};

use crate::placement::Placement;
use crate::redundancy::PageStripes;
use crate::work::parity::rebuild::Rebuilds;
use wordline_base::class::{Cause, Class, FlashOp};
use wordline_base::ids::{DieId, Lpa, Ppa, SuperblockId};
use wordline_base::snapshot::{In, Out, Part, SnapshotError};
use wordline_base::time::Ns;
use wordline_flash::nand::die::{CommandForm, Die, Phase};
use wordline_flash::sched::queue::{NONE, Op, OpId};

/// How far the parity of a stripe that changed has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Progress {
    /// Nothing is under way.
    Rests,
    /// So many pages that it is made of are being read; whether those are the old parity and the old versions of what changed.
    Reads { left: u32, old: bool },
    /// It is being programmed.
    Programs,
}

/// A stripe whose parity on flash may not fit its pages.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Change {
    /// Programs of its pages that have not ended.
    programs: u32,
    /// Pages that changed since its parity was begun, and where they were before.
    pages: Vec<(Lpa, Ppa)>,
    progress: Progress,
}

/// Stripes of logical pages, those that are changing, and the reads that are being rebuilt.
pub struct StripedPages {
    pub stripes: PageStripes,
    pub rebuilds: Rebuilds,
    changes: BTreeMap<u32, Change>,
    /// Of those, the ones that changed in this event.
    due: Vec<u32>,
    /// Checked mode: the versions of the pages of a stripe that its parity was made of, where it was made anew.
    made_of: BTreeMap<u32, Vec<u32>>,
}

impl StripedPages {
    pub fn new(stripes: PageStripes, xor_ns: u64) -> Self {
        Self {
            stripes,
            rebuilds: Rebuilds::new(xor_ns),
            changes: BTreeMap::new(),
            due: Vec::new(),
            made_of: BTreeMap::new(),
        }
    }
}

impl Part for StripedPages {
    fn save(&self, out: &mut Out<'_>) -> Result<(), SnapshotError> {
        let Self { stripes: _, rebuilds, changes, due, made_of } = self;
        out.put(&(rebuilds, changes, due, made_of))
    }

    fn restore(&mut self, input: &mut In<'_>) -> Result<(), SnapshotError> {
        (self.rebuilds, self.changes, self.due, self.made_of) = input.take()?;
        Ok(())
    }

    fn fork(&self) -> Result<Self, SnapshotError> {
        let Self { stripes, rebuilds, changes, due, made_of } = self;
        Ok(Self {
            stripes: stripes.clone(),
            rebuilds: rebuilds.clone(),
            changes: changes.clone(),
            due: due.clone(),
            made_of: made_of.clone(),
        })
    }
}

impl Ftl {
    /// The host gave up a page: to its parity it is zeros.
    pub(crate) fn page_given_up(&mut self, lpa: Lpa, old: Ppa) {
        let stripe = self.striped.as_ref().map(|striped| striped.stripes.stripe(lpa));
        if let Some(stripe) = stripe {
            self.stripe_changes(stripe, lpa, old, 0);
        }
    }

    fn stripe_changes(&mut self, stripe: u32, lpa: Lpa, old: Ppa, programs: u32) {
        let Some(striped) = &mut self.striped else { return };
        let new = || Change { programs: 0, pages: Vec::new(), progress: Progress::Rests };
        let change = striped.changes.entry(stripe).or_insert_with(new);
        change.programs += programs;
        change.pages.push((lpa, old));
        striped.due.push(stripe);
    }

    fn set_progress(&mut self, stripe: u32, progress: Progress) {
        let change = self.striped.as_mut().and_then(|striped| striped.changes.get_mut(&stripe));
        if let Some(change) = change {
            change.progress = progress;
        }
    }

    /// Whether the plane of a page collects now, or will go on with it soon.
    pub(crate) fn collects_at(&self, ppa: Ppa) -> bool {
        self.domain[self.domain_of(ppa).index()].collector.collects()
    }

    /// The other pages of a page's stripe that hold something, its parity included; `None` while it changes, or has no parity.
    fn sources_of_page(&self, lpa: Lpa) -> Option<Vec<(Lpa, Ppa)>> {
        let striped = self.striped.as_ref()?;
        let stripe = striped.stripes.stripe(lpa);
        let parity = striped.stripes.parity(stripe);
        if striped.changes.contains_key(&stripe) || !self.lookup(parity).is_some() {
            return None;
        }
        let others = striped.stripes.pages(stripe).chain([parity]).filter(|&other| other != lpa);
        Some(others.map(|lpa| (lpa, self.lookup(lpa))).filter(|(_, ppa)| ppa.is_some()).collect())
    }

    /// Whether a page that is read for the sake of another of its stripe is where it was, and of the same version.
    pub(crate) fn source_stays(&self, lpa: Lpa, ppa: Ppa) -> bool {
        self.striped.as_ref().is_none_or(|striped| {
            !striped.changes.contains_key(&striped.stripes.stripe(lpa)) && self.lookup(lpa) == ppa
        })
    }

    /// Where a page is by now that is read for the sake of another of its stripe, if it only moved.
    pub(crate) fn source_moved_to(&self, lpa: Lpa) -> Option<Ppa> {
        let striped = self.striped.as_ref()?;
        let changes = striped.changes.contains_key(&striped.stripes.stripe(lpa));
        Some(self.lookup(lpa)).filter(|ppa| ppa.is_some() && !changes)
    }
}

/// A page is about to be programmed for the host: its stripe changes.
pub(crate) fn page_changes<A: AboveFtl>(above: &mut A, id: OpId) {
    let lpa = above.ftl().purposes[id].lpa;
    let class = above.flash().pool[id].class;
    if !matches!(class.cause(), Cause::Host | Cause::WriteBack) {
        return;
    }
    let old = above.ftl().lookup(lpa);
    let Some(striped) = &mut above.ftl_mut().striped else { return };
    let stripe = striped.stripes.stripe(lpa);
    above.ftl_mut().purposes[id].tag = stripe;
    above.ftl_mut().stripe_changes(stripe, lpa, old, 1);
}

/// At the end of an event: begins the parity of what changed in it, all pages of a stripe together.
pub fn begin_parity<A: AboveFtl>(above: &mut A) {
    let mut next = 0;
    while let Some(&stripe) = above.ftl().striped.as_ref().and_then(|striped| striped.due.get(next)) {
        next += 1;
        update_parity(above, stripe);
    }
    if let Some(striped) = &mut above.ftl_mut().striped {
        striped.due.clear();
    }
}

/// Begins to make the parity of a stripe anew, if anything changed that isn't in it.
fn update_parity<A: AboveFtl>(above: &mut A, stripe: u32) {
    let Some(striped) = &mut above.ftl_mut().striped else { return };
    let parity = striped.stripes.parity(stripe);
    let members = striped.stripes.pages(stripe);
    let Some(change) = striped.changes.get_mut(&stripe) else { return };
    let progress = change.progress;
    if change.pages.is_empty() || progress == Progress::Programs {
        return;
    }
    let changed = std::mem::take(&mut change.pages);
    let old = |this: &A| -> Vec<(Lpa, Ppa)> {
        let parity_at = this.ftl().lookup(parity);
        let all = changed.iter().copied().chain([(parity, parity_at)]);
        all.filter(|(_, ppa)| ppa.is_some()).collect()
    };
    if let Progress::Reads { left, old: reads_old } = progress {
        // What comes now is joined with the rest.
        let more: Vec<_> = if reads_old { old(above) } else { Vec::new() };
        let more: Vec<_> = more.into_iter().filter(|&(lpa, _)| lpa != parity).collect();
        let left = left + more.len() as u32;
        above.ftl_mut().set_progress(stripe, Progress::Reads { left, old: reads_old });
        return read_for_parity(above, stripe, more);
    }
    let others: Vec<_> = members
        .filter(|lpa| !changed.iter().any(|(other, _)| other == lpa))
        .map(|lpa| (lpa, above.ftl().lookup(lpa)))
        .filter(|(_, ppa)| ppa.is_some())
        .collect();
    let old = old(above);
    // Neither way may wait for a plane that collects if the other needn't; then the one that reads less.
    let waits = |pages: &[(Lpa, Ppa)]| pages.iter().any(|&(_, ppa)| above.ftl().collects_at(ppa));
    let has_parity = old.iter().any(|&(lpa, _)| lpa == parity);
    let reads_old = has_parity && (waits(&old), old.len()) <= (waits(&others), others.len());
    let pages = if reads_old { old } else { others };
    if pages.is_empty() {
        return program_parity(above, stripe);
    }
    above.ftl_mut().set_progress(stripe, Progress::Reads { left: pages.len() as u32, old: reads_old });
    read_for_parity(above, stripe, pages);
}

/// Reads pages where they are now: they stay there until their blocks are erased, whatever is written meanwhile.
fn read_for_parity<A: AboveFtl>(above: &mut A, stripe: u32, pages: Vec<(Lpa, Ppa)>) {
    for (lpa, ppa) in pages {
        let bytes = above.ftl().geometry.unit_bytes;
        let purpose = Purpose { tag: stripe, ..Purpose::of(lpa) };
        let id = new_op(above, Op { bytes, ..Op::new(Class::ParityRead, ppa) }, purpose);
        submit(above, id);
    }
}

/// A page that a parity is made of is with the controller.
pub(crate) fn read_for_parity_done<A: AboveFtl>(above: &mut A, unit: OpId) {
    let stripe = above.ftl().purposes[unit].tag;
    above.flash_mut().pool.remove(unit);
    let change = above.ftl_mut().striped.as_mut().and_then(|striped| striped.changes.get_mut(&stripe));
    let Some(Change { progress: Progress::Reads { left, .. }, .. }) = change else {
        return above.fail(format!("a page was read for the parity of stripe {stripe}, which wants none"));
    };
    *left -= 1;
    if *left == 0 {
        program_parity(above, stripe);
    }
}

fn program_parity<A: AboveFtl>(above: &mut A, stripe: u32) {
    above.ftl_mut().set_progress(stripe, Progress::Programs);
    let Some(striped) = &above.ftl().striped else { return };
    let lpa = striped.stripes.parity(stripe);
    let Some(plane) = above.ftl().placement.plane_by_address(lpa) else {
        return above.fail(format!("the placement has no plane for the parity of stripe {stripe}"));
    };
    let id = new_op(above, Op::new(Class::ParityProgram, Ppa::NONE), Purpose::of(lpa));
    program_on(above, plane, id);
}

/// The die takes the program of a parity: it takes effect.
pub(crate) fn commit_parity_page<A: AboveFtl>(above: &mut A, unit: OpId, superblock: SuperblockId) {
    let lpa = above.ftl().purposes[unit].lpa;
    let ppa = above.flash().pool[unit].ppa;
    if !lpa.is_some() {
        return;
    }
    above.ftl_mut().purposes[unit].replaced = above.ftl_mut().store(lpa, ppa, superblock);
    if let Some(mut numbers) = above.ftl_mut().numbers() {
        numbers.write(lpa, ppa);
    }
}

/// The program of a parity has ended.
pub(crate) fn parity_programmed<A: AboveFtl>(above: &mut A, lpa: Lpa) {
    let Some(striped) = &mut above.ftl_mut().striped else { return };
    let stripe = striped.stripes.stripe(lpa);
    let Some(change) = striped.changes.get_mut(&stripe) else {
        return above.fail(format!("parity of stripe {stripe} was programmed, which wants none"));
    };
    change.progress = Progress::Rests;
    if !change.pages.is_empty() {
        striped.due.push(stripe);
    }
    stripe_may_rest(above, stripe);
}

/// The program of a page of the host has ended, whatever became of it.
pub(crate) fn page_programmed<A: AboveFtl>(above: &mut A, unit: OpId) {
    let stripe = above.ftl().purposes[unit].tag;
    let change = above.ftl_mut().striped.as_mut().and_then(|striped| striped.changes.get_mut(&stripe));
    let Some(change) = change.filter(|change| change.programs > 0) else {
        return above.fail(format!("a page of stripe {stripe} was programmed, of which none was to be"));
    };
    change.programs -= 1;
    stripe_may_rest(above, stripe);
}

/// Where nothing of a stripe is under way any more, its parity fits its pages.
fn stripe_may_rest<A: AboveFtl>(above: &mut A, stripe: u32) {
    let Some(striped) = &above.ftl().striped else { return };
    let rests = |change: &Change| {
        change.programs == 0 && change.pages.is_empty() && change.progress == Progress::Rests
    };
    if !striped.changes.get(&stripe).is_some_and(rests) {
        return;
    }
    let versions = above.ftl().versions.is_some().then(|| versions_of_stripe(above, stripe));
    if let Some(striped) = &mut above.ftl_mut().striped {
        striped.changes.remove(&stripe);
        if let Some(versions) = versions {
            striped.made_of.insert(stripe, versions);
        }
    }
}

/// Versions on flash of the pages of a stripe, and 0 for those that hold nothing there.
fn versions_of_stripe<A: AboveFtl>(above: &A, stripe: u32) -> Vec<u32> {
    let pages = above.ftl().striped.iter().flat_map(|striped| striped.stripes.pages(stripe));
    let version = |lpa| if above.ftl().lookup(lpa).is_some() { version_in_flash(above, lpa) } else { 0 };
    pages.map(version).collect()
}

/// What keeps a page from being read at once because its plane collects, and for how long still; waits for the channel are
/// not foreseen.
fn kept_by_collection<A: AboveFtl>(above: &A, ppa: Ppa) -> Option<Ns> {
    let server =
        above.flash().plane_server(Class::GcProgram, ppa).unwrap_or(above.ftl().geometry.die_at(ppa).0);
    let collects = |state: &&Die| state.phase != Phase::Idle && state.command.class.cause() == Cause::Gc;
    // Where planes read apart a page may be moving by a read of its plane alone.
    let servers = [server, above.flash().read_server(ppa)];
    let state = servers.into_iter().map(|server| above.flash().die(server)).find(collects)?;
    let command = &state.command;
    let left = match state.phase {
        Phase::Array => state.array[1].since(above.flash().now()),
        Phase::Command => command.cell,
        _ => state.data_out,
    };
    let second = match command.form {
        CommandForm::CopybackRead => {
            let to = above.flash().pool[command.head].ppa;
            above.flash().timing().program_command(1)
                + above
                    .flash()
                    .timing()
                    .program(above.ftl().geometry.place(to).page, above.ftl().cell_mode(to))
        }
        _ if command.class.op() == FlashOp::Read && state.phase != Phase::DataOut => {
            above.flash().unit_transfer()
        }
        _ => Ns::ZERO,
    };
    Some(left + second)
}

/// Rebuilds a read of the host whose plane collects, if its stripe is whole and the rest of it can be read sooner than the
/// plane is free. Whether it is: then it waits for its sources, and in no queue.
pub(crate) fn rebuilds_page<A: AboveFtl>(above: &mut A, unit: OpId) -> bool {
    let Purpose { lpa, partial, whose, .. } = above.ftl().purposes[unit];
    let Op { ppa, class, tentative, .. } = above.flash().pool[unit];
    if class != Class::HostRead
        || partial
        || tentative
        || whose.host().is_none()
        || lpa.0 >= above.ftl().logical_units
    {
        return false;
    }
    let Some(left) = kept_by_collection(above, ppa) else { return false };
    above.counted(Counted::BlockedRead);
    let Some(sources) = above.ftl().sources_of_page(lpa) else {
        above.counted(Counted::IncompleteRow);
        return false;
    };
    let free_in = |&(_, ppa): &(Lpa, Ppa)| {
        let server = above.flash().read_server(ppa);
        let running = work::running(above, server).map_or(Ns::ZERO, |(_, left)| left);
        kept_by_collection(above, ppa).unwrap_or(Ns::ZERO).max(running + work::waiting_ahead(above, server))
    };
    let latest = sources.iter().map(free_in).max().unwrap_or(Ns::ZERO);
    let xor = above.ftl().striped.as_ref().map_or(Ns::ZERO, |striped| striped.rebuilds.xor());
    if latest + xor >= left {
        return false;
    }
    read_pages_of_stripe(above, unit, sources);
    true
}

/// Checked mode: what is read for a page of a stripe is what its parity was made of.
pub(crate) fn verify_page_of_stripe<A: AboveFtl>(above: &mut A, unit: OpId, target: OpId) {
    let (lpa, wanted) = (above.ftl().purposes[unit].lpa, above.ftl().purposes[target].lpa);
    let (ppa, wanted_at) = (above.flash().pool[unit].ppa, above.flash().pool[target].ppa);
    let Some(striped) = &above.ftl().striped else { return };
    let stripe = striped.stripes.stripe(wanted);
    let same = striped.stripes.stripe(lpa) == stripe && lpa != wanted;
    let made_of = striped.made_of.get(&stripe);
    let fits = made_of.is_none_or(|versions| *versions == versions_of_stripe(above, stripe));
    if !same || striped.changes.contains_key(&stripe) || !fits {
        above.fail(format!("a read for {:?} found {lpa:?} in a stripe that doesn't fit it", wanted));
    } else if above.ftl().oob.lpa(ppa, &above.ftl().layout) != lpa || !finds_newest(above, unit) {
        above.fail(format!("a read for {:?} found something else than {lpa:?} at {ppa:?}", wanted));
    } else if !stores_newest(above, wanted, wanted_at) {
        above.fail(format!("{:?} is rebuilt as a version that is not the newest", wanted));
    }
}

/// Whether a place has the newest version that flash has, though its program may not have ended: a page that is being moved can be
/// rebuilt.
fn stores_newest<A: AboveFtl>(above: &A, lpa: Lpa, ppa: Ppa) -> bool {
    let newest = version_in_flash(above, lpa);
    above.ftl().oob.sequences().is_none_or(|sequences| sequences.number(ppa) == newest)
}

/// Reads of the host whose plane collects as their turn comes: those that are better rebuilt leave the queue. Returns the
/// head of the others.
pub fn rebuild_instead<A: AboveFtl>(above: &mut A, die: DieId, head: OpId) -> OpId {
    if above.ftl().striped.is_none() || above.flash().pool[head].class != Class::HostRead {
        return head;
    }
    let kept = keep_units(above, head, |this, unit| {
        let Purpose { whose, partial, .. } = this.ftl().purposes[unit];
        if whose.host().is_none() || partial {
            return true;
        }
        this.flash_mut().end_die_wait(unit, die);
        this.flash_mut().pool[unit].wait_from = this.flash().now();
        let rebuilt = rebuilds_page(this, unit);
        if !rebuilt {
            this.flash_mut().begin_die_wait(unit, die);
        }
        !rebuilt
    });
    if kept == NONE {
        above.queue_changes(die, Class::HostRead, Some(head));
        change_load(above, die, -1);
    }
    kept
}

/// Checked mode: nothing is half made when the drive is at rest, and stripes that changed fit their parity.
pub fn audit_parity_pages<A: AboveFtl>(above: &A) -> Result<(), String> {
    let Some(striped) = &above.ftl().striped else { return Ok(()) };
    if !striped.changes.is_empty() || !striped.due.is_empty() || !striped.rebuilds.is_at_rest() {
        let left = striped.changes.len();
        return Err(format!("{left} stripes change, or a read is rebuilt, although the drive is at rest"));
    }
    for (&stripe, versions) in &striped.made_of {
        if *versions != versions_of_stripe(above, stripe) {
            return Err(format!("the parity of stripe {stripe} was made of other versions"));
        }
    }
    Ok(())
}
