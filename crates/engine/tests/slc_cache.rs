//! The SLC cache in front of cells of several bits: where writes go, the cliff, folding, space.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::blocks::slc_cache::{CacheView, SlcCache};
use wordline_engine::config::bad_blocks::BadBlocksConfig;
use wordline_engine::config::cache::{CacheBytes, CacheKind};
use wordline_engine::config::device::*;
use wordline_engine::config::host::HostConfig;
use wordline_engine::config::nand_modes::SlcModeConfig;
use wordline_engine::config::pace::PaceConfig;
use wordline_engine::config::run::{Occupancy, StartLayout};
use wordline_engine::config::scheme::*;
use wordline_engine::config::slc_cache::*;
use wordline_engine::device::Device;
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::ids::{Lpa, SuperblockId};
use wordline_engine::nand::CellMode;
use wordline_engine::sched::class::Class;
use wordline_engine::stats::report::Report;
use wordline_engine::stats::slc_cache::SlcCacheReport;
use wordline_engine::stats::table::Column;
use wordline_engine::{Before, Setup, Unobserved};

const SLC_TR: u64 = 20_000;
const SLC_TPROG: u64 = 100_000;
const SLC_TERASE: u64 = 1_000_000;
const FAR_APART: u64 = 20_000_000;
/// A page in each mode, alone.
const SLC: u64 = XFER + SLC_TPROG;
const NATIVE: u64 = XFER + TPROG;

/// One plane of TLC: 32 blocks of 15 pages, or 5 in SLC mode; 20 blocks of data; never idle.
fn drive(cache: SlcCacheConfig) -> Setup {
    let mut device = device(1, 1, 1, 1);
    device.geometry.pages = 15;
    device.capacity = CapacityConfig { overprovisioning: None, user_bytes: Some(20 * 15 * 4096) };
    device.cell.technology = CellTechnology::Tlc;
    device.slc_mode = Some(SlcModeConfig { read_ns: SLC_TR, program_ns: SLC_TPROG, erase_ns: SLC_TERASE });
    let mut setup = setup(device);
    setup.scheme.slc_cache = cache;
    setup.scheme.maintenance.idle_after_ns = 1 << 60;
    setup.start = start(Occupancy::None, 0.0);
    setup
}

/// So many blocks of 5 pages.
fn fixed(blocks: u64) -> SlcCacheConfig {
    let bytes = Some(blocks * 5 * 4096);
    SlcCacheConfig { policy: SlcCacheKind::Static, bytes, ..Default::default() }
}

fn dynamic(share: f64, min_blocks: u64) -> SlcCacheConfig {
    let min_bytes = min_blocks * 5 * 4096;
    SlcCacheConfig { policy: SlcCacheKind::Dynamic, share: Some(share), min_bytes, ..Default::default() }
}

/// Writes of the pages in this order, one at a time and far apart.
fn spaced(pages: impl Iterator<Item = u64>) -> Vec<HostRequest> {
    pages.enumerate().map(|(number, page)| write(number as u64 * FAR_APART, page)).collect()
}

/// How long each request took, in order.
fn took(setup: &Setup, requests: Vec<HostRequest>) -> (Report, Vec<u64>) {
    let starts: Vec<u64> = requests.iter().map(|request| request.time.0).collect();
    let (report, record) = record(setup, requests);
    (report, record.completions().iter().zip(starts).map(|(done, start)| done - start).collect())
}

fn cache_of(report: &Report) -> SlcCacheReport {
    report.slc_cache.unwrap()
}

#[test]
fn writes_go_at_the_speed_of_slc_until_the_cache_is_full_then_at_the_native_one() {
    let (report, took) = took(&drive(fixed(3)), spaced(0..20));
    assert_eq!(took, [vec![SLC; 15], vec![NATIVE; 5]].concat());
    let cache = cache_of(&report);
    assert_eq!((cache.cached_units, cache.direct_units, cache.folded_units), (15, 5, 0));
    assert_eq!((cache.min_units, cache.size_units, cache.max_units), (15, 15, 15));
    assert_eq!((cache.used_units, cache.valid_units), (15, 15));
    assert_eq!(cache.first_direct_ns, Some(15 * FAR_APART));
}

