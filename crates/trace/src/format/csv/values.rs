//! What the fields of a line say.

use wordline_base::request::HostOp;

use crate::config::BlockEvent;
use crate::format::fields::{number, time};
use crate::format::ops::{named, scsi};
use crate::format::{Rules, iso};

/// What an operation may be.
pub(in crate::format) const OPS: &str =
    "read, write, trim or flush, their first letter, 0 or 1, or SCSI's 28, 2a, 88 or 8a,";

/// The operation that a word or number names.
pub(in crate::format) fn op_of(field: &[u8], rules: &Rules) -> Option<HostOp> {
    let is = |word: &[u8]| field.eq_ignore_ascii_case(word);
    if is(b"0") || is(b"false") {
        Some(rules.op_of(0))
    } else if is(b"1") || is(b"true") {
        Some(rules.op_of(1))
    } else {
        named(field).or_else(|| scsi(field))
    }
}

/// What happened, where a column says it.
pub(super) fn event_of(field: &[u8]) -> Option<BlockEvent> {
    let is = |names: [&[u8]; 3]| names.iter().any(|name| field.eq_ignore_ascii_case(name));
    if is([b"q", b"queue", b"queued"]) {
        Some(BlockEvent::Queue)
    } else if is([b"d", b"issue", b"issued"]) {
        Some(BlockEvent::Issue)
    } else if is([b"c", b"complete", b"completed"]) {
        Some(BlockEvent::Complete)
    } else {
        None
    }
}

/// A whole number of units as bytes; also one in scientific notation, as spreadsheets write it.
pub(in crate::format) fn loose(field: &[u8], unit: u64) -> Option<u64> {
    match number(field) {
        Some(count) => count.checked_mul(unit),
        None => {
            let count: f64 = decimal(field)?;
            (count.fract() == 0.0 && count < 1e18).then_some(count as u64)?.checked_mul(unit)
        }
    }
}

pub(in crate::format) fn loose_time(field: &[u8], unit_ns: u64) -> Option<u128> {
    time(field, unit_ns).or_else(|| {
        let count = decimal(field)? * unit_ns as f64;
        (count < 1e30).then_some(count as u128)
    })
}

/// The same without a date.
pub(super) fn loose_span(field: &[u8], unit_ns: u64) -> Option<u128> {
    if iso::parse(field).is_some() { None } else { loose_time(field, unit_ns) }
}

/// A number with a point or an exponent that isn't negative; what is whole is read exactly, or is too large.
fn decimal(field: &[u8]) -> Option<f64> {
    if !field.iter().any(|byte| b".eE".contains(byte))
        || !field.iter().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(byte))
    {
        return None;
    }
    let value: f64 = std::str::from_utf8(field).ok()?.parse().ok()?;
    (value.is_finite() && value >= 0.0).then_some(value)
}
