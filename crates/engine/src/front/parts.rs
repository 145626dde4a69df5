//! The units of a request, which end one by one.

use super::completion::part_done;
use super::{AroundFront, Units};
use wordline_base::request::HostRequest;

/// The data of a write has come, or a page of it.
#[inline]
pub(super) fn data_came<A: AroundFront>(around: &mut A, number: u32) {
    let HostRequest { offset, length, .. } = *around.front().request(number).asked();
    write_parts(around, number, offset, length);
}

/// The units of a read.
#[inline(always)]
pub(super) fn read_parts<A: AroundFront>(around: &mut A, number: u32, offset: u64, length: u64) {
    let units = hold(around, number, offset, length);
    around.read(number, units);
    part_done(around, number);
}

/// The units of a write whose data is there.
pub(super) fn write_parts<A: AroundFront>(around: &mut A, number: u32, offset: u64, length: u64) {
    let units = hold(around, number, offset, length);
    around.write(number, units);
    part_done(around, number);
}

/// A request has these units, and one part more, which holds it until all of them are on their way: one that is done at once
/// can't end it.
#[inline(always)]
fn hold<A: AroundFront>(around: &mut A, number: u32, offset: u64, length: u64) -> Units {
    let units = Units::of(around.geometry(), offset, length);
    around.front_mut().requests[number as usize].left = units.count() + 1;
    units
}
