//! Read reclaim: what is emptied, when, with which priority, and that reads never run away from it.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]
#![allow(clippy::print_stdout, reason = "the figures that the assertions are about")]

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::bad_blocks::BadBlocksConfig;
use wordline_engine::config::cache::CacheKind;
use wordline_engine::config::device::MultiPlaneRule;
use wordline_engine::config::reclaim::{
    Holes, PageCountersConfig, ReclaimConfig, ReclaimKind, ReclaimPriority, Ties,
};
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::{SchedulerKind, SuperblockSpan};
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::ids::{DomainId, Ppa, SuperblockId};
use wordline_engine::reclaim::{Decision, ReadReclaim, Routine, WornBlock};
use wordline_engine::sched::class::Cause;
use wordline_engine::stats::reclaim::ReclaimRecord;
use wordline_engine::stats::report::Report;
use wordline_engine::systems::{
    Action, DriveView, Event, Pin, Place, Plan, Step, System, SystemPolicy, Watches,
};

use ReclaimPriority::{Background, Equal, Foreground};

const READ: u64 = TR + XFER;
const PROGRAM: u64 = XFER + TPROG;
/// Emptying and erasing one full block of 16 pages on one die.
const MOVE: u64 = 16 * (READ + PROGRAM) + TERASE;

fn reclaiming(policy: ReclaimKind, threshold: u32, priority: ReclaimPriority) -> ReclaimConfig {
    ReclaimConfig { policy, threshold, priority, ..ReclaimConfig::default() }
}

/// One plane, half full.
fn small(policy: ReclaimKind, threshold: u32, priority: ReclaimPriority) -> Setup {
    let mut setup = setup(device(1, 1, 1, 1));
    setup.start = start(Occupancy::Share(0.5), 0.0);
    setup.scheme.reclaim = reclaiming(policy, threshold, priority);
    setup
}

/// Reads of page 0, 1 ms apart, and one of page 200 long after.
fn spaced_reads(count: u64) -> Vec<HostRequest> {
    (0..count).map(|number| read(number * 1_000_000, 0)).chain([read(1_000_000_000, 200)]).collect()
}

#[test]
fn a_block_that_reaches_the_threshold_is_emptied_and_erased() {
    let setup = small(ReclaimKind::Block, 10, Equal);
    for (reads, operations) in [(9, 0), (10, 1), (19, 1), (20, 2)] {
        let (report, _) = record(&setup, spaced_reads(reads));
        let reclaim = report.read_reclaim.unwrap();
        // While it is moved (11.9 ms) the block is still read: of the 20 reads too few fall on the new one.
        let operations = if reads == 20 { 1 } else { operations };
        assert_eq!(reclaim.operations, operations, "{reads} reads");
        assert_eq!((reclaim.at_threshold, reclaim.at_hard_limit), (operations, 0));
        assert_eq!(reclaim.moved_units, 16 * operations);
        assert_eq!(report.flash.erases, operations);
        assert_eq!(report.gc.victims, 0);
        if reads == 10 {
            // The die does nothing else: the read itself, then the moves and the erase.
            assert_eq!(reclaim.threshold_to_erase_max_ns, READ + MOVE);
            assert_eq!((reclaim.worn_blocks, reclaim.erased_worn_blocks), (1, 1));
            assert_eq!(report.other_moves["read_reclaim"].victims, 1);
        }
    }
}

#[test]
fn without_read_reclaim_nothing_is_counted_or_reported() {
    let setup = only_what_is_read(&small(ReclaimKind::None, 1, Equal));
    let (report, _) = record(&setup, spaced_reads(30));
    assert!(report.read_reclaim.is_none() && report.read_disturb.is_none());
    assert_eq!(report.flash.erases, 0);
}

#[test]
fn reclaim_of_a_superblock_moves_all_its_blocks_and_that_of_a_block_its_pages_only() {
    let of = |policy| {
        let mut setup = setup(device(1, 1, 1, 4));
        setup.start = start(Occupancy::Share(0.5), 0.0);
        setup.scheme.blocks.superblock = SuperblockSpan::Die;
        setup.scheme.reclaim = reclaiming(policy, 10, Equal);
        let report = record(&setup, spaced_reads(10)).0;
        let reclaim = report.read_reclaim.unwrap();
        (reclaim.operations, reclaim.moved_units, reclaim.evacuated_blocks, report.flash.erases)
    };
    assert_eq!(of(ReclaimKind::Superblock), (1, 64, 0, 4));
    assert_eq!(of(ReclaimKind::Block), (1, 16, 1, 0));
}