#[test]
fn a_drive_lasts_longer_whose_blocks_endure_more_cycles_in_slc_mode() {
    let life = |slc_endurance_cycles| {
        let mut setup = drive(fixed(3));
        setup.scheme.maintenance.idle_after_ns = 0;
        setup.device.bad_blocks = Some(BadBlocksConfig {
            spare_blocks_per_plane: 2,
            endurance_cycles: Some(20),
            slc_endurance_cycles,
            ..BadBlocksConfig::default()
        });
        let (report, _) = record(&setup, spaced((0..100_000).map(|number| number * 7 % 100)));
        let end = report.end_of_life.expect("its blocks wear out");
        (end.erases, end.host_bytes_written)
    };
    let (as_native, far) = (life(Some(20)), life(Some(2_000)));
    assert_eq!(life(None), as_native);
    // 30 blocks of 20 cycles in all, of which near half are used up when too few blocks are left; in SLC mode each holds a third.
    assert!((250..=600).contains(&as_native.0), "{as_native:?}");
    assert!(far.0 > 2 * as_native.0 && far.1 > 2 * as_native.1, "{as_native:?} {far:?}");
}

#[test]
fn a_dynamic_cache_is_full_after_share_of_bits_plus_share_of_the_drive() {
    // The cache of s blocks holds 5 pages each: s = share × (300 − written) / 15 when 5 s are written.
    for share in [1.0, 0.5, 0.2] {
        let (report, took) = took(&drive(dynamic(share, 0)), spaced(0..100));
        let fast = took.iter().take_while(|&&took| took == SLC).count();
        let formula = 300.0 * share / (3.0 + share);
        assert!((fast as f64 - formula).abs() <= 5.0, "{fast} pages, {formula} by the formula");
        assert!(took[fast..].iter().all(|&took| took == NATIVE));
        assert_eq!(cache_of(&report).cached_units, fast as u64);
    }
}

#[test]
fn a_fuller_drive_has_a_smaller_dynamic_cache_and_a_full_one_the_least() {
    let mut sizes = Vec::new();
    for full in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let mut setup = drive(dynamic(1.0, 2));
        setup.start = start(Occupancy::Share(full), 0.0);
        let (report, took) = took(&setup, spaced(0..60));
        let fast = took.iter().take_while(|&&took| took == SLC).count();
        sizes.push((fast, cache_of(&report).size_units));
    }
    // Rewriting what is there leaves the number of valid pages as it is, writing anew fills the drive. A page that is
    // on its way counts beside its old place, hence a block less.
    assert_eq!(sizes, [(60, 80), (60, 75), (45, 50), (20, 25), (10, 10)]);
}

#[test]
fn what_does_not_fit_waits_for_folding_where_the_scheme_says_so() {
    let mut setup = drive(SlcCacheConfig { when_full: WhenFull::FoldFirst, ..fixed(3) });
    setup.host = closed(1);
    let pages = 150;
    let (report, took) = took(&setup, (0..pages).map(|page| write(0, page)).collect());
    assert_eq!(took[..15].iter().copied().max(), took.first().copied().map(|first| 15 * first));
    let cache = cache_of(&report);
    assert_eq!((cache.cached_units, cache.direct_units), (pages, 0));
    assert_eq!(cache.folded_units, pages - 15);
    assert_eq!(report.waf, Some(1.0 + (pages - 15) as f64 / pages as f64));
    assert!((report.waf_by_cause["migration"] - 0.9).abs() < 1e-12);
    // A block at a time: 5 pages are read and programmed one after the other on the only die, and it is erased. Reads go
    // ahead of programs, up to 4 pages.
    let fold = 5 * (SLC_TR + XFER + XFER + TPROG) + SLC_TERASE;
    let formula = 5.0 / (5.0 * SLC as f64 + fold as f64);
    let sustained = (pages - 15) as f64 / (report.window.end_ns - 15 * SLC) as f64;
    assert!((sustained / formula - 1.0).abs() < 0.01, "{sustained} pages/ns, {formula} by the formula");
}

