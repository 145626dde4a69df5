//! Which part of a request goes to which drive of an array.

use wordline_config::array::ArrayConfig;

/// A part of a request on one drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which drive.
    pub member: usize,
    /// First byte there.
    pub offset: u64,
    /// Bytes.
    pub length: u64,
}

/// The drive of a striped array that holds this byte, and where it does.
pub fn first_byte(config: &ArrayConfig, offset: u64) -> (usize, u64) {
    let (chunk, members) = (config.chunk_bytes, u64::from(config.members));
    let (number, inside) = (offset / chunk, offset % chunk);
    ((number % members) as usize, number / members * chunk + inside)
}

/// Splits a range of a striped array: one part for each drive that it touches, in the order of their numbers. What one
/// drive holds of a range lies there in one piece.
pub fn striped(config: &ArrayConfig, offset: u64, length: u64, parts: &mut Vec<Part>) {
    parts.clear();
    let (chunk, members) = (config.chunk_bytes, u64::from(config.members));
    if length == 0 {
        return;
    }
    let end = offset + length;
    // Bytes of drive `member` that lie before byte `position` of the array.
    let before = |position: u64, member: u64| {
        let (row, rest) = (position / (chunk * members), position % (chunk * members));
        row * chunk + rest.saturating_sub(member * chunk).min(chunk)
    };
    for member in 0..members {
        let (from, to) = (before(offset, member), before(end, member));
        if from < to {
            parts.push(Part { member: member as usize, offset: from, length: to - from });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use wordline_config::array::ArrayLayout;
    use wordline_config::array::{ArrayMember, MirrorServe};

    fn config(members: u32, chunk_bytes: u64) -> ArrayConfig {
        ArrayConfig {
            members,
            layout: ArrayLayout::Striped,
            of: ArrayMember::Drives,
            chunk_bytes,
            serve: MirrorServe::First,
            read_window_ns: 0,
        }
    }

    proptest! {
        #[test]
        fn every_byte_has_one_place_and_no_place_two_bytes(
            members in 2u32..6, chunk in 1u64..4, offset in 0u64..60, length in 0u64..60
        ) {
            let config = config(members, chunk * 512);
            let mut parts = Vec::new();
            striped(&config, offset * 512, length * 512, &mut parts);
            let mut expected = std::collections::BTreeSet::new();
            for sector in offset..offset + length {
                let (number, inside) = (sector / chunk, sector % chunk);
                let member = number % u64::from(members);
                expected.insert((member as usize, number / u64::from(members) * chunk + inside));
            }
            let found: std::collections::BTreeSet<_> = parts
                .iter()
                .flat_map(|part| (0..part.length / 512).map(|sector| (part.member, part.offset / 512 + sector)))
                .collect();
            prop_assert_eq!(found, expected);
            if length > 0 {
                let first = first_byte(&config, offset * 512);
                prop_assert!(parts.iter().any(|part| (part.member, part.offset) == first));
            }
        }
    }
}
