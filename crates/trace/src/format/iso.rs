//! Times as ISO 8601 has them: `2016-02-22T10:00:00.013118Z`, a blank for the T, an offset such as `+09:00` or none, which
//! is UTC.

use chrono::{DateTime, NaiveDateTime};

/// Shortest and longest text that is looked at, bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 19..=40;

/// From 1601 to 1970, ns: between the epochs of Windows and Unix.
const WINDOWS_TO_UNIX_NS: u128 = 11_644_473_600 * NS;

const NS: u128 = 1_000_000_000;

/// Times between 1985 and 2096, ns since 1970.
const LIKELY: std::ops::Range<u128> = 473_000_000 * NS..4_000_000_000 * NS;

/// Ns since 1970; `None` for what is no such time, or lies before.
#[cold]
pub(super) fn parse(field: &[u8]) -> Option<u128> {
    if !LENGTHS.contains(&field.len()) || field.get(4) != Some(&b'-') {
        return None;
    }
    let text = std::str::from_utf8(field).ok()?;
    let ns = match DateTime::parse_from_rfc3339(text) {
        Ok(time) => time.timestamp_nanos_opt(),
        Err(_) => with_other_offset(text).or_else(|| without_offset(text)),
    };
    ns.and_then(|ns| u128::try_from(ns).ok())
}

/// `+0900` and `+09` in the place of `+09:00`.
fn with_other_offset(text: &str) -> Option<i64> {
    let formats = ["%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%d %H:%M:%S%.f%#z", "%Y-%m-%d %H:%M:%S%.f %#z"];
    formats.iter().find_map(|format| DateTime::parse_from_str(text, format).ok())?.timestamp_nanos_opt()
}

fn without_offset(text: &str) -> Option<i64> {
    let formats = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f"];
    let time = formats.iter().find_map(|format| NaiveDateTime::parse_from_str(text, format).ok())?;
    time.and_utc().timestamp_nanos_opt()
}

/// Whether a line holds such a time.
pub(super) fn is_in(line: &[u8]) -> bool {
    let fields = line.split(|byte| b",;\t|\"".contains(byte)).map(<[u8]>::trim_ascii);
    fields.chain(line.split(u8::is_ascii_whitespace)).any(|field| parse(field).is_some())
}

/// Ns since 1970 of a time that a trace gives in ns of any clock; `None` where it is of none that starts in 1970 or 1601.
pub(crate) fn since_1970(ns: u128) -> Option<u64> {
    let windows = ns.checked_sub(WINDOWS_TO_UNIX_NS);
    let unix = [Some(ns), windows].into_iter().flatten().find(|ns| LIKELY.contains(ns))?;
    u64::try_from(unix).ok()
}

/// Ns since 1970 as text, in UTC.
pub(crate) fn shown(unix_ns: u64) -> String {
    DateTime::from_timestamp((unix_ns / NS as u64) as i64, (unix_ns % NS as u64) as u32)
        .map(|time| time.to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: u128 = 1_456_135_200 * NS;

    #[test]
    fn usual_spellings_are_one_time() {
        for (text, ns) in [
            ("2016-02-22T10:00:00Z", TIME),
            ("2016-02-22T10:00:00.013118Z", TIME + 13_118_000),
            ("2016-02-22 10:00:00.013118000", TIME + 13_118_000),
            ("2016-02-22T10:00:00,5", 0),
            ("2016-02-22T10:00:00", TIME),
            ("2016-02-22T19:00:00+09:00", TIME),
            ("2016-02-22T19:00:00.000001+0900", TIME + 1_000),
            ("2016-02-22 19:00:00 +0900", TIME),
            ("2016-02-22 09:59:59.999999999Z", TIME - 1),
        ] {
            assert_eq!(parse(text.as_bytes()), (ns > 0).then_some(ns), "{text}");
        }
        for text in
            ["2016-02-22", "2016-02-30T10:00:00Z", "1969-12-31T23:59:59Z", "x", "2016-02-22T10:00:00 x"]
        {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn lines_with_such_a_time_are_known() {
        assert!(is_in(b"7,2016-02-22 10:00:00,R,0,512"));
        assert!(is_in(b"2016-02-22T10:00:00Z R 0 512"));
        assert!(!is_in(b"2016-02-22,R,0,512") && !is_in(b"1456135200.013118,R,0,512"));
    }

    #[test]
    fn epochs_of_unix_and_windows_are_told_apart() {
        assert_eq!(since_1970(TIME), Some(TIME as u64));
        assert_eq!(since_1970(12_816_638_529_551_466_300), Some(1_172_164_929_551_466_300));
        assert_eq!([0, 91_814_342_452_000, u128::MAX].map(since_1970), [None; 3]);
        assert_eq!(shown(1_172_164_929_551_466_300), "2007-02-22T17:22:09.551466300Z");
        assert_eq!(shown(TIME as u64), "2016-02-22T10:00:00Z");
    }
}