#[test]
fn an_idle_drive_folds_and_has_its_cache_again() {
    let mut setup = drive(fixed(3));
    setup.scheme.maintenance.idle_after_ns = 1_000_000;
    let pause = 1_000_000_000;
    let first = (0..20).map(|page| write(page * NATIVE, page));
    let second = (20..40).map(|page| write(pause + page * NATIVE, page));
    let (report, took) = took(&setup, first.chain(second).collect());
    let once = [vec![SLC; 15], vec![NATIVE; 5]].concat();
    assert_eq!(took, [once.clone(), once].concat());
    let cache = cache_of(&report);
    assert_eq!((cache.folded_units, cache.folded_superblocks), (15, 3));
    // 15 pages at native speed, at WAF 1 beside the host's own.
    assert_eq!(report.waf_by_cause["migration"], 15.0 / 40.0);
    let die = &report.dies[0];
    assert_eq!(die.busy_ns["migration_erase"], 3 * SLC_TERASE);
    assert!(report.gc.victims == 0 && report.other_moves["migration"].moved_units == 15);

    setup.scheme.slc_cache.fold_at_idle = false;
    let first = (0..20).map(|page| write(page * NATIVE, page));
    let second = (20..40).map(|page| write(pause + page * NATIVE, page));
    let (report, _) = self::took(&setup, first.chain(second).collect());
    assert_eq!((cache_of(&report).folded_units, cache_of(&report).direct_units), (0, 25));
}

#[test]
fn an_idle_drive_collects_what_was_overwritten_until_a_dynamic_cache_has_its_blocks() {
    // Half of the pages hold data, but the blocks are full of outdated ones.
    let mut setup = drive(dynamic(1.0, 0));
    setup.start = start(Occupancy::Share(0.5), 10.0);
    let requests =
        |pause| (0..50).map(move |page| write(pause + page * NATIVE, 150 + page)).collect::<Vec<_>>();
    assert_eq!(cache_of(&took(&setup, requests(0)).0).cached_units, 0);
    setup.scheme.maintenance.idle_after_ns = 1_000_000;
    let after_a_pause = [vec![read(0, 0)], requests(1_000_000_000)].concat();
    let (report, _) = took(&setup, after_a_pause);
    let cache = cache_of(&report);
    // 9 blocks while 150 pages and a page on its way are valid, fewer as the drive fills: 5 s = 149 - 15 s.
    assert!((35..=40).contains(&cache.cached_units), "{cache:?}");
    assert!(report.gc.victims > 0);
}

#[test]
fn folding_at_idle_stops_at_the_next_superpage_when_a_request_comes() {
    let mut setup = drive(fixed(3));
    setup.scheme.maintenance.idle_after_ns = 1_000_000;
    setup.scheme.scheduler.policy = SchedulerKind::Fifo;
    // Idle since 15 × SLC; the first fold begins 1 ms later.
    let mut requests: Vec<_> = (0..15).map(|page| write(page * SLC, page)).collect();
    let idle = 15 * SLC + 1_000_000;
    // Two pages of the block have been read when reads of the host begin that never leave the drive empty.
    let busy = idle + 2 * (SLC_TR + XFER);
    requests.extend((0..200).map(|number| read(busy + number * 20_000, 14)));
    let (report, _) = took(&setup, requests);
    let folded = cache_of(&report).folded_units;
    assert!((1..5).contains(&folded), "{folded} of 15 while requests were inside");
}

#[test]
fn a_block_of_the_cache_without_valid_pages_is_erased_and_used_again() {
    let (report, took) = took(&drive(fixed(3)), spaced((0..200).map(|number| number % 5)));
    assert_eq!(took.iter().filter(|&&took| took == SLC).count(), 200, "overwrites stay in the cache");
    let cache = cache_of(&report);
    assert_eq!((cache.direct_units, cache.folded_units), (0, 0));
    assert_eq!(report.waf, Some(1.0));
    assert!(cache.folded_superblocks >= 37);
}

