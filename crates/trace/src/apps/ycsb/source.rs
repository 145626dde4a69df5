//! The requests of a YCSB run.

use std::collections::VecDeque;

use wordline_base::request::{HostOp, HostRequest, RequestSource, SourceError};
use wordline_config::error::ConfigError;

use super::compaction::{Job, finish, flush, merge};
use super::keys::Keys;
use super::reads::Reader;
use super::tree::{MEMTABLE, MOST_LEVELS, Tree};
use crate::apps::extents::{Extent, PAGE};
use crate::apps::io::Io;
use crate::config::YcsbConfig;
use crate::notes::{Notes, Tally};

/// Longest write of the log, bytes.
const LOG_WRITE: u64 = 512 << 10;

/// Bytes of the log that one memtable fills, beside its records.
const LOG_SLACK: u64 = 1 << 20;

/// Room for inserted records, as a share of those that are loaded: one in so many.
const ROOM: u64 = 4;

/// Generates the requests of a run.
pub(crate) struct YcsbSource {
    config: YcsbConfig,
    keys: Keys,
    tree: Tree,
    reader: Reader,
    io: Io,
    operations_left: u64,
    requests_left: u64,
    hint: Option<u64>,
    log: Log,
    /// Records in the memtable.
    fresh: u64,
    jobs: VecDeque<(u64, Job)>,
    cursors: [u64; MOST_LEVELS],
    /// Inserts that found the database full.
    without_room: u64,
    notes: Notes,
}

/// The log of the memtable.
#[derive(Default)]
struct Log {
    extents: Vec<Extent>,
    written: u64,
    waiting: u64,
}

impl YcsbSource {
    /// A run on a drive of this size. Paths in errors begin below `source.ycsb`.
    pub(crate) fn new(
        config: &YcsbConfig,
        requests: Option<u64>,
        drive_bytes: u64,
        seed: u64,
    ) -> Result<Self, ConfigError> {
        let room = |records: u64| {
            let least = config.space();
            ConfigError::new(
                "records",
                records,
                format!(
                    "so many that the database has room: {least} bytes, about (drive: {drive_bytes} bytes)"
                ),
            )
        };
        let most = config.records + config.records / ROOM;
        let keys = Keys::new(config, most, seed);
        if config.space() > drive_bytes {
            return Err(room(config.records));
        }
        // A file system reuses what is near: it doesn't wander over the whole drive.
        let end = drive_bytes.min(config.space() * 2);
        let tree = Tree::loaded(config, &keys, most, end).ok_or_else(|| room(config.records))?;
        Ok(Self {
            reader: Reader::new(config, seed),
            io: Io::new(config.background_share),
            operations_left: config.operations.unwrap_or(u64::MAX),
            requests_left: requests.unwrap_or(u64::MAX),
            hint: requests,
            log: Log::default(),
            fresh: 0,
            jobs: VecDeque::new(),
            cursors: [0; MOST_LEVELS],
            without_room: 0,
            notes: Notes::default(),
            config: config.clone(),
            keys,
            tree,
        })
    }

    /// Remarks, kept up to date.
    pub(crate) fn notes(&self) -> Notes {
        self.notes.clone()
    }

    fn note_full(&self) {
        let (records, count) = (self.config.records, self.without_room);
        let line = format!(
            "YCSB: {count} inserts updated records instead, as the database has room for a quarter more than its {records} \
             records: more records, or fewer operations, let it grow"
        );
        self.notes.publish(&Tally { assumptions: vec![line], ..Tally::default() });
    }

    fn operation(&mut self) -> Result<(), SourceError> {
        let [read, update, insert, scan, _] = self.config.workload.mix();
        let chance = self.keys.chance();
        if chance < read {
            let place = self.keys.next();
            self.reader.get(&self.tree, place, &mut self.io);
        } else if chance < read + update {
            let place = self.keys.next();
            if self.config.update_reads {
                self.reader.get(&self.tree, place, &mut self.io);
            }
            self.put(place)?;
        } else if chance < read + update + insert {
            let place = self.keys.insert().unwrap_or_else(|| {
                self.without_room += 1;
                self.keys.next()
            });
            self.put(place)?;
        } else if chance < read + update + insert + scan {
            let place = self.keys.next();
            let records = self.keys.scan(self.config.scan_records);
            self.reader.scan(&self.tree, place, records, &mut self.io);
        } else {
            let place = self.keys.next();
            self.reader.get(&self.tree, place, &mut self.io);
            self.put(place)?;
        }
        self.finish_jobs();
        Ok(())
    }

