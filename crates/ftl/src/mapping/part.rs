//! A part of the map, entry beside entry, while a drive is prepared domain by domain.
//!
//! Where logical pages are dealt out to the domains by their address, those of one domain lie far apart in the map. Taken out,
//! its entries are so few that they stay in the caches.

use std::ops::Range;

use super::Layout;
use super::page::{PageMap, UNMAPPED, Whole, place_of};
use super::run::Run;
use crate::blocks::Domains;
use wordline_base::divisor::Divisor;
use wordline_base::ids::{DomainId, Lpa, PlaneId, Ppa};
use wordline_base::memory::{ENTRIES_OF_LINE, ask_for_huge_pages, prefetch, zeroed_table};

/// Entries of the map that are numbered on their own.
pub trait Entries {
    /// Number of a logical page's entry; for what is no page, one that no entry has.
    fn number(&self, lpa: Lpa) -> u32;

    /// The logical page of an entry.
    fn page(&self, number: u32) -> Lpa;

    /// An entry, as in the map: 0 = as laid out, else the place and one more; `UNMAPPED` for a number that no entry has.
    fn entry(&self, number: u32) -> u32;

    /// Moves the logical page of an entry.
    fn set(&mut self, number: u32, ppa: Ppa);

    /// Brings an entry towards the caches.
    fn prefetch(&self, number: u32);

    /// Where the logical page of an entry is; [`Ppa::NONE`] when it holds no data.
    #[inline(always)]
    fn get(&self, number: u32, lpa: Lpa, layout: &Layout) -> Ppa {
        place_of(self.entry(number), lpa, layout)
    }
}

impl Entries for Whole {
    #[inline(always)]
    fn number(&self, lpa: Lpa) -> u32 {
        lpa.0
    }

    #[inline(always)]
    fn page(&self, number: u32) -> Lpa {
        Lpa(number)
    }

    #[inline(always)]
    fn entry(&self, number: u32) -> u32 {
        self.0.entry(number as usize)
    }

    #[inline(always)]
    fn prefetch(&self, number: u32) {
        self.0.prefetch(u64::from(number));
    }

    #[inline(always)]
    fn set(&mut self, number: u32, ppa: Ppa) {
        self.0.set(Lpa(number), ppa);
    }
}

/// How the logical pages are dealt out to the domains by their address: alike in each period of so many.
#[derive(Debug)]
pub struct Striping {
    period: Divisor,
    /// Pages of a period that a domain gets.
    share: Divisor,
    /// Of each page of a period: its domain, and its number among those of that domain.
    in_period: Vec<(u32, u32)>,
    /// The pages of a period, domain by domain.
    pages: Vec<u32>,
    /// Logical pages of the drive.
    units: u32,
}

impl Striping {
    /// Of a drive with so many logical pages; `None` where the domains get no equal shares.
    pub fn new(
        domains: &Domains,
        period: u32,
        units: u32,
        plane_of: impl Fn(Lpa) -> Option<PlaneId>,
    ) -> Option<Self> {
        let share = period / domains.len() as u32;
        let mut pages = vec![Vec::new(); domains.len()];
        let mut in_period = Vec::with_capacity(period as usize);
        for page in 0..period {
            let domain = domains.of(plane_of(Lpa(page))?);
            let own = pages.get_mut(domain.index())?;
            in_period.push((domain.0, own.len() as u32));
            own.push(page);
        }
        let equal = pages.iter().all(|own| own.len() == share as usize);
        let (period, share) = (Divisor::new(period), Divisor::new(share));
        equal.then(|| Self { period, share, in_period, pages: pages.concat(), units })
    }

    /// The domain of a logical page, and the number of its entry there.
    #[inline(always)]
    pub fn of(&self, lpa: Lpa) -> (DomainId, u32) {
        let (turn, rest) = self.period.div_rem(lpa.0);
        let (domain, rank) = self.in_period[rest as usize];
        (DomainId(domain), turn * self.share.value() + rank)
    }

    /// Logical pages of the drive.
    pub fn units(&self) -> u32 {
        self.units
    }

    /// Whether each of so many planes of a domain gets one page of a period.
    pub fn gives_each_of(&self, planes: usize) -> bool {
        self.share.value() as usize == planes
    }

    /// The logical page of a domain's entry.
    #[inline]
    pub fn page(&self, domain: DomainId, entry: u32) -> Lpa {
        let (turn, rank) = self.share.div_rem(entry);
        Lpa(turn * self.period.value() + self.pages_of(domain)[rank as usize])
    }

    /// The logical pages of so many entries of a domain, each with the same place in its period as the first.
    #[inline]
    pub fn pages_from(&self, domain: DomainId, entry: u32, count: usize) -> Run {
        Run { first: self.page(domain, entry), step: self.period.value(), count }
    }

    /// A domain's entries of logical pages that follow one another.
    pub fn entries_of(&self, domain: DomainId, pages: &Range<u32>) -> Range<u32> {
        let entries_before = |page: u32| {
            let (turn, rest) = self.period.div_rem(page);
            turn * self.share.value() + self.pages_of(domain).partition_point(|&own| own < rest) as u32
        };
        entries_before(pages.start)..entries_before(pages.end)
    }

    /// Periods, of which the last may be short.
    fn turns(&self) -> usize {
        self.units.div_ceil(self.period.value()) as usize
    }

    /// Entries of one domain, those beyond the last logical page included.
    fn entries(&self) -> usize {
        self.turns() * self.share.value() as usize
    }

