//! Numbers and words in a line's fields. Every function gives `None` for what isn't exactly such a one.

use wordline_engine::host::request::HostOp;

/// A whole number.
pub(super) fn number(field: &[u8]) -> Option<u64> {
    if field.is_empty() || field.len() > 20 {
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
    let scale = 10_u128.pow(kept.len() as u32);
    Some(whole + u128::from(number(kept)?) * u128::from(unit_ns) / scale)
}

/// A number of units, as bytes.
pub(super) fn scaled(field: &[u8], unit_bytes: u64) -> Option<u64> {
    number(field)?.checked_mul(unit_bytes)
}

/// `Read` or `Write`, or their first letter, in any case.
pub(super) fn read_or_write(field: &[u8]) -> Option<HostOp> {
    if field.eq_ignore_ascii_case(b"read") || field.eq_ignore_ascii_case(b"r") {
        Some(HostOp::Read)
    } else if field.eq_ignore_ascii_case(b"write") || field.eq_ignore_ascii_case(b"w") {
        Some(HostOp::Write)
    } else {
        None
    }
}

/// Exactly `N` fields, trimmed of blanks, between commas.
pub(super) fn comma_fields<const N: usize>(line: &[u8]) -> Option<[&[u8]; N]> {
    exactly(line.split(|byte| *byte == b',').map(<[u8]>::trim_ascii))
}

/// Exactly `N` fields between runs of blanks or tabs.
pub(super) fn blank_fields<const N: usize>(line: &[u8]) -> Option<[&[u8]; N]> {
    exactly(line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()))
}

/// The first `N` fields, trimmed of blanks, between commas; more may follow.
pub(super) fn first_fields<const N: usize>(line: &[u8]) -> Option<[&[u8]; N]> {
    let mut fields = line.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    let mut found = [&[][..]; N];
    for place in &mut found {
        *place = fields.next()?;
    }
    Some(found)
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
        assert_eq!(blank_fields::<2>(b" a \t b "), Some([&b"a"[..], b"b"]));
        assert_eq!(blank_fields::<2>(b"a b c"), None);
    }
}
