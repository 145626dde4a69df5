//! Chips that take commands as one: what a channel does where `device.channel.commands` is `chip`.
//!
//! A channel that becomes free sends what waits in page registers first. Then its chips have turns. A chip takes commands
//! when none of its dies has any: one for each die that has work, all of the same operation, one behind the other on the
//! channel. Dies never begin on their own.

use serde::{Deserialize, Serialize};

use crate::nand::Geometry;
use wordline_base::ids::DieId;
use wordline_config::device::{CommandTaker, DeviceConfig};

/// Whose turn it is on each channel.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Chips {
    pub(crate) dies: u32,
    pub(crate) ways: u32,
    pub(crate) turn: Vec<u32>,
    /// Of each channel, the chips that had nothing to begin when they were asked last, and none of whose dies got work or became
    /// free since, one bit each. What is not listed here is asked: so are those for which a word has no bit.
    #[serde(skip)]
    rests: Vec<u64>,
}

impl Chips {
    /// `None` where each die takes commands for itself.
    pub(crate) fn new(device: &DeviceConfig, geometry: &Geometry) -> Option<Box<Self>> {
        (device.channel.commands == CommandTaker::Chip).then(|| {
            let (dies, ways) = (geometry.dies_per_chip, geometry.ways);
            Box::new(Self { dies, ways, turn: vec![0; geometry.channels as usize], rests: Vec::new() })
        })
    }

    /// The channel of a chip, and its bit there; none where a word has no bit for it.
    fn bit_of(&self, chip: u32) -> (usize, u64) {
        let (channel, way) = (chip / self.ways, chip % self.ways);
        (channel as usize, 1u64.checked_shl(way).unwrap_or(0))
    }

    /// A die got work, or nothing occupies it any more: its chip is asked again.
    pub(crate) fn stir(&mut self, die: DieId) {
        let (channel, bit) = self.bit_of(die.0 / self.dies);
        if let Some(rests) = self.rests.get_mut(channel) {
            *rests &= !bit;
        }
    }

    /// A chip has nothing to begin.
    pub(crate) fn rest(&mut self, chip: u32) {
        let (channel, bit) = self.bit_of(chip);
        if channel >= self.rests.len() {
            self.rests.resize(channel + 1, 0);
        }
        if let Some(rests) = self.rests.get_mut(channel) {
            *rests |= bit;
        }
    }

    /// The next chip of a channel, from this turn on, that may have something to begin, and the turn behind it.
    pub(crate) fn next(&self, channel: u32, turns: std::ops::Range<u32>) -> Option<(u32, u32)> {
        let rests = self.rests.get(channel as usize).copied().unwrap_or(0);
        if rests.count_ones() == self.ways {
            return None;
        }
        let way = |turn| if turn < self.ways { turn } else { turn - self.ways };
        let asked = |way| rests & 1u64.checked_shl(way).unwrap_or(0) == 0;
        turns
            .map(|turn| (way(turn), turn + 1))
            .find(|&(way, _)| asked(way))
            .map(|(way, behind)| (channel * self.ways + way, behind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chips_that_rest_are_passed_over_until_one_of_their_dies_stirs() {
        for ways in [3, 64, 70] {
            let mut chips = Chips { dies: 2, ways, turn: vec![0; 2], rests: Vec::new() };
            let next =
                |chips: &Chips, turn: u32| chips.next(1, turn..turn + ways).map(|(chip, _)| chip - ways);
            assert_eq!((next(&chips, 0), next(&chips, 2)), (Some(0), Some(2)));
            (0..ways).filter(|&way| way != 1).for_each(|way| chips.rest(ways + way));
            assert_eq!((next(&chips, 0), next(&chips, 1)), (Some(1), Some(1)));
            chips.rest(ways + 1);
            // A word has no bits for more.
            assert_eq!(next(&chips, 0), (ways > 64).then_some(64));
            chips.stir(DieId((ways + 2) * 2 + 1));
            assert_eq!((next(&chips, 0), next(&chips, 2)), (Some(2), Some(2)));
        }
    }
}
