//! Ranges of bits in words of 64.

/// Sets bits `first..=last` of `words`; those beyond the end are left out. Returns how many were clear before.
pub(crate) fn set_range(words: &mut [u64], first: u64, last: u64) -> u64 {
    let (Ok(first_word), Ok(last_word)) = (usize::try_from(first / 64), usize::try_from(last / 64)) else {
        return 0;
    };
    let mut fresh = 0;
    for (index, word) in words.iter_mut().enumerate().take(last_word.saturating_add(1)).skip(first_word) {
        let mut mask = u64::MAX;
        if index == first_word {
            mask &= u64::MAX << (first % 64);
        }
        if index == last_word {
            mask &= u64::MAX >> (63 - last % 64);
        }
        fresh += u64::from((mask & !*word).count_ones());
        *word |= mask;
    }
    fresh
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_exactly_the_range_and_counts_what_is_new() {
        for (first, last) in [(0, 0), (3, 9), (0, 63), (63, 64), (5, 190), (64, 127)] {
            let mut words = [0_u64; 3];
            assert_eq!(set_range(&mut words, first, last), last - first + 1);
            for bit in 0..192_u64 {
                let set = words[(bit / 64) as usize] >> (bit % 64) & 1 == 1;
                assert_eq!(set, (first..=last).contains(&bit), "{first}..={last} at {bit}");
            }
            assert_eq!(set_range(&mut words, first, last), 0);
        }
    }

    #[test]
    fn bits_beyond_the_words_are_left_out() {
        let mut words = [0_u64; 1];
        assert_eq!(set_range(&mut words, 60, 1000), 4);
        assert_eq!(set_range(&mut words, u64::MAX, u64::MAX), 0);
    }
}
