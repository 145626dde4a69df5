//! Numbers and words in a line's fields. Every function gives `None` for what isn't exactly such a one.

use wordline_engine::host::request::HostOp;

/// Most digits of which every number fits 64 bits.
const SURE_DIGITS: usize = 19;

/// A whole number.
#[inline]
pub(super) fn number(field: &[u8]) -> Option<u64> {
    if field.is_empty() || field.len() > SURE_DIGITS {
        return long_number(field);
    }
    let (mut value, mut rest) = (0, field);
    while let Some((eight, after)) = rest.split_first_chunk() {
        value = value * 100_000_000 + eight_digits(u64::from_le_bytes(*eight))?;
        rest = after;
    }
    for byte in rest {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u64::from(digit);
    }
    Some(value)
}

/// The number of eight digits, the first in the lowest byte: neighbours are joined to pairs, fours and eight.
#[inline]
fn eight_digits(text: u64) -> Option<u64> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let digits = text ^ (ONES * 0x30);
    // A byte above 9 has a bit of the upper half, or gets one by adding 6.
    if (digits | digits.wrapping_add(ONES * 6)) & (ONES * 0xf0) != 0 {
        return None;
    }
    let pairs = digits.wrapping_mul(1 + (10 << 8)) >> 8 & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(1 + (100 << 16)) >> 16 & 0x0000_ffff_0000_ffff;
    Some(fours.wrapping_mul(1 + (10_000 << 32)) >> 32)
}

