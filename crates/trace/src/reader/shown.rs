//! Lines of a trace in errors.

use crate::format::{Form, other_form};

/// Characters of a bad line that an error shows.
const SHOWN: usize = 60;

/// The first line that isn't blank, with its number.
pub(super) fn first_line(head: &[u8]) -> Option<(usize, &[u8])> {
    let mut lines = (1..).zip(head.split(|byte| *byte == b'\n'));
    lines.find(|(_, line)| !line.trim_ascii().is_empty())
}

/// A line in backticks, shortened, on one line whatever it holds.
pub(super) fn shown(line: &[u8]) -> String {
    // Enough bytes for the characters that are shown, however many each takes.
    let text = String::from_utf8_lossy(line.get(..line.len().min(4 * SHOWN + 4)).unwrap_or(line));
    let mut short: String = text.trim().chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if text.trim().chars().count() > SHOWN {
        short.push('…');
    }
    format!("`{}`", short.replace("\\\"", "\"").replace("\\'", "'"))
}

/// What was expected, and whether the line is of another form.
pub(super) fn hint(line: &[u8], expected: &str, form: Form) -> String {
    match other_form(line, form) {
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
