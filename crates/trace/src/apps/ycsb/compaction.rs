//! Writing the memtable out, and merging levels.

use wordline_base::request::HostOp;

use super::table::Table;
use super::tree::{FLUSHING, LEVELS, MEMTABLE, MOST_LEVELS, Tree};
use crate::apps::extents::Extent;
use crate::apps::io::Io;
use crate::config::YcsbConfig;

/// Work of the background whose requests are queued and whose result is not there yet.
pub(super) enum Job {
    /// A file of level 0.
    Flush { slot: u8, table: Table, log: Vec<Extent> },
    /// A file of `level` (0: those of level 0 in `slots`), whose range is `input`, and the files of the level below in `range`
    /// become files there.
    Merge { level: usize, input: (u64, u64), range: (u64, u64), outputs: Vec<Table>, slots: Vec<u8> },
}

/// Starts to write the memtable out. `None` when space is short.
pub(super) fn flush(tree: &mut Tree, log: Vec<Extent>, config: &YcsbConfig, io: &mut Io) -> Option<Job> {
    let mut records = 0;
    for state in &mut tree.newest {
        if *state == MEMTABLE {
            *state = FLUSHING;
            records += 1;
        }
    }
    let slot = tree.slot()?;
    let all = (0, tree.newest.len() as u64);
    let table = tree.table(all, records, config)?;
    write(&table, config, io);
    Some(Job::Flush { slot, table, log })
}

fn write(table: &Table, config: &YcsbConfig, io: &mut Io) {
    for extent in &table.extents {
        io.push_behind(HostOp::Write, *extent, config.background_request_bytes);
    }
}

/// Starts the merge that is most needed: level 0 when it has enough files, else the level that is largest for its target.
pub(super) fn merge(
    tree: &mut Tree,
    cursors: &mut [u64; MOST_LEVELS],
    config: &YcsbConfig,
    io: &mut Io,
) -> Option<Job> {
    if tree.level0.len() as u64 >= config.level0_files {
        let slots: Vec<u8> = tree.level0.iter().map(|(slot, _)| *slot).collect();
        let all = (0, tree.newest.len() as u64);
        let inputs: Vec<Table> = tree.level0.iter().map(|(_, table)| table.clone()).collect();
        return start(tree, 0, all, &inputs, slots, config, io);
    }
    let mut target = config.level1_bytes;
    for level in 1..MOST_LEVELS {
        if tree.level_bytes(level, config.record_bytes) > target {
            let cursor = cursors.get_mut(level)?;
            let files = tree.levels.get(level - 1)?;
            let (first, table) = files.range(*cursor..).next().or_else(|| files.iter().next())?;
            *cursor = first + 1;
            let input = table.clone();
            return start(tree, level, input.range, &[input], Vec::new(), config, io);
        }
        target = target.saturating_mul(config.size_ratio);
    }
    None
}

fn start(
    tree: &mut Tree,
    level: usize,
    range: (u64, u64),
    inputs: &[Table],
    slots: Vec<u8>,
    config: &YcsbConfig,
    io: &mut Io,
) -> Option<Job> {
    let below: Vec<Table> = overlapping(tree, level + 1, range);
    // Files below may reach beyond the range: their other records stay with them.
    let low = below.iter().map(|table| table.range.0).min().unwrap_or(range.0).min(range.0);
    let high = below.iter().map(|table| table.range.1).max().unwrap_or(range.1).max(range.1);
    let states = states(level, &slots);
    let cuts = cuts(tree, (low, high), range, &states, level, config);
    let mut outputs = Vec::new();
    for (range, records) in cuts {
        outputs.push(tree.table(range, records, config)?);
    }
    let most = config.background_request_bytes;
    let reads = inputs.iter().chain(&below).flat_map(|table| table.extents.iter().copied());
    let writes = outputs.iter().flat_map(|table| table.extents.iter().copied());
    interleave(reads.collect(), writes.collect(), most, io);
    Some(Job::Merge { level, input: range, range: (low, high), outputs, slots })
}

