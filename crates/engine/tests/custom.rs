//! Policies of a user's own that are registered, and named by schemes.
#![allow(clippy::expect_used, reason = "helpers of tests, where a panic is the failure")]

use std::fs;
use std::path::PathBuf;
use std::sync::Once;

use serde::Deserialize;
use wordline_engine::blocks::table::BlockView;
use wordline_engine::config::combine::Slot;
use wordline_engine::config::without_effect::of_drive;
use wordline_engine::config::{ConfigError, Layer, StartConfig, resolve_run};
use wordline_engine::custom::{CustomPolicy, parts, register, replaced};
use wordline_engine::gc::VictimPolicy;
use wordline_engine::host::{HostOp, HostRequest, RequestSource, SourceError};
use wordline_engine::ids::SuperblockId;
use wordline_engine::mapping::{Found, Lookup, MapView, Mapping};
use wordline_engine::reclaim::{Decision, ReadReclaim, WornBlock};
use wordline_engine::rng::{Xoshiro256PlusPlus, below, stream};
use wordline_engine::sched::class::Class;
use wordline_engine::sched::{QueueView, Scheduler};
use wordline_engine::systems::{Action, DriveView, Event, System, Watches};
use wordline_engine::time::Ns;
use wordline_engine::{Kept, Setup, Unobserved, simulate};

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Skip {
    /// Candidates left out at the front.
    skip: u32,
}

/// The first candidate behind some others.
struct Behind(u32);

impl VictimPolicy for Behind {
    fn choose(&mut self, blocks: &BlockView<'_>) -> Option<SuperblockId> {
        let wins = |index: &usize| blocks.valid[*index] <= blocks.most_valid;
        let mut candidates = (0..blocks.valid.len()).filter(wins).peekable();
        let first = candidates.peek().copied()?;
        let chosen = candidates.nth(self.0 as usize).unwrap_or(first);
        Some(SuperblockId(blocks.first.0 + chosen as u32))
    }
}

/// In order of arrival.
struct InOrder;

impl Scheduler for InOrder {
    fn next(&self, view: &QueueView<'_>) -> Option<Class> {
        let order = |class| view.first(class).map(|(order, _)| (order, class));
        view.waiting().filter_map(order).min().map(|(_, class)| class)
    }

    fn suspends(&self, _running: Class, _waiting_writes: u32) -> bool {
        false
    }

    fn longest_suspension(&self) -> Ns {
        Ns::NEVER
    }
}

#[derive(Deserialize)]
struct Nothing {}

/// Counts writes, and does nothing.
struct Counts(u64);

impl System for Counts {
    fn name(&self) -> &str {
        "counts"
    }

    fn watches(&self) -> Watches {
        Watches::WRITTEN
    }

    fn told(&mut self, event: &Event, _drive: &DriveView<'_>, _actions: &mut Vec<Action>) {
        if let Event::Written { .. } = *event {
            self.0 += 1;
        }
    }

    fn bytes(&self) -> u64 {
        self.0
    }
}

/// Of the blocks that were read too often only those of an even number are emptied.
struct EvenOnly;

impl ReadReclaim for EvenOnly {
    fn reclaim(&mut self, worn: &WornBlock, _drive: &DriveView<'_>) -> Decision {
        if worn.block.is_multiple_of(2) { Decision::Superblock } else { Decision::Leave }
    }
}

/// The whole map in a few bytes.
struct Compact;

impl Mapping for Compact {
    fn name(&self) -> &str {
        "compact"
    }

    fn find(&mut self, lookup: &Lookup, view: &MapView<'_>) -> Found {
        Found::Known(view.find(lookup.lpa))
    }

    fn bytes(&self) -> u64 {
        1000
    }
}

fn all() -> Vec<CustomPolicy> {
    vec![
        CustomPolicy::victims("behind", |config: Skip, _| match config.skip {
            0..=9 => Ok(Box::new(Behind(config.skip))),
            skip => Err(ConfigError::new("skip", skip, "0 to 9")),
        }),
        CustomPolicy::scheduler("in_order", |_: Nothing, _| Ok(Box::new(InOrder))),
        CustomPolicy::system("counts", &[Slot::Victims], |_: Nothing, _| Ok(Box::new(Counts(0)))),
        CustomPolicy::reclaim("even_only", |_: Nothing, _| Ok(Box::new(EvenOnly))),
        CustomPolicy::mapping("compact", |_: Nothing, _| Ok(Box::new(Compact))),
    ]
}

fn registered() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| register(all()).expect("the first"));
}

