//! Entries under numbers that are used again: a vector, and a stack of the numbers that are free.

/// Keeps an entry under the number that became free last, or behind all others; returns its number.
#[inline(always)]
pub fn insert<T>(entries: &mut Vec<T>, free: &mut Vec<u32>, entry: T) -> u32 {
    match free.pop() {
        Some(number) => {
            entries[number as usize] = entry;
            number
        }
        None => {
            entries.push(entry);
            (entries.len() - 1) as u32
        }
    }
}

#[cfg(test)]
mod tests {
    use super::insert;

    #[test]
    fn a_number_that_became_free_last_is_used_first_and_then_new_ones() {
        let (mut entries, mut free) = (vec!['a', 'b', 'c'], vec![2, 0]);
        let numbers = ['d', 'e', 'f'].map(|entry| insert(&mut entries, &mut free, entry));
        assert_eq!((numbers, entries, free), ([0, 2, 3], vec!['d', 'b', 'e', 'f'], vec![]));
    }
}
