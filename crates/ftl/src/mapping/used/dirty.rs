//! What of a used cache is newer than on flash.
//!
//! An entry is dirty if it was written, or moved, while it was there and since its translation page was written last. A page is
//! written when one of its dirty entries gives way, or when the oldest change that is held beside the cache does; then all its
//! entries are clean. So first comes the time since each page was written ([`Cycle`]), and from it each entry by itself
//! ([`Clean`]).

use rand_xoshiro::Xoshiro256PlusPlus;

use wordline_base::rng::unit;

/// Points of the table of one entry, for each time that it stays.
const POINTS: usize = 16;

/// For so many of these times; behind it nothing changes.
const STAYS: usize = 8;

/// What happens to an entry that is there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Changes {
    /// Rate of its uses.
    pub used: f64,
    /// Share of them that write.
    pub written: f64,
    /// Share of arrivals that write.
    pub arrives_written: f64,
    /// Rate of changes that are no uses: moves, and writes that nobody looks up.
    pub changed: f64,
}

/// Chances that an entry is clean.
#[derive(Clone, Debug)]
pub struct Clean {
    of: Changes,
    stay: f64,
    /// That nothing changed it in the part of its stay that lies in a time before one of its uses.
    before_use: Vec<f64>,
    /// That its last use or arrival was no write.
    last: f64,
}

impl Clean {
    /// Of an entry that stays so long behind its last use.
    pub fn new(of: Changes, stay: f64) -> Self {
        let arrival = libm::exp(-of.used * stay);
        let last = if stay.is_infinite() {
            1.0 - of.written
        } else {
            arrival * (1.0 - of.arrives_written) + (1.0 - arrival) * (1.0 - of.written)
        };
        let mut clean = Self { of, stay, before_use: Vec::new(), last };
        if stay.is_finite() {
            clean.tabulate(arrival);
        }
        clean
    }

    /// The use before was a gap ago that is exponentially distributed, if less than the stay: else this use was the arrival.
    fn tabulate(&mut self, arrival: f64) {
        let Changes { used, written, changed, .. } = self.of;
        let (step, rate) = (self.stay / POINTS as f64, used + changed);
        let within = |at: usize| -libm::expm1(-rate * step * at as f64);
        let share = if rate > 0.0 { (1.0 - written) * used / rate } else { 0.0 };
        // Shares of gaps of each length after which nothing has changed.
        let gaps: Vec<f64> = (0..POINTS).map(|at| share * (within(at + 1) - within(at))).collect();
        self.before_use.push(1.0);
        for at in 1..=STAYS * POINTS {
            let time = step * at as f64;
            let none_in_time = (libm::exp(-used * time) - arrival).max(0.0) * libm::exp(-changed * time);
            let mut chance = arrival + none_in_time;
            for (gap, weight) in gaps.iter().enumerate().take(at) {
                let (near, far) = (at - gap, at - gap - 1);
                let known = |at: usize| self.before_use.get(at).copied();
                let far = known(far).unwrap_or(1.0);
                chance += weight * (known(near).unwrap_or(far) + far) / 2.0;
            }
            self.before_use.push(chance.clamp(0.0, 1.0));
        }
    }

    fn nothing_before(&self, time: f64) -> f64 {
        if self.stay.is_infinite() {
            let rate = self.of.changed + self.of.used * self.of.written;
            return if rate > 0.0 { libm::exp(-rate * time) } else { 1.0 };
        }
        let at = time / self.stay * POINTS as f64;
        let known = |at: usize| self.before_use.get(at).or(self.before_use.last()).copied().unwrap_or(1.0);
        let (whole, part) = (at as usize, at.fract());
        if whole >= self.before_use.len() {
            return known(whole);
        }
        known(whole) * (1.0 - part) + known(whole + 1) * part
    }

    /// That it is clean, if it was used last `age` ago and its page written `since` ago.
    pub fn chance(&self, age: f64, since: f64) -> f64 {
        let unchanged =
            |time: f64| if self.of.changed > 0.0 { libm::exp(-self.of.changed * time) } else { 1.0 };
        if since < age {
            return unchanged(since);
        }
        unchanged(age) * self.last * self.nothing_before(since - age)
    }

    /// That it is dirty when it gives way, if its page was written `since` ago.
    pub fn leaves_dirty(&self, since: f64) -> f64 {
        if self.stay.is_infinite() { 0.0 } else { 1.0 - self.chance(self.stay, since) }
    }
}

/// The time since a translation page was written last, of pages that are alike.
#[derive(Clone, Debug)]
pub struct Cycle {
    /// Times, and the chances that it was less ago.
    points: Vec<(f64, f64)>,
    /// What is beyond the last: with this rate, or never.
    beyond: f64,
}

/// Most points of a cycle.
const MOST_POINTS: usize = 4000;

/// Chance that a page isn't written in so long a time from which on nothing is counted.
const RARE: f64 = 1e-4;

