//! What is to be done with a write: a decision of each scheme from the log blocks alone.

use super::logs::{Log, Logs};
use wordline_base::ids::SuperblockId;
use wordline_config::block_map::{BlockMapConfig, BlockMapKind};

/// A write that wants a place.
#[derive(Clone, Copy)]
pub struct PageWrite<'a> {
    /// Its logical block.
    pub block: u32,
    /// Its place there.
    pub unit: u32,
    /// Units of a block.
    pub capacity: u32,
    /// Whether units are programmed one by one, so that each can have its own place.
    pub one_by_one: bool,
    /// The unit that a log block would give away next; `capacity` if it is full.
    pub next: &'a dyn Fn(SuperblockId) -> u32,
    /// Whether any page of the logical block from the first unit up to before the second isn't in its log block.
    pub lacks: &'a dyn Fn(u32, u32) -> bool,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// It goes to the next unit of this log block.
    Append(SuperblockId),
    /// It goes to its own unit of this log block.
    InPlace(SuperblockId),
    /// A log block is to be opened: for its logical block, or for all.
    Open(Option<u32>),
    /// This log block is to be merged.
    Merge(SuperblockId),
    /// The pages from there up to its own unit are to be copied into this log block.
    Fill(SuperblockId, u32),
    /// The logical block of this log block is to be put together elsewhere, in whatever order the log block is.
    Rewrite(SuperblockId),
    /// It waits for what is under way.
    Wait,
}

/// What a scheme does with a write.
pub fn choose(config: &BlockMapConfig, write: &PageWrite<'_>, logs: &Logs) -> Choice {
    let choice = match config.policy {
        BlockMapKind::Fast => fast(config.log_blocks, write, logs),
        BlockMapKind::Bast => dedicated(config.log_blocks, write, logs, in_any_order),
        BlockMapKind::Block | BlockMapKind::Off => dedicated(config.log_blocks, write, logs, in_place),
    };
    let begins = matches!(choice, Choice::Open(_) | Choice::Merge(_) | Choice::Fill(..) | Choice::Rewrite(_));
    if begins && logs.work.is_some() { Choice::Wait } else { choice }
}

