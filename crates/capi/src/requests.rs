//! Requests and completions.

use std::mem::MaybeUninit;

use wordline_drive::{Completion, Drive, Request, op_number, op_of_number};

use crate::border::{Failure, WordlineStatus, call, many, put};
use crate::drive::{WordlineDrive, change};

/// Returns data.
pub const WORDLINE_READ: u8 = 0;
/// Stores data; acknowledged when it is in the drive's write buffer, without one when it is programmed.
pub const WORDLINE_WRITE: u8 = 1;
/// A write with FUA (Force Unit Access): acknowledged when it is programmed.
pub const WORDLINE_WRITE_FUA: u8 = 2;
/// Tells the drive that the range holds nothing of value.
pub const WORDLINE_TRIM: u8 = 3;
/// Acknowledged when every acknowledged write is safe.
pub const WORDLINE_FLUSH: u8 = 4;

/// A request of the host.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct WordlineRequest {
    /// When it arrives, ns: not before where the drive is.
    pub time: u64,
    /// First byte, from the start of the drive; 0 for a flush.
    pub offset: u64,
    /// Bytes; 0 for a flush.
    pub length: u64,
    /// Whatever its completion shall be known by; several requests may have the same.
    pub tag: u64,
    /// Stream that its data belong to; only of writes, on a drive that offers streams.
    pub stream: u16,
    /// What it does: `WORDLINE_READ` and others.
    pub op: u8,
}

/// A request that was answered.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct WordlineCompletion {
    /// What was asked.
    pub request: WordlineRequest,
    /// When the host has the answer, ns.
    pub time: u64,
}

impl WordlineCompletion {
    fn of(completion: &Completion) -> Self {
        let Completion { request, time } = *completion;
        let Request { time: arrival, op, offset, length, tag, stream } = request;
        let op = op_number(op);
        Self { request: WordlineRequest { time: arrival, offset, length, tag, stream, op }, time }
    }
}

fn request_of((number, request): (usize, &WordlineRequest)) -> Result<Request, Failure> {
    let WordlineRequest { time, offset, length, tag, stream, op } = *request;
    let known = op_of_number(op);
    let op = known.ok_or_else(|| format!("request {number} (from 0): op = {op}: allowed: 0 to 4"))?;
    Ok(Request { time, op, offset, length, tag, stream })
}

/// Submits requests, in any order of their times. If one is refused, none was submitted.
///
/// # Safety
/// `drive` is NULL or a drive of this library that no other thread uses; `requests` is NULL or leads to `count` of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wordline_drive_submit(
    drive: *mut WordlineDrive,
    requests: *const WordlineRequest,
    count: usize,
) -> WordlineStatus {
    call(|| {
        // SAFETY: the caller's.
        let requests = unsafe { many("requests", requests, count) }?;
        if let [one] = requests {
            let request = request_of((0, one))?;
            // SAFETY: the caller's.
            return unsafe { change(drive, |drive| drive.submit(request)) };
        }
        let requests = requests.iter().enumerate().map(request_of).collect::<Result<Vec<_>, _>>()?;
        // SAFETY: the caller's.
        unsafe { change(drive, |drive| drive.submit_all(&requests)) }
    })
}

/// Takes at most `capacity` of the requests that were answered and weren't taken yet, in the order of their answers; `taken` is how many.
///
/// # Safety
/// `drive` is NULL or a drive of this library that no other thread uses; `completions` is NULL or leads to room for `capacity`; `taken` is
/// NULL or leads to room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wordline_drive_completions(
    drive: *mut WordlineDrive,
    completions: *mut WordlineCompletion,
    capacity: usize,
    taken: *mut usize,
) -> WordlineStatus {
    call(|| {
        // SAFETY: the caller's.
        unsafe { put("taken", taken, 0) }?;
        // SAFETY: the caller's; the memory may be uninitialised, so that it is written and not looked at.
        unsafe { many("completions", completions.cast::<MaybeUninit<WordlineCompletion>>(), capacity) }?;
        let write = |drive: &mut Drive| {
            let answered = drive.take_completions(capacity)?;
            let count = answered.len();
            for (place, completion) in answered.enumerate() {
                // SAFETY: there are no more than `capacity`, for which there is room.
                unsafe { completions.add(place).write(WordlineCompletion::of(&completion)) };
            }
            Ok(count)
        };
        // SAFETY: the caller's.
        let count = unsafe { change(drive, write) }?;
        // SAFETY: the caller's.
        unsafe { put("taken", taken, count) }
    })
}
