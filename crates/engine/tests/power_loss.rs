//! What a loss of power leaves: whatever was promised to the host is found again by the OOB alone.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

use std::collections::BTreeMap;
use std::ops::Range;

use crate::common::random::*;
use crate::common::*;
use proptest::prelude::*;
use wordline_engine::config::cache::{CacheConfig, CacheKind, Rewrites};
use wordline_engine::config::reclaim::ReclaimKind;
use wordline_engine::config::run::{Occupancy, StartConfig};
use wordline_engine::config::scheme::*;
use wordline_engine::device::{Device, PowerLoss};
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::ids::Lpa;
use wordline_engine::time::Ns;
use wordline_engine::{RunError, Setup, Unobserved, Volume};

/// What the host knows of its writes.
#[derive(Default)]
struct Host {
    /// Writes and TRIMs of each page, in the order in which they took effect.
    changes: BTreeMap<u32, Vec<(u64, HostOp)>>,
    requests: BTreeMap<u64, HostOp>,
    /// Answered requests that changed something, in the order of their answers.
    answered: Vec<u64>,
    /// How many had been answered when each flush arrived.
    flushes: BTreeMap<u64, usize>,
    /// Of the answered ones so many were there before a flush that was answered.
    flushed: usize,
}

impl Host {
    fn of(events: &[Event]) -> Self {
        let mut host = Self::default();
        for &event in events {
            match event {
                Event::Arrived { id, request, .. } => {
                    host.requests.insert(id, request.op);
                    if request.op == HostOp::Flush {
                        host.flushes.insert(id, host.answered.len());
                    }
                }
                Event::TookEffect { id, page, .. } => {
                    host.changes.entry(page).or_default().push((id, host.requests[&id]));
                }
                Event::Completed { id, .. } => match host.flushes.get(&id) {
                    Some(&before) => host.flushed = host.flushed.max(before),
                    None => host.answered.push(id),
                },
                Event::Read { .. } => {}
            }
        }
        host
    }

    fn was_promised(&self, id: u64, op: HostOp, cached: bool) -> bool {
        match self.answered.iter().position(|&answered| answered == id) {
            Some(place) => !cached || op == HostOp::WriteFua || place < self.flushed,
            None => false,
        }
    }

    /// The number of changes up to the last one that must be found again; `None` where a TRIM came after it.
    fn promised(&self, page: u32, cached: bool) -> Option<usize> {
        let changes = self.changes.get(&page).map(Vec::as_slice).unwrap_or_default();
        let kept = changes.iter().rposition(|&(id, op)| op.is_write() && self.was_promised(id, op, cached));
        let count = kept.map_or(0, |place| place + 1);
        let later = &changes[count..];
        later.iter().all(|(_, op)| *op != HostOp::Trim).then_some(count)
    }
}

fn holds(ranges: &[Range<u64>], byte: u64) -> bool {
    ranges.iter().any(|range| range.contains(&byte))
}

/// Sequence numbers that recovery finds, by logical page.
fn numbers(drive: &Device, pages: u32) -> Vec<Option<u32>> {
    let found = drive.recovered().unwrap();
    (0..pages).map(|page| found.of(Lpa(page)).map(|(_, number)| number)).collect()
}

/// A cut of power at this moment.
fn keeps_its_promises(
    drive: &Device,
    first: &[Option<u32>],
    record: &Record,
    cached: bool,
) -> Result<PowerLoss, TestCaseError> {
    let host = Host::of(&record.events());
    let loss = drive.power_loss().unwrap();
    let unit = u64::from(drive.unit_bytes());
    prop_assert!(cached || loss.in_dram.is_empty());
    for ((page, found), &before) in (0..).zip(numbers(drive, first.len() as u32)).zip(first) {
        let byte = u64::from(page) * unit;
        let changes = host.changes.get(&page).map(Vec::as_slice).unwrap_or_default();
        if changes.is_empty() {
            // A read of a page without data may give it some.
            let same = found == before || (before, found) == (None, Some(0));
            prop_assert!(same, "page {} was only moved: {:?}, {:?}", page, before, found);
        }
        let trimmed = changes.iter().any(|(_, op)| *op == HostOp::Trim);
        prop_assert!(trimmed || !holds(&loss.trims_undone, byte));
        if let Some(count) = host.promised(page, cached).filter(|&count| count > 0) {
            let least = before.unwrap_or(0) + count as u32;
            prop_assert!(found.is_some_and(|found| found >= least), "page {}: {:?} < {}", page, found, least);
        }
        if holds(&loss.in_program, byte) {
            let open = |&(id, _): &(u64, HostOp)| !host.answered.contains(&id);
            prop_assert!(changes.iter().any(open), "page {}: an answered write is in a program only", page);
        }
    }
    Ok(loss)
}

/// Many more than what so few requests leave to do takes; read reclaim from few reads may go on for ever.
const MOST_STEPS: u64 = 1_000_000;