    /// The domains in groups whose parts of the map take at most so many bytes together (or are one). Those of a group have
    /// neighbouring entries in the map.
    pub fn groups(&self, bytes: usize) -> Vec<Vec<DomainId>> {
        let mut domains: Vec<DomainId> =
            (0..(self.pages.len() as u32 / self.share.value())).map(DomainId).collect();
        domains.sort_by_key(|domain| self.pages_of(*domain).first().copied());
        let size = (bytes / (self.entries() * size_of::<u32>()).max(1)).max(1);
        domains.chunks(size).map(<[DomainId]>::to_vec).collect()
    }

    fn pages_of(&self, domain: DomainId) -> &[u32] {
        let share = self.share.value() as usize;
        &self.pages[domain.index() * share..][..share]
    }
}

/// Entries between the parts of two domains, so that the same number of each falls on another place of the caches.
const PADDING: usize = 16 * 5;

/// Periods of which entries are copied together.
const TURNS: usize = 64;

/// Fetches what is going to be copied of the periods that begin here.
fn fetch_behind(map: &PageMap, places: &[(usize, usize)], start: usize, period: usize) {
    let mut line = usize::MAX;
    for &(page, _) in places {
        if std::mem::replace(&mut line, page / ENTRIES_OF_LINE) != page / ENTRIES_OF_LINE {
            (0..TURNS).for_each(|turn| map.prefetch((start + turn * period + page) as u64));
        }
    }
}

/// The entries of some domains, taken out of the map.
pub struct Parts<'a> {
    striping: &'a Striping,
    domains: Vec<DomainId>,
    table: Vec<u32>,
    stride: usize,
}

impl<'a> Parts<'a> {
    /// Room for those of so many domains.
    pub fn new(striping: &'a Striping, domains: usize) -> Self {
        let stride = striping.entries().next_multiple_of(16) + PADDING;
        let table = zeroed_table(stride * domains);
        ask_for_huge_pages(&table);
        Self { striping, domains: Vec::new(), table, stride }
    }

    /// Where the first entries of these domains are in the map, and where here.
    fn places(&self) -> Vec<(usize, usize)> {
        let of = |(slot, domain): (usize, &DomainId)| {
            let pages = self.striping.pages_of(*domain).iter();
            pages.zip(slot * self.stride..).map(|(&page, place)| (page as usize, place)).collect::<Vec<_>>()
        };
        self.domains.iter().enumerate().flat_map(of).collect()
    }

    /// Entries of a period of the map, and of a part.
    fn steps(&self) -> (usize, usize) {
        (self.striping.period.value() as usize, self.striping.share.value() as usize)
    }

    /// Takes those of these domains out of the map.
    pub fn take(&mut self, domains: &[DomainId], map: &PageMap) {
        self.domains = domains.to_vec();
        let (places, (period, share)) = (self.places(), self.steps());
        for first in (0..self.striping.turns()).step_by(TURNS) {
            fetch_behind(map, &places, (first + TURNS) * period, period);
            for &(from, to) in &places {
                let pages = (first * period + from..map.len()).step_by(period).take(TURNS);
                let room = self.table.get_mut(to + first * share..).unwrap_or_default();
                room.iter_mut().step_by(share).zip(pages).for_each(|(place, page)| *place = map.entry(page));
            }
        }
    }

    /// Puts them back.
    pub fn put_back(&self, map: &mut PageMap) {
        let (places, (period, share)) = (self.places(), self.steps());
        for first in (0..self.striping.turns()).step_by(TURNS) {
            fetch_behind(map, &places, (first + TURNS) * period, period);
            for &(to, from) in &places {
                let pages = (first * period + to..map.len()).step_by(period).take(TURNS);
                let entries =
                    self.table.get(from + first * share..).unwrap_or_default().iter().step_by(share);
                pages.zip(entries).for_each(|(page, &entry)| map.put_entry(page, entry));
            }
        }
    }

    /// Those of one of the domains.
    pub fn of(&mut self, slot: usize) -> OfDomain<'_> {
        let domain = self.domains.get(slot).copied().unwrap_or(DomainId(0));
        let entries = self.striping.entries();
        let table = self.table.get_mut(slot * self.stride..).and_then(|part| part.get_mut(..entries));
        OfDomain {
            striping: self.striping,
            pages: self.striping.pages_of(domain),
            table: table.unwrap_or_default(),
        }
    }
}

/// The entries of one domain.
pub struct OfDomain<'a> {
    striping: &'a Striping,
    pages: &'a [u32],
    table: &'a mut [u32],
}

impl Entries for OfDomain<'_> {
    #[inline(always)]
    fn number(&self, lpa: Lpa) -> u32 {
        if lpa.0 < self.striping.units { self.striping.of(lpa).1 } else { u32::MAX }
    }

    #[inline(always)]
    fn page(&self, number: u32) -> Lpa {
        let (turn, rank) = self.striping.share.div_rem(number);
        Lpa(turn * self.striping.period.value() + self.pages[rank as usize])
    }

    #[inline(always)]
    fn entry(&self, number: u32) -> u32 {
        self.table.get(number as usize).copied().unwrap_or(UNMAPPED)
    }

    #[inline(always)]
    fn prefetch(&self, number: u32) {
        prefetch(self.table, number as usize);
    }

    #[inline(always)]
    fn set(&mut self, number: u32, ppa: Ppa) {
        self.table[number as usize] = ppa.0 + 1;
    }
}
