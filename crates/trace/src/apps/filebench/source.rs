//! The requests of a Filebench run.

use wordline_base::request::{HostOp, HostRequest, RequestSource, SourceError};
use wordline_config::error::ConfigError;

use super::cache::PageCache;
use super::files::{Files, runs};
use super::journal::Journal;
use super::personality::{Step, steps};
use crate::apps::extents::{Extent, PAGE};
use crate::apps::io::Io;
use crate::config::FilebenchConfig;

/// Number of the log among the files: behind the set.
const LOG_ROOM: u64 = 1;

/// The log begins anew at this size: Filebench's logs are not rotated, drives are finite.
const LOG_BYTES: u64 = 256 << 20;

/// Generates the requests of a run.
pub(crate) struct FilebenchSource {
    config: FilebenchConfig,
    files: Files,
    cache: PageCache,
    journal: Journal,
    io: Io,
    loops: u64,
    requests_left: u64,
    hint: Option<u64>,
    /// The file that was last written, and the one last read.
    written: usize,
    read: usize,
    log: usize,
}

impl FilebenchSource {
    /// A run on a drive of this size. Paths in errors begin below `source.filebench`.
    pub(crate) fn new(
        config: &FilebenchConfig,
        requests: Option<u64>,
        drive_bytes: u64,
        seed: u64,
    ) -> Result<Self, ConfigError> {
        let data = config.files * (config.mean_file_bytes + PAGE) * 5 / 4 + LOG_BYTES;
        // The file system is at most twice as large as what it holds: it reuses space.
        let end = drive_bytes.min((data + config.journal_bytes) * 2);
        let (journal, start) = Journal::new(config.journal_bytes, config.files + LOG_ROOM, end);
        let files = Files::new(config.files, config.existing, config.mean_file_bytes, start, end, seed);
        let needed = start + data;
        let Some(mut files) = files.filter(|_| needed <= drive_bytes) else {
            let allowed =
                format!("so many that they fit: {needed} bytes, about (drive: {drive_bytes} bytes)");
            return Err(ConfigError::new("files", config.files, allowed));
        };
        let log = files.list.len();
        files.list.push(super::files::File { there: true, ..Default::default() });
        Ok(Self {
            cache: PageCache::new(config.page_cache_bytes, config.dirty_share),
            io: Io::new(config.background_share),
            loops: 0,
            requests_left: requests.unwrap_or(u64::MAX),
            hint: requests,
            written: 0,
            read: 0,
            log,
            files,
            journal,
            config: config.clone(),
        })
    }

    fn round(&mut self) -> Result<(), SourceError> {
        for step in steps(self.config.personality) {
            self.step(*step)?;
        }
        self.loops += 1;
        if self.loops.is_multiple_of(self.config.commit_loops) {
            self.commit();
        }
        let due = self.config.write_back_loops > 0 && self.loops.is_multiple_of(self.config.write_back_loops);
        if due || self.cache.is_full_of_dirt() {
            self.write_back(due);
        }
        Ok(())
    }

    fn step(&mut self, step: Step) -> Result<(), SourceError> {
        match step {
            Step::CreateWhole => {
                let size = self.files.size();
                self.create(size)
            }
            Step::CreateAppend => {
                let bytes = self.files.about(self.config.append_bytes);
                self.create(bytes)
            }
            Step::Append => {
                let file = self.files.pick();
                let bytes = self.files.about(self.config.append_bytes);
                self.append(file, bytes)
            }
            Step::AppendLast => {
                let bytes = self.files.about(self.config.append_bytes);
                self.append(self.read, bytes)
            }
            Step::Read => {
                self.read_whole();
                Ok(())
            }
            Step::Delete => {
                self.delete();
                Ok(())
            }
            Step::Fsync => {
                self.fsync();
                Ok(())
            }
            Step::Log => self.append_log(),
            Step::Stat => Ok(()),
        }
    }

