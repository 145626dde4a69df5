//! Keys that other settings leave without effect, whatever their value: of a drive and its firmware here, of a workload beside its
//! description.
//!
//! Inside a table whose policy passes a key over it is refused ([`super::owned`]). Here the two stand apart, as what a die can do and
//! a scheduler that doesn't use it, and both are right by themselves. So they are noted, by name, where somebody set the key for
//! this run.

use super::array::ArrayLayout;
use super::astro::UpdatePriority;
use super::cache::CacheKind;
use super::combine::Slot;
use super::device::{DeviceConfig, IndependentPlanes, MultiPlaneRule, TransferUnit};
use super::firmware::FirmwareConfig;
use super::reclaim::{ReclaimKind, ReclaimPriority};
use super::scheme::{SchedulerKind, SchemeConfig, SuperblockSpan};
use super::separation::SeparationKind;
use block_map::OF_BLOCK_MAP;
use copyback::OF_COPYBACK;
use map::OF_MAP;
use systems::OF_SYSTEMS;

mod block_map;
mod copyback;
mod map;
mod systems;

/// Keys that have no effect.
pub struct Rule<Applies> {
    /// Their paths.
    pub keys: &'static [&'static str],
    /// Whether it applies.
    pub applies: Applies,
    /// Why they have none, and what would give them one: a phrase that follows "has no effect: ".
    pub why: &'static str,
}

/// A rule about a drive and its firmware.
pub type DriveRule = Rule<fn(&DeviceConfig, &SchemeConfig) -> bool>;

const ONE_PLANE: &str = "nothing is done by several planes of a die where device.geometry.planes = 1";
const NO_MULTI_PLANE: &str = "planes work one at a time with device.multi_plane.rule = \"none\"";
const NOT_ASKED_TO_SUSPEND: &str =
    "nothing is suspended unless scheme.scheduler.policy = \"read_first_suspend\"";
const NONE_ALLOWED: &str = "nothing is suspended with device.suspend.max_per_operation = 0";
const NO_SLC: &str = "no block is in SLC mode without a scheme.slc_cache.policy";

/// The times of suspending and resuming.
const SUSPENSIONS: &[&str] = &[
    "device.suspend.program_ns",
    "device.suspend.erase_ns",
    "device.suspend.resume_ns",
    "device.suspend.program_step_ns",
    "device.suspend.erase_step_ns",
    "device.suspend.program_repeats_ns",
    "device.suspend.erase_repeats_ns",
];

