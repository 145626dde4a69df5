//! Records of a snapshot: each a value in the form of postcard, behind its length.

use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::frames::{FrameReader, FrameWriter, exactly};
use super::{FORMAT, SnapshotError};
use crate::memory::{Table, Word};

/// First bytes of every snapshot.
const MAGIC: [u8; 8] = *b"WORDLINE";

/// Chunks of a table in one record.
const CHUNKS_AT_ONCE: usize = 256;

/// Takes records.
pub struct Out<'a> {
    frames: FrameWriter<'a>,
}

impl<'a> Out<'a> {
    /// Begins a snapshot.
    pub fn begin(out: &'a mut dyn Write) -> Result<Self, SnapshotError> {
        let head = [&MAGIC[..], &FORMAT.to_le_bytes()].concat();
        out.write_all(&head).map_err(|error| SnapshotError::Write(error.to_string()))?;
        Ok(Self { frames: FrameWriter::new(out, FORMAT) })
    }

    /// A value.
    pub fn put<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SnapshotError> {
        #[cfg(any(test, feature = "shapes"))]
        super::shape::note(value);
        let bytes = postcard::to_allocvec(value).map_err(|error| SnapshotError::Write(error.to_string()))?;
        self.frames.write(&(bytes.len() as u64).to_le_bytes())?;
        self.frames.write(&bytes)
    }

    /// A large table: the numbers of some chunks, and their bytes as they are behind.
    pub fn put_table<T: Word>(&mut self, table: &Table<T>) -> Result<(), SnapshotError> {
        self.put_chunks(table.len(), &table.chunks_in_use(), |number| table.chunk_bytes(number))
    }

    /// Puts a table of so many entries, of which these chunks hold something.
    pub fn put_chunks(
        &mut self,
        entries: usize,
        numbers: &[u32],
        bytes: impl Fn(u32) -> Vec<u8>,
    ) -> Result<(), SnapshotError> {
        self.put(&(entries as u64, numbers.len() as u64))?;
        for some in numbers.chunks(CHUNKS_AT_ONCE) {
            self.put(some)?;
            for &number in some {
                self.frames.write(&bytes(number))?;
            }
        }
        Ok(())
    }

    /// Ends the snapshot.
    pub fn finish(self) -> Result<(), SnapshotError> {
        self.frames.finish()
    }
}

/// A table that isn't the one that belongs there.
fn strange(what: &str) -> SnapshotError {
    SnapshotError::Misfit(format!("a table {what}"))
}

/// Gives records back in their order.
pub struct In<'a> {
    frames: FrameReader<'a>,
    record: Vec<u8>,
}

impl<'a> In<'a> {
    /// Begins to read a snapshot.
    pub fn begin(input: &'a mut dyn Read) -> Result<Self, SnapshotError> {
        let (mut magic, mut format) = ([0; 8], [0; 4]);
        exactly(input, &mut magic).and_then(|()| exactly(input, &mut format)).map_err(
            |error| match error {
                SnapshotError::Truncated => SnapshotError::NoSnapshot,
                other => other,
            },
        )?;
        if magic != MAGIC {
            return Err(SnapshotError::NoSnapshot);
        }
        match u32::from_le_bytes(format) {
            FORMAT => Ok(Self { frames: FrameReader::new(input, FORMAT), record: Vec::new() }),
            other => Err(SnapshotError::Format(other)),
        }
    }

    fn next_record(&mut self) -> Result<(), SnapshotError> {
        self.record.clear();
        self.frames.read(8, &mut self.record)?;
        let length = u64::from_le_bytes(self.record.as_slice().try_into().unwrap_or_default());
        self.record.clear();
        self.frames.read(length, &mut self.record)
    }

    /// The next value.
    pub fn take<T: DeserializeOwned>(&mut self) -> Result<T, SnapshotError> {
        self.next_record()?;
        let no_value = || SnapshotError::Misfit(format!("no {}", std::any::type_name::<T>()));
        match postcard::take_from_bytes(&self.record) {
            Ok((value, [])) => Ok(value),
            _ => Err(no_value()),
        }
    }

    /// The name of the field that comes.
    pub fn expect(&mut self, name: &str) -> Result<(), SnapshotError> {
        let found: String = self.take()?;
        if found == name {
            return Ok(());
        }
        Err(SnapshotError::Misfit(format!("`{name}` is missing")))
    }

    /// The next table, into one of zeros.
    pub fn take_table<T: Word>(&mut self, table: &mut Table<T>) -> Result<(), SnapshotError> {
        let (entries, chunks): (u64, u64) = self.take()?;
        if entries != table.len() as u64 {
            return Err(strange(&format!("of {entries} entries instead of {}", table.len())));
        }
        let extent = table.expect_chunks(usize::try_from(chunks).unwrap_or(0));
        // What a snapshot that ends too early won't fill is not handed out.
        let ended = &AtomicBool::new(false);
        std::thread::scope(|scope| {
            if let Some(extent) = extent {
                // SAFETY: the scope ends before the table does.
                let touch = move || unsafe { extent.touch(ended) };
                // Without a thread the memory comes when it is written.
                let _ = std::thread::Builder::new().spawn_scoped(scope, touch);
            }
            let taken = self.take_chunks(table, chunks);
            ended.store(true, Ordering::Relaxed);
            taken
        })
    }

    fn take_chunks<T: Word>(&mut self, table: &mut Table<T>, chunks: u64) -> Result<(), SnapshotError> {
        let mut left = chunks;
        while left > 0 {
            let some: Vec<u32> = self.take()?;
            if some.is_empty() || some.len() as u64 > left {
                return Err(strange("with too few or too many chunks"));
            }
            left -= some.len() as u64;
            for number in some {
                let bytes = size_of_val(table.chunk(number));
                let filled = match self.frames.take_at_once(bytes) {
                    Some(bytes) => table.fill_chunk(number, bytes),
                    None => {
                        self.record.clear();
                        self.frames.read(bytes as u64, &mut self.record)?;
                        table.fill_chunk(number, &self.record)
                    }
                };
                filled.ok_or_else(|| strange("with a chunk that it doesn't have"))?;
            }
        }
        Ok(())
    }

    /// Nothing may be left.
    pub fn finish(self) -> Result<(), SnapshotError> {
        self.frames.finish()
    }
}