#[test]
fn the_foreground_goes_before_the_host_and_the_background_behind_it() {
    // Five reads of block 0 and four each of others at once, one more while the pages move.
    let late = 6 * READ + 1;
    let requests: Vec<_> = (0..20)
        .map(|number| read(0, if number < 5 { number } else { 16 + (number - 5) / 4 * 16 + number % 4 }))
        .chain([read(late, 100)])
        .collect();
    let of = |priority| completions(&small(ReclaimKind::Block, 5, priority), requests.clone());
    let undisturbed: Vec<u64> = (1..=21).map(|number| number * READ).collect();
    assert_eq!(of(Background), undisturbed);
    assert_eq!(of(Equal)[..20], undisturbed[..20]);
    // Four pages are read ahead, and they came before the late read.
    assert_eq!(of(Equal)[20], 25 * READ);
    let behind: Vec<u64> = (1..=21).map(|number| number * READ + if number > 5 { MOVE } else { 0 }).collect();
    assert_eq!(of(Foreground), behind);
}

#[test]
fn a_domain_below_its_trigger_leaves_reclaim_its_priority_while_the_host_has_space() {
    let mut setup = small(ReclaimKind::Block, 5, Background);
    // Collection keeps as many blocks free as the trigger wants: the one that reclaim fills is missing.
    setup.start = start(Occupancy::All, 2.0);
    setup.scheme.gc.trigger = 0.2;
    setup.scheme.reclaim.hard_limit = Some(1_000);
    let (mut reclaims, mut longest) = (0, 0);
    for page in 0..8 {
        let requests = (0..40).map(|number| read(number * 100_000, page)).collect();
        let (report, trace) = record(&setup, requests);
        // Overwritten pages may lie in a block that is being filled.
        reclaims += report.read_reclaim.unwrap().operations;
        let waits = (0u64..).zip(trace.completions()).map(|(number, at)| at - number * 100_000);
        longest = waits.max().unwrap().max(longest);
    }
    println!("{reclaims} {longest}");
    assert!(reclaims >= 4, "{reclaims}");
    // The command that is under way, and the reads that came meanwhile.
    assert!(longest < MOVE / 4, "{longest}");
}

#[test]
fn a_write_of_a_part_of_a_page_that_reclaim_moves_goes_on_from_what_it_has_read() {
    // Each read wears its block out, and its pages move before the write can be programmed. Read anew where it is, the page
    // would move again, for ever.
    for (priority, policy) in [Foreground, Equal, Background]
        .into_iter()
        .flat_map(|priority| [ReclaimKind::Block, ReclaimKind::Superblock].map(|policy| (priority, policy)))
    {
        let part = |time, page| HostRequest { length: 512, ..write(time, page) };
        let setup = small(policy, 1, priority);
        let (report, trace) =
            record(&setup, vec![part(0, 3), part(1, 3), part(1_000_000_000, 3), read(2_000_000_000, 3)]);
        assert_eq!(trace.completions().len(), 4);
        let reclaim = report.read_reclaim.unwrap();
        assert!(reclaim.operations >= 2, "{policy:?} {priority:?}: {reclaim:?}");
        // Three writes and a read, one array read each.
        assert_eq!(report.flash.by_class["host_read"].operations, 4, "{policy:?} {priority:?}");
    }
}

/// Reads of block 0 that never leave the die a rest.
fn hammered(setup: &Setup, count: u64) -> Report {
    let mut setup = setup.clone();
    setup.host = closed(4);
    let mut source = made(count, |number| read(0, number % 12));
    run(&setup, &mut source).unwrap()
}