/// Those of dies, channels and the firmware's base. What a user's own policy reads isn't known, so that none stands here for a slot
/// that one may have filled.
const OF_DRIVE: &[DriveRule] = &[
    Rule { keys: SUSPENSIONS, applies: asks_for_no_suspension, why: NOT_ASKED_TO_SUSPEND },
    Rule {
        keys: &["device.suspend.max_per_operation"],
        applies: asks_for_no_suspension,
        why: NOT_ASKED_TO_SUSPEND,
    },
    Rule { keys: SUSPENSIONS, applies: allows_no_suspension, why: NONE_ALLOWED },
    Rule {
        keys: &["scheme.scheduler.policy", "scheme.scheduler.suspends_below_waiting_writes"],
        applies: allows_no_suspension,
        why: NONE_ALLOWED,
    },
    Rule {
        keys: &["device.channel.program_data"],
        applies: |device, _| device.channel.transfer == TransferUnit::Page,
        why: "programs carry whole pages with device.channel.transfer = \"page\"",
    },
    Rule {
        keys: &["device.channel.read_command_extra_plane_ns"],
        applies: |device, _| device.die.independent_planes == IndependentPlanes::Reads,
        why: "planes that read apart (device.die.independent_planes) share no command",
    },
    Rule {
        keys: &["device.suspend.program_step_ns", "device.suspend.program_repeats_ns"],
        applies: |device, _| device.suspend.program_ns.is_none(),
        why: "no program can be suspended without device.suspend.program_ns",
    },
    Rule {
        keys: &["device.suspend.erase_step_ns", "device.suspend.erase_repeats_ns"],
        applies: |device, _| device.suspend.erase_ns.is_none(),
        why: "no erase can be suspended without device.suspend.erase_ns",
    },
    Rule {
        keys: &[
            "device.suspend.resume_ns",
            "device.suspend.max_per_operation",
            "scheme.scheduler.suspends_below_waiting_writes",
        ],
        applies: |device, _| cannot_suspend(device),
        why: "nothing can be suspended without device.suspend.program_ns or erase_ns",
    },
    Rule {
        keys: &["scheme.scheduler.policy"],
        applies: |device, scheme| suspends(scheme) && cannot_suspend(device),
        why: "it is as \"read_first\" on a drive without device.suspend.program_ns and erase_ns",
    },
    Rule {
        keys: &["scheme.scheduler.suspends_below_waiting_writes"],
        applies: |_, scheme| has_no_cache(scheme),
        why: "no write waits for room without a scheme.cache.policy",
    },
    Rule {
        keys: &["device.cache_mode.read_order", "device.cache_mode.read_busy_ns"],
        applies: |device, _| !device.cache_mode.read,
        why: "there are no cache reads without device.cache_mode.read",
    },
    Rule {
        keys: &["device.cache_mode.program_busy_ns"],
        applies: |device, _| !device.cache_mode.program,
        why: "there are no cache programs without device.cache_mode.program",
    },
    Rule {
        keys: &[
            "device.slc_mode.read_ns",
            "device.slc_mode.program_ns",
            "device.slc_mode.erase_ns",
            "device.errors.slc_factor",
            "device.bad_blocks.slc_endurance_cycles",
            "device.energy.slc_read_nj",
            "device.energy.slc_program_nj",
            "device.energy.slc_erase_nj",
        ],
        applies: |_, scheme| !scheme.slc_cache.is_on(),
        why: NO_SLC,
    },
    Rule {
        keys: &["device.cpu.cores"],
        applies: |_, scheme| scheme.firmware == FirmwareConfig::default(),
        why: "no work of the firmware takes time unless scheme.firmware says so",
    },
    Rule {
        keys: &[
            "device.dram.access_ns",
            "device.dram.bytes_per_s",
            "device.dram.whole_requests",
            "device.dram.rows",
        ],
        applies: |_, scheme| has_no_cache(scheme),
        why: "only a data cache takes time in DRAM, and there is none without a scheme.cache.policy",
    },
    Rule {
        keys: &["device.bad_blocks.endurance_spread"],
        applies: |device, _| device.bad_blocks.as_ref().is_some_and(|bad| bad.endurance_cycles.is_none()),
        why: "no block wears out without device.bad_blocks.endurance_cycles",
    },
    Rule {
        keys: &["device.errors.retry_read_ns", "device.errors.retry_factor"],
        applies: |device, _| device.errors.as_ref().is_some_and(|errors| errors.max_retries == 0),
        why: "no read is tried again with device.errors.max_retries = 0",
    },
    Rule {
        keys: &[
            "device.multi_plane.rule",
            "device.channel.read_command_extra_plane_ns",
            "device.channel.program_command_extra_plane_ns",
            "device.channel.erase_command_extra_plane_ns",
        ],
        applies: |device, _| device.geometry.planes == 1,
        why: ONE_PLANE,
    },
    Rule {
        keys: &["scheme.placement.policy"],
        applies: |_, scheme| scheme.blocks.superblock == SuperblockSpan::Drive,
        why: "a superblock of the whole drive is filled in order: the planes are given (scheme.blocks.superblock = \"drive\")",
    },
    Rule {
        keys: &["scheme.blocks.host_write_points"],
        applies: |_, scheme| {
            let (points, policy) = (scheme.blocks.host_write_points, scheme.separation.policy);
            has_no_own(scheme)
                && (policy == SeparationKind::None && points > 1
                    || policy == SeparationKind::HotCold && points > 2)
        },
        why: "scheme.separation.policy = \"none\" fills one write point, and \"hot_cold\" two",
    },
    Rule {
        keys: &["scheme.separation.separate_hot_moves"],
        applies: |_, scheme| {
            has_no_own(scheme)
                && matches!(scheme.separation.policy, SeparationKind::Stream | SeparationKind::None)
        },
        why: "no page is known to be hot with scheme.separation.policy = \"stream\" or \"none\"",
    },
    Rule {
        keys: &["device.dram.whole_requests"],
        applies: |device, scheme| !has_no_cache(scheme) && !takes_dram_time(device),
        why: "nothing takes time in DRAM without device.dram.access_ns, bytes_per_s or rows",
    },
    Rule {
        keys: &["scheme.scheduler.starvation_bound_ns"],
        applies: |_, scheme| has_no_own(scheme) && nothing_goes_before(scheme),
        why: "in order of arrival nothing starves",
    },
    Rule {
        keys: &[
            "device.channel.read_command_extra_plane_ns",
            "device.channel.program_command_extra_plane_ns",
            "device.channel.erase_command_extra_plane_ns",
        ],
        applies: |device, _| device.multi_plane.rule == MultiPlaneRule::None,
        why: NO_MULTI_PLANE,
    },
    Rule {
        keys: &["device.channel.transfer_spare"],
        applies: |device, _| device.geometry.spare_bytes == 0,
        why: "pages have no spare area with device.geometry.spare_bytes = 0",
    },
    Rule {
        keys: &["scheme.wear.static_interval"],
        applies: |_, scheme| scheme.wear.static_spread.is_none(),
        why: "there is no static wear levelling without scheme.wear.static_spread",
    },
    Rule {
        keys: &["scheme.maintenance.idle_after_ns"],
        applies: |_, scheme| has_no_own(scheme) && !uses_idle_times(scheme),
        why: "nothing uses idle times without scheme.gc.background, slc_cache.fold_at_idle or partition.migrate_at_idle",
    },
    Rule {
        keys: &["scheme.cache.max_writes_hold"],
        applies: |_, scheme| scheme.cache.max_writes == 0,
        why: "nothing is held without a bound, scheme.cache.max_writes",
    },
    Rule {
        keys: &["scheme.firmware.shuffle_ns"],
        applies: |_, scheme| {
            has_no_own(scheme) && !matches!(scheme.reclaim.policy, ReclaimKind::Shuffler | ReclaimKind::Page)
        },
        why: "no page changes its block without scheme.reclaim.policy = \"shuffler\" or \"page\"",
    },
    Rule {
        keys: &["scheme.scheduler.policy"],
        applies: |_, scheme| !scheme.scheduler.tiers.is_empty() && !suspends(scheme),
        why: "scheme.scheduler.tiers are in its place",
    },
    Rule {
        keys: &["scheme.copies.arbiter"],
        applies: |_, scheme| has_no_own(scheme) && !scheme.collision.enabled && !scheme.hotr.enabled,
        why: "nothing has copies without scheme.collision or scheme.hotr",
    },
    Rule {
        keys: &["scheme.array.chunk_bytes"],
        applies: |_, scheme| layout(scheme) == Some(ArrayLayout::Mirrored),
        why: "chunks are those of scheme.array.layout = \"striped\"",
    },
    Rule {
        keys: &["scheme.array.serve", "scheme.array.read_window_ns"],
        applies: |_, scheme| layout(scheme) == Some(ArrayLayout::Striped),
        why: "there are no copies but with scheme.array.layout = \"mirrored\"",
    },
    Rule {
        keys: &["scheme.array.serve"],
        applies: |_, scheme| scheme.array.as_ref().is_some_and(|array| array.read_window_ns > 0),
        why: "the drive whose window it is serves a read (scheme.array.read_window_ns)",
    },
];

