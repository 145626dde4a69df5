//! Arbitration between submission queues (NVMe Base Specification, Command Arbitration).

use serde::{Deserialize, Serialize};

use crate::config::host::{ArbitrationConfig, ArbitrationKind, Priority};

/// Queues that take turns, each for a burst of commands.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Ring {
    queues: Vec<u16>,
    /// Commands in one turn of each queue; `u32::MAX` = no limit.
    burst: Vec<u32>,
    /// Place in `queues` of the queue whose turn it is.
    turn: usize,
    /// Commands that are left of its turn.
    left: u32,
}

impl Ring {
    fn add(&mut self, queue: u16, burst: u32) {
        if self.queues.is_empty() {
            self.left = burst;
        }
        self.queues.push(queue);
        self.burst.push(burst);
    }

    /// Takes a command of the queue whose turn it is. A queue without commands loses the rest of its turn.
    fn next(&mut self, ready: impl Fn(u16) -> bool) -> Option<u16> {
        for _ in 0..=self.queues.len() {
            let &queue = self.queues.get(self.turn)?;
            if self.left > 0 && ready(queue) {
                if self.left != u32::MAX {
                    self.left -= 1;
                }
                return Some(queue);
            }
            self.turn = (self.turn + 1) % self.queues.len();
            self.left = self.burst.get(self.turn).copied().unwrap_or(1);
        }
        None
    }
}

/// Decides which queue's command the drive takes next. Knows only which queues have one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Arbiter {
    kind: ArbitrationKind,
    /// A ring for each priority; round robin uses the first for all queues.
    rings: [Ring; Priority::COUNT],
    weights: [u32; Priority::COUNT],
    /// Weighted: commands that each priority may still give in this round.
    credits: [u32; Priority::COUNT],
}

impl Arbiter {
    /// For queues numbered from 0, of these priorities and weights.
    pub fn new(config: &ArbitrationConfig, queues: &[(Priority, u32)]) -> Self {
        let mut rings: [Ring; Priority::COUNT] = Default::default();
        for (number, &(priority, weight)) in queues.iter().enumerate() {
            let weighted = config.kind == ArbitrationKind::Weighted;
            let turns = if weighted { weight } else { 1 };
            let burst = if config.burst == 0 { u32::MAX } else { config.burst * turns };
            let ring = if config.kind == ArbitrationKind::RoundRobin { 0 } else { priority.index() };
            rings[ring].add(number as u16, burst);
        }
        let weights = [0, config.high_weight, config.medium_weight, config.low_weight];
        Self { kind: config.kind, rings, weights, credits: weights }
    }

    /// The queue whose command goes next, of those for which `ready` says that they have one.
    pub fn next(&mut self, ready: impl Fn(u16) -> bool) -> Option<u16> {
        match self.kind {
            ArbitrationKind::RoundRobin => self.rings[0].next(ready),
            ArbitrationKind::Strict => self.rings.iter_mut().find_map(|ring| ring.next(&ready)),
            ArbitrationKind::Weighted => self.weighted(ready),
        }
    }