#[test]
fn the_hard_limit_holds_however_busy_the_die_is() {
    for priority in [Foreground, Equal, Background] {
        for ways in [1, 2] {
            let mut setup = small(ReclaimKind::Superblock, 40, priority);
            setup.device.geometry.ways = ways;
            setup.scheme.blocks.superblock = SuperblockSpan::Drive;
            setup.scheme.reclaim.hard_limit = Some(80);
            let report = hammered(&setup, 3_000);
            let (reclaim, peak) = (report.read_reclaim.unwrap(), report.read_disturb.unwrap().block_peak);
            println!("{priority:?} {ways} {peak} {reclaim:?}");
            assert!(reclaim.operations >= 15, "{priority:?}: {reclaim:?}");
            // Beyond it: four reads under way, and the 16 that move the pages.
            let bound = if priority == Foreground { 40 } else { 80 } + 4 + 16;
            assert!(peak <= bound, "{priority:?}: {peak}");
            // In the background nothing moves before the limit: the die is never without a read.
            if priority == Background {
                assert!(reclaim.blocks_over_hard_limit + 1 >= reclaim.operations, "{reclaim:?}");
            }
        }
    }
    let mut unlimited = small(ReclaimKind::Superblock, 40, Background);
    unlimited.scheme.reclaim.hard_limit = Some(1 << 30);
    assert!(hammered(&unlimited, 3_000).read_disturb.unwrap().block_peak > 2_900);
}

#[test]
fn a_block_that_is_never_filled_is_closed_when_it_reaches_the_hard_limit() {
    let mut setup = small(ReclaimKind::Superblock, 20, Equal);
    setup.start = start(Occupancy::None, 0.0);
    setup.scheme.reclaim.hard_limit = Some(30);
    let requests = (0..3)
        .map(|page| write(0, page))
        .chain((0..200).map(|number| read(10_000_000 + number * 100_000, number % 3)))
        .collect();
    let (report, _) = record(&setup, requests);
    let (reclaim, peak) = (report.read_reclaim.unwrap(), report.read_disturb.unwrap().block_peak);
    // From then on its data lies in a full superblock of its own.
    assert!(
        reclaim.closed_early == 1 && reclaim.at_hard_limit == 1 && reclaim.operations >= 3,
        "{reclaim:?}"
    );
    // 3 reads that move, and those of the host that come until the block is empty (1.7 ms of moves).
    assert!((30..30 + 3 + 20).contains(&peak), "{peak}");
}

#[test]
fn collection_and_reclaim_both_go_on_under_constant_writing() {
    for priority in [Foreground, Equal, Background] {
        for (policy, span) in [
            (ReclaimKind::Block, SuperblockSpan::None),
            (ReclaimKind::Block, SuperblockSpan::Die),
            (ReclaimKind::Superblock, SuperblockSpan::Drive),
        ] {
            let mut setup = setup(device(2, 1, 1, 2));
            setup.start = start(Occupancy::All, 1.0);
            setup.scheme.blocks.superblock = span;
            setup.scheme.reclaim = reclaiming(policy, 60, priority);
            setup.host = closed(16);
            let pages = setup.logical_bytes().unwrap() / 4096;
            let mut random = Random(9);
            let mut source = made(12_000, move |_| {
                let op = if random.below(4) == 0 { HostOp::Write } else { HostOp::Read };
                let page = if op == HostOp::Read { random.below(30) } else { random.below(pages) };
                request(0, op, page, 1)
            });
            let report = run(&setup, &mut source).unwrap();
            let reclaim = report.read_reclaim.unwrap();
            let what = format!("{priority:?} {policy:?} {span:?}");
            assert!(report.gc.victims > 20 && reclaim.operations > 10, "{what}: {reclaim:?}");
            assert!(report.waf_by_cause["read_reclaim"] > 0.0, "{what}");
            // Far more than the limit was read in all: none was left behind.
            let peak = report.read_disturb.unwrap().block_peak;
            assert!(peak < 120 + 16 + 64 + 40, "{what}: {peak}");
        }
    }
}

/// Answers with a plan: the worn superblock's pages in the order of their logical pages, in a fresh superblock.
struct Ordering(u64);