/// Keys of the built-in policies of a slot, which nothing reads where a user's own fills it. What the engine reads of the same
/// tables isn't among them: when collection begins, whether anything is reclaimed at all, what the ledger of DRAM is charged.
const OF_OWN: &[Rule<Slot>] = &[
    Rule {
        keys: &["scheme.gc.policy", "scheme.gc.choices", "scheme.gc.window"],
        applies: Slot::Victims,
        why: "a policy of one's own (scheme.custom) chooses the victims",
    },
    Rule {
        keys: &["scheme.placement.policy"],
        applies: Slot::Placement,
        why: "a policy of one's own (scheme.custom) chooses the planes",
    },
    Rule {
        keys: &[
            "scheme.scheduler.policy",
            "scheme.scheduler.tiers",
            "scheme.scheduler.starvation_bound_ns",
            "scheme.scheduler.suspends_below_waiting_writes",
            "scheme.reclaim.priority",
            "scheme.astro.update_priority",
        ],
        applies: Slot::Scheduler,
        why: "a policy of one's own (scheme.custom) chooses what a die does next",
    },
    Rule {
        keys: &[
            "scheme.separation.policy",
            "scheme.separation.decay_writes",
            "scheme.separation.filter_bits",
            "scheme.separation.hot_at",
        ],
        applies: Slot::WritePoints,
        why: "a policy of one's own (scheme.custom) chooses the write points",
    },
    Rule {
        keys: &[
            "scheme.mapping.loads",
            "scheme.mapping.search_buckets",
            "scheme.mapping.protected_share",
            "scheme.mapping.batch_until",
            "scheme.mapping.eviction",
            "scheme.mapping.request_prefetch",
            "scheme.mapping.prefetch_threshold",
            "scheme.mapping.batch_update",
            "scheme.mapping.clean_first",
        ],
        applies: Slot::Mapping,
        why: "a policy of one's own (scheme.custom) translates",
    },
    Rule {
        keys: &["scheme.redundancy.when"],
        applies: Slot::Redundancy,
        why: "a policy of one's own (scheme.custom) chooses the reads that are rebuilt",
    },
    Rule {
        keys: &[
            "scheme.reclaim.shuffle",
            "scheme.reclaim.pages.restart",
            "scheme.reclaim.pages.ties",
            "scheme.reclaim.pages.moves",
        ],
        applies: Slot::Reclaim,
        why: "a policy of one's own (scheme.custom) chooses what is reclaimed",
    },
];

