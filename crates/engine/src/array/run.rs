//! A run on an array: its drives are prepared, a workload replayed, the window measured, every drive audited.

use super::{Array, ArrayReport};
use crate::config::array::ArrayConfig;
use crate::host::front::Front;
use crate::host::{HostOp, RequestSource};
use crate::run::{Observer, RunError, Setup, Warmup};
use crate::time::Ns;

/// Requests between two calls of the observer.
const OBSERVED_EVERY: u64 = 8192;

/// Prepares the drives of an array, each from the same description and another seed, and replays a workload on them.
/// Occupancy `footprint` isn't known to an array; results by flow, series and samples are those of the drives.
pub fn simulate_array(
    setup: &Setup,
    config: &ArrayConfig,
    source: &mut dyn RequestSource,
    observer: &mut dyn Observer,
) -> Result<ArrayReport, RunError> {
    config.validate().map_err(|error| error.under("array"))?;
    let member = |number: u32| {
        Setup { seed: setup.seed.wrapping_add(u64::from(number)), ..setup.clone() }.prepare(&[])
    };
    let members = (0..config.members).map(member).collect::<Result<Vec<_>, _>>()?;
    let mut array = Array::new(config, members);
    let front = Front::new(source, setup.host.clone());
    let warmup = Warmup::new(&setup.window, array.logical_bytes());
    let mut replay =
        Replay { array: &mut array, front, warmup, number: 0, done: 0, open: false, report: None };
    replay.run(observer)?;
    let (done, report) = (replay.done, replay.report);
    if setup.checked {
        array.audit()?;
    }
    match report {
        Some(report) => Ok(report),
        None if done == 0 => Ok(array.report()),
        None => Err(RunError::NothingMeasured { requests: done }),
    }
}

struct Replay<'a> {
    array: &'a mut Array,
    front: Front<'a>,
    warmup: Warmup,
    number: u64,
    done: u64,
    open: bool,
    report: Option<ArrayReport>,
}

impl Replay<'_> {
    fn run(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let mut observe_at = OBSERVED_EVERY;
        loop {
            let (event, gives_way) = self.array.next_event();
            let arrival = self.front.next_time(self.array.now())?;
            let wake = self.array.wake_at();
            // The same order as on a single drive.
            if wake < event && wake <= arrival && (event != Ns::NEVER || arrival != Ns::NEVER) {
                self.array.wake();
            } else if arrival < event || (gives_way && arrival == event && event != Ns::NEVER) {
                self.submit(arrival)?;
            } else if event == Ns::NEVER {
                if !self.array.place_stalled_anew() {
                    break;
                }
            } else {
                self.array.step();
            }
            self.array.check()?;
            self.take_answers()?;
            if self.done >= observe_at {
                observe_at = self.done + OBSERVED_EVERY;
                if !observer.progress(self.done, self.array.now()) {
                    return Err(RunError::Cancelled);
                }
            }
        }
        if self.done == self.number {
            if self.open && self.warmup.until_rest {
                self.report = Some(self.array.report());
            }
            return Ok(());
        }
        let left = self.number - self.done;
        Err(RunError::Inconsistent(format!("{left} requests wait for free space that no collection can win")))
    }

    fn take_answers(&mut self) -> Result<(), RunError> {
        let completed = self.array.take_completed();
        if completed > 0 {
            self.front.completed(completed, self.array.now());
            self.done += u64::from(completed);
            if self.done == self.number && self.open && self.front.is_at_end() {
                self.report = Some(self.array.report());
            }
        }
        Ok(())
    }

    fn submit(&mut self, now: Ns) -> Result<(), RunError> {
        let Some((request, arrival)) = self.front.take(now) else { return Ok(()) };
        let end = u128::from(request.offset) + u128::from(request.length);
        let bytes = self.array.logical_bytes();
        if end > u128::from(bytes) && request.op != HostOp::Flush {
            return Err(RunError::OutOfRange { number: self.number, offset: request.offset, end, bytes });
        }
        if !self.open && self.warmup.is_over(arrival, self.number) {
            self.open = true;
            self.array.open_window_at(now, self.number);
        }
        if request.op.is_write() {
            self.warmup.written += request.length;
        }
        self.array.submit(&request, arrival, now, self.open);
        self.number += 1;
        Ok(())
    }
}