    fn weighted(&mut self, ready: impl Fn(u16) -> bool) -> Option<u16> {
        if let Some(urgent) = self.rings[0].next(&ready) {
            return Some(urgent);
        }
        // When no priority that has a command has a credit left, the round is over.
        for _round in 0..2 {
            for (ring, credits) in self.rings.iter_mut().zip(&mut self.credits).skip(1) {
                if *credits == 0 {
                    continue;
                }
                if let Some(queue) = ring.next(&ready) {
                    *credits -= 1;
                    return Some(queue);
                }
            }
            self.credits = self.weights;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(kind: ArbitrationKind, burst: u32) -> ArbitrationConfig {
        ArbitrationConfig { kind, burst, high_weight: 3, medium_weight: 2, low_weight: 1 }
    }

    fn order(arbiter: &mut Arbiter, ready: &[u16], count: usize) -> Vec<u16> {
        (0..count).map(|_| arbiter.next(|queue| ready.contains(&queue)).unwrap()).collect()
    }

    const MEDIUM: (Priority, u32) = (Priority::Medium, 1);

    #[test]
    fn queues_take_turns_a_burst_long_whatever_their_priority() {
        let queues = [(Priority::Low, 1), (Priority::Urgent, 9), MEDIUM];
        let mut one = Arbiter::new(&config(ArbitrationKind::RoundRobin, 1), &queues);
        assert_eq!(order(&mut one, &[0, 1, 2], 7), [0, 1, 2, 0, 1, 2, 0]);
        let mut two = Arbiter::new(&config(ArbitrationKind::RoundRobin, 2), &queues);
        assert_eq!(order(&mut two, &[0, 1, 2], 7), [0, 0, 1, 1, 2, 2, 0]);
        assert_eq!(order(&mut two, &[1, 2], 3), [1, 1, 2], "queue 0 loses the rest of its turn");
    }

    #[test]
    fn without_a_limit_a_queue_keeps_its_turn_while_it_has_commands() {
        let mut arbiter = Arbiter::new(&config(ArbitrationKind::RoundRobin, 0), &[MEDIUM, MEDIUM]);
        assert_eq!(order(&mut arbiter, &[0, 1], 200), [0; 200]);
        assert_eq!(order(&mut arbiter, &[1], 1), [1]);
        assert_eq!(order(&mut arbiter, &[0, 1], 3), [1, 1, 1]);
    }

    #[test]
    fn each_priority_gives_as_many_commands_a_round_as_its_weight_and_urgent_ones_go_first() {
        let queues =
            [(Priority::Urgent, 1), (Priority::High, 1), MEDIUM, (Priority::Low, 1), (Priority::High, 1)];
        let mut arbiter = Arbiter::new(&config(ArbitrationKind::Weighted, 1), &queues);
        assert_eq!(order(&mut arbiter, &[1, 2, 3, 4], 6), [1, 4, 1, 2, 2, 3]);
        assert_eq!(order(&mut arbiter, &[1, 2, 3, 4], 6), [4, 1, 4, 2, 2, 3]);
        assert_eq!(order(&mut arbiter, &[0, 1, 2, 3, 4], 5), [0; 5]);
        assert_eq!(order(&mut arbiter, &[2, 3], 6), [2, 2, 3, 2, 2, 3], "credits of idle priorities lapse");
    }

    #[test]
    fn a_queue_of_more_weight_has_a_longer_turn_among_its_priority() {
        let mut arbiter =
            Arbiter::new(&config(ArbitrationKind::Weighted, 1), &[(Priority::Medium, 3), MEDIUM]);
        assert_eq!(order(&mut arbiter, &[0, 1], 8), [0, 0, 0, 1, 0, 0, 0, 1]);
    }

    #[test]
    fn strict_priority_serves_lower_queues_only_while_higher_ones_are_empty() {
        let queues = [(Priority::Low, 1), (Priority::High, 1), MEDIUM, (Priority::High, 1)];
        let mut arbiter = Arbiter::new(&config(ArbitrationKind::Strict, 1), &queues);
        assert_eq!(order(&mut arbiter, &[0, 1, 2, 3], 6), [1, 3, 1, 3, 1, 3]);
        assert_eq!(order(&mut arbiter, &[0, 2], 2), [2, 2]);
        assert_eq!(order(&mut arbiter, &[0], 1), [0]);
    }

    #[test]
    fn no_command_is_no_choice() {
        for kind in [ArbitrationKind::RoundRobin, ArbitrationKind::Weighted, ArbitrationKind::Strict] {
            assert_eq!(Arbiter::new(&config(kind, 1), &[MEDIUM]).next(|_| false), None);
            assert_eq!(Arbiter::new(&config(kind, 1), &[]).next(|_| true), None);
        }
    }
}