/// BAST and the block map: each logical block that is written has a log block of its own; when there are too many, the one
/// that was written longest ago is merged.
fn dedicated(
    most: u32,
    write: &PageWrite<'_>,
    logs: &Logs,
    into: fn(&PageWrite<'_>, &Log) -> Choice,
) -> Choice {
    match logs.of(write.block) {
        Some(log) if logs.is_held(log.superblock) => Choice::Wait,
        Some(log) => into(write, log),
        None if (logs.all.len() as u32) < most => Choice::Open(Some(write.block)),
        None => logs.least_recent().map_or(Choice::Wait, |log| Choice::Merge(log.superblock)),
    }
}

/// BAST: whatever the order.
fn in_any_order(write: &PageWrite<'_>, log: &Log) -> Choice {
    let has_room = (write.next)(log.superblock) < write.capacity;
    if has_room { Choice::Append(log.superblock) } else { Choice::Merge(log.superblock) }
}

/// The block map: at its own place, behind all that is there before it.
fn in_place(write: &PageWrite<'_>, log: &Log) -> Choice {
    let next = (write.next)(log.superblock);
    if write.unit < next {
        Choice::Merge(log.superblock)
    } else if (write.lacks)(next, write.unit) {
        Choice::Fill(log.superblock, next)
    } else {
        Choice::InPlace(log.superblock)
    }
}

/// FAST: what begins a logical block, and what else of it is written then, into the sequential log block; all else into those that
/// are shared, of which the oldest is merged when there are too many.
fn fast(most: u32, write: &PageWrite<'_>, logs: &Logs) -> Choice {
    let is_fresh = |log: &Log| log.owner == Some(write.block) && (write.next)(log.superblock) == 0;
    match logs.sequential() {
        Some(log) if write.unit == 0 && !is_fresh(log) => return Choice::Merge(log.superblock),
        Some(log) if log.owner == Some(write.block) => return in_sequence(write, log, logs),
        None if write.unit == 0 => return Choice::Open(Some(write.block)),
        _ => {}
    }
    let has_room = |log: &&Log| !log.closed && (write.next)(log.superblock) < write.capacity;
    match logs.shared().next_back().filter(has_room) {
        Some(log) if logs.is_held(log.superblock) => Choice::Wait,
        Some(log) => Choice::Append(log.superblock),
        None if (logs.shared().count() as u32) < most.saturating_sub(1) => Choice::Open(None),
        None => logs.shared().next().map_or(Choice::Wait, |log| Choice::Merge(log.superblock)),
    }
}

/// The sequential log block of a page that doesn't begin its logical block: the next one is appended; one behind makes a full merge,
/// one ahead a partial merge that takes it along.
fn in_sequence(write: &PageWrite<'_>, log: &Log, logs: &Logs) -> Choice {
    let (superblock, next) = (log.superblock, (write.next)(log.superblock));
    if logs.is_held(superblock) {
        Choice::Wait
    } else if write.unit < next {
        Choice::Rewrite(superblock)
    } else if write.unit > next && !write.one_by_one {
        // It comes behind the merge, into one that is shared.
        Choice::Merge(superblock)
    } else if (write.lacks)(next, write.unit) {
        Choice::Fill(superblock, next)
    } else if write.unit > next {
        Choice::InPlace(superblock)
    } else {
        Choice::Append(superblock)
    }
}

#[cfg(test)]
mod tests {
    use super::super::logs::Work;
    use super::*;

    const CAPACITY: u32 = 8;

    fn log(superblock: u32, owner: Option<u32>, last: u64) -> Log {
        Log {
            superblock: SuperblockId(superblock),
            owner,
            in_order: true,
            filled: false,
            taken_along: false,
            closed: false,
            last,
        }
    }

    /// The choice for a write, where each log block with a number has given away so many units.
    fn choice(policy: BlockMapKind, block: u32, unit: u32, logs: &Logs, given: &[(u32, u32)]) -> Choice {
        let next = |superblock: SuperblockId| {
            given.iter().find(|(number, _)| *number == superblock.0).map_or(CAPACITY, |(_, next)| *next)
        };
        let lacks = |from: u32, to: u32| from < to;
        let one_by_one = true;
        let write = PageWrite { block, unit, capacity: CAPACITY, one_by_one, next: &next, lacks: &lacks };
        choose(&BlockMapConfig { policy, log_blocks: 3 }, &write, logs)
    }

    #[test]
    fn bast_gives_each_logical_block_a_log_block_and_merges_the_one_written_longest_ago() {
        use BlockMapKind::Bast;
        let mut logs = Logs { all: vec![log(20, Some(1), 9), log(21, Some(2), 5)], work: None };
        assert_eq!(choice(Bast, 1, 6, &logs, &[(20, 3)]), Choice::Append(SuperblockId(20)));
        assert_eq!(choice(Bast, 3, 6, &logs, &[]), Choice::Open(Some(3)));
        // A full one is merged for its own next write.
        assert_eq!(choice(Bast, 1, 6, &logs, &[]), Choice::Merge(SuperblockId(20)));
        logs.all.push(log(22, Some(4), 7));
        assert_eq!(choice(Bast, 3, 6, &logs, &[]), Choice::Merge(SuperblockId(21)));
        logs.work = Some(Work::Settle(SuperblockId(20)));
        assert_eq!(choice(Bast, 3, 6, &logs, &[]), Choice::Wait);
        assert_eq!(choice(Bast, 1, 6, &logs, &[(20, 3)]), Choice::Wait);
        assert_eq!(choice(Bast, 2, 6, &logs, &[(21, 3)]), Choice::Append(SuperblockId(21)));
    }

    #[test]
    fn the_block_map_writes_in_place_copies_what_comes_before_and_begins_anew_for_what_lies_behind() {
        use BlockMapKind::Block;
        let logs = Logs { all: vec![log(20, Some(1), 9)], work: None };
        assert_eq!(choice(Block, 1, 3, &logs, &[(20, 3)]), Choice::InPlace(SuperblockId(20)));
        assert_eq!(choice(Block, 1, 5, &logs, &[(20, 3)]), Choice::Fill(SuperblockId(20), 3));
        assert_eq!(choice(Block, 1, 2, &logs, &[(20, 3)]), Choice::Merge(SuperblockId(20)));
    }

    #[test]
    fn fast_keeps_what_goes_on_apart_from_what_all_share() {
        use BlockMapKind::Fast;
        let mut logs = Logs::default();
        assert_eq!(choice(Fast, 1, 0, &logs, &[]), Choice::Open(Some(1)));
        assert_eq!(choice(Fast, 1, 3, &logs, &[]), Choice::Open(None));
        logs.all = vec![log(20, None, 0), log(21, Some(1), 0)];
        let given = [(20, 5), (21, 3)];
        assert_eq!(choice(Fast, 1, 3, &logs, &given), Choice::Append(SuperblockId(21)));
        assert_eq!(choice(Fast, 2, 3, &logs, &given), Choice::Append(SuperblockId(20)));
        // Of the same logical block: behind, and ahead.
        assert_eq!(choice(Fast, 1, 2, &logs, &given), Choice::Rewrite(SuperblockId(21)));
        assert_eq!(choice(Fast, 1, 5, &logs, &given), Choice::Fill(SuperblockId(21), 3));
        assert_eq!(choice(Fast, 1, 5, &logs, &[(20, 5), (21, 5)]), Choice::Append(SuperblockId(21)));
        logs.work = Some(Work::Fill(SuperblockId(21)));
        for unit in [2, 3, 5] {
            assert_eq!(choice(Fast, 1, unit, &logs, &given), Choice::Wait);
        }
        logs.work = None;
        // Another beginning ends the sequential log block.
        assert_eq!(choice(Fast, 2, 0, &logs, &given), Choice::Merge(SuperblockId(21)));
        logs.all.push(log(22, None, 0));
        assert_eq!(choice(Fast, 2, 3, &logs, &[(22, 7)]), Choice::Append(SuperblockId(22)));
        assert_eq!(choice(Fast, 2, 3, &logs, &[]), Choice::Merge(SuperblockId(20)), "the oldest");
    }
}
