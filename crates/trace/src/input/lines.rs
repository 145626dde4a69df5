//! Cuts bytes into lines in one buffer of fixed size, without a copy of the line.

use std::io::{ErrorKind, Read};
use std::ops::Range;

use crate::format::PAD;

/// Bytes that are held, besides zeros behind them: also the longest line.
const BUFFER: usize = 1 << 17;

/// A stream of lines.
pub(crate) struct LineReader<R> {
    input: R,
    buffer: Box<[u8]>,
    /// Bytes of the buffer that were read and not yet given out.
    filled: Range<usize>,
    at_end: bool,
    /// Inside the rest of a line that was too long.
    skipping: bool,
    number: u64,
}

/// Why there is no line.
#[derive(Debug)]
pub(crate) enum LineFault {
    /// Longer than any line of a trace; it is skipped.
    TooLong,
    /// The input can't be read.
    Io(std::io::Error),
}

impl<R: Read> LineReader<R> {
    pub(crate) fn new(input: R) -> Self {
        Self {
            input,
            buffer: vec![0; BUFFER + PAD].into_boxed_slice(),
            filled: 0..0,
            at_end: false,
            skipping: false,
            number: 0,
        }
    }

    pub(crate) fn input(&self) -> &R {
        &self.input
    }

    /// Number of the line given out last, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The next line without its end (`\n` or `\r\n`), or `None` after the last.
    pub(crate) fn next_line(&mut self) -> Result<Option<&[u8]>, LineFault> {
        let Some(range) = self.advance()? else { return Ok(None) };
        self.number += 1;
        let line = self.buffer.get(range).unwrap_or_default();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        Ok(Some(if self.number == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line }))
    }

    /// What is there from the next line on, whole lines and a part of one, and zeros behind it: for who finds a line's
    /// end himself and then calls [`Self::pass`].
    #[inline]
    pub(crate) fn text(&self) -> &[u8] {
        let there = if self.skipping { 0..0 } else { self.filled.start..self.filled.end + PAD };
        self.buffer.get(there).unwrap_or_default()
    }

    /// Passes over the next line, which takes so many bytes with its end.
    #[inline]
    pub(crate) fn pass(&mut self, length: usize) {
        self.filled.start += length;
        self.number += 1;
    }

    fn advance(&mut self) -> Result<Option<Range<usize>>, LineFault> {
        let mut searched = 0;
        loop {
            let fresh = self.buffer.get(self.filled.start + searched..self.filled.end).unwrap_or_default();
            if let Some(length) = memchr::memchr(b'\n', fresh) {
                let line = self.filled.start..self.filled.start + searched + length;
                self.filled.start = line.end + 1;
                if !std::mem::take(&mut self.skipping) {
                    return Ok(Some(line));
                }
                searched = 0;
            } else if self.at_end {
                let line = self.filled.clone();
                self.filled.start = self.filled.end;
                return Ok((!line.is_empty() && !self.skipping).then_some(line));
            } else {
                searched = self.make_room()?;
                self.fill().map_err(LineFault::Io)?;
            }
        }
    }

    /// Moves what is left to the buffer's start; returns its length.
    fn make_room(&mut self) -> Result<usize, LineFault> {
        let mut kept = self.filled.len();
        if kept == BUFFER || self.skipping {
            kept = 0;
            self.filled = 0..0;
            if !std::mem::replace(&mut self.skipping, true) {
                self.number += 1;
                return Err(LineFault::TooLong);
            }
        } else {
            self.buffer.copy_within(self.filled.clone(), 0);
            self.filled = 0..kept;
        }
        Ok(kept)
    }

    fn fill(&mut self) -> Result<(), std::io::Error> {
        let room = self.buffer.get_mut(self.filled.end..BUFFER).unwrap_or_default();
        match self.input.read(room) {
            Ok(0) => self.at_end = true,
            Ok(count) => self.filled.end += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        // What stood there before isn't text of this file's place.
        self.buffer.iter_mut().skip(self.filled.end).take(PAD).for_each(|byte| *byte = 0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time, the hardest case for a buffer.
    struct Drip<'a>(&'a [u8]);

    impl Read for Drip<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let count = self.0.len().min(1);
            let (now, later) = self.0.split_at(count);
            buffer[..count].copy_from_slice(now);
            self.0 = later;
            Ok(count)
        }
    }

    fn lines(input: impl Read) -> Vec<String> {
        let mut reader = LineReader::new(input);
        let mut lines = Vec::new();
        loop {
            match reader.next_line() {
                Ok(Some(line)) => lines.push(String::from_utf8_lossy(line).into_owned()),
                Ok(None) => return lines,
                Err(LineFault::TooLong) => lines.push("too long".into()),
                Err(LineFault::Io(error)) => panic!("{error}"),
            }
        }
    }

    #[test]
    fn lines_end_with_lf_or_crlf_or_the_file() {
        let text = b"\xef\xbb\xbfone\ntwo\r\n\nfour";
        assert_eq!(lines(&text[..]), ["one", "two", "", "four"]);
        assert_eq!(lines(Drip(text)), ["one", "two", "", "four"]);
        assert!(lines(&b""[..]).is_empty());
    }

    #[test]
    fn lines_across_the_buffers_end_are_whole() {
        let line = format!("{}\n", "x".repeat(1000));
        let text = line.repeat(500);
        assert!(lines(text.as_bytes()).iter().all(|line| line.len() == 1000));
    }

    #[test]
    fn a_line_longer_than_the_buffer_is_skipped_once_and_counted() {
        let text = format!("a\n{}\nb", "x".repeat(3 * BUFFER));
        assert_eq!(lines(text.as_bytes()), ["a", "too long", "b"]);
        let endless = "x".repeat(3 * BUFFER);
        assert_eq!(lines(endless.as_bytes()), ["too long"]);
    }
}
