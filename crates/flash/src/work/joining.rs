//! How many planes a read takes into its command where naming a further one costs the bus more than a command of its own.
//!
//! Of `n` dies that read without a pause, each with `p` planes in a command in the mean, a read takes of the bus
//! (C − E) / p + E + X, and of the dies ((C − E + tR) / p + E + X) / n: the more planes, the more bus and the less die. Most
//! reads are served where both are the same, at p = (tR + (E − C) · (n − 1)) / ((n − 1) · (E + X)). With fewer the dies are
//! what reads wait for, with more the bus. Where data goes before commands, and is longer, the dies work in step: all data
//! moves, then all arrays work. Then only commands go beside arrays, and E stands in the place of E + X.

use crate::Flash;
use wordline_base::ids::DieId;
use wordline_base::time::Ns;
use wordline_config::device::ChannelArbitration;

/// Parts of a plane in which means are counted.
const PARTS: u64 = 256;

/// Parts of the bus time of a read, one of which fewer planes must win to be worth it.
const WORTH: u64 = 50;

impl Flash {
    /// Whether a further plane takes more bus time than a command of its own. Chips that take commands as one join always, as
    /// the controller does that they are modelled on.
    pub(crate) fn is_joining_dear(&self) -> bool {
        self.chips.is_none() && self.timing.read_command(2).0 > 2 * self.timing.read_command(1).0
    }

    /// Most planes of a read that a die begins at `now`, beside so many dies of its channel for which reads wait. Its array
    /// works for `array`, its data takes the bus for `data`. A mean that is no whole number is met by now one plane more, now
    /// one fewer. All that fit, where fewer would win the bus less than a part of [`WORTH`].
    pub(crate) fn planes_worth_joining(
        &self,
        die: DieId,
        beside: u64,
        [array, data]: [Ns; 2],
        now: Ns,
    ) -> u32 {
        let own = self.timing.read_command(1).0;
        let further = self.timing.read_command(2).0 - own;
        let in_step = self.rules.arbitration == ChannelArbitration::DataOutFirst && data.0 > own;
        let bus = beside * if in_step { further } else { further + data.0 };
        if bus == 0 {
            return u32::MAX;
        }
        let (all, dearer) = (u64::from(self.planes_together()), further - own);
        let mean = ((array.0 + beside * dearer).saturating_mul(PARTS) / bus).max(PARTS);
        let lost = dearer.saturating_mul((all * PARTS).saturating_sub(mean));
        let taken =
            all.saturating_mul(((further + data.0).saturating_mul(mean)).saturating_sub(dearer * PARTS));
        if lost.saturating_mul(WORTH) < taken {
            return u32::MAX;
        }
        if mean < PARTS + PARTS / 4 {
            // So few joined commands win nothing beside what it costs that they come by chance.
            return 1;
        }
        let die = u64::from(die.0).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let chance = (now.0 ^ die).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32 & (PARTS - 1);
        u32::try_from((mean + chance) / PARTS).unwrap_or(u32::MAX).max(1)
    }
}