    fn create(&mut self, bytes: u64) -> Result<(), SourceError> {
        let file = self.files.free();
        if self.files.list.get(file).is_some_and(|file| file.there) {
            // All exist: it is cut to nothing and written again.
            self.drop_file(file);
        }
        self.journal.entry(file as u64);
        self.append(file, bytes)
    }

    fn append(&mut self, file: usize, bytes: u64) -> Result<(), SourceError> {
        let (taken, written) = self.files.extend(file, bytes).ok_or_else(full)?;
        taken.iter().for_each(|extent| self.journal.space(*extent));
        self.journal.inode(file as u64);
        // The first page may hold data from before: it must be in memory to be changed.
        written.iter().for_each(|run| self.cache.write(*run));
        self.written = file;
        Ok(())
    }

    fn append_log(&mut self) -> Result<(), SourceError> {
        if self.files.list.get(self.log).is_some_and(|log| log.size > LOG_BYTES) {
            self.drop_file(self.log);
        }
        let bytes = self.files.about(self.config.append_bytes);
        self.append(self.log, bytes)
    }

    fn delete(&mut self) {
        let file = self.files.pick();
        if file != self.log {
            self.journal.entry(file as u64);
            self.drop_file(file);
        }
    }

    fn drop_file(&mut self, file: usize) {
        for extent in self.files.delete(file) {
            self.cache.forget(extent);
            self.journal.freed(extent);
        }
    }

    /// Reads a file from its start to its end, ahead of the program: twice or four times what it asks for at first, then twice
    /// as much each time (the kernel's rule for sequential reads).
    fn read_whole(&mut self) {
        let number = self.files.pick();
        self.read = number;
        let Some(file) = self.files.list.get(number) else { return };
        let most = self.config.read_ahead_bytes;
        let asked = self.config.io_bytes.next_power_of_two();
        let mut window = if asked <= most / 32 {
            asked * 4
        } else if asked <= most / 4 {
            asked * 2
        } else {
            most
        };
        let (mut from, size) = (0, file.size);
        while from < size {
            let to = (from + window).min(size);
            for run in runs(&file.extents, from, to) {
                for (start, length) in self.cache.read(run) {
                    self.io.push_cut(HostOp::Read, (start, length), most);
                }
            }
            from += window;
            window = if window < most / 16 { window * 4 } else { (window * 2).min(most) };
        }
    }

    /// Data of the last file first, then the journal (ordered mode).
    fn fsync(&mut self) {
        let extents: Vec<Extent> =
            self.files.list.get(self.written).map(|file| file.extents.clone()).unwrap_or_default();
        for extent in extents {
            for run in self.cache.clean_extent(extent) {
                self.io.push_cut(HostOp::Write, run, self.config.write_bytes);
            }
        }
        self.commit();
    }

    fn commit(&mut self) {
        let freed = self.journal.commit(&mut self.io, self.config.discard, self.config.write_bytes);
        freed.into_iter().for_each(|extent| self.files.space.give(extent));
    }

    fn write_back(&mut self, all: bool) {
        // A program that makes dirt faster than it is written waits.
        self.io.stall(1024);
        for run in self.cache.clean(all) {
            self.io.push_behind(HostOp::Write, run, self.config.write_bytes);
        }
        self.commit();
        // Metadata goes to its places when it is old, or when the journal needs room.
        if all {
            self.journal.write_back(&mut self.io, self.config.write_bytes);
        }
    }
}

fn full() -> SourceError {
    SourceError("Filebench: the drive is full: allowed: fewer or smaller files".into())
}

impl RequestSource for FilebenchSource {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        let most = self.config.loops.unwrap_or(u64::MAX);
        let before = batch.len();
        while batch.len() == before && self.requests_left > 0 {
            while self.loops < most && self.io.ready() < 512 {
                self.round()?;
            }
            if self.loops >= most {
                self.io.stall(0);
            }
            let moved = self.io.drain(batch, self.requests_left.min(4096));
            self.requests_left -= moved;
            if moved == 0 {
                break;
            }
        }
        Ok(())
    }

    fn size_hint(&self) -> Option<u64> {
        self.hint
    }
}
