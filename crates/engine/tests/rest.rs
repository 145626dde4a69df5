//! What the drive does behind the last answer: it comes to an end, or is told.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::RunError;
use wordline_engine::config::measure::Until;
use wordline_engine::ids::Lpa;
use wordline_engine::sched::class::Cause;
use wordline_engine::systems::{Action, DriveView, Event, Pin, Plan, Step, System, SystemPolicy, Watches};

/// Moves a page, and as soon as it is moved again, so many times.
struct Restless(u64);

impl System for Restless {
    fn name(&self) -> &str {
        "restless"
    }
    fn watches(&self) -> Watches {
        Watches::READ
    }
    fn told(&mut self, event: &Event, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        if self.0 > 0 && matches!(event, Event::Read(_) | Event::PlanDone(_)) {
            self.0 -= 1;
            let steps = vec![Step { pages: vec![drive.find(Lpa(0))], pin: Pin::Any }];
            actions.push(Action::Plan(Plan {
                cause: Cause::Migration,
                destinations: vec![],
                steps,
                erase: vec![],
            }));
        }
    }
}

#[test]
fn a_drive_whose_work_brings_on_more_of_it_is_told_and_one_with_much_to_do_comes_to_rest() {
    let moved = |times, until| {
        let mut setup = setup(device(1, 1, 1, 1));
        setup.measure.until = until;
        let mut device = setup.prepare(&[]).unwrap();
        device.add_system(SystemPolicy::Custom(Box::new(Restless(times))));
        let (report, _) = record_on(&setup, device, &mut Listed(vec![read(0, 0)]))?;
        Ok::<_, RunError>(report.other_moves["migration"].moved_units)
    };
    assert_eq!(moved(5_000, Until::Idle).unwrap(), 5_000);
    let error = moved(u64::MAX, Until::Idle).unwrap_err();
    assert!(matches!(error, RunError::NeverRests { operations } if operations > 100_000), "{error}");
    assert!(error.to_string().contains("workload.measure.until = \"last_answer\""), "{error}");
}
