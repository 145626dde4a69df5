//! The outer form of a snapshot: frames of bytes, each with its length and a checksum that goes over all before it too.
//! Nothing is handed on that was not checked, and no length is believed beyond a frame.

use std::io::{ErrorKind, Read, Write};

use super::SnapshotError;

/// Bytes of a frame at most.
const MOST: usize = 1 << 20;

/// CRC-32 of a frame, chained to that of the frame before.
fn checksum(before: u32, bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&before.to_le_bytes());
    hasher.update(&(bytes.len() as u32).to_le_bytes());
    hasher.update(bytes);
    hasher.finalize()
}

/// Cuts a stream of bytes into frames.
pub struct FrameWriter<'a> {
    out: &'a mut dyn Write,
    frame: Vec<u8>,
    checksum: u32,
}

impl<'a> FrameWriter<'a> {
    /// `seed` must be that of the reader.
    pub fn new(out: &'a mut dyn Write, seed: u32) -> Self {
        Self { out, frame: Vec::new(), checksum: seed }
    }

    /// More bytes of the data.
    pub fn write(&mut self, mut bytes: &[u8]) -> Result<(), SnapshotError> {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(MOST - self.frame.len()));
            self.frame.extend_from_slice(now);
            bytes = later;
            if self.frame.len() == MOST {
                self.end_frame()?;
            }
        }
        Ok(())
    }

    fn end_frame(&mut self) -> Result<(), SnapshotError> {
        self.checksum = checksum(self.checksum, &self.frame);
        let head = [(self.frame.len() as u32).to_le_bytes(), self.checksum.to_le_bytes()].concat();
        let written = self.out.write_all(&head).and_then(|()| self.out.write_all(&self.frame));
        self.frame.clear();
        written.map_err(|error| SnapshotError::Write(error.to_string()))
    }

    /// The last bytes, and an empty frame that says so.
    pub fn finish(mut self) -> Result<(), SnapshotError> {
        if !self.frame.is_empty() {
            self.end_frame()?;
        }
        self.end_frame()?;
        self.out.flush().map_err(|error| SnapshotError::Write(error.to_string()))
    }
}

/// Puts frames together again.
pub struct FrameReader<'a> {
    input: &'a mut dyn Read,
    frame: Vec<u8>,
    /// Bytes of the frame that were taken.
    taken: usize,
    checksum: u32,
    /// Frames so far, for messages.
    frames: u64,
    ended: bool,
}

impl<'a> FrameReader<'a> {
    /// `seed` must be that of the writer.
    pub fn new(input: &'a mut dyn Read, seed: u32) -> Self {
        Self { input, frame: Vec::new(), taken: 0, checksum: seed, frames: 0, ended: false }
    }

    fn next_frame(&mut self) -> Result<(), SnapshotError> {
        let mut head = [0; 8];
        exactly(self.input, &mut head)?;
        let [l0, l1, l2, l3, c0, c1, c2, c3] = head;
        let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        let expected = u32::from_le_bytes([c0, c1, c2, c3]);
        let damaged = SnapshotError::Damaged { frame: self.frames };
        if length > MOST {
            return Err(damaged);
        }
        self.frame.resize(length, 0);
        self.taken = 0;
        exactly(self.input, &mut self.frame)?;
        self.checksum = checksum(self.checksum, &self.frame);
        if self.checksum != expected {
            return Err(damaged);
        }
        self.frames += 1;
        self.ended = length == 0;
        Ok(())
    }

    /// The next `count` bytes where they are, if all of them lie in the present frame.
    pub fn take_at_once(&mut self, count: usize) -> Option<&[u8]> {
        let bytes = self.frame.get(self.taken..self.taken.checked_add(count)?)?;
        self.taken += count;
        Some(bytes)
    }

    /// Appends the next `count` bytes to `bytes`, which grows only as they come.
    pub fn read(&mut self, mut count: u64, bytes: &mut Vec<u8>) -> Result<(), SnapshotError> {
        while count > 0 {
            let rest = self.frame.get(self.taken..).unwrap_or_default();
            if rest.is_empty() {
                if !self.ended {
                    self.next_frame()?;
                }
                if self.ended {
                    return Err(SnapshotError::Misfit("it ends too early".to_owned()));
                }
                continue;
            }
            let now = rest.len().min(usize::try_from(count).unwrap_or(usize::MAX));
            bytes.extend_from_slice(rest.get(..now).unwrap_or_default());
            self.taken += now;
            count -= now as u64;
        }
        Ok(())
    }

    /// Nothing may be left.
    pub fn finish(mut self) -> Result<(), SnapshotError> {
        if self.taken == self.frame.len() && !self.ended {
            self.next_frame()?;
        }
        let mut byte = [0];
        match (self.ended, self.input.read(&mut byte)) {
            (true, Ok(0)) => Ok(()),
            (_, Err(error)) => Err(SnapshotError::Read(error.to_string())),
            _ => Err(SnapshotError::Misfit("there is more in it than belongs there".to_owned())),
        }
    }
}

/// Fills `bytes`; too few are a truncated snapshot.
pub fn exactly(input: &mut dyn Read, bytes: &mut [u8]) -> Result<(), SnapshotError> {
    input.read_exact(bytes).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => SnapshotError::Truncated,
        _ => SnapshotError::Read(error.to_string()),
    })
}
