//! Binary records from an input, in one buffer of fixed size; knows where in the file it is.

use std::fmt::Write as _;
use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::path::PathBuf;

use super::Phrase;

/// Size of the buffer, bytes: also the longest record.
const BUFFER: usize = 1 << 16;

/// Bytes of a bad record that an error shows.
const SHOWN: usize = 16;

/// Why there is no record.
#[derive(Debug)]
pub(crate) enum RecordFault {
    /// It isn't what it should be. Reading goes on behind it where `last` is unset.
    Bad { file: Option<PathBuf>, place: Place, shown: String, expected: Phrase, last: bool },
    /// The input can't be read.
    Io { file: Option<PathBuf>, place: Place, error: std::io::Error },
}

impl RecordFault {
    /// The same, in a file of several.
    pub(crate) fn in_file(self, path: PathBuf) -> Self {
        match self {
            Self::Bad { place, shown, expected, last, .. } => {
                Self::Bad { file: Some(path), place, shown, expected, last }
            }
            Self::Io { place, error, .. } => Self::Io { file: Some(path), place, error },
        }
    }
}

/// A record's number, from 1, and its first byte in the (decompressed) file, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub number: u64,
    pub byte: u64,
}

/// A stream of records.
pub(crate) struct Records<R> {
    input: R,
    buffer: Box<[u8]>,
    /// Bytes of the buffer that were read and not yet given out.
    filled: Range<usize>,
    /// Place of the record given out last.
    place: Place,
    /// Byte of the file behind it.
    next_byte: u64,
}

impl<R: Read> Records<R> {
    pub(crate) fn new(input: R) -> Self {
        Self {
            input,
            buffer: vec![0; BUFFER].into_boxed_slice(),
            filled: 0..0,
            place: Place::default(),
            next_byte: 0,
        }
    }

    pub(crate) fn input(&self) -> &R {
        &self.input
    }

    /// Where the record is that was given out last.
    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// The next record, of `length` bytes (at most 64 KiB); `None` at the end of the input.
    pub(super) fn next(&mut self, length: usize) -> Result<Option<&[u8]>, RecordFault> {
        self.place = Place { number: self.place.number + 1, byte: self.next_byte };
        let there = self.want(length)?;
        if there == 0 {
            return Ok(None);
        }
        if there < length {
            let expected = format!("a whole record of {length} bytes, not {there}");
            return Err(self.bad(expected.into(), true));
        }
        let start = self.filled.start;
        self.filled.start += length;
        self.next_byte += length as u64;
        Ok(self.buffer.get(start..start + length))
    }

    /// Passes over `length` bytes behind the record; the end of the input is no fault.
    pub(super) fn pass_over(&mut self, length: u64) -> Result<(), RecordFault> {
        let mut left = length;
        while left > 0 {
            let there = self.want(1)?;
            let step = left.min(there as u64);
            if step == 0 {
                break;
            }
            self.filled.start += step as usize;
            self.next_byte += step;
            left -= step;
        }
        Ok(())
    }

    /// Passes over everything up to the first `end` and over that; whether there is one.
    pub(super) fn pass_behind(&mut self, end: u8) -> Result<bool, RecordFault> {
        loop {
            if self.want(1)? == 0 {
                return Ok(false);
            }
            let here = self.buffer.get(self.filled.clone()).unwrap_or_default();
            let found = memchr::memchr(end, here);
            let step = found.map_or(here.len(), |found| found + 1);
            self.filled.start += step;
            self.next_byte += step as u64;
            if found.is_some() {
                return Ok(true);
            }
        }
    }

    /// Reads until `length` bytes are there or the input ends; how many there are.
    fn want(&mut self, length: usize) -> Result<usize, RecordFault> {
        if self.filled.len() < length && self.filled.start > 0 {
            self.buffer.copy_within(self.filled.clone(), 0);
            self.filled = 0..self.filled.len();
        }
        while self.filled.len() < length {
            let room = self.buffer.get_mut(self.filled.end..).unwrap_or_default();
            match self.input.read(room) {
                Ok(0) => break,
                Ok(count) => self.filled.end += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(RecordFault::Io { file: None, place: self.place, error }),
            }
        }
        Ok(self.filled.len())
    }

    /// A fault of the record given out last, or of the one that should come where it is `last`.
    pub(super) fn bad(&self, expected: Phrase, last: bool) -> RecordFault {
        let start = match last {
            true => self.filled.start,
            false => {
                self.filled.start.saturating_sub(self.next_byte.saturating_sub(self.place.byte) as usize)
            }
        };
        let bytes = self.buffer.get(start..self.filled.end.max(start)).unwrap_or_default();
        RecordFault::Bad { file: None, place: self.place, shown: shown(bytes), expected, last }
    }
}

/// Bytes in hexadecimal, shortened.
fn shown(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes.iter().take(SHOWN) {
        let _ = write!(text, "{byte:02x}");
    }
    if bytes.len() > SHOWN {
        text.push('…');
    }
    text
}

/// Numbers in a record, little or big endian. A record that is too short gives 0, which no caller lets happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

impl Order {
    pub(super) fn u16(self, record: &[u8], at: usize) -> u16 {
        let bytes = array(record, at);
        if self == Self::Little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) }
    }

    pub(super) fn u32(self, record: &[u8], at: usize) -> u32 {
        let bytes = array(record, at);
        if self == Self::Little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) }
    }

    pub(super) fn u64(self, record: &[u8], at: usize) -> u64 {
        let bytes = array(record, at);
        if self == Self::Little { u64::from_le_bytes(bytes) } else { u64::from_be_bytes(bytes) }
    }
}

fn array<const N: usize>(record: &[u8], at: usize) -> [u8; N] {
    record.get(at..at + N).and_then(|bytes| bytes.try_into().ok()).unwrap_or([0; N])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_know_their_number_and_byte() {
        let bytes: Vec<u8> = (0..=255).collect();
        let mut records = Records::new(&bytes[..]);
        assert_eq!(records.next(10).unwrap(), Some(&bytes[..10]));
        records.pass_over(5).unwrap();
        assert_eq!(records.next(3).unwrap(), Some(&bytes[15..18]));
        assert_eq!(records.place(), Place { number: 2, byte: 15 });
        let RecordFault::Bad { shown, .. } = records.bad("x".into(), false) else { panic!() };
        assert!(shown.starts_with("0f1011"), "{shown}");
        assert!(records.pass_behind(99).unwrap());
        assert_eq!(records.next(1).unwrap(), Some(&[100][..]));
    }

    #[test]
    fn a_record_that_is_cut_off_is_a_fault_and_the_end_is_none() {
        let mut records = Records::new(&[1_u8, 2, 3][..]);
        assert!(records.next(2).unwrap().is_some());
        let Err(RecordFault::Bad { place, shown, expected, last, .. }) = records.next(2) else { panic!() };
        assert_eq!((place.byte, shown.as_str(), last), (2, "03", true));
        assert!(expected.contains("not 1"));
        let mut none = Records::new(&[][..]);
        assert!(none.next(2).unwrap().is_none());
        assert!(!none.pass_behind(1).unwrap());
    }

    #[test]
    fn records_across_the_buffers_end_are_whole() {
        let bytes: Vec<u8> = (0..200_000_u32).map(|index| (index % 251) as u8).collect();
        let mut records = Records::new(&bytes[..]);
        let mut at = 0;
        while let Some(record) = records.next(77).ok().flatten() {
            assert_eq!(record, &bytes[at..at + 77]);
            at += 77;
        }
        assert!(at > 199_000);
    }
}