    /// Writes a record: to the log and the memtable.
    fn put(&mut self, place: u64) -> Result<(), SourceError> {
        self.log.waiting += self.config.record_bytes;
        if self.log.extents.is_empty() {
            let bytes = self.config.memtable_bytes + LOG_SLACK;
            self.log.extents = self.tree.space.take(bytes).ok_or_else(full)?;
        }
        if self.config.wal_sync_bytes == 0 || self.log.waiting >= self.config.wal_sync_bytes {
            self.write_log();
        }
        if self.tree.set(place, MEMTABLE) != MEMTABLE {
            self.fresh += 1;
        }
        if self.fresh * self.config.record_bytes >= self.config.memtable_bytes {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes what waits, from the page where the last write ended.
    fn write_log(&mut self) {
        let size: u64 = self.log.extents.iter().map(|extent| extent.1).sum();
        let (from, to) = (self.log.written, (self.log.written + self.log.waiting).min(size));
        (self.log.written, self.log.waiting) = (to, 0);
        let (first, end) = (from / PAGE * PAGE, to.next_multiple_of(PAGE));
        let mut base = 0;
        for (start, length) in self.log.extents.clone() {
            let (low, high) = (first.max(base), end.min(base + length));
            if low < high {
                self.io.push_cut(HostOp::Write, (start + low - base, high - low), LOG_WRITE);
            }
            base += length;
        }
        // Overwritten records fill the log before the memtable: it goes on from its start.
        if to == size {
            self.log.written = 0;
        }
        if self.config.wal_sync_bytes == 0 {
            self.io.push(HostOp::Flush, 0, 0);
        }
    }

    /// Begins to write the memtable out; waits for the last one first.
    fn flush(&mut self) -> Result<(), SourceError> {
        if self.jobs.iter().any(|(_, job)| matches!(job, Job::Flush { .. })) {
            self.io.stall(0);
            self.finish_jobs();
        }
        let log = std::mem::take(&mut self.log).extents;
        let job = flush(&mut self.tree, log, &self.config, &mut self.io).ok_or_else(full)?;
        self.jobs.push_back((self.io.mark(), job));
        self.fresh = 0;
        Ok(())
    }

    /// Lets the results of jobs take effect whose requests are on their way, and begins what is due.
    fn finish_jobs(&mut self) {
        while self.jobs.front().is_some_and(|(mark, _)| self.io.is_past(*mark)) {
            let Some((_, job)) = self.jobs.pop_front() else { break };
            for extent in finish(&mut self.tree, job) {
                self.tree.space.give(extent);
                if self.config.discard {
                    self.io.push(HostOp::Trim, extent.0, extent.1);
                }
            }
            if self.jobs.is_empty()
                && let Some(job) = merge(&mut self.tree, &mut self.cursors, &self.config, &mut self.io)
            {
                self.jobs.push_back((self.io.mark(), job));
            }
        }
    }
}

fn full() -> SourceError {
    SourceError("YCSB: the drive is full: allowed: fewer records".into())
}

impl RequestSource for YcsbSource {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        let (before, without_room) = (batch.len(), self.without_room);
        while batch.len() == before && self.requests_left > 0 {
            // Operations that the caches serve make no request: go on until some do.
            while self.operations_left > 0 && self.io.ready() < 512 {
                self.operation()?;
                self.operations_left -= 1;
            }
            if self.operations_left == 0 {
                self.io.stall(0);
            }
            let moved = self.io.drain(batch, self.requests_left.min(4096));
            self.requests_left -= moved;
            if moved == 0 {
                break;
            }
        }
        if self.without_room > without_room {
            self.note_full();
        }
        Ok(())
    }

    fn size_hint(&self) -> Option<u64> {
        self.hint
    }
}
