//! Which units of a queue are programmed together: units that go to one write point, so many as fill a program.

/// Most write points of the host.
const MOST_POINTS: usize = 64;

/// The write point whose units are programmed next, of units that wait in this order, each given by its write point: the
/// first of which `page` wait. If there is none, and no more are to come (`more`), that of the first unit.
pub fn next_together(points: impl Iterator<Item = u8>, page: u32, more: bool) -> Option<u8> {
    let mut waiting = [0u32; MOST_POINTS];
    let mut first = None;
    for point in points {
        first = first.or(Some(point));
        let count = waiting.get_mut(usize::from(point))?;
        *count += 1;
        if *count >= page {
            return Some(point);
        }
    }
    first.filter(|_| !more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_write_point_with_a_whole_page_goes_next() {
        let of = |points: &[u8], page, more| next_together(points.iter().copied(), page, more);
        assert_eq!(
            of(&[0, 1, 1, 0, 0, 0], 2, true),
            Some(1),
            "two of point 1 are there before two of point 0"
        );
        assert_eq!(of(&[0, 1, 1, 0, 0, 0], 3, true), Some(0));
        assert_eq!(of(&[2, 1, 0], 2, true), None, "more may come");
        assert_eq!(of(&[2, 1, 0], 2, false), Some(2), "what is there goes in part");
        assert_eq!(of(&[], 1, false), None);
        assert_eq!(of(&[3], 1, true), Some(3));
    }
}