fn setup(scheme: &str) -> Result<Setup, ConfigError> {
    registered();
    let presets = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../presets/devices/mqsim.toml");
    let text = fs::read_to_string(presets).expect("a preset");
    let overrides =
        [("channels", "1"), ("ways", "1"), ("dies", "1"), ("planes", "1"), ("blocks", "64"), ("pages", "32")]
            .map(|(key, value)| (format!("device.geometry.{key}"), value.to_owned()));
    let spare = [("device.capacity.overprovisioning".to_owned(), "0.2".to_owned())];
    let (device, scheme) = resolve_run(
        &Layer::from_toml("mqsim.toml", &text)?,
        &Layer::from_toml("mine.toml", scheme)?,
        &[overrides.as_slice(), &spare].concat(),
    )?;
    let start = StartConfig { overwrite: 0.5, ..StartConfig::default() };
    Ok(Setup { start, kept: Kept::Checked, ..Setup::of(device, scheme) })
}

struct Overwrites(u32, Xoshiro256PlusPlus);

impl RequestSource for Overwrites {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        for _ in 0..self.0.min(512) {
            let offset = u64::from(below(&mut self.1, 1600)) * 8192;
            batch.push(HostRequest {
                time: Ns::ZERO,
                op: HostOp::Write,
                offset,
                length: 8192,
                flow: 0,
                stream: 0,
            });
            self.0 -= 1;
        }
        Ok(())
    }
}

fn waf(scheme: &str) -> f64 {
    let setup = setup(scheme).expect("allowed");
    let mut source = Overwrites(3000, stream(1, "overwrites"));
    let outcome = simulate(&setup, &mut source, &[], &mut Unobserved).expect("a run");
    outcome.report.waf.expect("writes")
}

#[test]
fn a_policy_takes_its_slot_with_its_parameters() {
    let (greedy, first, third) =
        (waf(""), waf("custom.behind = {}"), waf("gc.policy = 'fifo'\ncustom.behind.skip = 2"));
    assert!(greedy < first && greedy < third, "{greedy} {first} {third}");
    assert_ne!(first, third);
    assert_eq!(
        waf("custom.in_order = {}\nscheduler.policy = 'read_first'"),
        waf("scheduler.policy = 'fifo'")
    );
}

/// Reads of the whole drive, over and over.
struct Reads(u32);

impl RequestSource for Reads {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        for _ in 0..self.0.min(512) {
            let offset = u64::from(self.0 % 1600) * 8192;
            let (time, op) = (Ns::ZERO, HostOp::Read);
            batch.push(HostRequest { time, op, offset, length: 8192, flow: 0, stream: 0 });
            self.0 -= 1;
        }
        Ok(())
    }
}

#[test]
fn a_policy_of_read_reclaim_decides_which_worn_blocks_are_emptied() {
    let reclaimed = |custom: &str| {
        let scheme = format!("reclaim.policy = 'superblock'\nreclaim.threshold = 300\n{custom}");
        let setup = setup(&scheme).expect("allowed");
        let outcome = simulate(&setup, &mut Reads(40_000), &[], &mut Unobserved).expect("a run");
        let report = outcome.report.read_reclaim.expect("reclaim");
        (report.operations, report.worn_blocks)
    };
    let ((all, _), (some, worn)) = (reclaimed(""), reclaimed("custom.even_only = {}"));
    assert!(some > 0 && some < all && some < worn, "{some} of {worn}, {all} otherwise");
}

#[test]
fn keys_of_what_is_replaced_have_no_effect_and_a_system_replaces_nothing() {
    let own = |scheme: &str| replaced(&setup(scheme).expect("allowed").scheme.custom);
    assert_eq!(own("custom.behind = {}\ncustom.even_only = {}"), [Slot::Victims, Slot::Reclaim]);
    assert_eq!(own("custom.counts = {}"), []);
    let told = |scheme: &str, key: &str| {
        let Setup { device, scheme, .. } = setup(scheme).expect("allowed");
        of_drive(&device, &scheme, &replaced(&scheme.custom)).any(|(found, _)| found == key)
    };
    assert!(told("custom.behind = {}", "scheme.gc.policy") && !told("", "scheme.gc.policy"));
    assert!(!told("custom.counts = {}", "scheme.gc.policy"));
    assert_eq!(waf("custom.behind = {}\ngc.policy = 'd_choices'\ngc.choices = 3"), waf("custom.behind = {}"));
    let reclaimed = |keys: &str| {
        let scheme = format!("custom.even_only = {{}}\nreclaim.threshold = 300\n{keys}");
        let outcome = simulate(&setup(&scheme).expect("allowed"), &mut Reads(20_000), &[], &mut Unobserved);
        let report = outcome.expect("a run").report;
        (report.window.end_ns, report.read_reclaim.expect("reclaim").operations, format!("{:?}", report.dram))
    };
    let shuffler = "reclaim.policy = 'shuffler'\n";
    assert_eq!(reclaimed(shuffler), reclaimed(&format!("{shuffler}reclaim.shuffle.full = 0.9")));
    let page = "reclaim.policy = 'page'\n";
    assert_eq!(reclaimed(page), reclaimed(&format!("{page}reclaim.pages.restart = true")));
}

