//! What separates the fields of a line, and the fields.

use csv_core::ReadFieldResult;

/// What stands between two fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    Byte(u8),
    Blanks,
}

/// The fields of a line with quotes, one behind the other, and where each ends.
pub(super) fn unquoted(line: &[u8], separator: u8) -> (Vec<u8>, Vec<usize>) {
    let mut reader = csv_core::ReaderBuilder::new().delimiter(separator).build();
    let mut text = vec![0; line.len() + 1];
    let (mut ends, mut read, mut written) = (Vec::new(), 0, 0);
    loop {
        let rest = line.get(read..).unwrap_or_default();
        let room = text.get_mut(written..).unwrap_or_default();
        let (result, taken, given) = reader.read_field(rest, room);
        (read, written) = (read + taken, written + given);
        match result {
            ReadFieldResult::Field { .. } => ends.push(written),
            // An empty input ends the last field.
            ReadFieldResult::InputEmpty if rest.is_empty() => ends.push(written),
            ReadFieldResult::InputEmpty => {}
            ReadFieldResult::OutputFull | ReadFieldResult::End => break,
        }
    }
    (text, ends)
}

impl Separator {
    pub(super) fn of(line: &[u8]) -> Self {
        let found = [b',', b';', b'\t', b'|'].into_iter().find(|byte| line.contains(byte));
        match found {
            // Columns that are lined up by several tabs.
            Some(b'\t') if line.windows(2).any(|pair| pair == b"\t\t") => Self::Blanks,
            Some(byte) => Self::Byte(byte),
            None => Self::Blanks,
        }
    }

    /// Calls `take` with each field until it says no.
    pub(super) fn each(self, line: &[u8], mut take: impl FnMut(usize, &[u8]) -> bool) -> Option<()> {
        match self {
            Self::Byte(separator) => {
                let (text, ends) = unquoted(line, separator);
                let mut start = 0;
                for (index, end) in ends.iter().enumerate() {
                    take(index, text.get(start..*end)?).then_some(())?;
                    start = *end;
                }
            }
            Self::Blanks => {
                let fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
                for (index, field) in fields.enumerate() {
                    take(index, field).then_some(())?;
                }
            }
        }
        Some(())
    }
}

/// Names as the first line has them; numbers stand for no name.
pub(super) fn names(line: &[u8], separator: Separator) -> Vec<String> {
    let mut names = Vec::new();
    let _ = separator.each(line, |_, field| {
        let name = field.get(..field.len().min(200)).unwrap_or(field);
        names.push(String::from_utf8_lossy(name).trim().to_owned());
        names.len() < 4096
    });
    names
}
