//! Which piece comes next.

use super::codes::{Token, read_tokens};
use super::profile::{Phase, Profile};
use crate::rng::{Xoshiro256PlusPlus, below, unit};

/// Requests that are laid out in advance, at most: a phase is played in rounds of so many.
const ROUND: u64 = 1 << 16;

/// A phase, ready to be played.
pub(super) struct Deck {
    pub requests: u64,
    in_order: bool,
    idle: Vec<(u8, f64)>,
    long: Vec<(u64, f64)>,
    whole: Vec<(Vec<Token>, f64)>,
    start: Vec<(Vec<Token>, f64)>,
    rest: Vec<(Vec<Token>, f64)>,
}

impl Deck {
    pub(super) fn new(profile: &Profile, phase: &Phase) -> Result<Self, String> {
        let digits = profile.shape_digits();
        let pieces = |list: &[String]| {
            list.iter().map(|text| piece(text, digits, profile)).collect::<Result<Vec<_>, String>>()
        };
        let gaps = profile.gaps_ns.len() as u64;
        if let Some([code, _]) = phase.idle.iter().find(|[code, _]| *code >= gaps) {
            return Err(format!("idle: {code}: allowed: below {gaps}, the number of gaps_ns"));
        }
        let deck = Self {
            requests: phase.requests,
            in_order: phase.in_order,
            idle: phase.idle.iter().map(|[code, count]| (*code as u8, *count as f64)).collect(),
            long: phase.long.iter().map(|[pieces, count]| (*pieces, *count as f64)).collect(),
            whole: pieces(&phase.whole)?,
            start: pieces(&phase.start)?,
            rest: pieces(&phase.rest)?,
        };
        if deck.whole.is_empty() && (deck.long.is_empty() || deck.start.is_empty()) {
            return Err("a phase has neither whole nor long bursts".into());
        }
        Ok(deck)
    }
}

/// `weight:tokens`, with codes that the tables of the profile have.
fn piece(text: &str, digits: u32, profile: &Profile) -> Result<(Vec<Token>, f64), String> {
    let shown = || text.chars().take(40).collect::<String>();
    let (weight, tokens) =
        text.split_once(':').ok_or_else(|| format!("piece `{}`: allowed: weight:requests", shown()))?;
    let weight: f64 = weight
        .parse()
        .ok()
        .filter(|weight| (0.0..1e15).contains(weight))
        .ok_or_else(|| format!("piece `{}`: its weight: allowed: a number from 0", shown()))?;
    let tokens = read_tokens(tokens, digits).map_err(|error| format!("piece `{}`: {error}", shown()))?;
    let known = |token: &Token| {
        usize::from(token.gap) < profile.gaps_ns.len()
            && usize::from(token.shape) < profile.shapes.len().max(1)
    };
    if tokens.is_empty() || !tokens.iter().all(known) {
        return Err(format!("piece `{}`: requests with codes that gaps_ns and shapes have", shown()));
    }
    Ok((tokens, weight))
}

/// What comes next in a round: a burst of one piece, or a longer one of so many.
#[derive(Clone, Copy)]
enum Burst {
    Whole(usize),
    Long(u64),
}

/// A round of a phase.
pub(super) struct Round {
    bursts: Vec<Burst>,
    starts: Vec<usize>,
    rests: Vec<usize>,
    idle: Vec<u8>,
    /// Pieces of the burst under way that are still to come.
    left: u64,
    drawn: [usize; 3],
}

impl Round {
    /// Lays out about `wanted` requests of a phase: each piece as often as its share says, in random order.
    pub(super) fn new(deck: &Deck, wanted: u64, rng: &mut Xoshiro256PlusPlus) -> Self {
        let scale = wanted.min(ROUND) as f64 / deck.requests.max(1) as f64;
        let whole: Vec<Burst> = dealt(&deck.whole, scale, rng).into_iter().map(Burst::Whole).collect();
        let long = dealt(&deck.long, scale, rng);
        let pieces = |index: usize| deck.long.get(index).map_or(1, |entry| entry.0);
        let rest: u64 = long.iter().map(|index| pieces(*index) - 1).sum();
        let mut starts = dealt_to(&deck.start, long.len() as f64, rng);
        let mut rests = dealt_to(&deck.rest, rest as f64, rng);
        // Which of the longer bursts comes when isn't known: their lengths are in random order in any case.
        let long = shuffled(long, rng).iter().map(|index| Burst::Long(pieces(*index))).collect();
        let mut bursts = merged(whole, long);
        if bursts.is_empty() {
            bursts.push(any_burst(deck, rng));
        }
        if !deck.in_order {
            (bursts, starts, rests) = (shuffled(bursts, rng), shuffled(starts, rng), shuffled(rests, rng));
        }
        // They are taken from the end.
        bursts.reverse();
        let codes = shuffled(dealt_to(&deck.idle, bursts.len() as f64, rng), rng);
        let idle = codes.iter().filter_map(|index| deck.idle.get(*index)).map(|entry| entry.0).collect();
        Self { bursts, starts, rests, idle, left: 0, drawn: [0; 3] }
    }

