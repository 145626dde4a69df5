//! The journal of the file system, and the metadata that it protects.

use std::collections::BTreeSet;

use wordline_base::request::HostOp;

use crate::apps::extents::{Extent, PAGE};
use crate::apps::io::Io;

/// Inodes of a page (256 bytes each).
const INODES: u64 = 16;

/// Entries of a page of a directory, about.
const ENTRIES: u64 = 100;

/// Bytes that one page of a block bitmap describes.
const GROUP: u64 = 128 << 20;

/// Metadata in its places, and the journal.
pub(super) struct Journal {
    /// Pages that the running transaction has changed.
    changed: BTreeSet<u64>,
    /// Pages that are in the journal and not in their places yet.
    behind: BTreeSet<u64>,
    area: Extent,
    position: u64,
    inodes: u64,
    directory: u64,
    bitmaps: u64,
    /// Space that the running transaction has freed.
    freed: Vec<Extent>,
}

impl Journal {
    /// Metadata of so many files on a drive of this size, laid out from its start; and where data may begin.
    pub(super) fn new(journal_bytes: u64, files: u64, drive_bytes: u64) -> (Self, u64) {
        let inodes = 16 * PAGE;
        let directory = inodes + files.div_ceil(INODES) * PAGE;
        let bitmaps = directory + files.div_ceil(ENTRIES) * PAGE;
        let journal = bitmaps + drive_bytes.div_ceil(GROUP) * PAGE;
        let area = (journal, journal_bytes / PAGE * PAGE);
        let this = Self {
            changed: BTreeSet::new(),
            behind: BTreeSet::new(),
            area,
            position: 0,
            inodes,
            directory,
            bitmaps,
            freed: Vec::new(),
        };
        (this, journal + area.1)
    }

    /// A file's size or times have changed.
    pub(super) fn inode(&mut self, file: u64) {
        self.changed.insert(self.inodes + file / INODES * PAGE);
    }

    /// A file was created or deleted.
    pub(super) fn entry(&mut self, file: u64) {
        self.inode(file);
        // Names are hashed over the directory.
        let hash = file.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
        let pages = (self.bitmaps - self.directory) / PAGE;
        self.changed.insert(self.directory + hash % pages.max(1) * PAGE);
    }

    /// Space was given or taken.
    pub(super) fn space(&mut self, extent: Extent) {
        self.changed.insert(self.bitmaps + extent.0 / GROUP * PAGE);
    }

    /// Space of a deleted file: it is trimmed when that is committed.
    pub(super) fn freed(&mut self, extent: Extent) {
        self.space(extent);
        self.freed.push(extent);
    }

    /// Commits: descriptor and changed pages, a flush, and the commit record, which is written through as a write and a flush. What
    /// was freed can now be used again; it is trimmed first with `discard`.
    pub(super) fn commit(&mut self, io: &mut Io, discard: bool, most: u64) -> Vec<Extent> {
        if self.changed.is_empty() {
            return Vec::new();
        }
        let bytes = (self.changed.len() as u64 + 1) * PAGE;
        self.append(io, bytes, most);
        io.push(HostOp::Flush, 0, 0);
        self.append(io, PAGE, most);
        io.push(HostOp::Flush, 0, 0);
        self.behind.extend(std::mem::take(&mut self.changed));
        let mut freed = std::mem::take(&mut self.freed);
        freed.sort_unstable();
        let mut runs: Vec<Extent> = Vec::new();
        for (start, length) in freed {
            match runs.last_mut() {
                Some((first, size)) if *first + *size == start => *size += length,
                _ => runs.push((start, length)),
            }
        }
        if discard {
            runs.iter().for_each(|run| io.push(HostOp::Trim, run.0, run.1));
        }
        runs
    }

    /// Writes metadata to its places.
    pub(super) fn write_back(&mut self, io: &mut Io, most: u64) {
        let mut run: Option<Extent> = None;
        for page in std::mem::take(&mut self.behind) {
            match &mut run {
                Some((start, length)) if *start + *length == page => *length += PAGE,
                _ => {
                    if let Some(run) = run.replace((page, PAGE)) {
                        io.push_behind(HostOp::Write, run, most);
                    }
                }
            }
        }
        if let Some(run) = run {
            io.push_behind(HostOp::Write, run, most);
        }
    }

    fn append(&mut self, io: &mut Io, bytes: u64, most: u64) {
        let mut left = bytes;
        while left > 0 {
            if self.position >= self.area.1 {
                self.position = 0;
                // Room for more: what is in the journal goes to its places.
                self.write_back(io, most);
            }
            let length = left.min(self.area.1 - self.position);
            io.push_cut(HostOp::Write, (self.area.0 + self.position, length), most);
            self.position += length;
            left -= length;
        }
    }
}