#[test]
fn collection_folds_a_dynamic_cache_when_space_is_short_and_counts_it_as_migration() {
    let mut setup = drive(dynamic(1.0, 0));
    setup.device.capacity.user_bytes = Some(25 * 15 * 4096);
    let (report, _) = took(&setup, spaced(0..375));
    let cache = cache_of(&report);
    assert!(cache.folded_units > 0 && cache.size_units == 0);
    assert_eq!(report.gc.victims, 0, "a drive that is filled in order has nothing else to collect");
    assert_eq!(report.other_moves["migration"].moved_units, cache.folded_units);
    assert_eq!(report.waf, Some(1.0 + cache.folded_units as f64 / 375.0));
}

#[test]
fn a_static_cache_is_not_folded_for_space_that_only_it_may_use() {
    let mut setup = drive(fixed(4));
    setup.start = start(Occupancy::All, 2.0);
    let mut random = Random(5);
    let (report, _) = took(&setup, spaced((0..600).map(|_| random.below(300))));
    let cache = cache_of(&report);
    assert!(report.gc.victims > 0 && cache.direct_units > 0);
    assert_eq!(cache.folded_units, 0, "nobody is idle, and native blocks win more");
    assert_eq!(cache.used_units, 20);
}

#[test]
fn a_full_drive_works_on_under_random_writes_with_every_kind_of_cache() {
    let kinds = [fixed(1), fixed(6), dynamic(1.0, 0), dynamic(1.0, 4), dynamic(0.3, 1)];
    for cache in kinds {
        for when_full in [WhenFull::Direct, WhenFull::FoldFirst] {
            for (planes, units, queue_depth) in [(1, 1, 1), (2, 4, 16)] {
                let mut setup = drive(SlcCacheConfig { when_full, ..cache.clone() });
                setup.device.geometry.planes = planes;
                setup.device.geometry.mapping_unit_bytes = 4096 / units;
                setup.device.capacity.user_bytes = Some(u64::from(planes) * 20 * 15 * 4096);
                setup.scheme.slc_cache.bytes = cache.bytes.map(|bytes| bytes * u64::from(planes));
                setup.scheme.slc_cache.min_bytes *= u64::from(planes);
                setup.scheme.blocks.superblock = SuperblockSpan::Die;
                setup.scheme.maintenance.idle_after_ns = 100_000;
                setup.host = HostConfig { think_time_ns: 300_000, ..closed(queue_depth) };
                setup.start = start(Occupancy::All, 1.0);
                let pages = u64::from(planes) * 300;
                let mut random = Random(11);
                let mut source = made(3_000, |_| {
                    let op =
                        [HostOp::Read, HostOp::Write, HostOp::Write, HostOp::Trim][random.below(4) as usize];
                    request(0, op, random.below(pages - 1), 1 + random.below(2))
                });
                let report = run(&setup, &mut source).unwrap();
                assert!(report.checked.is_some());
                // One that has no blocks of its own grows again when the drive is idle: here with a queue depth of 1.
                let some = setup.scheme.slc_cache.min_bytes > 0 || cache.bytes.is_some() || queue_depth == 1;
                assert!(!some || cache_of(&report).cached_units > 0, "{cache:?} {when_full:?} {planes}");
                let write = &report.write.blame.mean;
                assert_eq!(write.total_ns.values().sum::<u128>(), write.response_total_ns);
            }
        }
    }
}

#[test]
fn what_is_full_before_the_run_lies_in_native_blocks() {
    let mut setup = drive(dynamic(1.0, 2));
    setup.start = start(Occupancy::All, 1.5);
    let prepared = setup.prepare(&[]).unwrap();
    assert!((0..300).all(|lpa| prepared.mode_of_logical_page(Lpa(lpa)) == Some(CellMode::Native)));
}

