//! A unit of a read is served from the cache, if that holds what is wanted of it.

use super::AroundCache;
use super::accesses::access_dram;
use crate::cache::{Access, Cache, CachePolicy};
use wordline_base::class::Class;
use wordline_base::ids::{Lpa, Ppa};
use wordline_flash::sched::queue::Op;
use wordline_ftl::work::Purpose;

/// A unit of a read that just came: whether the cache serves it.
pub(crate) fn read_unit<A: AroundCache>(around: &mut A, request: u32, lpa: Lpa, bytes: u32) -> bool {
    let (start, end) = around.wanted_range(request, lpa);
    let (in_flash, now) = (around.is_in_flash(lpa), around.now());
    let Cache { state, policy } = around.cache_mut();
    state.read_came(now);
    let (table, counts) = (&mut state.table, &mut state.record.counts);
    let found = table.find(lpa);
    // Of a unit that is nowhere else the rest is zeros.
    let Some(slot) = found.filter(|&slot| !in_flash || table.holds(slot, start, end)) else {
        counts.read_misses += u64::from(in_flash);
        counts.read_misses_in_part += u64::from(found.is_some());
        return false;
    };
    counts.read_hits += 1;
    if policy.refreshes(lpa, Access::Read) {
        table.refresh(slot);
    }
    let (at_once, version) = (state.dram.is_immediate(bytes), table.version(slot));
    around.is_served(request, lpa, version);
    if at_once {
        around.part_done(request);
    } else {
        let op = Op { bytes, ..Op::new(Class::HostRead, Ppa::NONE) };
        let id = around.new_operation(op, Purpose::of_host(request, lpa));
        access_dram(around, id);
    }
    true
}