/// Keys of a drive and its firmware that have no effect there, and why. These slots are filled by policies of a user's own.
pub fn of_drive(
    device: &DeviceConfig,
    scheme: &SchemeConfig,
    own: &[Slot],
) -> impl Iterator<Item = (&'static str, &'static str)> {
    let of_own = OF_OWN.iter().filter(move |rule| own.contains(&rule.applies));
    let of_own = of_own.flat_map(|rule| rule.keys.iter().map(|key| (*key, rule.why)));
    let all = OF_DRIVE.iter().chain(OF_SYSTEMS).chain(OF_COPYBACK).chain(OF_MAP).chain(OF_BLOCK_MAP);
    let applying = all.filter(move |rule| (rule.applies)(device, scheme));
    of_own.chain(applying.flat_map(|rule| rule.keys.iter().map(|key| (*key, rule.why))))
}

fn has_no_own(scheme: &SchemeConfig) -> bool {
    scheme.custom.is_empty()
}

fn suspends(scheme: &SchemeConfig) -> bool {
    scheme.scheduler.policy == SchedulerKind::ReadFirstSuspend
}

/// Whether a die takes every command in the order of arrival.
fn nothing_goes_before(scheme: &SchemeConfig) -> bool {
    let (reclaim, astro) = (&scheme.reclaim, &scheme.astro);
    let reclaims_apart = reclaim.policy != ReclaimKind::None && reclaim.priority != ReclaimPriority::Equal;
    let orders_apart = astro.enabled && astro.update_priority != UpdatePriority::Equal;
    let copies = scheme.collision.enabled || scheme.hotr.enabled;
    scheme.scheduler.policy == SchedulerKind::Fifo
        && scheme.scheduler.tiers.is_empty()
        && !(copies || reclaims_apart || orders_apart)
}

fn asks_for_no_suspension(_: &DeviceConfig, scheme: &SchemeConfig) -> bool {
    has_no_own(scheme) && !suspends(scheme)
}

fn allows_no_suspension(device: &DeviceConfig, scheme: &SchemeConfig) -> bool {
    has_no_own(scheme) && suspends(scheme) && device.suspend.max_per_operation == 0
}

fn cannot_suspend(device: &DeviceConfig) -> bool {
    device.suspend.program_ns.is_none() && device.suspend.erase_ns.is_none()
}

fn takes_dram_time(device: &DeviceConfig) -> bool {
    device.dram.access_ns > 0 || device.dram.bytes_per_s.is_some() || device.dram.rows.is_some()
}

fn has_no_cache(scheme: &SchemeConfig) -> bool {
    scheme.cache.policy == CacheKind::None
}

fn uses_idle_times(scheme: &SchemeConfig) -> bool {
    scheme.gc.background.is_some()
        || (scheme.slc_cache.is_on() && scheme.slc_cache.fold_at_idle)
        || (scheme.partition.enabled && scheme.partition.migrate_at_idle)
}

fn layout(scheme: &SchemeConfig) -> Option<ArrayLayout> {
    scheme.array.as_ref().map(|array| array.layout)
}