#[test]
fn a_cache_that_the_spare_space_can_not_hold_is_refused() {
    // 32 blocks, 20 of data, 3 open, 2 for collection: 7 are left, one of which is the cache's open one.
    assert!(drive(fixed(8)).prepare(&[]).is_ok());
    let error = drive(fixed(9)).prepare(&[]).err().unwrap().to_string();
    assert!(error.contains("scheme.slc_cache.bytes"), "{error}");
    let error = drive(dynamic(1.0, 9)).prepare(&[]).err().unwrap().to_string();
    assert!(error.contains("scheme.slc_cache.min_bytes"), "{error}");
    let mut setup = drive(fixed(1));
    setup.device.slc_mode = None;
    let error = setup.prepare(&[]).err().unwrap().to_string();
    assert!(error.contains("scheme.slc_cache.policy"), "{error}");
    for wrong in [
        SlcCacheConfig { bytes: None, ..fixed(1) },
        SlcCacheConfig { share: Some(0.1), ..fixed(1) },
        SlcCacheConfig { bytes: Some(1), ..dynamic(1.0, 0) },
        SlcCacheConfig { max_bytes: Some(1), ..dynamic(1.0, 1) },
        dynamic(1.5, 0),
    ] {
        assert!(drive(wrong.clone()).validate().is_err(), "{wrong:?}");
    }
}

/// Folds the last opened first, and wants more than there is.
struct Greedy;

impl SlcCache for Greedy {
    fn size(&self, _view: &CacheView<'_>) -> u32 {
        u32::MAX
    }

    fn fold(&self, view: &CacheView<'_>) -> Option<SuperblockId> {
        view.used.last().copied()
    }
}

#[test]
fn a_policy_of_ones_own_is_kept_within_bounds() {
    let mut setup = drive(SlcCacheConfig { max_bytes: Some(4 * 5 * 4096), ..dynamic(1.0, 1) });
    setup.scheme.maintenance.idle_after_ns = 1_000_000;
    let mut device: Device = setup.prepare(&[]).unwrap();
    device.set_slc_cache(Box::new(Greedy));
    let mut random = Random(3);
    let requests = (0..900).map(|number| write(number * 400_000, random.below(300))).collect();
    let (report, _) = record_on(&setup, device, &mut Listed(requests)).unwrap();
    assert!(cache_of(&report).cached_units > 0 && cache_of(&report).max_units == 20);
    assert!(cache_of(&report).used_units <= 20);
}

#[test]
fn energy_and_errors_know_the_mode() {
    let mut setup = drive(fixed(3));
    (setup.device.energy.program_nj, setup.device.energy.read_nj) = (vec![100], vec![10]);
    setup.device.energy.erase_nj = 1000;
    (setup.device.energy.slc_program_nj, setup.device.energy.slc_read_nj) = (Some(30), Some(3));
    let writes = spaced(0..20);
    let reads = (0..20).map(|page| read(20 * FAR_APART + page * FAR_APART, page));
    let energy = |setup: &Setup| {
        let requests = writes.iter().copied().chain(reads.clone()).collect();
        let energy = took(setup, requests).0.energy.unwrap();
        [energy.by_operation_pj["program"], energy.by_operation_pj["read"]]
    };
    assert_eq!(energy(&setup), [(15 * 30 + 5 * 100) * 1000, (15 * 3 + 5 * 10) * 1000]);
    (setup.device.energy.slc_program_nj, setup.device.energy.slc_read_nj) = (None, None);
    assert_eq!(energy(&setup), [20 * 100_000, 20 * 10_000]);

    let errors = |slc_factor| {
        let mut setup = drive(fixed(3));
        setup.device.errors =
            Some(wordline_engine::config::errors::ErrorsConfig { slc_factor, ..Default::default() });
        let reads = (0..15).map(|page| read(20 * FAR_APART + page * FAR_APART, page));
        took(&setup, spaced(0..15).into_iter().chain(reads).collect()).0.errors.unwrap()
    };
    assert_eq!(errors(0.0).raw_bit_errors, 0);
    assert!(errors(1.0).raw_bit_errors > 100);
}

