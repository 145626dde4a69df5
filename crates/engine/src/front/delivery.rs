//! Requests that have come and were worked for are handed on, unit by unit.

use super::completion::{answer, part_done};
use super::units::whole_units;
use super::write_data::take_data;
use super::{AroundFront, Units};
use wordline_base::request::{HostOp, HostRequest};
use wordline_config::device::LinkData;

/// The drive starts to work on a request.
#[inline(always)]
pub(crate) fn deliver<A: AroundFront>(around: &mut A, number: u32) {
    let HostRequest { op, offset, length, .. } = *around.front().request(number).asked();
    if length == 0 || op == HostOp::Flush {
        if op == HostOp::Flush && around.holds_writes() {
            around.front_mut().requests[number as usize].left = 1;
            return around.flush(number);
        }
        // Without a cache every acknowledged write is in flash already.
        return answer(around, number, None);
    }
    match op {
        HostOp::Read => deliver_read(around, number, offset, length),
        HostOp::Write | HostOp::WriteFua if around.front().rules.write_data == LinkData::Page => {
            take_data(around, number);
        }
        HostOp::Write | HostOp::WriteFua => deliver_write(around, number, offset, length),
        HostOp::Trim | HostOp::Flush => {
            let units = whole_units(around.geometry().unit_bytes, offset, length);
            around.trim(number, units);
            answer(around, number, None);
        }
    }
}

/// The data of a write has come, or a page of it.
#[inline]
pub(super) fn deliver_data<A: AroundFront>(around: &mut A, number: u32) {
    let HostRequest { offset, length, .. } = *around.front().request(number).asked();
    deliver_write(around, number, offset, length);
}

#[inline(always)]
fn deliver_read<A: AroundFront>(around: &mut A, number: u32, offset: u64, length: u64) {
    let units = hold(around, number, offset, length);
    around.read(number, units);
    part_done(around, number);
}

fn deliver_write<A: AroundFront>(around: &mut A, number: u32, offset: u64, length: u64) {
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