impl System for Ordering {
    fn name(&self) -> &str {
        "ordering"
    }
    fn watches(&self) -> Watches {
        Watches::RECLAIM
    }
    fn reclaim(&mut self, worn: &WornBlock, drive: &DriveView<'_>) -> Option<Plan> {
        assert!(worn.reads >= 10);
        self.0 += 1;
        if self.0 > 1 {
            return None;
        }
        let domain = drive.split(worn.superblock).0;
        let mut pages: Vec<_> = (0..drive.blocks(domain).capacity)
            .map(|unit| drive.unit_at(worn.superblock, unit))
            .filter_map(|ppa| drive.valid_lpa(ppa).map(|lpa| (lpa, ppa)))
            .collect();
        pages.sort();
        let pages: Vec<Ppa> = pages.into_iter().map(|page| page.1).collect();
        let pin = Pin::Span { first: Place { destination: 0, unit: 0 }, holes: vec![] };
        Some(Plan {
            cause: Cause::ReadReclaim,
            destinations: vec![domain],
            steps: vec![Step { pages, pin }],
            erase: vec![worn.superblock],
        })
    }
}

#[test]
fn a_system_may_answer_with_a_plan_and_leave_the_next_to_the_policy() {
    let setup = small(ReclaimKind::Superblock, 10, Equal);
    let mut device = setup.prepare(&[]).unwrap();
    device.add_system(SystemPolicy::Custom(Box::new(Ordering(0))));
    let requests =
        (0..10).map(|n| read(n * 1_000_000, 0)).chain((0..10).map(|n| read(100_000_000 + n * 1_000_000, 0)));
    let requests = requests.chain([read(1_000_000_000, 200)]).collect();
    let (report, _) = record_on(&setup, device, &mut Listed(requests)).unwrap();
    let reclaim = report.read_reclaim.unwrap();
    assert_eq!((reclaim.operations, reclaim.moved_units, report.flash.erases), (2, 32, 2));
    assert_eq!(reclaim.erased_worn_blocks, 2);
}

/// Asks for a plan at each read, and answers each worn block with one that opens a superblock.
#[derive(Default)]
struct Numbered {
    /// Whether a plan was an answer to a worn block, by its number.
    opens: Vec<bool>,
    ended: u64,
}

impl Numbered {
    fn plan(&mut self, destinations: Vec<DomainId>) -> Plan {
        self.opens.push(!destinations.is_empty());
        Plan { cause: Cause::ReadReclaim, destinations, steps: vec![], erase: vec![] }
    }
}

impl System for Numbered {
    fn name(&self) -> &str {
        "numbered"
    }
    fn watches(&self) -> Watches {
        Watches::READ.and(Watches::RECLAIM)
    }
    fn told(&mut self, event: &Event, _drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        if let Event::Read(_) = *event {
            actions.push(Action::Plan(self.plan(vec![])));
        }
    }
    fn reclaim(&mut self, worn: &WornBlock, drive: &DriveView<'_>) -> Option<Plan> {
        Some(self.plan(vec![drive.split(worn.superblock).0]))
    }
    fn plan_started(&mut self, number: u64, opened: &[SuperblockId], _: &DriveView<'_>) -> bool {
        assert_eq!(self.opens[number as usize], !opened.is_empty(), "plan {number}");
        self.ended += u64::from(!opened.is_empty());
        false
    }
    fn figures(&self) -> Vec<(&'static str, u64)> {
        vec![("opened", self.ended)]
    }
}

#[test]
fn plans_keep_the_order_in_which_a_system_asked_for_them_also_those_that_answer_a_worn_block() {
    let setup = small(ReclaimKind::Superblock, 10, Equal);
    let mut device = setup.prepare(&[]).unwrap();
    device.add_system(SystemPolicy::Custom(Box::new(Numbered::default())));
    // The tenth read of the block begins as its request arrives, and another request comes at the same time.
    let pairs = (1..20).flat_map(|number| [0, 1].map(|page| read(number * 1_000_000, page)));
    let requests = std::iter::once(read(0, 0)).chain(pairs).collect();
    let (report, _) = record_on(&setup, device, &mut Listed(requests)).unwrap();
    assert!(report.systems["numbered"].figures["opened"] > 0);
}

/// Leaves a block alone until it has been read 15 times.
struct Patient;

impl ReadReclaim for Patient {
    fn reclaim(&mut self, worn: &WornBlock, _drive: &DriveView<'_>) -> Decision {
        if worn.reads < 15 { Decision::Leave } else { Decision::Superblock }
    }
}

