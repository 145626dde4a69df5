//! Keys of the systems, and what they leave without effect.

use super::{DriveRule, Rule, SUSPENSIONS, has_no_own, suspends};
use crate::device::DeviceConfig;
use crate::hotr::Staging;
use crate::ideal::SecondServer;
use crate::mapping::UnmappedReads;
use crate::partition::{Adapts, WhenBusy};
use crate::reclaim::{PageMoves, ReclaimKind};
use crate::scheme::{SchemeConfig, SuperblockSpan};

const APART: &str =
    "reads have a server of their own, which nothing else keeps busy (scheme.ideal.second_server)";

pub(super) const OF_SYSTEMS: &[DriveRule] = &[
    Rule { keys: SUSPENSIONS, applies: reads_apart, why: APART },
    Rule {
        keys: &[
            "device.suspend.max_per_operation",
            "scheme.scheduler.suspends_below_waiting_writes",
            "scheme.redundancy.when",
        ],
        applies: reads_apart,
        why: APART,
    },
    Rule {
        keys: &["scheme.scheduler.policy"],
        applies: |device, scheme| suspends(scheme) && reads_apart(device, scheme),
        why: "it suspends nothing for reads that have a server of their own (scheme.ideal.second_server)",
    },
    Rule {
        keys: &["scheme.reclaim.policy"],
        applies: |device, scheme| {
            matches!(scheme.reclaim.policy, ReclaimKind::Superblock | ReclaimKind::Shuffler)
                && no_superblocks(device, scheme)
        },
        why: "it is as \"block\" where a superblock is one block (scheme.blocks.superblock)",
    },
    Rule {
        keys: &[
            "scheme.reclaim.shuffle.full",
            "scheme.reclaim.shuffle.partial",
            "scheme.firmware.shuffle_ns",
        ],
        applies: |device, scheme| {
            scheme.reclaim.policy == ReclaimKind::Shuffler && no_superblocks(device, scheme)
        },
        why: "a block alone has nothing to exchange cards with (scheme.blocks.superblock)",
    },
    Rule {
        keys: &["scheme.reclaim.holes"],
        applies: |_, scheme| {
            has_no_own(scheme)
                && scheme.reclaim.policy == ReclaimKind::Page
                && scheme.reclaim.pages.moves == PageMoves::All
        },
        why: "pages that are all dealt out anew leave no holes (scheme.reclaim.pages.moves = \"all\")",
    },
    Rule {
        keys: &["scheme.partition.interval_accesses", "scheme.partition.rounding"],
        applies: |_, scheme| scheme.partition.adapts == Adapts::Never,
        why: "the split stays as it is with scheme.partition.adapts = \"never\"",
    },
    Rule {
        keys: &["scheme.partition.idle_share"],
        applies: |_, scheme| !scheme.partition.migrate_at_idle,
        why: "nothing migrates at idle times with scheme.partition.migrate_at_idle = false",
    },
    Rule {
        keys: &["scheme.partition.busy"],
        applies: |_, scheme| scheme.partition.when_busy == WhenBusy::Wait,
        why: "whether channels are busy isn't asked with scheme.partition.when_busy = \"wait\"",
    },
    Rule {
        keys: &["scheme.partition.first_reads"],
        applies: |_, scheme| scheme.mapping.unmapped_reads != UnmappedReads::Allocate,
        why: "a read gives no page a place without scheme.mapping.unmapped_reads = \"allocate\"",
    },
    Rule {
        keys: &["scheme.hotr.staging_share"],
        applies: |_, scheme| scheme.hotr.staging == Staging::Chip,
        why: "chips are the staging space with scheme.hotr.staging = \"chip\" (staging_chips)",
    },
    Rule {
        keys: &["scheme.hotr.staging_chips"],
        applies: |_, scheme| scheme.hotr.staging == Staging::Overprovisioned,
        why: "the staging space is on all chips with scheme.hotr.staging = \"overprovisioned\" (staging_share)",
    },
    Rule {
        // The map of copies takes its memory all the same.
        keys: &[
            "scheme.collision.least_occurrences",
            "scheme.collision.tie",
            "scheme.collision.rate_window_ns",
            "scheme.collision.replace_copies",
        ],
        applies: |_, scheme| scheme.collision.pairs_per_die == 0,
        why: "nothing is replicated with scheme.collision.pairs_per_die = 0",
    },
    Rule {
        keys: &[
            "scheme.collision.least_occurrences",
            "scheme.collision.tie",
            "scheme.collision.replace_copies",
        ],
        applies: |_, scheme| scheme.collision.copies_share == 0.0,
        why: "nothing is replicated with scheme.collision.copies_share = 0",
    },
];

fn reads_apart(_: &DeviceConfig, scheme: &SchemeConfig) -> bool {
    has_no_own(scheme) && scheme.ideal.second_server != SecondServer::None
}

/// Whether a superblock is one block.
fn no_superblocks(device: &DeviceConfig, scheme: &SchemeConfig) -> bool {
    let shape = &device.geometry;
    let blocks = match scheme.blocks.superblock {
        SuperblockSpan::None => 1,
        SuperblockSpan::Die => shape.planes,
        SuperblockSpan::Chip => shape.planes * shape.dies,
        SuperblockSpan::Channels => shape.planes * shape.channels,
        SuperblockSpan::Drive => shape.planes * shape.dies * shape.ways * shape.channels,
    };
    has_no_own(scheme) && blocks == 1
}
