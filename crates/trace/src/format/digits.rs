//! Digits as numbers, eight at a time: the first in the lowest byte of a word of 64 bits.

/// A 1 in each byte.
pub(super) const ONES: u64 = 0x0101_0101_0101_0101;

/// Powers of ten.
pub(super) const POWERS: [u64; 10] =
    [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];

/// How many of eight bytes are digits before the first that is none.
#[inline]
pub(super) fn leading_digits(text: u64) -> usize {
    let values = text ^ (ONES * 0x30);
    // A byte above 9 has a bit of the upper half, or gets one by adding 6, which no digit below it carries into.
    let others = (values | values.wrapping_add(ONES * 6)) & (ONES * 0xf0);
    (others.trailing_zeros() / 8) as usize
}

/// The number of the first 1 to 8 bytes, which must be digits: neighbours are joined to pairs, fours and eight.
#[inline]
pub(super) fn of_digits(text: u64, count: usize) -> u64 {
    // Those behind are shifted out, and as many digits of 0 come in front.
    let values = (text ^ (ONES * 0x30)).wrapping_shl(64 - 8 * count as u32);
    let pairs = values.wrapping_mul(1 + (10 << 8)) >> 8 & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(1 + (100 << 16)) >> 16 & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(1 + (10_000 << 32)) >> 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_digits_in_front_are_counted_and_joined(text: [u8; 8], digits in 0..9_usize, number in 0..100_000_000_u64) {
            let mut text = text;
            for (byte, digit) in text.iter_mut().zip(format!("{number:08}").bytes()).take(digits) {
                *byte = digit;
            }
            let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let word = u64::from_le_bytes(text);
            prop_assert_eq!(leading_digits(word), count);
            if count > 0 {
                let expected: u64 = std::str::from_utf8(&text[..count]).unwrap().parse().unwrap();
                prop_assert_eq!(of_digits(word, count), expected);
            }
        }
    }

    #[test]
    fn every_byte_is_told_from_a_digit_at_every_place() {
        for place in 0..8 {
            for byte in 0..=255_u8 {
                let mut text = *b"98765432";
                text[place] = byte;
                let expected = if byte.is_ascii_digit() { 8 } else { place };
                assert_eq!(leading_digits(u64::from_le_bytes(text)), expected, "{text:?}");
            }
        }
    }
}
