//! Keys of copyback.

use super::{DriveRule, Rule};
use crate::redundancy::RedundancyKind;
use crate::scheme::SuperblockSpan;

const ALL: &[&str] = &[
    "device.copyback.supported",
    "device.copyback.same_plane_only",
    "device.copyback.check_every",
    "device.copyback.blocks",
    "scheme.gc.copyback",
];

pub(super) const OF_COPYBACK: &[DriveRule] = &[
    Rule {
        keys: &[
            "device.copyback.same_plane_only",
            "device.copyback.check_every",
            "device.copyback.blocks",
            "scheme.gc.copyback",
        ],
        applies: |device, _| !device.copyback.supported,
        why: "the drive has no copyback without device.copyback.supported",
    },
    Rule {
        keys: &[
            "device.copyback.supported",
            "device.copyback.same_plane_only",
            "device.copyback.check_every",
            "device.copyback.blocks",
        ],
        applies: |_, scheme| !scheme.gc.copyback,
        why: "all moves go through the controller with scheme.gc.copyback = false",
    },
    Rule {
        keys: ALL,
        applies: |_, scheme| {
            let partition = &scheme.partition;
            partition.enabled && (partition.migrate_with_gc || partition.migrate_at_idle)
        },
        why: "a page that moves goes to the channels of its type (scheme.partition)",
    },
    Rule {
        keys: ALL,
        applies: |_, scheme| scheme.redundancy.policy == RedundancyKind::ParityRows,
        why: "what moves without the controller can have no part in the parity of a row (scheme.redundancy)",
    },
    Rule {
        keys: ALL,
        applies: |device, scheme| device.geometry.pages_per_program > 1 && !scheme.slc_cache.is_on(),
        why: "a copyback moves one page, and a program takes device.geometry.pages_per_program of them",
    },
    Rule {
        keys: &["device.copyback.same_plane_only"],
        applies: |_, scheme| scheme.blocks.superblock == SuperblockSpan::None,
        why: "without superblocks (scheme.blocks.superblock) what a plane collects stays in it",
    },
];
