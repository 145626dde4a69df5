//! Numbers and words in a line's fields. Every function gives `None` for what isn't exactly such a one.

use super::digits::{POWERS, leading_digits, of_digits};
use super::iso;

/// Most digits of which every number fits 64 bits.
const SURE_DIGITS: usize = 19;

/// A whole number.
#[inline]
pub(super) fn number(field: &[u8]) -> Option<u64> {
    if field.is_empty() || field.len() > SURE_DIGITS {
        return long_number(field);
    }
    let (eights, rest) = field.as_chunks::<8>();
    let mut value = 0;
    for eight in eights {
        value = value * 100_000_000 + eight_digits(u64::from_le_bytes(*eight))?;
    }
    // What is left, of the last eight bytes.
    if let (Some(last), Some(scale)) = (field.last_chunk::<8>(), POWERS.get(rest.len())) {
        if rest.is_empty() {
            return Some(value);
        }
        let digits = u64::from_le_bytes(*last) >> (64 - 8 * rest.len());
        return (leading_digits(digits) == rest.len()).then(|| value * scale + of_digits(digits, rest.len()));
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

/// The number of eight digits.
#[inline]
fn eight_digits(text: u64) -> Option<u64> {
    (leading_digits(text) == 8).then(|| of_digits(text, 8))
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

/// A decimal number of units, as ns; what is finer than 1 ns is cut off. A time of ISO 8601 has no unit but counts from 1970.
pub(super) fn time(field: &[u8], unit_ns: u64) -> Option<u128> {
    if let Some(whole) = number(field) {
        return Some(u128::from(whole) * u128::from(unit_ns));
    }
    if field.get(4) == Some(&b'-') {
        return iso::parse(field);
    }
    span(field, unit_ns)
}

/// A decimal number of units, as ns: a time without a date.
pub(super) fn span(field: &[u8], unit_ns: u64) -> Option<u128> {
    if let Some(whole) = number(field) {
        return Some(u128::from(whole) * u128::from(unit_ns));
    }
    let point = field.iter().position(|byte| *byte == b'.')?;
    let (whole, fraction) = (field.get(..point)?, field.get(point + 1..)?);
    let whole = u128::from(number(whole)?) * u128::from(unit_ns);
    let kept = fraction.get(..fraction.len().min(POWERS.len() - 1))?;
    if kept.is_empty() {
        return Some(whole);
    }
    if !fraction.get(kept.len()..)?.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let (kept, scale) = (number(kept)?, *POWERS.get(kept.len())?);
    // In 64 bits for every usual unit.
    let part = match kept.checked_mul(unit_ns) {
        Some(parts) => u128::from(parts / scale),
        None => u128::from(kept) * u128::from(unit_ns) / u128::from(scale),
    };
    Some(whole + part)
}

/// A number of units, as bytes.
pub(super) fn scaled(field: &[u8], unit_bytes: u64) -> Option<u64> {
    number(field)?.checked_mul(unit_bytes)
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
    let mut commas = Commas::of(line);
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

/// Where the commas of a line are: found for 64 bytes at once, since fields are too short for a search each.
struct Commas<'a> {
    line: &'a [u8],
    /// Where the 64 bytes begin, and a bit for each of them that is a comma.
    start: usize,
    bits: u64,
}

impl<'a> Commas<'a> {
    #[inline]
    fn of(line: &'a [u8]) -> Self {
        Self { line, start: 0, bits: commas_of_64(line) }
    }

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.bits == 0 {
            self.start += 64;
            self.bits = commas_of_64(self.line.get(self.start..)?);
        }
        let place = self.start + self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(place)
    }
}

/// A bit for each of the first 64 bytes that is a comma.
#[inline]
fn commas_of_64(text: &[u8]) -> u64 {
    let text = text.get(..64).unwrap_or(text);
    let (eights, rest) = text.as_chunks::<8>();
    let mut bits = 0;
    for (shift, eight) in (0..).step_by(8).zip(eights) {
        bits |= commas_of_8(u64::from_le_bytes(*eight)) << shift;
    }
    if !rest.is_empty() {
        match text.last_chunk::<8>() {
            // The last eight bytes, of which some were looked at.
            Some(last) => bits |= commas_of_8(u64::from_le_bytes(*last)) << (text.len() - 8),
            None => bits |= (0..).zip(rest).map(|(bit, byte)| u64::from(*byte == b',') << bit).sum::<u64>(),
        }
    }
    bits
}

/// A bit for each of eight bytes that is a comma.
#[inline]
fn commas_of_8(text: u64) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let other = text ^ 0x2c2c_2c2c_2c2c_2c2c;
    // The highest bit of each byte that is 0 now, gathered in the highest byte.
    let zero = !((other & LOW).wrapping_add(LOW) | other | LOW);
    (zero >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
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
    use proptest::prelude::*;

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
        for length in 0..200_usize {
            for step in [1, 2, 7, 8, 63, 64, 65] {
                let line: Vec<u8> = (0..length)
                    .map(|i| if i % step == 0 { b',' } else { b'+' + (i % 4) as u8 * 2 })
                    .collect();
                let mut commas = Commas::of(&line);
                let found: Vec<usize> = std::iter::from_fn(|| commas.next()).collect();
                assert_eq!(found, memchr::memchr_iter(b',', &line).collect::<Vec<_>>(), "{length} {step}");
            }
        }
        assert_eq!(blank_fields::<2>(b" a \t b "), Some([&b"a"[..], b"b"]));
        assert_eq!(blank_fields::<2>(b"a b c"), None);
    }

    /// Digits, many of them at the edges of eight, sixteen, nineteen and twenty, and what looks like a number.
    fn digits() -> impl Strategy<Value = String> {
        prop_oneof![
            5 => "[0-9]{0,24}",
            1 => "0{0,20}[0-9]{1,20}",
            1 => "1844674407370955[0-9]{4}",
            1 => "[+-][0-9]{0,20}|[0-9]{0,18}[ ./:eE\u{663}][0-9]{0,18}",
            1 => any::<u64>().prop_map(|number| number.to_string()),
        ]
    }

    proptest! {
        #[test]
        fn numbers_are_what_the_standard_library_reads(text in digits()) {
            let expected = if text.starts_with('+') || text.len() > 20 { None } else { text.parse().ok() };
            prop_assert_eq!(number(text.as_bytes()), expected, "{}", text);
        }

        #[test]
        fn times_are_exact_to_1_ns(whole in digits(), fraction in "[0-9]{0,30}", unit in 0..10_u32) {
            let unit = 10_u64.pow(unit);
            let found = time(format!("{whole}.{fraction}").as_bytes(), unit);
            // Nine decimals count, whatever the unit.
            let kept = format!("{fraction:0<9}");
            let kept: u128 = kept[..9].parse().unwrap();
            let expected = number(whole.as_bytes())
                .map(|whole| u128::from(whole) * u128::from(unit) + kept * u128::from(unit) / 1_000_000_000);
            prop_assert_eq!(found, expected);
        }
    }
}
