//! The first line of a text: names of columns, a remark, or a request already.

use crate::config::ColumnsConfig;

use super::columns::Places;
use super::fields::time;
use super::separator::{Separator, names};

/// Fewest columns that a header names.
const FEWEST: usize = 4;

/// Whether a line is a remark, in every form that is text.
#[inline]
pub(super) fn is_comment(line: &[u8]) -> bool {
    line.trim_ascii_start().first() == Some(&b'#')
}

/// A remark without its mark.
pub(super) fn of_comment(line: &[u8]) -> Option<&[u8]> {
    line.trim_ascii_start().strip_prefix(b"#").map(<[u8]>::trim_ascii)
}

/// Whether a line has words in all its fields and a number in none, as names of columns have.
pub(super) fn has_no_number(line: &[u8]) -> bool {
    let names = names(line, Separator::of(line));
    let is_number = |name: &String| {
        let text = name.strip_prefix(['-', '+']).unwrap_or(name).as_bytes();
        time(text, 1).is_some() || name.parse::<f64>().is_ok()
    };
    !names.is_empty()
        && !names.iter().any(is_number)
        && names.iter().any(|name| name.contains(char::is_alphabetic))
}

/// The names of a text's columns: those of the first line that is no remark, where it has no numbers; else those of the
/// remark right above it, where it names as many columns, the needed ones among them. `lines` begin with the first.
pub(super) fn of_text<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Option<&'a [u8]> {
    let mut above = None;
    for line in lines {
        if is_comment(line) {
            above = of_comment(line);
        } else if has_no_number(line) {
            return (names(line, Separator::of(line)).len() >= FEWEST).then_some(line);
        } else {
            return above.filter(|names| heads(names, line));
        }
    }
    None
}

/// Whether a remark names the columns of the line below.
pub(super) fn heads(remark: &[u8], line: &[u8]) -> bool {
    let columns = |line: &[u8]| names(line, Separator::of(line)).len();
    has_no_number(remark) && columns(remark) == columns(line) && names_columns(remark)
}

/// Whether a line names the columns that are needed.
pub(super) fn names_columns(line: &[u8]) -> bool {
    let names = names(line, Separator::of(line));
    names.len() >= FEWEST && Places::find(&names, &ColumnsConfig::default()).is_ok()
}

/// Whether a line has the usual names of two columns at least, and so is meant to name them.
pub(super) fn names_some(line: &[u8]) -> bool {
    let names = names(line, Separator::of(line));
    Places::known(&names) >= 2
}
