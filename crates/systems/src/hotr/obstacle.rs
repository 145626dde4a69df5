//! What stands in the way of a read at its chip (§III-C, Conflict Detection).

use wordline_base::class::{Class, FlashOp};
use wordline_config::hotr::HotrConfig;

/// An operation that a read would have to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The chip is at it.
    Running,
    /// It waits at the chip, and goes before the read.
    Queued,
}

impl Obstacle {
    /// What a read meets at a chip that does `running`; `waits` tells of which kinds something waits that goes before it.
    pub fn met(config: &HotrConfig, running: Option<Class>, waits: impl Fn(FlashOp) -> bool) -> Option<Self> {
        let counts = |kind| match kind {
            FlashOp::Program => true,
            FlashOp::Erase => config.erases_block,
            FlashOp::Read => false,
        };
        if running.is_some_and(|class| counts(class.op())) {
            return Some(Self::Running);
        }
        let waiting = [FlashOp::Program, FlashOp::Erase].into_iter().any(|kind| counts(kind) && waits(kind));
        waiting.then_some(Self::Queued)
    }

    /// Whether a read that meets it is blocked.
    pub fn blocks(self, config: &HotrConfig) -> bool {
        self == Self::Running || config.queued_block
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(config: &HotrConfig, running: Option<Class>, waiting: Option<FlashOp>) -> Option<Obstacle> {
        Obstacle::met(config, running, |kind| waiting == Some(kind))
    }

    #[test]
    fn programs_are_obstacles_and_erases_where_the_scheme_says_so() {
        for erases_block in [false, true] {
            let config = HotrConfig { erases_block, ..HotrConfig::default() };
            for program in [Class::HostProgram, Class::GcProgram, Class::CopyProgram] {
                assert_eq!(met(&config, Some(program), None), Some(Obstacle::Running));
            }
            let erase = met(&config, Some(Class::GcErase), None);
            assert_eq!(erase, erases_block.then_some(Obstacle::Running));
            let waiting = met(&config, None, Some(FlashOp::Erase));
            assert_eq!(waiting, erases_block.then_some(Obstacle::Queued));
            assert_eq!(met(&config, Some(Class::HostRead), Some(FlashOp::Read)), None);
        }
    }

    #[test]
    fn a_program_that_waits_behind_a_read_blocks_where_the_scheme_says_so() {
        let mut config = HotrConfig::default();
        let queued = met(&config, Some(Class::HostRead), Some(FlashOp::Program));
        assert_eq!(queued, Some(Obstacle::Queued));
        let blocks =
            |config: &HotrConfig| [Obstacle::Running, Obstacle::Queued].map(|met| met.blocks(config));
        assert_eq!(blocks(&config), [true, false]);
        config.queued_block = true;
        assert_eq!(blocks(&config), [true, true]);
    }
}
