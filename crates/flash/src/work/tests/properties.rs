//! Whatever comes: every operation is done once, nothing is done sooner than it can be, no channel carries two things at once,
//! and all that was waited for is blamed on something.

use super::apart_from_the_die::APART;
use super::harness::{Drive, alone};
use proptest::prelude::*;
use wordline_base::class::{Class, FlashOp};
use wordline_base::ids::DieId;

const CLASSES: [Class; 7] = [
    Class::HostRead,
    Class::HostProgram,
    Class::GcRead,
    Class::GcProgram,
    Class::GcErase,
    Class::MapRead,
    Class::ReclaimErase,
];

/// Die, plane, block, page, class, and time since the one before.
type Operation = (u32, u32, u32, u32, usize, u64);

fn operations() -> impl Strategy<Value = Vec<Operation>> {
    prop::collection::vec((0..4u32, 0..2u32, 0..3u32, 0..4u32, 0..CLASSES.len(), 0..30_000u64), 1..60)
}

type Keys = Vec<(&'static str, &'static str)>;

/// Switches that go with each other; of those that don't, one.
fn drives() -> impl Strategy<Value = Keys> {
    let options: [Keys; 4] = [
        vec![("device.suspend.program_ns", "5000"), ("device.suspend.erase_ns", "7000")],
        vec![("device.suspend.resume_ns", "300")],
        vec![("device.multi_plane.rule", "none")],
        vec![("scheme.scheduler.starvation_bound_ns", "200000")],
    ];
    let read = [("device.cache_mode.read", "true"), ("device.cache_mode.read_busy_ns", "500")];
    let program = [("device.cache_mode.program", "true"), ("device.cache_mode.program_busy_ns", "700")];
    let data_first = ("device.channel.arbitration", "data_out_first");
    let ways = [
        vec![],
        read.to_vec(),
        program.to_vec(),
        [read, program].concat(),
        vec![data_first],
        vec![APART],
        [vec![APART, data_first], program.to_vec()].concat(),
        vec![("device.channel.commands", "chip"), data_first],
    ];
    let policy = prop::sample::select(vec!["fifo", "read_first", "read_first_suspend"]);
    let chosen = prop::collection::vec(any::<bool>(), options.len());
    (chosen, prop::sample::select(ways.to_vec()), policy).prop_map(move |(chosen, way, policy)| {
        let on = options.iter().zip(chosen).filter(|(_, on)| *on).flat_map(|(keys, _)| keys.clone());
        on.chain(way).chain([("scheme.scheduler.policy", policy)]).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn every_operation_is_done_once_not_too_soon_and_blamed_to_the_nanosecond(
        keys in drives(),
        operations in operations(),
    ) {
        let mut drive = Drive::new(&keys);
        let (mut now, mut submitted) = (0, Vec::new());
        for (die, plane, block, page, class, pause) in operations {
            now += pause;
            let class = CLASSES[class];
            let page = if class.op() == FlashOp::Erase { 0 } else { page };
            submitted.push((drive.comes_to(now, class, drive.page(die, plane, block, page)), class, now));
        }
        drive.run_dry();
        prop_assert_eq!(drive.done.len(), submitted.len());
        for (op, class, at) in submitted {
            let ended: Vec<_> = drive.done.iter().filter(|done| done.op == op).collect();
            prop_assert_eq!(ended.len(), 1, "{:?}", class);
            let took = ended[0].at.0 - at;
            prop_assert_eq!(ended[0].arrived.0, at);
            // What reads the same flash page together may have its data moved once.
            prop_assert!(took >= alone(class), "{:?} took {} ns", class, took);
            // Nobody waits for what moves, whose parts are filled only where somebody else may.
            if !class.is_move() {
                prop_assert_eq!(ended[0].parts.total(), took, "{:?}", class);
            }
        }
        prop_assert!(drive.flash.loads().iter().all(|&load| load == 0));
    }

    #[test]
    fn no_channel_carries_two_things_at_once_and_rests_only_when_nothing_wants_it(
        keys in drives(),
        operations in operations(),
    ) {
        let mut drive = Drive::new(&keys);
        let mut now = 0;
        for (die, plane, block, page, class, pause) in operations {
            now += pause;
            let class = CLASSES[class];
            drive.comes_to(now, class, drive.page(die, plane, block, page));
        }
        // That no channel rests while something waits for it is asked after each event.
        drive.run_dry();
        for channel in 0..2 {
            let mut end = 0;
            let granted = drive.granted();
            for grant in granted.iter().filter(|grant| drive.flash.channel_of(DieId(grant.2)) == channel) {
                prop_assert!(grant.0 >= end, "{:?} begins before {} ns", grant, end);
                end = grant.1;
            }
        }
    }
}
