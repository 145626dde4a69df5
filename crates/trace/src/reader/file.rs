//! A trace file as rows, with the file's name and the line's number in every error.

use std::path::{Path, PathBuf};

use wordline_engine::host::request::SourceError;

use crate::format::{Detected, Form, Row, Rules, detect};
use crate::input::{FileInput, LineFault, LineReader, open_input};
use crate::notes::Tally;

/// Characters of a bad line that an error shows.
const SHOWN: usize = 60;

/// An open trace file.
pub(super) struct TraceFile {
    path: PathBuf,
    lines: LineReader<FileInput>,
}

impl TraceFile {
    pub(super) fn open(path: &Path) -> Result<Self, SourceError> {
        Ok(Self { path: path.to_owned(), lines: LineReader::new(open_input(path)?) })
    }

    /// Tells the form from the first lines.
    pub(super) fn detect(&mut self) -> Result<Detected, SourceError> {
        let looked = self.lines.peek().map(|(head, complete)| {
            detect(head, complete).ok_or_else(|| first_line(head).map(|(number, line)| (number, shown(line))))
        });
        match looked {
            Ok(Ok(detected)) => Ok(detected),
            Ok(Err(Some((number, line)))) => Err(SourceError(format!(
                "{}:{number}: {line}: expected a line of an MSR, MQSim, SSDsim, DiskSim or Wordline trace",
                self.path.display()
            ))),
            Ok(Err(None)) => Err(self.whole("no request in this file")),
            Err(error) => Err(self.whole(&self.lines.input().fault(&error))),
        }
    }

    /// The next row, or `None` at the end. Bad lines are errors, or counted and passed over where `skip` is set.
    pub(super) fn next_row(
        &mut self,
        rules: &Rules,
        skip: bool,
        tally: &mut Tally,
    ) -> Result<Option<Row>, SourceError> {
        loop {
            let first = self.lines.number() == 0;
            let fault = match self.lines.next_line() {
                Ok(None) => return Ok(None),
                Ok(Some(line)) if line.trim_ascii().is_empty() || (first && rules.is_header(line)) => {
                    continue;
                }
                Ok(Some(line)) => match rules.parse(line) {
                    Ok(row) => return Ok(Some(row)),
                    Err(expected) => format!("{}: expected {}", shown(line), hint(line, expected, rules)),
                },
                Err(LineFault::TooLong) => "expected a line of at most 128 KiB".to_owned(),
                Err(LineFault::Io(error)) => return Err(self.at_line(1, &self.lines.input().fault(&error))),
            };
            tally.bad_line(self.at_line(0, &fault), skip)?;
        }
    }

    /// An error about the line read last, or `ahead` lines after it.
    pub(super) fn at_line(&self, ahead: u64, fault: &str) -> SourceError {
        SourceError(format!("{}:{}: {fault}", self.path.display(), self.lines.number() + ahead))
    }

    /// An error about the file as a whole.
    pub(super) fn whole(&self, fault: &str) -> SourceError {
        SourceError(format!("{}: {fault}", self.path.display()))
    }
}

/// The first line that isn't blank, with its number.
fn first_line(head: &[u8]) -> Option<(usize, &[u8])> {
    let mut lines = (1..).zip(head.split(|byte| *byte == b'\n'));
    lines.find(|(_, line)| !line.trim_ascii().is_empty())
}

/// A line in backticks, shortened, on one line whatever it holds.
fn shown(line: &[u8]) -> String {
    // Enough bytes for the characters that are shown, however many each takes.
    let text = String::from_utf8_lossy(line.get(..line.len().min(4 * SHOWN + 4)).unwrap_or(line));
    let mut short: String = text.trim().chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if text.trim().chars().count() > SHOWN {
        short.push('…');
    }
    format!("`{}`", short.replace("\\\"", "\"").replace("\\'", "'"))
}

/// What was expected, and whether the line is of another form.
fn hint(line: &[u8], expected: &str, rules: &Rules) -> String {
    let other = Form::ALL.into_iter().find(|form| Rules { form: *form, ..*rules }.parse(line).is_ok());
    match other {
        Some(form) => format!("{expected} (it is a line of the form `{}`)", form.name()),
        None => expected.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shown_line_is_short_and_printable() {
        assert_eq!(shown(b"1,2\t\"x\" "), "`1,2\\t\"x\"`");
        let long = shown("é".repeat(500).as_bytes());
        assert_eq!(long, format!("`{}…`", "é".repeat(SHOWN)));
        assert_eq!(shown(b"\x00\xff"), "`\\0\u{fffd}`");
    }
}
