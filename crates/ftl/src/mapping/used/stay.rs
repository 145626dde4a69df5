//! How long what is taken in stays: the characteristic times of a list of the least recently used, whole or in two parts.
//!
//! An entry out of the cache is taken in at a rate λ, and used at a rate τ while it is there (writes may take an entry in and not count
//! as a use of it). It stays in the first part for the time *P* behind its arrival, or goes to the protected part at a use; there it
//! stays for *Q* behind its last use, and then begins anew in the first part. Balance of the three states gives the shares of time
//!
//!   out : first : protected = 1/λ : (e^(τP) − 1)/τ : (e^(τP) − 1)(e^(τQ) − 1)/τ.

/// Entries with the same rates.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// How many.
    pub count: f64,
    /// λ.
    pub taken_in: f64,
    /// τ.
    pub used: f64,
    /// Whether its entries come in turn, the one used longest ago next.
    pub in_turn: bool,
}

/// The characteristic times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// P; infinite where nothing ever gives way.
    pub first: f64,
    /// Q.
    pub protected: f64,
}

/// Halvings that find a time: to the last bit.
const HALVINGS: u32 = 200;

/// e^x beyond which it is as good as infinite.
const MOST: f64 = 600.0;

impl Group {
    /// Chance to be in the first part, and in the protected one.
    pub fn shares(&self, times: Times) -> [f64; 2] {
        let Self { taken_in, used, .. } = *self;
        if taken_in <= 0.0 {
            return [0.0; 2];
        }
        if self.in_turn {
            return [(taken_in * times.first).min(1.0), 0.0];
        }
        let grown = |time: f64| libm::expm1((used * time).min(MOST));
        let first = if used > 0.0 { grown(times.first) / used } else { times.first };
        let protected = if used > 0.0 { first * grown(times.protected) } else { 0.0 };
        if first.is_infinite() {
            return [1.0, 0.0];
        }
        let all = 1.0 / taken_in + first + protected;
        if protected.is_infinite() { [0.0, 1.0] } else { [first / all, protected / all] }
    }
}

/// The times with which the first part holds `room` entries less `protected`, and the other those. What all fit into has an infinite one.
pub fn times(groups: &[Group], room: f64, protected: f64) -> Times {
    let held = |times: Times| {
        groups.iter().fold([0.0; 2], |sum, group| {
            let [first, second] = group.shares(times);
            [sum[0] + group.count * first, sum[1] + group.count * second]
        })
    };
    let all: f64 = groups.iter().filter(|group| group.taken_in > 0.0).map(|group| group.count).sum();
    if all <= room {
        return Times { first: f64::INFINITY, protected: 0.0 };
    }
    let second_of = |first: f64| {
        if protected <= 0.0 {
            return 0.0;
        }
        least(|second| held(Times { first, protected: second })[1] >= protected)
    };
    let first = least(|first| {
        let [a, b] = held(Times { first, protected: second_of(first) });
        a + b >= room
    });
    Times { first, protected: second_of(first) }
}

/// The least number for which something holds that holds for all larger ones; the largest that is looked at if for none.
fn least(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (1e-12_f64, 1e30_f64);
    for _ in 0..HALVINGS {
        // In the middle of the exponents.
        let middle = libm::sqrt(low * high);
        if holds(middle) {
            high = middle;
        } else {
            low = middle;
        }
        if high / low < 1.0 + 1e-12 {
            break;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uniform_load_holds_what_there_is_room_for() {
        let groups = [Group { count: 1000.0, taken_in: 0.001, used: 0.001, in_turn: false }];
        let found = times(&groups, 400.0, 0.0);
        // 1 - e^(-T/1000) = 0.4
        assert!((found.first + 1000.0 * libm::log(0.6)).abs() < 1e-6, "{found:?}");
        let fifo = times(&[Group { used: 0.0, ..groups[0] }], 400.0, 0.0);
        assert!((fifo.first - 1000.0 * 0.4 / 0.6).abs() < 1e-6, "{fifo:?}");
        assert_eq!(times(&groups, 1000.0, 0.0).first, f64::INFINITY);
    }

    #[test]
    fn both_parts_hold_their_shares() {
        let groups = [(100.0, 0.009), (900.0, 0.0001)].map(|(count, rate)| Group {
            count,
            taken_in: rate,
            used: rate,
            in_turn: false,
        });
        let found = times(&groups, 300.0, 90.0);
        let held = groups.iter().fold([0.0; 2], |sum, group| {
            let [first, second] = group.shares(found);
            [sum[0] + group.count * first, sum[1] + group.count * second]
        });
        assert!((held[0] - 210.0).abs() < 1e-3 && (held[1] - 90.0).abs() < 1e-3, "{held:?} {found:?}");
    }
}