#[test]
fn a_policy_of_ones_own_is_asked_with_each_read_until_it_decides() {
    let setup = small(ReclaimKind::Superblock, 10, Equal);
    for (reads, operations) in [(14, 0), (15, 1)] {
        let mut device = setup.prepare(&[]).unwrap();
        device.set_reclaim(Box::new(Patient));
        let (report, _) = record_on(&setup, device, &mut Listed(spaced_reads(reads))).unwrap();
        assert_eq!(report.read_reclaim.unwrap().operations, operations);
    }
}

/// Four planes of one die, a superblock of which is read until it is worn.
fn of_a_die(policy: ReclaimKind) -> Setup {
    let mut setup = setup(device(1, 1, 1, 4));
    setup.start = start(Occupancy::Share(0.5), 0.0);
    setup.device.multi_plane.rule = MultiPlaneRule::SameBlockAndPage;
    setup.scheme.blocks.superblock = SuperblockSpan::Die;
    setup.scheme.reclaim = reclaiming(policy, 10, Equal);
    setup
}

#[test]
fn a_superblock_moves_superpage_by_superpage_and_its_pages_keep_their_places() {
    for holes in [Holes::Keep, Holes::Close] {
        let mut setup = of_a_die(ReclaimKind::Superblock);
        setup.scheme.reclaim.holes = holes;
        // Page 1 (column 1, row 0) and page 6 (column 2, row 1) leave a hole each; then the first two superpages are read whole.
        let whole = |page| request(1_000_000_000, HostOp::Read, page, 2);
        let requests = [write(0, 1), write(0, 6)].into_iter();
        let requests = requests.chain((0..10).map(|number| read(10_000_000 + number * 1_000_000, 0)));
        let requests = requests.chain([whole(4), request(2_000_000_000, HostOp::Read, 2, 3)]).collect();
        let (report, _) = record(&setup, requests);
        let of = |class: &str| {
            let class = &report.flash.by_class[class];
            (class.operations, class.transactions)
        };
        assert_eq!(report.read_reclaim.unwrap().moved_units, 62);
        // Rows 0 and 1 lack one page each; closed up, columns 1 and 2 end a row early.
        assert_eq!(of("reclaim_read").0, 62);
        assert_eq!(of("reclaim_program"), (62, 16), "{holes:?}");
        // Pages 4 and 5 lie in one superpage, and with holes closed up 5 is a row higher; so are 2, 3 and 4.
        let expected = if holes == Holes::Keep { 10 + 1 + 2 } else { 10 + 2 + 2 };
        assert_eq!(of("host_read"), (15, expected), "{holes:?}");
    }
}

#[test]
fn moves_of_a_plan_pay_for_the_firmware_page_by_page() {
    for policy in [ReclaimKind::Superblock, ReclaimKind::Block] {
        let run = |move_ns| {
            let mut setup = of_a_die(policy);
            setup.scheme.firmware.move_ns = move_ns;
            record(&setup, spaced_reads(10)).0
        };
        let (free, paid) = (run(0), run(1_000_000));
        let moved = paid.read_reclaim.as_ref().unwrap().moved_units;
        assert!(moved > 0 && moved == free.read_reclaim.as_ref().unwrap().moved_units);
        let work = &paid.cpu.as_ref().unwrap().by_cost["move"];
        assert_eq!((work.count, work.total_ns), (moved, 1_000_000 * moved), "{policy:?}");
        let programs = |report: &Report| report.flash.by_class["reclaim_program"].transactions;
        if policy == ReclaimKind::Superblock {
            assert_eq!((programs(&free), programs(&paid)), (16, 16), "planes still program together");
            // The core works without a pause, from when the first superpage is read until the last one can be programmed.
            let (read, program) = (TR + 4 * XFER, 4 * XFER + TPROG);
            let took = paid.read_reclaim.unwrap().threshold_to_erase_max_ns;
            assert_eq!(took, READ + read + 64 * 1_000_000 + program + TERASE);
        }
    }
}