#[cold]
fn long_number(field: &[u8]) -> Option<u64> {
    if field.is_empty() || field.len() > SURE_DIGITS + 1 {
        return None;
    }
    field.iter().try_fold(0_u64, |value, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then_some(())?;
        value.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// A device, disk or flow number.
pub(super) fn device(field: &[u8]) -> Option<u16> {
    u16::try_from(number(field)?).ok()
}

/// A decimal number of units, as ns; what is finer than 1 ns is cut off.
pub(super) fn time(field: &[u8], unit_ns: u64) -> Option<u128> {
    if let Some(whole) = number(field) {
        return Some(u128::from(whole) * u128::from(unit_ns));
    }
    let (whole, fraction) = match memchr::memchr(b'.', field) {
        Some(point) => (field.get(..point)?, field.get(point + 1..)?),
        None => (field, &[][..]),
    };
    let whole = u128::from(number(whole)?) * u128::from(unit_ns);
    if fraction.is_empty() {
        return Some(whole);
    }
    if !fraction.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let kept = fraction.get(..fraction.len().min(9))?;
    let parts = u128::from(number(kept)?) * u128::from(unit_ns);
    // Nine digits of seconds: the usual case in 64 bits.
    let scale = 10_u64.pow(kept.len() as u32);
    Some(whole + u64::try_from(parts).map_or_else(|_| parts / u128::from(scale), |parts| u128::from(parts / scale)))
}

/// A number of units, as bytes.
pub(super) fn scaled(field: &[u8], unit_bytes: u64) -> Option<u64> {
    number(field)?.checked_mul(unit_bytes)
}

/// `Read` or `Write`, or their first letter, in any case.
#[inline]
pub(super) fn read_or_write(field: &[u8]) -> Option<HostOp> {
    match field {
        b"R" | b"r" | b"Read" => Some(HostOp::Read),
        b"W" | b"w" | b"Write" => Some(HostOp::Write),
        _ if field.eq_ignore_ascii_case(b"read") => Some(HostOp::Read),
        _ if field.eq_ignore_ascii_case(b"write") => Some(HostOp::Write),
        _ => None,
    }
}

/// Exactly `N` fields, trimmed of blanks, between commas.
#[inline]
pub(super) fn comma_fields<const N: usize>(line: &[u8]) -> Option<[&[u8]; N]> {
    let (found, count) = fields_up_to(line);
    (count == N).then_some(found)
}

/// Up to `N` fields, trimmed of blanks, between commas, and how many there are; `N` + 1 when there are more.
#[inline]
pub(super) fn fields_up_to<const N: usize>(line: &[u8]) -> ([&[u8]; N], usize) {
    let mut found = [&[][..]; N];
    let (mut count, mut start) = (0, 0);
    let mut commas = memchr::memchr_iter(b',', line);
    for place in &mut found {
        count += 1;
        let Some(end) = commas.next() else {
            *place = trimmed(line.get(start..).unwrap_or_default());
            return (found, count);
        };
        *place = trimmed(line.get(start..end).unwrap_or_default());
        start = end + 1;
    }
    (found, count + 1)
}

/// Without blanks at both ends, of which there are none in most.
#[inline]
fn trimmed(field: &[u8]) -> &[u8] {
    match field {
        [first, .., last] if *first > b' ' && *last > b' ' => field,
        _ => field.trim_ascii(),
    }
}

/// Exactly `N` fields between runs of blanks or tabs.
pub(super) fn blank_fields<const N: usize>(line: &[u8]) -> Option<[&[u8]; N]> {
    exactly(line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()))
}

/// The first `N` fields, trimmed of blanks, between commas; more may follow.
pub(super) fn first_fields<const N: usize>(line: &[u8]) -> Option<[&[u8]; N]> {
    let (found, count) = fields_up_to(line);
    (count >= N).then_some(found)
}

fn exactly<'a, const N: usize>(mut fields: impl Iterator<Item = &'a [u8]>) -> Option<[&'a [u8]; N]> {
    let mut found = [&[][..]; N];
    for place in &mut found {
        *place = fields.next()?;
    }
    fields.next().is_none().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_digits_up_to_64_bits() {
        assert_eq!(number(b"0"), Some(0));
        assert_eq!(number(b"18446744073709551615"), Some(u64::MAX));
        for digits in 1..=19 {
            let text: String = "9081726354998877665".chars().take(digits).collect();
            assert_eq!(number(text.as_bytes()), text.parse().ok(), "{text}");
            for place in 0..digits {
                for wrong in [b'/', b':', 0, b' ', b'.', 0x80 | b'3', 0xff, b'0' + 0x40] {
                    let mut bad = text.clone().into_bytes();
                    bad[place] = wrong;
                    assert_eq!(number(&bad), None, "{bad:?}");
                }
            }
        }
        for bad in ["", "18446744073709551616", "-1", "+1", "1.0", "1e3", " 1", "99999999999999999999999"] {
            assert_eq!(number(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn times_are_decimal_and_exact() {
        assert_eq!(time(b"26.214000", 1_000_000), Some(26_214_000));
        assert_eq!(time(b"0.000001", 1_000_000), Some(1));
        assert_eq!(time(b"5.", 1_000_000), Some(5_000_000));
        assert_eq!(time(b"1.0000000009999999999999999", 1_000_000_000), Some(1_000_000_000));
        assert_eq!(time(b"18446744073709551615", 1_000_000_000), Some(u128::from(u64::MAX) * 1_000_000_000));
        for bad in ["", ".", ".5", "1.x", "1..2", "1.28E+17", "nan"] {
            assert_eq!(time(bad.as_bytes(), 1), None, "{bad}");
        }
    }

    #[test]
    fn fields_are_counted() {
        assert_eq!(comma_fields::<2>(b"a, b"), Some([&b"a"[..], b"b"]));
        assert_eq!(comma_fields::<2>(b"a"), None);
        assert_eq!(comma_fields::<2>(b"a,b,c"), None);
        assert_eq!(comma_fields::<3>(b"a,,"), Some([&b"a"[..], b"", b""]));
        assert_eq!(fields_up_to::<3>(b" a b ,c"), ([&b"a b"[..], b"c", b""], 2));
        assert_eq!(fields_up_to::<2>(b"a,b,"), ([&b"a"[..], b"b"], 3));
        assert_eq!(first_fields::<2>(b"a,b,c,d"), Some([&b"a"[..], b"b"]));
        assert_eq!(first_fields::<2>(b"a"), None);
        assert_eq!(blank_fields::<2>(b" a \t b "), Some([&b"a"[..], b"b"]));
        assert_eq!(blank_fields::<2>(b"a b c"), None);
    }
}
