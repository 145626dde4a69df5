//! Which copy serves a read, and what of copies is reported.

use crate::replicate::{Arbiter, Candidate, Serving};
use crate::work::above::AboveFtl;
use crate::work::ftl::Ftl;
use crate::work::purposes::Purpose;
use crate::work::reads::read::send_on;
use wordline_base::class::Class;
use wordline_base::ids::{Lpa, Ppa};
use wordline_base::time::Ns;
use wordline_flash::sched::queue::{NONE, Op, OpId};
use wordline_flash::work;

impl Ftl {
    /// A read of a page with copies begins: counts who serves it.
    pub(crate) fn count_served(&mut self, lpa: Lpa, ppa: Ppa) {
        if self.copies.of(lpa).is_empty() {
            return;
        }
        match self.copies.at(lpa, ppa) {
            None => self.replication.reads_by_primary += 1,
            Some(copy) => {
                if let Some(owner) = self.replication.owners.get_mut(copy.owner) {
                    owner.counters.reads += 1;
                }
            }
        }
    }
}

/// The copy of a page that a read of the host shall go to. `here` is where the read is, if a die is about to take it.
pub(crate) fn choose_copy<A: AboveFtl>(above: &mut A, lpa: Lpa, here: Option<Ppa>) -> Ppa {
    let primary = above.ftl().lookup(lpa);
    let mut candidates = std::mem::take(&mut above.ftl_mut().replication.candidates);
    candidates.clear();
    let copies = above.ftl().copies.of(lpa).iter();
    candidates.extend(copies.map(|copy| candidate(above, copy.ppa, Some(copy.owner), here)));
    if candidates.is_empty() {
        above.ftl_mut().replication.candidates = candidates;
        return primary;
    }
    candidates.insert(0, candidate(above, primary, None, here));
    let read = Serving { lpa, again: here.is_some(), candidates: &candidates };
    let chosen = above.ask_owners(&read).unwrap_or_else(|| above.ftl().replication.arbiter.serve(&read));
    let ppa = candidates.get(chosen).map(|candidate| candidate.ppa);
    let count = candidates.len();
    above.ftl_mut().replication.candidates = candidates;
    if ppa.is_none() {
        above.fail(format!("copy {chosen} of {count} was chosen to serve a read of {lpa:?}"));
    }
    ppa.unwrap_or(primary)
}

/// A die is about to take this read: asks again, once, whether another copy serves it better. Returns [`NONE`] if it
/// was sent on.
#[inline(always)]
pub(crate) fn confirm_copy<A: AboveFtl>(above: &mut A, unit: OpId) -> OpId {
    if above.ftl().copies.has(above.ftl().purposes[unit].lpa) {
        confirm_one_of_copies(above, unit)
    } else {
        unit
    }
}

#[inline(never)]
fn confirm_one_of_copies<A: AboveFtl>(above: &mut A, unit: OpId) -> OpId {
    let Purpose { lpa, partial, .. } = above.ftl().purposes[unit];
    let Op { ppa, class, source, .. } = above.flash().pool[unit];
    if class != Class::HostRead || partial || source.is_some() || above.ftl().copies.of(lpa).is_empty() {
        return unit;
    }
    let chosen = choose_copy(above, lpa, Some(ppa));
    if chosen == ppa {
        return unit;
    }
    let server = above.flash().server_of(unit, ppa);
    above.flash_mut().end_die_wait(unit, server);
    above.ftl_mut().replication.reads_sent_on += 1;
    above.flash_mut().pool[unit].source = ppa;
    send_on(above, unit, chosen);
    NONE
}

fn candidate<A: AboveFtl>(above: &A, ppa: Ppa, owner: Option<usize>, here: Option<Ppa>) -> Candidate {
    let die = above.ftl().geometry.die_at(ppa).0;
    let is_here = here == Some(ppa);
    let server = above.flash().read_server(ppa);
    let running = work::running(above, server);
    let remaining = running.map_or(Ns::ZERO, |(_, time)| time);
    Candidate {
        ppa,
        die,
        owner,
        outstanding: above.flash().loads()[die.index()].saturating_sub(u32::from(is_here)),
        running: running.map(|(class, _)| class),
        remaining,
        // Its turn has come.
        ahead: if is_here { Ns::ZERO } else { remaining + work::waiting_ahead(above, server) },
        here: is_here,
    }
}
