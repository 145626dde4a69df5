//! What a used cache holds, and in which order it was used: entry by entry, or page by page.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::ages::Aged;
use super::backward::{Backward, Urn, units_of};
use super::stay::{Group, Times, times};
use wordline_base::ids::Lpa;
use wordline_base::rng::unit;

/// Slots that are passed over in a row while nothing new comes, for each thing that there is room for: all that comes is there.
const PASSED_OVER: u64 = 16;

/// Turns in which places that were counted twice are filled.
const TURNS: u32 = 4;

/// Things between two whose age is known.
const BETWEEN: usize = 256;

/// Something that is kept.
#[derive(Clone, Copy, Debug, Default)]
pub struct Held {
    /// A logical page; of a translation page one of those that brought it.
    pub lpa: u32,
    /// Number of the urn that it came from.
    pub urn: u16,
}

/// A list of what is kept, the last used first.
#[derive(Default)]
pub struct List {
    /// In order.
    pub held: Vec<Held>,
    /// Ages of the first and of each so manieth behind it.
    ages: Vec<f64>,
}

impl List {
    fn push(&mut self, held: Held, age: f64) {
        if self.held.len().is_multiple_of(BETWEEN) {
            self.ages.push(age);
        }
        self.held.push(held);
    }

    /// How long ago one of them was used.
    pub fn age(&self, number: usize) -> f64 {
        let at = number / BETWEEN;
        let known = |at: usize| self.ages.get(at).or(self.ages.last()).copied().unwrap_or(0.0);
        let part = (number % BETWEEN) as f64 / BETWEEN as f64;
        known(at) * (1.0 - part) + known(at + 1) * part
    }
}

/// Which of the drive's logical pages, or translation pages, are kept.
pub struct Seen(Vec<u64>);

impl Seen {
    /// None of so many.
    pub fn new(count: u32) -> Self {
        Self(vec![0; (count as usize).div_ceil(64)])
    }

    /// Takes one in; whether it wasn't there.
    fn add(&mut self, number: u32) -> bool {
        let Some(bits) = self.0.get_mut(number as usize / 64) else { return false };
        let bit = 1 << (number % 64);
        let new = *bits & bit == 0;
        *bits |= bit;
        new
    }

    /// Whether it is there.
    pub fn has(&self, number: u32) -> bool {
        self.0.get(number as usize / 64).is_some_and(|bits| bits >> (number % 64) & 1 != 0)
    }
}

/// What the drive has.
pub struct Space<'a> {
    /// Bytes of a mapping unit.
    pub unit_bytes: u64,
    /// Every logical page from here on is left out.
    pub occupied: u32,
    /// Whether a logical page holds data.
    pub is_mapped: &'a dyn Fn(Lpa) -> bool,
    /// What of a logical page is kept: itself, or its translation page.
    pub kept: &'a dyn Fn(Lpa) -> u32,
    /// How many there are.
    pub things: u32,
}

/// What is kept.
pub struct Kept {
    /// In the first part.
    pub first: List,
    /// In the protected part.
    pub protected: List,
    /// All of them.
    pub seen: Seen,
    /// How long they stay.
    pub times: Times,
}

/// What a plain list of the least recently used keeps.
pub fn recent(urns: &mut [Urn<'_>], room: u32, space: &Space<'_>, random: &mut Xoshiro256PlusPlus) -> Kept {
    let (mut list, mut seen) = (List::default(), Seen::new(space.things));
    let most = PASSED_OVER * u64::from(space.things.min(1 << 24)) + (1 << 16);
    let mut passed_over = 0;
    // Urns are few: their numbers fit.
    let mut backward = Backward::new(urns);
    'uses: while (list.held.len() as u64) < u64::from(room) && passed_over < most {
        let Some(used) = backward.next(random) else { break };
        passed_over += 1;
        let age = backward.age;
        let Some(units) = backward.units_of(&used, space.unit_bytes, space.occupied) else { continue };
        for lpa in units.rev() {
            if (space.is_mapped)(Lpa(lpa)) && seen.add((space.kept)(Lpa(lpa))) {
                list.push(Held { lpa, urn: used.urn as u16 }, age);
                passed_over = 0;
                if list.held.len() as u64 >= u64::from(room) {
                    break 'uses;
                }
            }
        }
    }
    let full = list.held.len() as u64 >= u64::from(room);
    let first = if full { backward.age } else { f64::INFINITY };
    Kept { first: list, protected: List::default(), seen, times: Times { first, protected: 0.0 } }
}