impl Cycle {
    /// With `rate` of a page to be written so long after the last time; `scale`: a time in which that changes much.
    pub fn new(rate: impl Fn(f64) -> f64, scale: f64) -> Self {
        let (mut time, mut lasts, mut sum) = (0.0, 1.0_f64, 0.0);
        let mut points = vec![(0.0, 0.0)];
        while lasts > RARE && points.len() < MOST_POINTS {
            let here = rate(time);
            let most = (scale / 32.0).max(time * 0.03);
            let mut step = if here > 0.0 { most.min((0.25 / here).max(scale * 1e-4)) } else { most };
            let next = rate(time + step);
            if next * step > 0.5 {
                step = step.min((0.25 / next).max(scale * 1e-4));
            }
            let ahead = lasts * libm::exp(-(here + rate(time + step)) / 2.0 * step);
            sum += (lasts + ahead) / 2.0 * step;
            (time, lasts) = (time + step, ahead);
            points.push((time, sum));
        }
        let beyond = rate(time);
        let rest = if lasts <= RARE { 0.0 } else { lasts / beyond };
        let all = sum + rest;
        points.iter_mut().for_each(|point| point.1 /= all);
        Self { points, beyond }
    }

    /// One of them; infinite where pages are never written.
    pub fn draw(&self, random: &mut Xoshiro256PlusPlus) -> f64 {
        self.at(unit(random))
    }

    /// The time below which this share lies.
    fn at(&self, share: f64) -> f64 {
        let next = self.points.partition_point(|&(_, below)| below <= share);
        let Some(&(to, above)) = self.points.get(next) else {
            let Some(&(last, below)) = self.points.last() else { return f64::INFINITY };
            let left = ((1.0 - share) / (1.0 - below).max(f64::MIN_POSITIVE)).min(1.0);
            return if self.beyond > 0.0 { last - libm::log(left) / self.beyond } else { f64::INFINITY };
        };
        let (from, below) =
            next.checked_sub(1).and_then(|at| self.points.get(at)).copied().unwrap_or_default();
        from + (to - from) * (share - below) / (above - below).max(f64::MIN_POSITIVE)
    }

    /// The mean of something over these times.
    pub fn mean(&self, of: impl Fn(f64) -> f64) -> f64 {
        const SHARES: u32 = 256;
        (0..SHARES).map(|at| of(self.at((f64::from(at) + 0.5) / f64::from(SHARES)))).sum::<f64>()
            / f64::from(SHARES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_alone_leave_a_page_at_the_stay_and_a_wait_behind_its_last_time() {
        let clean =
            Clean::new(Changes { used: 0.01, written: 1.0, arrives_written: 1.0, changed: 0.0 }, 50.0);
        // Written since it was written back, or not.
        assert_eq!((clean.chance(10.0, 20.0), clean.chance(10.0, 5.0)), (0.0, 1.0));
        let cycle = Cycle::new(|since| 0.2 * clean.leaves_dirty(since), 50.0);
        // Half of what is left of a cycle of 50 + 5 has passed: (50²/2 + 50·5 + 5²)/55.
        let mean = cycle.mean(|time| time);
        assert!((mean - (1250.0 + 250.0 + 25.0) / 55.0).abs() < 0.5, "{mean}");
    }

    #[test]
    fn reads_keep_entries_clean_and_moves_make_them_dirty() {
        let read = Changes { used: 0.01, ..Changes::default() };
        assert_eq!(Clean::new(read, 50.0).chance(10.0, 1e9), 1.0);
        let moved = Clean::new(Changes { changed: 0.02, ..read }, 50.0);
        assert!((moved.chance(10.0, 5.0) - libm::exp(-0.1)).abs() < 1e-9);
        assert!(moved.chance(10.0, 1e9) < libm::exp(-0.2));
        assert_eq!(Cycle::new(|_| 0.0, 50.0).draw(&mut wordline_base::rng::stream(1, "test")), f64::INFINITY);
    }

    /// One entry, carried out.
    #[test]
    fn the_chance_to_be_clean_is_that_of_an_entry_that_was_carried_out() {
        let of = Changes { used: 0.02, written: 0.3, arrives_written: 0.3, changed: 0.004 };
        let (stay, mut random) = (60.0, wordline_base::rng::stream(3, "test"));
        let mut gap = |rate: f64| -libm::log(1.0 - unit(&mut random)) / rate;
        let (mut dirty, mut left) = (0, 0);
        let mut coin = wordline_base::rng::stream(4, "test");
        for _ in 0..40_000 {
            // A stay: arrival, uses, and the end.
            let mut is_dirty = unit(&mut coin) < of.arrives_written;
            loop {
                let next = gap(of.used);
                if unit(&mut coin) < -libm::expm1(-of.changed * next.min(stay)) {
                    is_dirty = true;
                }
                if next > stay {
                    break;
                }
                is_dirty |= unit(&mut coin) < of.written;
            }
            left += 1;
            dirty += i32::from(is_dirty);
        }
        let (found, expected) = (f64::from(dirty) / f64::from(left), Clean::new(of, stay).leaves_dirty(1e9));
        assert!((found - expected).abs() < 0.01, "{found} {expected}");
    }
}
