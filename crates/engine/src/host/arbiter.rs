//! Arbitration between submission queues (NVMe Base Specification, Command Arbitration).

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use wordline_config::host::{ArbitrationConfig, ArbitrationKind, Priority};

/// What a queue has for the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// No command.
    Empty,
    /// A command that the drive doesn't take now.
    Held,
    /// A command.
    Ready,
}

/// A queue that takes turns with others.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Turn {
    queue: u16,
    /// Commands of a whole turn; `u32::MAX` = no limit.
    burst: u32,
    /// Commands that are left of this one.
    left: u32,
}

/// Queues that take turns, each for a burst of commands, in the order in which their turns come. A queue without commands loses its
/// turn, or the rest of it; one whose command is held keeps it, since others would take it once for each command that passes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Ring {
    turns: VecDeque<Turn>,
    /// Turns that are kept, while others are looked at.
    #[serde(skip)]
    kept: Vec<Turn>,
}

impl Ring {
    fn add(&mut self, queue: u16, burst: u32) {
        self.turns.push_back(Turn { queue, burst, left: burst });
    }

    /// Takes a command of the first queue that has one for the drive.
    fn next(&mut self, head: impl Fn(u16) -> Head) -> Option<u16> {
        let place = self.turns.iter().position(|turn| head(turn.queue) == Head::Ready)?;
        for _ in 0..place {
            let Some(turn) = self.turns.pop_front() else { break };
            match head(turn.queue) {
                Head::Held => self.kept.push(turn),
                _ => self.turns.push_back(Turn { left: turn.burst, ..turn }),
            }
        }
        let mut turn = self.turns.pop_front()?;
        if turn.left != u32::MAX {
            turn.left -= 1;
        }
        match turn.left {
            0 => self.turns.push_back(Turn { left: turn.burst, ..turn }),
            _ => self.turns.push_front(turn),
        }
        while let Some(kept) = self.kept.pop() {
            self.turns.push_front(kept);
        }
        Some(turn.queue)
    }

    /// Whether it has commands, and none for the drive.
    fn is_held(&self, head: impl Fn(u16) -> Head) -> bool {
        let heads = || self.turns.iter().map(|turn| head(turn.queue));
        heads().any(|head| head == Head::Held) && heads().all(|head| head != Head::Ready)
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

    /// The queue whose command goes next, of those for which `head` says that they have one for the drive.
    pub fn next(&mut self, head: impl Fn(u16) -> Head) -> Option<u16> {
        match self.kind {
            ArbitrationKind::RoundRobin => self.rings[0].next(head),
            ArbitrationKind::Strict => self.rings.iter_mut().find_map(|ring| ring.next(&head)),
            ArbitrationKind::Weighted => self.weighted(head),
        }
    }

    fn weighted(&mut self, head: impl Fn(u16) -> Head) -> Option<u16> {
        if let Some(urgent) = self.rings[0].next(&head) {
            return Some(urgent);
        }
        // When no priority that has a command has a credit left, the round is over.
        for _round in 0..2 {
            for (ring, credits) in self.rings.iter_mut().zip(&mut self.credits).skip(1) {
                if *credits == 0 {
                    continue;
                }
                if let Some(queue) = ring.next(&head) {
                    *credits -= 1;
                    return Some(queue);
                }
            }
            self.begin_round(&head);
        }
        None
    }

    /// Credits anew, but for priorities whose commands are held: they keep what they have, as they keep their turns.
    fn begin_round(&mut self, head: impl Fn(u16) -> Head) {
        for ((ring, credits), weight) in self.rings.iter().zip(&mut self.credits).zip(self.weights) {
            if !ring.is_held(&head) {
                *credits = weight;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(kind: ArbitrationKind, burst: u32) -> ArbitrationConfig {
        ArbitrationConfig { kind, burst, high_weight: 3, medium_weight: 2, low_weight: 1 }
    }

    fn head(ready: bool) -> Head {
        if ready { Head::Ready } else { Head::Empty }
    }

    fn order(arbiter: &mut Arbiter, ready: &[u16], count: usize) -> Vec<u16> {
        (0..count).map(|_| arbiter.next(|queue| head(ready.contains(&queue))).unwrap()).collect()
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
    fn a_queue_whose_command_is_held_keeps_its_turn_and_what_is_left_of_it() {
        for (kind, burst) in
            [(ArbitrationKind::RoundRobin, 1), (ArbitrationKind::Strict, 1), (ArbitrationKind::Weighted, 2)]
        {
            // Queues 0, 1 and 3 write and 2 reads; now and then a write is taken.
            let mut arbiter = Arbiter::new(&config(kind, burst), &[MEDIUM; 4]);
            let mut of = |held: bool| {
                let head = |queue| if held && queue != 2 { Head::Held } else { head(held || queue != 2) };
                arbiter.next(head).unwrap()
            };
            let mut writes = Vec::new();
            for _ in 0..12 {
                assert_eq!([of(true), of(true), of(true)], [2; 3]);
                writes.push(of(false));
            }
            let turns: Vec<u16> = [0, 1, 3].iter().flat_map(|&queue| vec![queue; burst as usize]).collect();
            assert_eq!(writes, turns.repeat(12 / turns.len()), "{kind:?}");
        }
    }

    #[test]
    fn a_priority_whose_commands_are_held_keeps_its_credits() {
        let queues = [(Priority::High, 1), (Priority::Low, 1), MEDIUM];
        let mut arbiter = Arbiter::new(&config(ArbitrationKind::Weighted, 1), &queues);
        let mut writes = Vec::new();
        for reads in 0..400 {
            for _ in 0..reads % 7 {
                assert_eq!(arbiter.next(|queue| if queue == 2 { Head::Ready } else { Head::Held }), Some(2));
            }
            // A write is taken: reads may go before it.
            let taken = std::iter::repeat_with(|| arbiter.next(|_| Head::Ready).unwrap());
            writes.extend(taken.take(3).find(|&queue| queue != 2));
        }
        assert_eq!(writes, [0, 0, 0, 1].repeat(100));
    }

    #[test]
    fn no_command_is_no_choice() {
        for kind in [ArbitrationKind::RoundRobin, ArbitrationKind::Weighted, ArbitrationKind::Strict] {
            assert_eq!(Arbiter::new(&config(kind, 1), &[MEDIUM]).next(|_| Head::Empty), None);
            assert_eq!(Arbiter::new(&config(kind, 1), &[]).next(|_| Head::Ready), None);
        }
    }
}
