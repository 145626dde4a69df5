//! Numbers for devices and files that a trace names.

use std::collections::BTreeMap;

/// Numbers names in the order of their first appearance.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    numbers: BTreeMap<Box<[u8]>, u16>,
    last: Option<(Box<[u8]>, u16)>,
    /// Names that were numbered and not yet asked for.
    fresh: Vec<String>,
}

/// Longest name that is told from others, bytes: bounds the memory.
const LONGEST: usize = 1024;

/// Names that are told to whom they were numbered for.
const TOLD: usize = 8;

impl Numbering {
    /// The number of a name; `None` when there are more than 65,536.
    pub(super) fn number(&mut self, name: &[u8]) -> Option<u16> {
        let name = name.get(..LONGEST).unwrap_or(name);
        if let Some((last, number)) = &self.last
            && **last == *name
        {
            return Some(*number);
        }
        let number = match self.numbers.get(name) {
            Some(number) => *number,
            None => {
                let number = u16::try_from(self.numbers.len()).ok()?;
                if usize::from(number) < TOLD {
                    let shown: String =
                        String::from_utf8_lossy(name).chars().take(40).flat_map(char::escape_debug).collect();
                    self.fresh.push(shown);
                }
                *self.numbers.entry(name.into()).or_insert(number)
            }
        };
        self.last = Some((name.into(), number));
        Some(number)
    }

    /// The first names, as far as they came up since this was asked last.
    pub(super) fn take_fresh(&mut self) -> Vec<String> {
        std::mem::take(&mut self.fresh)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_in_order_of_appearance() {
        let mut numbering = Numbering::default();
        let numbers = ["8,0", "8,0", "8,16", "8,0", "259,1"].map(|name| numbering.number(name.as_bytes()));
        assert_eq!(numbers, [0, 0, 1, 0, 2].map(Some));
        assert_eq!(numbering.take_fresh(), ["8,0", "8,16", "259,1"]);
        assert!(numbering.take_fresh().is_empty());
    }

    #[test]
    fn more_than_65536_names_are_refused() {
        let mut numbering = Numbering::default();
        for number in 0..65_536_u32 {
            assert!(numbering.number(&number.to_le_bytes()).is_some());
        }
        assert_eq!(numbering.number(b"another"), None);
        assert_eq!(numbering.number(&7_u32.to_le_bytes()), Some(7));
    }
}
