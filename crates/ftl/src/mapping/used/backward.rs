//! The requests of a load from the last one backward, each slot the first time that it comes: the order in which slots were used
//! last, which is that of a list of the least recently used.
//!
//! Draws that are independent look alike in both directions of time. Seen from the end, the next new slot is any of those not yet
//! seen, each with a chance in proportion to its rate.

use std::ops::Range;

use rand_xoshiro::Xoshiro256PlusPlus;

use wordline_base::draws::{Draws, Order};
use wordline_base::permutation::Permutation;
use wordline_base::rng::{below, unit};

/// Slots with one rate, in a random order, or those of streams in turn from the last one back.
pub struct Urn<'a> {
    /// Kind of request.
    pub draws: &'a Draws,
    /// Its number among the kinds.
    pub kind: usize,
    /// Rate at which each of the slots is used.
    pub rate: f64,
    /// How many.
    pub slots: u32,
    first_rank: u64,
    order: Permutation,
    /// Where streams take turns: how many, and slots of a request.
    turn: Option<(u64, u64)>,
    taken: u32,
}

impl Urn<'_> {
    /// Whether its slots come in turn.
    pub fn in_turn(&self) -> bool {
        self.turn.is_some()
    }

    /// The slot of this number from the last one back.
    fn slot(&self, number: u32) -> u64 {
        match (self.turn, &self.draws.order) {
            (Some((streams, step)), _) => {
                let part = self.draws.slots / streams;
                let stream = streams - 1 - u64::from(number) % streams;
                let turns = (u64::from(self.slots) / streams).max(1);
                stream * part + (turns - 1).saturating_sub(u64::from(number) / streams) * step
            }
            (None, Order::Drawn(_, places)) => {
                places(self.first_rank + u64::from(self.order.forward(number)))
            }
            (None, Order::InTurn(_)) => 0,
        }
    }

    /// The next slot that wasn't taken yet.
    pub fn take(&mut self) -> Option<u64> {
        (self.taken < self.slots).then(|| {
            self.taken += 1;
            self.slot(self.taken - 1)
        })
    }

    fn left(&self) -> u32 {
        self.slots - self.taken
    }

    /// At which something of it comes that wasn't seen.
    fn rate_of_new(&self) -> f64 {
        let slots = if self.in_turn() && self.left() > 0 { self.slots } else { self.left() };
        self.rate * f64::from(slots)
    }
}

/// The urns of a load; `rate` says how many requests of a kind count, for each of the load. `None` where a kind has more slots
/// than can be numbered.
pub fn urns<'a>(
    load: &'a [Draws],
    rate: impl Fn(&Draws) -> f64,
    random: &mut Xoshiro256PlusPlus,
) -> Option<Vec<Urn<'a>>> {
    use rand::Rng;
    let mut urns = Vec::new();
    for (kind, draws) in load.iter().enumerate() {
        let rate = rate(draws);
        let mut urn = |slots: u64, first_rank, share: f64, turn| {
            let slots = u32::try_from(slots).ok()?;
            let order = Permutation::new(slots, random.next_u64());
            if slots > 0 && share * rate > 0.0 {
                let rate = rate * share / f64::from(slots);
                urns.push(Urn { draws, kind, rate, slots, first_rank, order, turn, taken: 0 });
            }
            Some(())
        };
        match &draws.order {
            Order::Drawn(classes, _) => {
                let mut first = 0;
                for class in classes {
                    urn(class.ranks, first, class.share, None)?;
                    first += class.ranks;
                }
            }
            Order::InTurn(streams) => {
                let streams = u64::from((*streams).max(1));
                let step = draws.bytes.div_ceil(draws.alignment.max(1)).max(1);
                urn(draws.slots / streams / step * streams, 0, 1.0, Some((streams, step)))?;
            }
        }
    }
    Some(urns)
}

/// What was used, from the last backward.
pub struct Backward<'a, 'b> {
    urns: &'b mut [Urn<'a>],
    /// Sum of the rates up to each urn, when it was taken last, and what share of each was left then.
    sums: Vec<f64>,
    at_sums: Vec<u32>,
    rejected: u32,
    accepted: u32,
    rate: f64,
    /// Requests of the load since.
    pub age: f64,
}

/// A slot at its last use.
pub struct Use {
    /// Number of its urn.
    pub urn: usize,
    /// The slot.
    pub slot: u64,
}

impl<'a, 'b> Backward<'a, 'b> {
    /// From the end on.
    pub fn new(urns: &'b mut [Urn<'a>]) -> Self {
        let mut backward = Self {
            urns,
            sums: Vec::new(),
            at_sums: Vec::new(),
            rejected: 0,
            accepted: 0,
            rate: 0.0,
            age: 0.0,
        };
        backward.sum();
        backward
    }

    fn sum(&mut self) {
        let mut sum = 0.0;
        self.sums.clear();
        self.sums.extend(self.urns.iter().map(|urn| {
            sum += urn.rate_of_new();
            sum
        }));
        self.at_sums.clear();
        self.at_sums.extend(self.urns.iter().map(Urn::left));
        (self.rejected, self.accepted, self.rate) = (0, 0, sum);
    }

    /// The units that a use touches.
    pub fn units_of(&self, used: &Use, unit_bytes: u64, occupied: u32) -> Option<Range<u32>> {
        self.urns.get(used.urn).map(|urn| units_of(urn.draws, used.slot, unit_bytes, occupied))
    }

    /// The use before; `None` when every slot has come.
    pub fn next(&mut self, random: &mut Xoshiro256PlusPlus) -> Option<Use> {
        loop {
            // Most of what is drawn has come before: the rates are taken anew.
            if self.rejected > self.accepted.max(64) {
                self.sum();
            }
            let total = *self.sums.last()?;
            if total <= 0.0 {
                return None;
            }
            let number = if self.urns.len() == 1 {
                0
            } else {
                let at = unit(random) * total;
                self.sums.partition_point(|&sum| sum <= at).min(self.urns.len() - 1)
            };
            let (urn, before) = (self.urns.get_mut(number)?, *self.at_sums.get(number)?);
            let seen = !urn.in_turn() && self.sums.len() > 1 && below(random, before.max(1)) >= urn.left();
            if urn.left() == 0 || seen {
                if urn.left() == 0 && self.rate <= urn.rate {
                    self.sum();
                }
                self.rejected += 1;
                continue;
            }
            let rate = if self.sums.len() == 1 { urn.rate_of_new() } else { self.rate };
            self.age += 1.0 / rate.max(f64::MIN_POSITIVE);
            let slot = urn.take()?;
            if !urn.in_turn() {
                self.rate -= urn.rate;
            }
            self.accepted += 1;
            return Some(Use { urn: number, slot });
        }
    }
}

/// The units below `occupied` that a request to a slot touches.
pub fn units_of(draws: &Draws, slot: u64, unit_bytes: u64, occupied: u32) -> Range<u32> {
    let units = draws.units(slot, unit_bytes);
    let within = |unit: u64| unit.min(u64::from(occupied)) as u32;
    within(units.start)..within(units.end)
}