    /// The next piece, and, if it begins a burst, the code of the gap before it.
    pub(super) fn next<'a>(&mut self, deck: &'a Deck) -> Option<(&'a [Token], Option<u8>)> {
        let [starts, rests, idle] = &mut self.drawn;
        if self.left > 0 {
            self.left -= 1;
            let tokens = picked(&deck.rest, &self.rests, rests);
            return tokens.map(|tokens| (tokens, None));
        }
        let gap = if self.idle.is_empty() { 0 } else { self.idle.get(*idle % self.idle.len()).copied()? };
        *idle += 1;
        match self.bursts.pop()? {
            Burst::Whole(index) => deck.whole.get(index).map(|entry| (entry.0.as_slice(), Some(gap))),
            Burst::Long(pieces) => {
                self.left = if deck.rest.is_empty() { 0 } else { pieces - 1 };
                picked(&deck.start, &self.starts, starts).map(|tokens| (tokens, Some(gap)))
            }
        }
    }
}

fn picked<'a>(pieces: &'a [(Vec<Token>, f64)], order: &[usize], drawn: &mut usize) -> Option<&'a [Token]> {
    let place = if order.is_empty() { *drawn } else { *order.get(*drawn % order.len())? };
    *drawn += 1;
    pieces.get(place % pieces.len().max(1)).map(|entry| entry.0.as_slice())
}

/// Two lists, each spread evenly over the whole.
fn merged(a: Vec<Burst>, b: Vec<Burst>) -> Vec<Burst> {
    let (all_a, all_b) = (a.len(), b.len());
    let mut out = Vec::with_capacity(all_a + all_b);
    let (mut a, mut b) = (a.into_iter(), b.into_iter());
    for _ in 0..all_a + all_b {
        let (done_a, done_b) = (all_a - a.len(), all_b - b.len());
        // The one that is less far along: (2 done + 1) / all, without division.
        let first = (2 * done_a + 1) * all_b <= (2 * done_b + 1) * all_a;
        let next = if first { a.next().or_else(|| b.next()) } else { b.next().or_else(|| a.next()) };
        out.extend(next);
    }
    out
}

fn any_burst(deck: &Deck, rng: &mut Xoshiro256PlusPlus) -> Burst {
    let whole: f64 = deck.whole.iter().map(|entry| entry.1).sum();
    let long: f64 = deck.long.iter().map(|entry| entry.1).sum();
    if unit(rng) * (whole + long) < whole || deck.long.is_empty() {
        return Burst::Whole(one_of(&deck.whole, rng));
    }
    Burst::Long(deck.long.get(one_of(&deck.long, rng)).map_or(1, |entry| entry.0))
}

/// One place, with a chance in proportion to its weight.
fn one_of<T>(list: &[(T, f64)], rng: &mut Xoshiro256PlusPlus) -> usize {
    let mut left = unit(rng) * list.iter().map(|entry| entry.1).sum::<f64>();
    let found = list.iter().position(|entry| {
        left -= entry.1;
        left < 0.0
    });
    found.unwrap_or(0)
}

/// Places of the list, each weight · scale times, rounded up or down so that the sum is right.
fn dealt<T>(list: &[(T, f64)], scale: f64, rng: &mut Xoshiro256PlusPlus) -> Vec<usize> {
    let mut sum = unit(rng);
    let mut out = Vec::new();
    for (index, (_, weight)) in list.iter().enumerate() {
        let before = f64::floor(sum);
        sum += weight * scale;
        out.resize(out.len() + (f64::floor(sum) - before) as usize, index);
    }
    out
}

/// The same, for a sum of `total`.
fn dealt_to<T>(list: &[(T, f64)], total: f64, rng: &mut Xoshiro256PlusPlus) -> Vec<usize> {
    let all: f64 = list.iter().map(|entry| entry.1).sum();
    if all > 0.0 { dealt(list, total / all, rng) } else { Vec::new() }
}

/// In random order (Fisher and Yates).
fn shuffled<T>(mut list: Vec<T>, rng: &mut Xoshiro256PlusPlus) -> Vec<T> {
    for place in (1..list.len()).rev() {
        list.swap(place, below(rng, place as u64 + 1) as usize);
    }
    list
}