#[test]
fn without_a_cache_no_superblock_is_in_slc_mode() {
    let setup = drive(SlcCacheConfig::default());
    let (report, took) = took(&setup, spaced(0..20));
    assert_eq!(took, vec![NATIVE; 20]);
    assert!(report.slc_cache.is_none());
}

#[test]
fn what_a_data_cache_writes_back_goes_to_the_slc_cache_too() {
    for kind in [CacheKind::WriteBuffer, CacheKind::Lru] {
        let mut setup = drive(fixed(3));
        setup.scheme.cache.policy = kind;
        setup.scheme.cache.bytes = CacheBytes::Bytes(16 * 4096);
        setup.scheme.maintenance.idle_after_ns = 500_000;
        setup.start = start(Occupancy::All, 1.0);
        setup.host = closed(8);
        let mut random = Random(9);
        let mut source = made(3_000, |_| {
            let op = [HostOp::Read, HostOp::Write, HostOp::Write, HostOp::Trim][random.below(4) as usize];
            request(0, op, random.below(300), 1)
        });
        let report = run(&setup, &mut source).unwrap();
        let cache = cache_of(&report);
        assert!(cache.cached_units > 0 && cache.direct_units > 0, "{kind:?} {cache:?}");
        assert!(report.checked.is_some());
    }
}

/// The drive full, its cache as random writes without a rest leave it.
fn used(cache: SlcCacheConfig, seed: u64) -> (Setup, Device) {
    let mut setup = drive(cache);
    setup.start = start(Occupancy::All, 0.0);
    setup.start.layout = StartLayout::Steady;
    (setup.host, setup.seed) = (closed(4), seed);
    let before = Before { never_rests: true, ..Before::default() };
    let device = setup.prepare_after(Vec::new(), &[], before, &mut Unobserved).unwrap();
    (setup, device)
}

#[test]
fn a_used_cache_is_full_of_pages_most_of_which_were_written_again() {
    let (mut cached, mut valid) = (0, 0);
    for seed in 0..20 {
        let (setup, device) = used(fixed(3), seed);
        let report = device.report();
        assert_eq!(report.start.slc_cache_units, 15);
        let cache = cache_of(&report);
        assert_eq!(cache.used_units, 15);
        assert!((3..=15).contains(&cache.valid_units), "{cache:?}");
        (cached, valid) = (cached + 15, valid + cache.valid_units);
        // Checked: no page is lost, and those that are outdated stay so.
        let mut random = Random(seed + 1);
        let report = record_on(&setup, device, &mut made(600, |_| write(0, random.below(300)))).unwrap().0;
        assert!(cache_of(&report).direct_units > 500, "{:?}", report.slc_cache);
    }
    // A superblock of 5 pages lives for ln 5 + 0.58 overwrites of the drive: its pages are valid for 0.41 of that on average, one always.
    let share = valid as f64 / f64::from(cached);
    assert!((0.4..0.68).contains(&share), "{share}");
    // One that folds in turn holds what was written last: 15 of 300 pages.
    let (_, device) = used(SlcCacheConfig { when_full: WhenFull::FoldFirst, ..fixed(3) }, 1);
    assert!(cache_of(&device.report()).valid_units >= 12, "{:?}", device.report().slc_cache);
    // Without such a load it is empty.
    let mut setup = drive(fixed(3));
    setup.start = start(Occupancy::All, 0.0);
    setup.start.layout = StartLayout::Steady;
    assert_eq!(cache_of(&setup.prepare(&[]).unwrap().report()).used_units, 0);
}

/// Four planes with little spare space, full, all writes through caches of one superblock each, after one of four starts.
fn folding_first(start_as: usize, depth: u32) -> (Setup, Device) {
    let mut setup = drive(SlcCacheConfig { when_full: WhenFull::FoldFirst, ..fixed(4) });
    (setup.device.geometry.channels, setup.device.geometry.dies) = (2, 2);
    setup.device.capacity.user_bytes = Some(4 * 26 * 15 * 4096);
    let (layout, overwrites) = [
        (StartLayout::Steady, 0.0),
        (StartLayout::InOrder, 0.0),
        (StartLayout::InOrder, 2.0),
        (StartLayout::AtTrigger, 0.0),
    ][start_as];
    setup.start = start(Occupancy::All, overwrites);
    setup.start.layout = layout;
    setup.host = closed(depth);
    setup.measure.block_table = true;
    let device = setup.prepare(&[]).unwrap();
    (setup, device)
}