/// What is kept where some uses are none to the cache, or some things are protected. `used`: of each urn, how many of its rate count
/// as uses of what is there.
pub fn in_parts<'a>(
    urns: &dyn Fn() -> Vec<Urn<'a>>,
    used: &dyn Fn(&Urn<'_>) -> f64,
    [room, protected]: [u32; 2],
    space: &Space<'_>,
    random: &mut Xoshiro256PlusPlus,
) -> Kept {
    let mut wanted = f64::from(room);
    let mut kept = parts(&mut urns(), used, [wanted, f64::from(protected)], room, space, random);
    for _ in 0..TURNS {
        let found = (kept.first.held.len() + kept.protected.held.len()) as f64;
        if kept.times.first.is_infinite() || found >= 0.995 * f64::from(room) {
            break;
        }
        // Slots that overlap were counted for each.
        wanted *= f64::from(room) / found.max(1.0);
        kept = parts(&mut urns(), used, [wanted, f64::from(protected)], room, space, random);
    }
    kept
}

fn parts<'a>(
    urns: &mut [Urn<'a>],
    used: &dyn Fn(&Urn<'_>) -> f64,
    [wanted, protected]: [f64; 2],
    room: u32,
    space: &Space<'_>,
    random: &mut Xoshiro256PlusPlus,
) -> Kept {
    let units = |urn: &Urn<'_>| units_of(urn.draws, 0, space.unit_bytes, u32::MAX).len() as f64;
    let group = |urn: &Urn<'_>| Group {
        count: f64::from(urn.slots) * units(urn),
        taken_in: urn.rate,
        used: urn.rate * used(urn),
        in_turn: urn.in_turn(),
    };
    let groups: Vec<Group> = urns.iter().map(group).collect();
    let times = times(&groups, wanted, protected);
    let mut aged = [Aged::default(), Aged::default()];
    for (number, (urn, group)) in urns.iter_mut().zip(&groups).enumerate() {
        let shares = group.shares(times);
        for (part, (share, stay)) in shares.into_iter().zip([times.first, times.protected]).enumerate() {
            let count = (share * f64::from(urn.slots) + unit(random)) as u32;
            for turn in 0..count {
                let Some(slot) = urn.take() else { break };
                let age = match stay {
                    stay if stay.is_infinite() => unit(random),
                    _ if group.in_turn => f64::from(turn) / f64::from(count),
                    stay => share_of_stay(group.used * stay, unit(random)),
                };
                if let Some(aged) = aged.get_mut(part) {
                    aged.push(age, (number as u16, slot));
                }
            }
        }
    }
    let mut seen = Seen::new(space.things);
    let mut left = room as usize;
    let mut list = |aged: Aged<(u16, u64)>, stay: f64, most: usize| {
        let (mut list, stay) = (List::default(), if stay.is_finite() { stay } else { 0.0 });
        for (age, (urn, slot)) in aged.youngest_first() {
            let Some(of) = urns.get(usize::from(urn)) else { continue };
            for lpa in units_of(of.draws, slot, space.unit_bytes, space.occupied).rev() {
                if left > 0
                    && list.held.len() < most
                    && (space.is_mapped)(Lpa(lpa))
                    && seen.add((space.kept)(Lpa(lpa)))
                {
                    list.push(Held { lpa, urn }, age * stay);
                    left -= 1;
                }
            }
        }
        list
    };
    let [first, second] = aged;
    let second = list(second, times.protected, protected as usize);
    let first = list(first, times.first, usize::MAX);
    Kept { first, protected: second, seen, times }
}

/// An age below the stay, as a share of it: exponentially distributed, with so many uses in a stay.
fn share_of_stay(uses: f64, share: f64) -> f64 {
    if uses < 1e-9 {
        return share;
    }
    (-libm::log1p(share * libm::expm1(-uses)) / uses).clamp(0.0, 1.0)
}