/// Superblocks of two planes. More writes than the drive takes leave no space; meanwhile both blocks of the first superblock are
/// worn.
fn worn_without_space() -> Report {
    let mut setup = setup(device(1, 1, 1, 2));
    setup.start = start(Occupancy::All, 0.0);
    setup.host.max_outstanding = 0;
    setup.scheme.blocks.superblock = SuperblockSpan::Die;
    setup.scheme.scheduler.policy = SchedulerKind::ReadFirst;
    setup.scheme.reclaim = reclaiming(ReclaimKind::Superblock, 40, Equal);
    setup.scheme.reclaim.hard_limit = Some(1_000);
    let pages = setup.logical_bytes().unwrap() / 4096;
    let mut random = Random(7);
    let mut requests: Vec<_> =
        (0..4_000).map(|number| write(number * 50_000, 64 + random.below(pages - 64))).collect();
    requests.extend((0..100).map(|number| read(200_000_000 + 700_000 * number, number % 2)));
    requests.sort_by_key(|request| request.time);
    requests.push(read(100_000_000_000, 100));
    record(&setup, requests).0
}

#[test]
fn two_worn_blocks_of_a_superblock_make_one_plan_although_it_waits() {
    let reclaim = worn_without_space().read_reclaim.unwrap();
    assert_eq!((reclaim.worn_blocks, reclaim.at_threshold + reclaim.at_hard_limit), (2, 1));
    assert_eq!((reclaim.operations, reclaim.moved_units), (1, 32));
    // It waited for longer than it took.
    assert!(reclaim.threshold_to_erase_max_ns > 30_000_000, "{reclaim:?}");
}

/// Superblocks of the planes of a die. Column 0 of every superblock is read three times as often as each other, for so many reads.
fn skewed(policy: ReclaimKind, count: u64) -> Report {
    skewed_by(reclaiming(policy, 600, Equal), count)
}

fn skewed_by(reclaim: ReclaimConfig, count: u64) -> Report {
    let mut setup = of_a_die(reclaim.policy);
    setup.device.geometry.pages = 64;
    setup.scheme.reclaim = reclaim;
    setup.host = closed(2);
    setup.measure.reclaims = true;
    // Pages go to planes in turn.
    setup.scheme.placement.order = "PCWD".to_owned().try_into().unwrap();
    let mut random = Random(3);
    let mut source = made(count, |_| {
        let column = random.below(6).saturating_sub(2);
        read(0, random.below(64) * 4 + column)
    });
    run(&setup, &mut source).unwrap()
}

#[test]
fn under_skew_the_shuffler_evens_out_the_reads_of_blocks_and_whole_superblocks_do_not() {
    let spread =
        |record: &ReclaimRecord| record.reads.iter().max().unwrap() - record.reads.iter().min().unwrap();
    let of = |policy| {
        let records = skewed(policy, 40_000).read_reclaim.unwrap().records;
        let first = spread(&records[0]);
        let later: Vec<u32> = records.iter().filter(|record| record.round > 0).map(spread).collect();
        assert!(later.len() > 5, "{policy:?}: {}", records.len());
        let rounds: Vec<u32> = records.iter().map(|record| record.round).collect();
        assert!(
            rounds.iter().copied().eq(0..rounds.len() as u32),
            "{policy:?}: one superblock is read: {rounds:?}"
        );
        (records.len(), first, later.iter().sum::<u32>() / later.len() as u32, records[0].routine)
    };
    let (whole, first, later, routine) = of(ReclaimKind::Superblock);
    assert!(first > 350 && later > 350, "{first} {later}");
    assert_eq!(routine, Routine::InPlace);
    for policy in [ReclaimKind::Shuffler, ReclaimKind::Page] {
        let (operations, first, later, routine) = of(policy);
        assert!(first > 350 && later < 150, "{policy:?}: {first} {later}");
        assert!((operations as f64) < 0.75 * whole as f64, "{policy:?}: {operations} of {whole}");
        assert_eq!(routine, if policy == ReclaimKind::Page { Routine::Regrouped } else { Routine::Full });
    }
}

