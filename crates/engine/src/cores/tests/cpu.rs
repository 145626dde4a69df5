//! Which core takes work, and when it is done.

use crate::cores::cpu::{Cost, Cpu, Task};
use wordline_base::time::Ns;
use wordline_config::firmware::{CpuConfig, FirmwareConfig};

fn cpu(cores: u32) -> Cpu {
    let costs = FirmwareConfig { read_request_ns: 10, lookup_ns: 1, move_ns: 2, ..Default::default() };
    Cpu::new(&CpuConfig { cores }, &costs, 2)
}

fn booked(cpu: &mut Cpu, now: u64, lookups: u64) -> (u64, u64) {
    let booking = cpu.book(Ns(now), &[(Cost::ReadRequest, 1), (Cost::Lookup, lookups)]).unwrap();
    (booking.begin.0, booking.end.0)
}

#[test]
fn work_goes_to_the_core_that_is_free_first_and_among_free_ones_to_the_lowest() {
    let mut cpu = cpu(2);
    assert_eq!(booked(&mut cpu, 0, 20), (0, 30));
    assert_eq!(booked(&mut cpu, 0, 0), (0, 10));
    assert_eq!(booked(&mut cpu, 5, 0), (10, 20), "on core 1");
    assert_eq!(booked(&mut cpu, 100, 0), (100, 110), "on core 0, although core 1 is free for longer");
    let busy: Vec<_> = cpu.report(Ns(110)).unwrap().cores.iter().map(|core| core.busy_ns).collect();
    assert_eq!(busy, [40, 20]);
}

#[test]
fn a_core_was_busy_up_to_now_only_whatever_is_booked() {
    let mut cpu = cpu(1);
    for _ in 0..3 {
        booked(&mut cpu, 0, 0);
    }
    assert_eq!(cpu.report(Ns(12)).unwrap().cores[0].busy_ns, 12);
    cpu.open_window(Ns(12));
    let report = cpu.report(Ns(40)).unwrap();
    assert_eq!((report.cores[0].busy_ns, report.by_cost["read_request"].count), (18, 0));
}

#[test]
fn tasks_of_a_queue_keep_their_order_and_others_come_by_the_end_of_their_work() {
    let mut cpu = cpu(2);
    let first = [
        cpu.after_in_queue(0, Ns(40), Task::Programs(1)),
        cpu.after_in_queue(0, Ns(10), Task::Programs(2)),
        cpu.after_in_queue(1, Ns(20), Task::Programs(3)),
        cpu.after(Ns(40), Task::Request(4)),
    ];
    assert_eq!(first, [Some(Ns(40)), None, Some(Ns(20)), None]);
    let mut done = Vec::new();
    while let Some(end) = cpu.first_end() {
        done.push((end.0, cpu.take_task().unwrap()));
    }
    let expected =
        [(20, Task::Programs(3)), (40, Task::Programs(1)), (40, Task::Programs(2)), (40, Task::Request(4))];
    assert_eq!(done, expected);
}

#[test]
fn work_without_time_needs_no_core() {
    let mut cpu = cpu(1);
    booked(&mut cpu, 0, 0);
    assert_eq!(cpu.book(Ns::ZERO, &[(Cost::FlushRequest, 1)]), None);
    assert!(!Cpu::new(&CpuConfig { cores: 4 }, &FirmwareConfig::default(), 9).is_on());
}