#[test]
fn no_native_superblock_stays_open_that_nothing_fills() {
    for start_as in 0..4 {
        let (setup, device) = folding_first(start_as, 1);
        let (report, _) = record_on(&setup, device, &mut Listed(vec![read(0, 0)])).unwrap();
        let table = report.tables.blocks.as_ref().unwrap();
        let Some(Column::Text(states)) = table.column("state") else { panic!() };
        let open = states.iter().filter(|state| *state == "open").count();
        assert!(open <= 4, "start {start_as}: one that collection fills in each plane, not {open}");
    }
}

#[test]
fn writes_that_wait_for_folds_never_go_past_the_cache() {
    for start_as in 0..4 {
        for depth in [1, 4, 8, 16, 64] {
            let (setup, device) = folding_first(start_as, depth);
            let pages = 4 * 26 * 15;
            let mut random = Random(u64::from(depth));
            let (report, _) =
                record_on(&setup, device, &mut made(4_000, |_| write(0, random.below(pages)))).unwrap();
            let cache = cache_of(&report);
            assert_eq!(
                (cache.cached_units, cache.direct_units),
                (4_000, 0),
                "start {start_as}, depth {depth}"
            );
        }
    }
}

#[test]
fn overwrites_without_time_go_through_a_cache_that_is_in_use() {
    for seed in 0..8 {
        let mut setup = drive(fixed(3));
        setup.start = start(Occupancy::All, 0.0);
        setup.start.layout = StartLayout::Steady;
        setup.scheme.gc.policy = GcKind::CostBenefit;
        (setup.host, setup.seed) = (closed(4), seed);
        let mut random = Random(seed + 1);
        let mut past = made(u64::MAX, |_| write(0, random.below(60)));
        let before = Before { pattern: Some(&mut past), never_rests: true, ..Before::default() };
        let device = setup.prepare_after(Vec::new(), &[], before, &mut Unobserved).unwrap();
        let cache = cache_of(&device.report());
        assert!(cache.used_units >= 10 && cache.valid_units >= 2, "{cache:?}");
        let mut random = Random(seed + 100);
        record_on(&setup, device, &mut made(600, |_| write(0, random.below(60)))).unwrap();
    }
}

#[test]
fn a_fold_that_waits_for_other_victims_begins_when_their_last_reads_turn_out_to_be_in_vain() {
    // Erases go before the reads of moves: a victim that lost its last pages is erased while reads of them still wait.
    let tiers = [Class::HostRead, Class::HostProgram, Class::GcProgram, Class::GcErase, Class::GcRead];
    for (pace, static_spread) in [(None, None), (Some(PaceConfig { band: 1 }), None), (None, Some(4))] {
        for seed in 0..20 {
            let cache = SlcCacheConfig { when_full: WhenFull::FoldFirst, fold_at_idle: false, ..fixed(1) };
            let mut setup = drive(cache);
            (setup.device.geometry.pages, setup.device.geometry.mapping_unit_bytes) = (7, 2048);
            setup.device.capacity = CapacityConfig { overprovisioning: Some(0.54), user_bytes: None };
            setup.scheme.gc.pace = pace.clone();
            setup.scheme.wear.static_spread = static_spread;
            setup.scheme.scheduler.tiers = tiers.map(|class| vec![class]).to_vec();
            (setup.host.max_outstanding, setup.host.time_scale) = (7, 0.1);
            let requests = random::requests(seed, 300, setup.logical_bytes().unwrap());
            // Every request ends.
            let (report, _) = record(&setup, requests);
            assert!(cache_of(&report).folded_units > 0, "{seed}");
        }
    }
}