#[test]
fn groups_of_pages_even_out_what_is_skewed_inside_them_where_equals_go_at_random() {
    let of = |policy, group, ties| {
        let pages = PageCountersConfig { group, ties, ..PageCountersConfig::default() };
        let report = skewed_by(ReclaimConfig { pages, ..reclaiming(policy, 600, Equal) }, 40_000);
        let reads = &report.flash.by_class["reclaim_read"];
        (report.read_reclaim.unwrap().operations as f64, reads.operations as f64 / reads.transactions as f64)
    };
    assert_eq!(PageCountersConfig::default().ties, Ties::Random);
    let whole = of(ReclaimKind::Superblock, 1, Ties::Random).0;
    let shuffled = of(ReclaimKind::Shuffler, 1, Ties::Random).0;
    for group in [8, 64] {
        let (random, logical) =
            (of(ReclaimKind::Page, group, Ties::Random), of(ReclaimKind::Page, group, Ties::Logical));
        println!("{group}: whole {whole}, shuffled {shuffled}, at random {random:?}, in order {logical:?}");
        // Like cards, but superpages part.
        assert!(random.0 < 0.8 * whole && random.1 < 2.5, "{group}: {random:?} of {whole}");
        // In the order of the placement superpages stay together, and so does the skew.
        assert!(logical.0 > 0.9 * whole && logical.1 > 3.5, "{group}: {logical:?} of {whole}");
    }
}

#[test]
fn shuffled_superpages_are_read_and_programmed_together_and_regrouped_ones_are_not() {
    let of = |policy| {
        let report = skewed(policy, 5_000);
        let of = |class: &str| {
            let class = &report.flash.by_class[class];
            class.operations as f64 / class.transactions as f64
        };
        (of("reclaim_read"), of("reclaim_program"))
    };
    let (whole, shuffled, regrouped) =
        (of(ReclaimKind::Superblock), of(ReclaimKind::Shuffler), of(ReclaimKind::Page));
    assert!((whole.0 - 4.0).abs() < 0.1 && (whole.1 - 4.0).abs() < 0.1, "{whole:?}");
    assert!((shuffled.0 - 4.0).abs() < 0.1 && (shuffled.1 - 4.0).abs() < 0.1, "{shuffled:?}");
    assert!(regrouped.0 < 2.0 && regrouped.1 > 3.5, "{regrouped:?}");
}

#[test]
fn a_shuffled_superpage_with_a_hole_stays_one_and_the_hole_goes_with_its_card() {
    let mut setup = of_a_die(ReclaimKind::Shuffler);
    setup.measure.reclaims = true;
    // Pages 1 and 6 (of superpages 0 and 1) are elsewhere when page 0 has worn its block out.
    let requests = [write(0, 1), write(0, 6)].into_iter();
    let requests = requests.chain((0..10).map(|number| read(10_000_000 + number * 1_000_000, 0)));
    // Two that are left of superpage 0, and two of superpage 1.
    let requests = requests.chain([request(1_000_000_000, HostOp::Read, 2, 2)]);
    let requests = requests.chain([request(2_000_000_000, HostOp::Read, 4, 2)]).collect();
    let (report, _) = record(&setup, requests);
    let record = &report.read_reclaim.unwrap().records[0];
    assert_eq!((record.routine, record.moved, record.holes), (Routine::Full, 62, 2));
    assert_eq!((&record.reads[..], record.round), (&[10, 0, 0, 0][..], 0));
    let reads = &report.flash.by_class["host_read"];
    assert_eq!((reads.operations, reads.transactions), (10 + 2 + 2, 10 + 1 + 1));
}

#[test]
fn superblocks_with_replaced_blocks_are_shuffled_like_others() {
    let mut setup = of_a_die(ReclaimKind::Shuffler);
    setup.scheme.reclaim.threshold = 100;
    setup.device.capacity.overprovisioning = Some(0.45);
    setup.device.bad_blocks = Some(BadBlocksConfig {
        factory: vec![[0, 0], [1, 3], [1, 4]],
        spare_blocks_per_plane: 6,
        erase_failures: 0.05,
        ..BadBlocksConfig::default()
    });
    setup.host = closed(4);
    let pages = setup.logical_bytes().unwrap() / 4096;
    let mut random = Random(3);
    let mut source = made(20_000, |number| {
        if number % 20 == 0 { write(0, random.below(pages)) } else { read(0, random.below(40) * 4) }
    });
    let report = run(&setup, &mut source).unwrap();
    let (reclaim, bad) = (report.read_reclaim.unwrap(), report.bad_blocks.unwrap());
    println!("{reclaim:?} {bad:?}");
    assert!(reclaim.by_routine[&Routine::Full] > 5 && bad.replaced > 0, "{reclaim:?} {bad:?}");
}