#[test]
fn a_system_is_on_prepared_and_on_empty_drives() {
    let setup = setup("[custom]\ncounts = {}").expect("allowed");
    let names = |drive: &wordline_engine::device::Device| -> Vec<String> {
        drive.systems().map(|system| system.name().to_owned()).collect()
    };
    assert_eq!(names(&setup.empty_drive().expect("a drive")), ["counts"]);
    let mut drive = setup.prepare(&[]).expect("a drive");
    assert_eq!(names(&drive), ["counts"]);
    let mut source = Overwrites(100, stream(1, "overwrites"));
    wordline_engine::replay(&setup, &mut drive, &mut source, &mut Unobserved).expect("a run");
    assert_eq!(drive.systems().map(System::bytes).collect::<Vec<_>>(), [100]);
}

#[test]
fn the_data_cache_gets_what_a_map_of_ones_own_leaves_of_the_dram() {
    let users = |custom: &str| {
        let cache = "cache.policy = 'lru'\ncache.bytes = 'rest'\nreclaim.policy = 'page'\n";
        let mut setup = setup(&format!("{cache}{custom}")).expect("allowed");
        setup.device.dram.bytes = Some(1 << 20);
        setup.empty_drive().expect("a drive").report().dram.bytes_by_user
    };
    let (built_in, own) = (users(""), users("custom.compact = {}\ncustom.even_only = {}"));
    assert_eq!((own["map"], own.get("read_counters")), (1000, None));
    assert_eq!(own["data_cache"], (1 << 20) - 1000);
    assert_eq!(built_in.values().sum::<u64>(), 1 << 20);
    assert!(built_in["map"] > 1000 && built_in["read_counters"] > 0);
}

#[test]
fn a_slip_is_told_with_key_and_line() {
    let told = |scheme: &str| setup(scheme).expect_err("refused").to_string();
    assert_eq!(
        told("\n[custom]\nbehnd = {}"),
        "mine.toml:3: scheme.custom.behnd = {}: allowed: the policies of this build, behind, in_order, counts, even_only, \
         compact; did \
         you mean `behind`?"
    );
    assert_eq!(
        told("[custom.behind]\nskip = 12"),
        "mine.toml:2: scheme.custom.behind.skip = 12: allowed: 0 to 9"
    );
    let unknown = told("[custom.behind]\nskp = 1");
    assert!(
        unknown.starts_with("mine.toml:2: scheme.custom.behind.skp = 1: allowed: a known key"),
        "{unknown}"
    );
    let kind = told("custom.behind.skip = 'x'");
    assert!(kind.starts_with("mine.toml:1: scheme.custom.behind.skip = "), "{kind}");
    assert_eq!(
        told("[custom]\nbehind = {}\ncounts = {}"),
        "mine.toml:3: scheme.custom.counts = {}: allowed: one of it and behind: both fill the slot victims"
    );
}

#[test]
fn they_are_parts_like_the_built_in_ones() {
    registered();
    let mine: Vec<_> = parts().filter(|part| part.keys.starts_with("custom.")).collect();
    assert_eq!(mine.len(), 5);
    let greedy = parts().find(|part| part.name == "greedy").expect("built in");
    assert_eq!(mine[0].excludes(&greedy), Some(Slot::Victims));
    assert_eq!(mine[1].excludes(&greedy), None);
}

#[test]
fn names_are_keys_and_registered_once() {
    registered();
    let named = |name: &str| vec![CustomPolicy::scheduler(name, |_: Nothing, _| Ok(Box::new(InOrder)))];
    for name in ["", "with space", "Upper", "a.b"] {
        let error = register(named(name)).expect_err("refused").to_string();
        assert!(error.contains("lower-case letters"), "{error}");
    }
    let twice = named("a").into_iter().chain(named("a")).collect();
    assert!(register(twice).expect_err("refused").to_string().contains("each name once"));
    assert!(register(named("a")).expect_err("refused").to_string().contains("there was one before"));
}
