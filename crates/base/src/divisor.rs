//! Division by a number known at start-up, as one multiplication.

/// Divides 32-bit numbers exactly (Lemire, Kaser, Kurz: "Faster remainder by direct computation", 2019).
#[derive(Clone, Copy, Debug)]
pub struct Divisor {
    magic: u64,
    value: u32,
}

impl Divisor {
    /// A divisor; zero counts as one, since no count of the geometry is zero.
    #[inline]
    pub fn new(value: u32) -> Self {
        let value = value.max(1);
        Self { magic: (u64::MAX / u64::from(value)).wrapping_add(1), value }
    }

    /// The number itself.
    #[inline]
    pub fn value(self) -> u32 {
        self.value
    }

    /// Quotient and remainder.
    #[inline(always)]
    pub fn div_rem(self, number: u32) -> (u32, u32) {
        if self.value == 1 {
            return (number, 0);
        }
        let quotient = ((u128::from(self.magic) * u128::from(number)) >> 64) as u32;
        (quotient, number - quotient * self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_the_processors_division(number: u32, divisor in 1u32..) {
            prop_assert_eq!(Divisor::new(divisor).div_rem(number), (number / divisor, number % divisor));
        }
    }

    #[test]
    fn agrees_at_the_edges() {
        for divisor in [1, 2, 3, 7, 255, 256, 65_535, 1 << 31, u32::MAX - 1, u32::MAX] {
            for number in [0, 1, divisor - 1, divisor, divisor.wrapping_add(1), u32::MAX - 1, u32::MAX] {
                let expected = (number / divisor, number % divisor);
                assert_eq!(Divisor::new(divisor).div_rem(number), expected, "{number} / {divisor}");
            }
        }
    }
}