#[test]
fn each_shuffled_page_costs_the_firmware_and_one_that_stays_in_its_block_does_not() {
    let mut setup = of_a_die(ReclaimKind::Shuffler);
    setup.scheme.firmware.shuffle_ns = 100;
    let work = |setup: &Setup| {
        let report = record(setup, spaced_reads(10)).0;
        (report.read_reclaim.unwrap().moved_units, report.cpu.unwrap().by_cost["shuffle"].count)
    };
    // One block was read: all take part; of sixteen offsets in four cards one card stays.
    assert_eq!(work(&setup), (64, 48));
    setup.scheme.reclaim.shuffle.full = 10.0;
    setup.scheme.reclaim.shuffle.partial = 2.0;
    assert_eq!(work(&setup), (64, 0));
}

#[test]
fn a_shuffled_page_is_programmed_when_the_firmware_has_found_its_place() {
    let mut setup = of_a_die(ReclaimKind::Shuffler);
    let longest =
        |setup: &Setup| record(setup, spaced_reads(10)).0.read_reclaim.unwrap().threshold_to_erase_max_ns;
    let without = longest(&setup);
    setup.scheme.firmware.shuffle_ns = 1_000_000;
    // Of 48 pages by one core, the first while others are read.
    let with = longest(&setup);
    assert!(with > 48_000_000 && with < 48_000_000 + without, "{without} {with}");
    // Where moves take time, too, pages that stay wait for the core as well, and nothing else changes.
    setup.scheme.firmware.move_ns = 1;
    assert!((with..with + without / 2).contains(&longest(&setup)), "{with} {}", longest(&setup));
}

#[test]
fn counters_are_charged_before_the_cache_gets_the_rest_of_the_dram_and_may_leave_it_nothing() {
    let cache = |policy, bytes| {
        let mut setup = of_a_die(policy);
        // 2,048 pages: 8 KiB of counters.
        setup.device.dram.bytes = Some(bytes + 4 * setup.logical_bytes().unwrap() / 4096);
        setup.scheme.cache.policy = CacheKind::Lru;
        let report = record(&setup, vec![read(0, 0), read(1_000_000, 0)]).0;
        let dram = report.dram.bytes_by_user;
        let hits = report.cache.map(|cache| cache.read_hits);
        (dram.get("read_counters").copied().unwrap_or(0), dram.get("data_cache").copied().unwrap_or(0), hits)
    };
    assert_eq!(cache(ReclaimKind::Shuffler, 16_384), (0, 16_384, Some(1)));
    assert_eq!(cache(ReclaimKind::Page, 16_384), (8_192, 8_192, Some(1)));
    assert_eq!(cache(ReclaimKind::Page, 8_192), (8_192, 0, None));
}

#[test]
fn the_counters_of_pages_count_the_reads_of_the_host_at_the_flash() {
    struct Counting(std::sync::Arc<std::sync::Mutex<Vec<u32>>>);
    impl ReadReclaim for Counting {
        fn reclaim(&mut self, _: &WornBlock, _: &DriveView<'_>) -> Decision {
            Decision::Superblock
        }
        fn counts_pages(&self) -> bool {
            true
        }
        fn page_read(&mut self, lpa: wordline_engine::ids::Lpa) {
            self.0.lock().unwrap().push(lpa.0);
        }
    }
    let setup = of_a_die(ReclaimKind::Superblock);
    let mut device = setup.prepare(&[]).unwrap();
    let seen = std::sync::Arc::default();
    device.set_reclaim(Box::new(Counting(std::sync::Arc::clone(&seen))));
    record_on(&setup, device, &mut Listed(spaced_reads(10))).unwrap();
    // The reads that move the superblock are not among them.
    assert_eq!(*seen.lock().unwrap(), [vec![0; 10], vec![200]].concat());
}

#[test]
fn policies_that_rearrange_are_refused_beside_parity() {
    for policy in [ReclaimKind::Shuffler, ReclaimKind::Page] {
        let mut setup = of_a_die(policy);
        setup.scheme.redundancy.policy = wordline_engine::config::redundancy::RedundancyKind::ParityRows;
        let error = setup.validate().unwrap_err().to_string();
        assert!(error.starts_with("scheme.reclaim.policy = ") && error.contains("superblock"), "{error}");
    }
}
