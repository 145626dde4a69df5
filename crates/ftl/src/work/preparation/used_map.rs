//! The cache of the map as a load of a known law leaves it ([`crate::mapping::used`]), handed to the mapping policy use by use.

use crate::work::above::AboveFtl;
use crate::work::ftl::Ftl;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::blocks::steady::Collection;
use crate::blocks::table::NOT_A_CANDIDATE;
use crate::mapping::used::ages::Aged;
use crate::mapping::used::backward::{Urn, units_of, urns};
use crate::mapping::used::dirty::Clean;
use crate::mapping::used::held::{Kept, List, Space, in_parts, recent};
use crate::mapping::used::law::Law;
use crate::mapping::used::page_rates::PageRates;
use crate::mapping::used::pages::{Alike, Evictions, cycles, longest, runs};
use crate::mapping::used::stay::Group;
use crate::mapping::{Lookup, MapView, Update};
use wordline_base::class::Cause;
use wordline_base::draws::Draws;
use wordline_base::ids::{DomainId, Lpa, Ppa};
use wordline_base::permutation::Permutation;
use wordline_base::rng::{stream, unit};

impl Ftl {
    /// Single entries, then the changes of others.
    fn put_entries(
        &mut self,
        law: &Law<'_>,
        urns: &[Urn<'_>],
        kept: &Kept,
        random: &mut Xoshiro256PlusPlus,
    ) -> u64 {
        let changes = law.changes_anything();
        let cleans: Vec<[Clean; 2]> = urns
            .iter()
            .map(|urn| {
                let of = law.changes(urn);
                let stays = [kept.times.first, kept.times.first.max(kept.times.protected)];
                let stays = stays.map(|stay| stay.max(f64::MIN_POSITIVE));
                stays.map(|stay| Clean::new(of, stay))
            })
            .collect();
        let (since, evictions) = if changes {
            self.times_since_written(law, urns, kept, &cleans, random)
        } else {
            (Vec::new(), Evictions::new(&[], 0, f64::INFINITY))
        };
        let sizes = self.translation.sizes;
        let is_dirty = |list: &List, number: usize, part: usize, random: &mut Xoshiro256PlusPlus| {
            let Some(held) = list.held.get(number).filter(|_| changes) else { return false };
            let (urn, page) = (usize::from(held.urn), sizes.page_of(Lpa(held.lpa)));
            let since = since.get(page as usize).copied().unwrap_or(f64::INFINITY);
            let clean = cleans.get(urn).and_then(|parts| parts.get(part));
            let in_turn = urns.get(urn).is_some_and(Urn::in_turn);
            let age = if in_turn { 0.0 } else { list.age(number) };
            clean.is_some_and(|clean| unit(random) >= clean.chance(age, since))
        };
        let all = (kept.first.held.len() + kept.protected.held.len()) as u64;
        self.translation.policy.get_mut().expect(all + u64::from(law.keeping.held_changes.min(1 << 24)));
        for (part, list) in [&kept.first, &kept.protected].into_iter().enumerate() {
            for number in (0..list.held.len()).rev() {
                let dirty = is_dirty(list, number, part, random);
                if let Some(held) = list.held.get(number) {
                    self.put_in(Lpa(held.lpa), part > 0, dirty);
                }
            }
        }
        let held = if changes { self.hold_changes(law, kept, &since, &evictions, random) } else { 0 };
        all + held
    }

    /// For each translation page how long ago it was written.
    fn times_since_written(
        &self,
        law: &Law<'_>,
        urns: &[Urn<'_>],
        kept: &Kept,
        cleans: &[[Clean; 2]],
        random: &mut Xoshiro256PlusPlus,
    ) -> (Vec<f64>, Evictions) {
        let sizes = self.translation.sizes;
        let slots = |kind: usize| -> f64 {
            urns.iter().filter(|urn| urn.kind == kind).map(|urn| f64::from(urn.slots)).sum()
        };
        let alike: Vec<Alike> = urns
            .iter()
            .zip(cleans)
            .filter(|(urn, _)| !urn.in_turn())
            .map(|(urn, [clean, _])| {
                let used = urn.rate * law.used(urn);
                let group = Group { count: 1.0, taken_in: urn.rate, used, in_turn: false };
                let [first, protected] = group.shares(kept.times);
                let out = (1.0 - first - protected).max(0.0);
                Alike {
                    kind: urn.kind,
                    share: f64::from(urn.slots) / slots(urn.kind),
                    kept: first + protected,
                    leaves: urn.rate * out,
                    clean: clean.clone(),
                }
            })
            .collect();
        let evictions = Evictions::new(&alike, law.load.len(), kept.times.first);
        let runs = runs(law.load, &sizes, law.unit_bytes, law.occupied);
        let cycles = cycles(&runs, &evictions, law.moved, law.keeping.held_changes, kept.times.first);
        let mut since = Vec::with_capacity(sizes.translation_pages as usize);
        for ((behind, reached), cycle) in runs.iter().zip(&cycles) {
            while (since.len() as u32) < *behind {
                let in_turn = reached.by_kind.iter().all(|&entries| entries == 0);
                let page = since.len() as u32;
                since.push(if in_turn { self.since_in_turn(page, kept) } else { cycle.draw(random) });
            }
        }
        (since, evictions)
    }

    /// Of a page whose entries were used one after the other: it was written when the first of them gave way.
    fn since_in_turn(&self, page: u32, kept: &Kept) -> f64 {
        let (first, end) = self.translation.sizes.entries(page);
        let whole = (first..end).all(|lpa| kept.seen.has(lpa) || !self.is_mapped(Lpa(lpa)));
        if whole { f64::INFINITY } else { -1.0 }
    }

    /// Changes of entries that aren't kept, of pages that were written so long ago; the oldest first.
    fn hold_changes(
        &mut self,
        law: &Law<'_>,
        kept: &Kept,
        since: &[f64],
        evictions: &Evictions,
        random: &mut Xoshiro256PlusPlus,
    ) -> u64 {
        if law.moved <= 0.0 {
            return 0;
        }
        let sizes = self.translation.sizes;
        let runs = runs(law.load, &sizes, law.unit_bytes, law.occupied);
        let longest = since.iter().copied().filter(|since| since.is_finite()).fold(0.0, f64::max);
        let mut changes = Aged::default();
        let mut page = 0;
        for (behind, reached) in &runs {
            let others = evictions.others(reached);
            for page in std::mem::replace(&mut page, *behind)..*behind {
                let since = since.get(page as usize).copied().unwrap_or(0.0).clamp(0.0, longest);
                let count = (-others * libm::expm1(-law.moved * since) + unit(random)) as u32;
                let ages = since / longest.max(f64::MIN_POSITIVE);
                self.some_of(page, count, random, |lpa| !kept.seen.has(lpa.0), &mut |lpa, share| {
                    changes.push(ages * share, lpa.0);
                });
            }
        }
        self.hold(changes, law.keeping.held_changes)
    }

    /// Some entries of a page that hold data, drawn at random, and a number from 0 to 1 for each.
    fn some_of(
        &self,
        page: u32,
        count: u32,
        random: &mut Xoshiro256PlusPlus,
        fits: impl Fn(Lpa) -> bool,
        take: &mut dyn FnMut(Lpa, f64),
    ) {
        use rand::Rng;
        let (first, end) = self.translation.sizes.entries(page);
        let order = Permutation::new(end - first, random.next_u64());
        let mut left = count;
        for number in 0..end - first {
            if left == 0 {
                break;
            }
            let lpa = Lpa(first + order.forward(number));
            if fits(lpa) && self.is_mapped(lpa) {
                take(lpa, unit(random));
                left -= 1;
            }
        }
    }

    fn hold(&mut self, changes: Aged<u32>, most: u32) -> u64 {
        let list = changes.youngest_first();
        let held = list.len().min(most as usize);
        self.translation.policy.get_mut().expect(held as u64);
        for number in (0..held).rev() {
            if let Some((_, lpa)) = list.get(number) {
                self.change_map(Lpa(*lpa), Cause::Gc);
            }
        }
        held as u64
    }

    /// Whole translation pages, then the changes of entries of others.
    fn put_pages(
        &mut self,
        law: &Law<'_>,
        urns: &[Urn<'_>],
        kept: &Kept,
        random: &mut Xoshiro256PlusPlus,
    ) -> u64 {
        let sizes = self.translation.sizes;
        let runs = runs(law.load, &sizes, law.unit_bytes, law.occupied);
        let rates = PageRates::all(law, &runs);
        let of = |page: u32| {
            let at = runs.partition_point(|(behind, _)| *behind <= page);
            rates.get(at).copied().unwrap_or_default()
        };
        let list = &kept.first;
        let stays = kept.times.first;
        let most = law.keeping.held_changes;
        let others = |stay: f64| {
            let mut sum = 0.0;
            let mut page = 0;
            for ((behind, _), rates) in runs.iter().zip(&rates) {
                let out = (page..*behind).filter(|&page| !kept.seen.has(page)).count();
                page = *behind;
                sum += out as f64 * rates.held(stay);
            }
            sum
        };
        let mut changes = Aged::default();
        if !law.looks_up_writes {
            self.changed_in_turn(law, kept, &mut changes);
        }
        let scale = rates.iter().map(|rates| rates.unseen).fold(0.0, f64::max);
        let only_in_turn = scale <= 0.0 || changes.count() >= most as usize;
        let stay =
            if only_in_turn { 0.0 } else { longest(|stay| others(stay) <= f64::from(most), 1.0 / scale) };
        let mut pages = 0;
        for number in (0..list.held.len()).rev() {
            let Some(held) = list.held.get(number) else { continue };
            let rates = of(sizes.page_of(Lpa(held.lpa)));
            let there = rates.there_for(list.age(number), stays, random);
            let in_turn = urns.get(usize::from(held.urn)).filter(|urn| urn.in_turn());
            let clean = match in_turn {
                // Many requests to it follow one another.
                Some(urn) if urn.draws.write_share > 0.0 => 0.0,
                _ if rates.changed > 0.0 => {
                    (1.0 - rates.changed_share(stay)) * libm::exp(-rates.changed * there)
                }
                _ => 1.0,
            };
            let dirty = unit(random) >= clean;
            self.put_in(Lpa(held.lpa), false, dirty);
            pages += 1;
        }
        if only_in_turn {
            return pages + self.hold(changes, most);
        }
        let oldest = rates.iter().map(|rates| rates.oldest(stay)).fold(f64::MIN_POSITIVE, f64::max);
        for page in (0..sizes.translation_pages).filter(|&page| !kept.seen.has(page)) {
            let rates = of(page);
            let Some(age) = rates.changed_since(stay, random) else { continue };
            let count = (rates.entries_changed(age) + unit(random)) as u32;
            let mut first = true;
            self.some_of(page, count, random, |_| true, &mut |lpa, share| {
                let share = if std::mem::replace(&mut first, false) { 1.0 } else { share };
                changes.push((age / oldest).min(1.0) * share, lpa.0);
            });
        }
        pages + self.hold(changes, most)
    }

    /// Writes that streams in turn made last.
    fn changed_in_turn(&self, law: &Law<'_>, kept: &Kept, changes: &mut Aged<u32>) {
        let most = law.keeping.held_changes;
        let sizes = self.translation.sizes;
        let mut same = stream(0, "in turn");
        let writes = |draws: &Draws| draws.share * draws.write_share;
        for urn in &mut urns(law.load, writes, &mut same).unwrap_or_default() {
            while urn.in_turn() && changes.count() < most as usize {
                let Some(slot) = urn.take() else { break };
                let age = changes.count() as f64 / f64::from(most);
                for lpa in units_of(urn.draws, slot, law.unit_bytes, law.occupied).rev().map(Lpa) {
                    if self.is_mapped(lpa) && !kept.seen.has(sizes.page_of(lpa)) {
                        changes.push(age, lpa.0);
                    }
                }
            }
        }
    }

    /// Has the policy take in an entry, and use it again.
    fn put_in(&mut self, lpa: Lpa, again: bool, dirty: bool) {
        let translation = &mut self.translation;
        let view = MapView {
            map: &self.map,
            layout: &self.layout,
            occupied: self.mapped_units as u32,
            sizes: translation.sizes,
        };
        let (policy, writes) = (translation.policy.get_mut(), &mut translation.writes);
        let lookup = Lookup::alone(lpa, dirty);
        policy.loaded(translation.sizes.page_of(lpa), &lookup, &view, writes);
        if again {
            // What asks again for what was just loaded is no second use of it.
            for _ in 0..2 {
                policy.find(&lookup, &view);
            }
        }
        writes.clear();
        if dirty {
            self.change_map(lpa, Cause::Host);
        }
    }

    fn change_map(&mut self, lpa: Lpa, cause: Cause) {
        // Policies that keep by such a rule keep which entries they have, not what these say.
        let place = Ppa(0);
        let translation = &mut self.translation;
        let view = MapView {
            map: &self.map,
            layout: &self.layout,
            occupied: self.mapped_units as u32,
            sizes: translation.sizes,
        };
        let update = Update { lpa, old: place, new: place, cause };
        translation.policy.get_mut().updated(&update, &view, &mut translation.writes);
        translation.writes.clear();
    }
}

impl Ftl {
    /// Whether a policy keeps a part of the map, which no system knows better.
    pub fn caches_its_map(&self) -> bool {
        self.translation.is_asked() && !self.translation.asks_systems() && self.mapped_units > 0
    }

    /// Pages that collection moves for each that is written, as the superblocks of the first domain are filled now.
    pub fn moves_for_a_write(&self, collection: Collection) -> f64 {
        let view = self.blocks.view(DomainId(0));
        let mut valid: Vec<u32> =
            view.valid.iter().copied().filter(|&valid| valid < NOT_A_CANDIDATE).collect();
        valid.sort_unstable();
        let draws = match collection {
            Collection::Greedy | Collection::Fifo => return moves(valid.first().copied(), view.capacity),
            Collection::Choices(draws) => draws,
        };
        // The fewest of so many draws is this one or a later one.
        let all = valid.len() as f64;
        let later = |number: usize| libm::pow(1.0 - number as f64 / all.max(1.0), f64::from(draws));
        let mean =
            valid.iter().enumerate().map(|(at, &count)| f64::from(count) * (later(at) - later(at + 1)));
        moves(Some(mean.sum::<f64>().round() as u32), view.capacity)
    }
}

/// Puts into the cache of the map what a load of a known law leaves there when it has gone on for long. `moved`: pages that are
/// moved for each that the load writes. What would have to be programmed for it is on flash already. Returns how many entries,
/// or pages, and changes beside them; `None` for a policy that keeps by another rule.
pub fn put_in_map_cache<A: AboveFtl>(
    above: &mut A,
    load: &[Draws],
    occupied: u32,
    moved: f64,
    seed: u64,
) -> Option<u64> {
    let keeping = above.ftl().translation.policy.get().keeping(above.ftl().mapped_units as u32)?;
    let unit_bytes = u64::from(above.ftl().geometry.unit_bytes);
    let written: f64 = load
        .iter()
        .map(|draws| draws.share * draws.write_share * draws.units(0, unit_bytes).count() as f64)
        .sum();
    let looks_up_writes = !above.caches_data() || above.ftl().translation.looks_up_write_backs;
    let law = Law {
        load,
        keeping,
        // Where nothing is kept, each change is one of an entry that isn't.
        looks_up_writes: looks_up_writes && keeping.room > 0,
        moved: moved * written / (above.ftl().mapped_units as f64).max(1.0),
        unit_bytes,
        occupied,
    };
    let mut random = stream(seed, "used cache of the map");
    let (keys, random) = (random.clone(), &mut random);
    let made = || {
        let rate = |draws: &Draws| draws.share * law.rates(draws)[0];
        urns(load, rate, &mut keys.clone())
    };
    let mut all = made()?;
    let sizes = above.ftl().translation.sizes;
    let kept = {
        let is_mapped = |lpa: Lpa| lpa.0 < sizes.logical_units && above.ftl().is_mapped(lpa);
        let page = |lpa: Lpa| if keeping.pages { sizes.page_of(lpa) } else { lpa.0 };
        let things = if keeping.pages { sizes.translation_pages } else { sizes.logical_units };
        let space = Space { unit_bytes, occupied, is_mapped: &is_mapped, kept: &page, things };
        let plain = keeping.protected == 0 && all.iter().all(|urn| law.used(urn) >= 1.0);
        if keeping.room == 0 || all.is_empty() {
            recent(&mut all, 0, &space, random)
        } else if plain || keeping.pages {
            recent(&mut all, keeping.room, &space, random)
        } else {
            let again = || made().unwrap_or_default();
            let room = [keeping.room, keeping.protected];
            in_parts(&again, &|urn| law.used(urn), room, &space, random)
        }
    };
    let all = made()?;
    Some(if keeping.pages || keeping.room == 0 {
        above.ftl_mut().put_pages(&law, &all, &kept, random)
    } else {
        above.ftl_mut().put_entries(&law, &all, &kept, random)
    })
}

/// Moves for each unit that collecting a superblock with so many valid ones wins.
fn moves(valid: Option<u32>, capacity: u32) -> f64 {
    let valid = valid.unwrap_or(0).min(capacity);
    f64::from(valid) / f64::from((capacity - valid).max(1))
}
