//! Programs of the host that systems send where they want them: into superblocks that they keep open.

use crate::work::above::AboveFtl;
use crate::work::collection::erase::begin_erase;
use crate::work::collection::slc_cache::count_cached;
use crate::work::counted::Counted;
use crate::work::writes::commit::is_outdated;
use crate::work::writes::places::{intent, place};
use crate::work::writes::program::{program_anew, read_old_content};
use std::collections::VecDeque;
use wordline_flash::work::submit;

use crate::blocks::BlockState;
use crate::events::{Event, WritePlace};
use crate::work::writes::system_superblocks::Given;
use wordline_base::class::Cause;
use wordline_base::ids::{DomainId, Lpa, SuperblockId};
use wordline_base::parts::Part;
use wordline_flash::sched::queue::OpId;

/// Write point of a program that a system sent into a superblock.
pub const PLACED_BY_SYSTEM: u8 = u8::MAX - 1;

/// Whether systems are asked where this program goes.
#[inline]
pub(crate) fn is_placed_by_system<A: AboveFtl>(above: &A, lpa: Lpa, cause: Cause) -> bool {
    above.systems_place_writes()
        && matches!(cause, Cause::Host | Cause::WriteBack)
        && lpa.0 < above.ftl().logical_units
}

/// Asks the systems where a program goes, and sends it there or lets it wait; `false` if they have nothing to say.
#[inline(never)]
pub(crate) fn place_write<A: AboveFtl>(above: &mut A, id: OpId) -> bool {
    match ask_where_to(above, id) {
        None => return false,
        Some((system, place)) => {
            if !send_to_place(above, system, place, id) {
                above.counted(Counted::Stalled);
                above.ftl_mut().held.push_back(id);
            }
        }
    }
    true
}

fn ask_where_to<A: AboveFtl>(above: &mut A, id: OpId) -> Option<(usize, WritePlace)> {
    let intent = intent(above, id);
    above.ask_write_place(&intent)
}

/// Asks again for every program that waits for an answer.
pub fn ask_again_for_places<A: AboveFtl>(above: &mut A) {
    let mut waiting = std::mem::take(&mut above.ftl_mut().held);
    let mut held = VecDeque::with_capacity(waiting.len());
    while let Some(id) = waiting.pop_front() {
        let waited = above.flash().now().since(above.flash().pool[id].wait_from);
        let sent = match ask_where_to(above, id) {
            None => {
                let intent = &intent(above, id);
                let plane = place(above, intent);
                program_anew(above, plane, id);
                true
            }
            Some((system, place)) => send_to_place(above, system, place, id),
        };
        if sent {
            above.flash_mut().pool.parts_mut(id).add(Part::Space, waited.0);
        } else {
            held.push_back(id);
        }
    }
    // What begins anew may wait once more.
    held.append(&mut above.ftl_mut().held);
    above.ftl_mut().held = held;
}

/// Sends a program where a system wants it; `false` if it is to wait.
fn send_to_place<A: AboveFtl>(above: &mut A, system: usize, place: WritePlace, id: OpId) -> bool {
    if place != WritePlace::Wait && is_outdated(above, id) {
        // To find that out when it takes effect would cost it its place, and a page that belongs at one place has no other.
        read_old_content(above, id);
        return true;
    }
    match place {
        WritePlace::Free | WritePlace::Wait => false,
        WritePlace::Into(superblock) => {
            program_into(above, system, superblock, None, id);
            true
        }
        WritePlace::At { superblock, unit } => {
            program_into(above, system, superblock, Some(unit), id);
            true
        }
    }
}

/// A program of the host gets a unit of a superblock that a system keeps open.
fn program_into<A: AboveFtl>(
    above: &mut A,
    system: usize,
    superblock: SuperblockId,
    unit: Option<u32>,
    id: OpId,
) {
    let (size, capacity) = (above.ftl().geometry.units_per_program(), above.ftl().blocks.capacity());
    let given = match above.ftl_mut().plans.system_superblocks.give(superblock, system, unit, size, capacity)
    {
        Ok(given) => given,
        Err(what) => {
            let name = above.system_name(system);
            return above.fail(format!("the system {name} sent a program to {what}"));
        }
    };
    let (Given::Begins(unit) | Given::Joins(_, unit)) = given;
    let ppa = above.ftl().unit_at(superblock, unit);
    let domain = above.ftl().domain_of(ppa);
    above.ftl_mut().domain[domain.index()].live += 1;
    above.ftl_mut().purposes[id].point = PLACED_BY_SYSTEM;
    above.flash_mut().pool[id].ppa = ppa;
    count_cached(above, id);
    match given {
        Given::Joins(head, _) => {
            let die = above.flash().waits_at(head);
            above.flash_mut().begin_die_wait(id, die);
            above.flash_mut().pool.chain(head, id);
        }
        Given::Begins(_) => {
            above.ftl_mut().blocks.begin(superblock);
            if size > 1 {
                above.ftl_mut().plans.system_superblocks.program_waits(superblock, id);
            }
            submit(above, id);
        }
    }
}

/// The die takes a program that a system sent into a superblock.
pub(crate) fn placed_program_begins<A: AboveFtl>(above: &mut A, head: OpId) {
    let superblock = above.ftl().blocks.of(&above.ftl().geometry, above.flash().pool[head].ppa);
    above.ftl_mut().plans.system_superblocks.program_begins(superblock, head);
}

/// Erases a full superblock in which nothing is valid, where systems make space.
pub(crate) fn erase_if_given_up<A: AboveFtl>(above: &mut A, superblock: SuperblockId) {
    if above.systems_collect()
        && above.ftl().blocks.state(superblock) == BlockState::Full
        && above.ftl().blocks.valid(superblock) == 0
    {
        let domain: DomainId = above.ftl().blocks.split(superblock).0;
        above.ftl_mut().domain[domain.index()].collector.victims.push((superblock, Cause::Gc));
        above.counted(Counted::Emptied(Cause::Gc));
        above.ftl_mut().blocks.set_state(superblock, BlockState::Collecting);
        begin_erase(above, superblock);
    }
}

/// Every program under way in an open superblock has ended: its system, if one keeps it open, is told.
pub(crate) fn tell_programmed<A: AboveFtl>(above: &mut A, superblock: SuperblockId) {
    if let Some(system) = above.ftl().plans.system_superblocks.system_of(superblock) {
        above.tell_one(system, &Event::Programmed(superblock));
    }
}