fn runs_with_cuts(
    setup: &Setup,
    mut drive: Device,
    requests: &[HostRequest],
    cuts: &mut Random,
) -> Result<(), TestCaseError> {
    let cached = setup.scheme.cache.policy != CacheKind::None;
    let record = Record::default();
    drive.set_probe(Box::new(record.clone()));
    let pages = (drive.logical_bytes() / u64::from(drive.unit_bytes())) as u32;
    if setup.scheme.cache.rewrites == Rewrites::Append {
        prop_assert_eq!(drive.power_loss(), None);
        return Ok(());
    }
    let first = numbers(&drive, pages);
    let (mut id, mut steps) = (0, 0_u64);
    loop {
        steps += 1;
        if steps > MOST_STEPS {
            prop_assert!(setup.scheme.reclaim.policy != ReclaimKind::None, "the drive never comes to rest");
            return Ok(());
        }
        let arrival = requests.get(id).map_or(Ns::NEVER, |request| request.time);
        let (event, _) = drive.next_event();
        if event == Ns::NEVER && arrival == Ns::NEVER {
            break;
        }
        if event < arrival {
            drive.step();
        } else {
            let request = &requests[id];
            Volume::advance(&mut drive, arrival);
            Volume::submit(&mut drive, request, id as u64, arrival, arrival, true);
            id += 1;
        }
        if cuts.below(150) == 0 {
            keeps_its_promises(&drive, &first, &record, cached)?;
        }
        if let Some(fault) = drive.fault() {
            return Err(TestCaseError::fail(fault.to_owned()));
        }
    }
    let loss = keeps_its_promises(&drive, &first, &record, cached)?;
    prop_assert!(loss.in_program.is_empty());
    Ok(())
}

proptest! {
    #![proptest_config(cases())]
    #[test]
    fn what_was_promised_outlasts_a_loss_of_power(
        device in devices(),
        scheme in schemes(),
        cache in prop_oneof![Just(CacheConfig::default()), caches()],
        (reclaim, wear, background, _) in upkeep(),
        occupancy in occupancies(),
        (layout, overwrite) in (layouts(), prop_oneof![Just(0.0), 0.0..3.0f64]),
        checked: bool,
        seed: u64,
        count in 1usize..300,
    ) {
        let mut scheme = SchemeConfig { cache, reclaim, wear, ..scheme };
        scheme.gc.background = background;
        let scheme = only_read(scheme);
        let start = StartConfig { layout, ..start(occupancy, overwrite) };
        let kept = if checked { Kept::Checked } else { Kept::SequenceNumbers };
        let kept = Setup { scheme, start, seed, kept, ..setup(device) };
        let drive = match kept.prepare_with(Vec::new(), &[], None, &mut Unobserved) {
            Ok(drive) => drive,
            Err(RunError::Config(_)) => return Ok(()),
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        };
        let mut requests = requests(seed, count, drive.logical_bytes());
        requests.sort_by_key(|request| request.time);
        runs_with_cuts(&kept, drive, &requests, &mut Random(seed))?;
    }
}

#[test]
fn what_is_lost_is_what_only_dram_or_a_program_under_way_holds() {
    let mut kept = Setup { kept: Kept::SequenceNumbers, ..setup(device(1, 1, 1, 1)) };
    kept.start = start(Occupancy::Share(0.5), 0.0);
    let mut drive = kept.prepare(&[]).unwrap();
    let pages = |first: u64, end: u64| vec![Range { start: first * 4096, end: end * 4096 }];
    let held = drive.power_loss().unwrap();
    assert_eq!(held, PowerLoss { units_read: held.units_read, ..PowerLoss::default() });
    for (id, request) in [write(0, 3), write(0, 4), request(0, HostOp::Trim, 9, 2)].iter().enumerate() {
        Volume::submit(&mut drive, request, id as u64, Ns(0), Ns(0), true);
    }
    while drive.next_event().0 < Ns(XFER + TPROG / 2) {
        drive.step();
    }
    let loss = drive.power_loss().unwrap();
    // The second write waits for the first: as far as the map knows it was never there.
    assert_eq!((loss.in_program, loss.in_dram, loss.trims_undone), (pages(3, 4), vec![], pages(9, 11)));
    while drive.next_event().0 != Ns::NEVER {
        drive.step();
    }
    let loss = drive.power_loss().unwrap();
    assert_eq!((loss.in_program, loss.units_read), (vec![], held.units_read + 2));

    kept.scheme.cache = CacheConfig { policy: CacheKind::WriteBuffer, ..CacheConfig::default() };
    kept.device.dram.bytes = Some(1 << 20);
    let mut drive = kept.prepare(&[]).unwrap();
    Volume::submit(&mut drive, &write(0, 7), 0, Ns(0), Ns(0), true);
    assert_eq!(Volume::requests_inside(&drive), 0, "answered from DRAM");
    let loss = drive.power_loss().unwrap();
    assert_eq!((loss.in_dram, loss.in_program), (pages(7, 8), vec![]));
    kept.kept = Kept::Nothing;
    assert_eq!(kept.prepare(&[]).unwrap().power_loss(), None, "nothing says which data is newer");
}