/// Reads and writes in turns, as a merge does both at once.
fn interleave(reads: Vec<Extent>, writes: Vec<Extent>, most: u64, io: &mut Io) {
    let chunks = |extents: Vec<Extent>| -> Vec<Extent> {
        let cut = |(start, length): Extent| {
            (0..length.div_ceil(most)).map(move |i| (start + i * most, most.min(length - i * most)))
        };
        extents.into_iter().flat_map(cut).collect()
    };
    let (reads, writes) = (chunks(reads), chunks(writes));
    let (mut written, all) = (0, reads.len().max(1));
    let mut writes_left = writes.iter();
    for (number, read) in reads.iter().enumerate() {
        io.push_behind(HostOp::Read, *read, most);
        while written * all < number * writes.len() {
            if let Some(write) = writes_left.next() {
                io.push_behind(HostOp::Write, *write, most);
            }
            written += 1;
        }
    }
    for write in writes_left {
        io.push_behind(HostOp::Write, *write, most);
    }
}

/// The states of records that a merge moves.
fn states(level: usize, slots: &[u8]) -> Vec<u8> {
    if level == 0 { slots.to_vec() } else { vec![LEVELS + level as u8] }
}

fn cuts(
    tree: &Tree,
    whole: (u64, u64),
    range: (u64, u64),
    moved: &[u8],
    level: usize,
    config: &YcsbConfig,
) -> Vec<((u64, u64), u64)> {
    let below = LEVELS + level as u8 + 1;
    if whole == range {
        let mut states = moved.to_vec();
        states.push(below);
        return tree.cut(whole, &states, config);
    }
    // Beyond the range only the records of the level below count.
    let full = (config.file_bytes / config.record_bytes).max(1);
    let mut out = Vec::new();
    let (mut start, mut records) = (whole.0, 0);
    let slice = tree.newest.get(whole.0 as usize..whole.1 as usize).unwrap_or(&[]);
    for (place, state) in (whole.0..).zip(slice) {
        let inside = (range.0..range.1).contains(&place);
        records += u64::from(*state == below || (inside && moved.contains(state)));
        if records == full {
            out.push(((start, place + 1), records));
            (start, records) = (place + 1, 0);
        }
    }
    if records > 0 {
        out.push(((start, whole.1), records));
    }
    out
}

fn overlapping(tree: &Tree, level: usize, range: (u64, u64)) -> Vec<Table> {
    let files = tree.levels.get(level - 1).into_iter().flat_map(|files| files.values());
    files.filter(|table| table.range.0 < range.1 && range.0 < table.range.1).cloned().collect()
}

/// The result of a job takes effect; the extents that it leaves.
pub(super) fn finish(tree: &mut Tree, job: Job) -> Vec<Extent> {
    match job {
        Job::Flush { slot, table, log } => {
            tree.newest.iter_mut().filter(|state| **state == FLUSHING).for_each(|state| *state = slot);
            tree.level0.push((slot, table));
            log
        }
        Job::Merge { level, input, range, outputs, slots } => {
            let mut left = Vec::new();
            tree.level0.retain(|(slot, table)| {
                let gone = level == 0 && slots.contains(slot);
                if gone {
                    left.extend(table.extents.iter().copied());
                }
                !gone
            });
            if let Some(table) =
                tree.levels.get_mut(level.wrapping_sub(1)).and_then(|files| files.remove(&input.0))
            {
                left.extend(table.extents);
            }
            if let Some(files) = tree.levels.get_mut(level) {
                let firsts: Vec<u64> = files.range(range.0..range.1).map(|(first, _)| *first).collect();
                left.extend(
                    firsts.iter().filter_map(|first| files.remove(first)).flat_map(|table| table.extents),
                );
                files.extend(outputs.into_iter().map(|table| (table.range.0, table)));
            }
            let moved = states(level, &slots);
            let to = LEVELS + level as u8 + 1;
            let slice = tree.newest.get_mut(input.0 as usize..input.1 as usize).unwrap_or(&mut []);
            slice.iter_mut().filter(|state| moved.contains(state)).for_each(|state| *state = to);
            left
        }
    }
}
