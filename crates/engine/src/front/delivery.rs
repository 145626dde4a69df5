//! Requests that have come and were worked for are handed on, unit by unit.

use super::AroundFront;
use super::completion::answer;
use super::parts::{read_parts, write_parts};
use super::units::whole_units;
use super::write_data::take_data;
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
        HostOp::Read => read_parts(around, number, offset, length),
        HostOp::Write | HostOp::WriteFua if around.front().rules.write_data == LinkData::Page => {
            take_data(around, number);
        }
        HostOp::Write | HostOp::WriteFua => write_parts(around, number, offset, length),
        HostOp::Trim | HostOp::Flush => {
            let units = whole_units(around.geometry().unit_bytes, offset, length);
            around.trim(number, units);
            answer(around, number, None);
        }
    }
}
