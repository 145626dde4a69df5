//! Keys that a map of blocks leaves without effect: its merges make space, not collection.

use super::{DriveRule, Rule};
use crate::block_map::BlockMapKind;

pub(super) const OF_BLOCK_MAP: &[DriveRule] = &[
    Rule {
        keys: &["scheme.gc.trigger", "scheme.gc.stop", "scheme.gc.rotating"],
        applies: |_, scheme| scheme.block_map.is_on(),
        why: "merges make space when log blocks are used up (scheme.block_map.log_blocks)",
    },
    Rule {
        keys: &["scheme.mapping.translation_entry_bytes"],
        applies: |_, scheme| scheme.block_map.policy == BlockMapKind::Block,
        why: "there are no entries of pages with scheme.block_map.policy = \"block\"",
    },
];
