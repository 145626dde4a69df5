//! Further copies of logical pages, beside the primary one that the page map knows.

use serde::{Deserialize, Serialize};

use crate::replicate::{CopyLoss, CopyTarget};
use wordline_base::ids::{DomainId, Lpa, Ppa};
use wordline_base::lru::LruMap;

/// A copy beside the primary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FurtherCopy {
    /// Where it is.
    pub ppa: Ppa,
    /// Number of the system that asked for it.
    pub owner: usize,
    /// It was the primary when it was programmed, and its OOB says so.
    pub was_primary: bool,
}

/// A copy on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// The page.
    pub lpa: Lpa,
    /// Number of the system that asked for it.
    pub owner: usize,
    /// Where it shall go.
    pub to: CopyTarget,
    /// Where its place was taken.
    pub domain: Option<DomainId>,
    /// Why it is of no use any more.
    pub cancelled: Option<CopyLoss>,
    /// The next one of the same page, as long as it is wanted: its number plus one, 0 behind the last.
    next_plus_one: u32,
}

/// Copies of a page, the oldest first: nearly always one, which needs no memory of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Vec<FurtherCopy>", from = "Vec<FurtherCopy>")]
pub enum CopyList {
    /// None.
    #[default]
    None,
    /// One.
    One(FurtherCopy),
    /// Two at least.
    Several(Vec<FurtherCopy>),
}

impl From<Vec<FurtherCopy>> for CopyList {
    fn from(copies: Vec<FurtherCopy>) -> Self {
        match *copies {
            [] => Self::None,
            [copy] => Self::One(copy),
            _ => Self::Several(copies),
        }
    }
}

impl From<CopyList> for Vec<FurtherCopy> {
    fn from(list: CopyList) -> Self {
        match list {
            CopyList::Several(copies) => copies,
            list => list.as_slice().to_vec(),
        }
    }
}

impl CopyList {
    /// The copies.
    #[inline]
    pub fn as_slice(&self) -> &[FurtherCopy] {
        match self {
            Self::None => &[],
            Self::One(copy) => std::slice::from_ref(copy),
            Self::Several(copies) => copies,
        }
    }

    /// The copy that lies there, to change it.
    fn at_mut(&mut self, ppa: Ppa) -> Option<&mut FurtherCopy> {
        let copies = match self {
            Self::None => &mut [],
            Self::One(copy) => std::slice::from_mut(copy),
            Self::Several(copies) => copies.as_mut_slice(),
        };
        copies.iter_mut().find(|copy| copy.ppa == ppa)
    }

    fn push(&mut self, new: FurtherCopy) {
        match self {
            Self::None => *self = Self::One(new),
            Self::One(copy) => *self = Self::Several(vec![*copy, new]),
            Self::Several(copies) => copies.push(new),
        }
    }

    /// Takes the copy that lies there out.
    fn take(&mut self, ppa: Ppa) -> Option<FurtherCopy> {
        let index = self.as_slice().iter().position(|copy| copy.ppa == ppa)?;
        let mut copies = Vec::from(std::mem::take(self));
        let copy = copies.remove(index);
        *self = copies.into();
        Some(copy)
    }
}

/// What is known of a logical page beyond its primary.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Page {
    copies: CopyList,
    /// The first of its copies on their way that are still wanted, which form a chain: its number plus one, 0 for none.
    pending_plus_one: u32,
    /// The primary lies where a copy was made, not where the placement put it.
    promoted: bool,
}

/// All further copies. One bit for each logical page says whether there is anything to know of it, so that pages
/// without copies cost one look.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Copies {
    flags: Vec<u64>,
    pages: LruMap<Lpa, Page>,
    pending: Vec<Option<Pending>>,
    free: Vec<u32>,
}

impl Copies {
    /// From now on there may be copies of so many logical pages.
    pub fn enable(&mut self, logical_units: u32) {
        self.flags = vec![0; (logical_units as usize).div_ceil(64)];
    }

    /// Whether there may be copies at all.
    #[inline]
    pub fn is_on(&self) -> bool {
        !self.flags.is_empty()
    }

    /// Whether a page has copies, copies on their way, or a primary that was one.
    #[inline]
    pub fn has(&self, lpa: Lpa) -> bool {
        self.flags.get(lpa.index() / 64).is_some_and(|flags| flags >> (lpa.0 % 64) & 1 != 0)
    }

    /// The copies of a page, the oldest first.
    pub fn of(&self, lpa: Lpa) -> &[FurtherCopy] {
        if self.has(lpa) { self.pages.get(lpa).map_or(&[], |page| page.copies.as_slice()) } else { &[] }
    }

    /// The copy that lies there.
    #[inline]
    pub fn at(&self, lpa: Lpa, ppa: Ppa) -> Option<FurtherCopy> {
        if !self.has(lpa) {
            return None;
        }
        self.of(lpa).iter().find(|copy| copy.ppa == ppa).copied()
    }

    /// Whether the primary of a page was a copy once, and no write has placed it since.
    pub fn is_promoted(&self, lpa: Lpa) -> bool {
        self.has(lpa) && self.pages.get(lpa).is_some_and(|page| page.promoted)
    }

    /// Every copy, by logical page.
    pub fn all(&self) -> impl Iterator<Item = (Lpa, &FurtherCopy)> {
        self.in_order().flat_map(|(lpa, page)| page.copies.as_slice().iter().map(move |copy| (lpa, copy)))
    }

    /// Every page whose primary was a copy once.
    pub fn promoted(&self) -> impl Iterator<Item = Lpa> {
        self.in_order().filter(|(_, page)| page.promoted).map(|(lpa, _)| lpa)
    }

    fn in_order(&self) -> impl Iterator<Item = (Lpa, &Page)> {
        let mut pages: Vec<(Lpa, &Page)> = self.pages.iter().collect();
        pages.sort_unstable_by_key(|&(lpa, _)| lpa);
        pages.into_iter()
    }

    /// Copies on their way.
    pub fn under_way(&self) -> usize {
        self.pending.len() - self.free.len()
    }

    fn page(&mut self, lpa: Lpa) -> &mut Page {
        if let Some(flags) = self.flags.get_mut(lpa.index() / 64) {
            *flags |= 1 << (lpa.0 % 64);
        }
        self.pages.get_or_default(lpa)
    }

    /// Forgets a page of which there is nothing left to know.
    fn tidy(&mut self, lpa: Lpa) {
        if self.pages.get(lpa).is_none_or(|page| *page == Page::default()) {
            self.take_page(lpa);
        }
    }

    /// Forgets a page, whatever there is to know of it.
    fn take_page(&mut self, lpa: Lpa) -> Option<Page> {
        if let Some(flags) = self.flags.get_mut(lpa.index() / 64) {
            *flags &= !(1 << (lpa.0 % 64));
        }
        self.pages.remove(lpa)
    }

    /// A copy is on its way; returns its number.
    pub fn begin(&mut self, lpa: Lpa, owner: usize, to: CopyTarget) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.pending.push(None);
            (self.pending.len() - 1) as u32
        });
        let next_plus_one = std::mem::replace(&mut self.page(lpa).pending_plus_one, number + 1);
        if let Some(pending) = self.pending.get_mut(number as usize) {
            *pending = Some(Pending { lpa, owner, to, domain: None, cancelled: None, next_plus_one });
        }
        number
    }

    /// A copy on its way.
    pub fn pending(&mut self, number: u32) -> Option<&mut Pending> {
        self.pending.get_mut(number as usize).and_then(Option::as_mut)
    }

    /// It is on its way no more.
    pub fn finish(&mut self, number: u32) -> Option<Pending> {
        let pending = self.pending.get_mut(number as usize)?.take()?;
        self.free.push(number);
        if pending.cancelled.is_none() {
            self.unchain(number, &pending);
            self.tidy(pending.lpa);
        }
        Some(pending)
    }

    /// Takes a copy out of those of its page that are on their way.
    fn unchain(&mut self, number: u32, ended: &Pending) {
        let page = self.page(ended.lpa);
        if page.pending_plus_one == number + 1 {
            page.pending_plus_one = ended.next_plus_one;
            return;
        }
        let mut before = page.pending_plus_one;
        while let Some(other) = self.in_chain(before) {
            if other.next_plus_one == number + 1 {
                other.next_plus_one = ended.next_plus_one;
                return;
            }
            before = other.next_plus_one;
        }
    }

    /// The copy on its way of this number plus one.
    fn in_chain(&mut self, plus_one: u32) -> Option<&mut Pending> {
        plus_one.checked_sub(1).and_then(|number| self.pending(number))
    }

    /// There is one more copy.
    pub fn add(&mut self, lpa: Lpa, copy: FurtherCopy) {
        self.page(lpa).copies.push(copy);
    }

    /// A copy is gone.
    pub fn remove(&mut self, lpa: Lpa, ppa: Ppa) -> Option<FurtherCopy> {
        let copy = self.pages.get_mut(lpa)?.copies.take(ppa)?;
        self.tidy(lpa);
        Some(copy)
    }

    /// A copy was moved and programmed as a copy. `false` if there is none at `old`.
    pub fn relocate(&mut self, lpa: Lpa, old: Ppa, new: Ppa) -> bool {
        let copy = self.pages.get_mut(lpa).and_then(|page| page.copies.at_mut(old));
        let found = copy.is_some();
        if let Some(copy) = copy {
            (copy.ppa, copy.was_primary) = (new, false);
        }
        found
    }

    /// The copy at `ppa` becomes the primary, and the primary at `primary` a copy of the same owner.
    pub fn promote(&mut self, lpa: Lpa, ppa: Ppa, primary: Ppa, primary_is_data: bool) {
        let page = self.page(lpa);
        if let Some(copy) = page.copies.at_mut(ppa) {
            (copy.ppa, copy.was_primary) = (primary, primary_is_data);
            page.promoted = true;
        }
    }

    /// The page is written or trimmed: its copies are void, those on their way too. Returns the former, and whether its
    /// primary was a copy once.
    pub fn forget(&mut self, lpa: Lpa, why: CopyLoss) -> (CopyList, bool) {
        let Some(page) = self.take_page(lpa) else { return (CopyList::None, false) };
        let mut wanted = page.pending_plus_one;
        while let Some(pending) = self.in_chain(wanted) {
            pending.cancelled = Some(why);
            wanted = pending.next_plus_one;
        }
        (page.copies, page.promoted)
    }

    /// Bytes of memory that the table takes: the bits, and an entry for each page and copy.
    pub fn bytes(&self) -> u64 {
        let copies: usize = self.pages.iter().map(|(_, page)| page.copies.as_slice().len()).sum();
        let entries = self.pages.len() * (size_of::<Lpa>() + size_of::<Page>());
        (self.flags.len() * 8 + entries + copies * size_of::<FurtherCopy>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_base::ids::DieId;

    fn copy(ppa: u32) -> FurtherCopy {
        FurtherCopy { ppa: Ppa(ppa), owner: 0, was_primary: false }
    }

    #[test]
    fn a_page_is_flagged_as_long_as_there_is_something_to_know_of_it() {
        let mut copies = Copies::default();
        assert!(!copies.has(Lpa(70)) && !copies.is_on());
        copies.enable(100);
        let number = copies.begin(Lpa(70), 0, CopyTarget::Die(DieId(1)));
        assert!(copies.has(Lpa(70)) && !copies.has(Lpa(6)));
        assert_eq!(copies.finish(number).map(|pending| pending.lpa), Some(Lpa(70)));
        assert!(!copies.has(Lpa(70)));
        copies.add(Lpa(70), copy(5));
        copies.add(Lpa(70), copy(9));
        assert!(copies.relocate(Lpa(70), Ppa(9), Ppa(8)) && !copies.relocate(Lpa(70), Ppa(9), Ppa(8)));
        assert_eq!(copies.remove(Lpa(70), Ppa(5)), Some(copy(5)));
        assert_eq!(copies.of(Lpa(70)), [copy(8)]);
        copies.promote(Lpa(70), Ppa(8), Ppa(3), true);
        assert!(copies.is_promoted(Lpa(70)));
        assert_eq!(copies.remove(Lpa(70), Ppa(3)).map(|copy| copy.was_primary), Some(true));
        assert!(copies.has(Lpa(70)), "the primary lies where the copy was");
        assert_eq!(copies.forget(Lpa(70), CopyLoss::Written), (CopyList::None, true));
        assert!(!copies.has(Lpa(70)));
    }

    #[test]
    fn a_write_cancels_the_copies_on_their_way_of_this_page_only() {
        let mut copies = Copies::default();
        copies.enable(100);
        let numbers = [4, 5].map(|lpa| copies.begin(Lpa(lpa), 0, CopyTarget::Reserved));
        copies.forget(Lpa(4), CopyLoss::Trimmed);
        assert!(!copies.has(Lpa(4)) && copies.has(Lpa(5)));
        let cancelled = numbers.map(|number| copies.finish(number).and_then(|pending| pending.cancelled));
        assert_eq!(cancelled, [Some(CopyLoss::Trimmed), None]);
        assert_eq!(copies.under_way(), 0);
    }

    #[test]
    fn of_a_page_those_on_their_way_end_in_any_order_and_the_others_are_cancelled() {
        for ended in 0..3 {
            let mut copies = Copies::default();
            copies.enable(100);
            let numbers: Vec<u32> =
                (0..3).map(|owner| copies.begin(Lpa(7), owner, CopyTarget::Reserved)).collect();
            let of_another = copies.begin(Lpa(8), 0, CopyTarget::Reserved);
            assert_eq!(copies.finish(numbers[ended]).map(|pending| pending.owner), Some(ended));
            let again = copies.begin(Lpa(9), 5, CopyTarget::Reserved);
            assert_eq!(again, numbers[ended], "its number is used again");
            copies.forget(Lpa(7), CopyLoss::Written);
            for (owner, &number) in numbers.iter().enumerate().filter(|&(owner, _)| owner != ended) {
                let pending = copies.finish(number).unwrap();
                assert_eq!((pending.owner, pending.cancelled), (owner, Some(CopyLoss::Written)));
            }
            for (number, lpa) in [(of_another, Lpa(8)), (again, Lpa(9))] {
                assert!(copies.has(lpa));
                assert_eq!(copies.finish(number).map(|pending| pending.cancelled), Some(None));
                assert!(!copies.has(lpa), "nothing is left to know of it");
            }
            assert_eq!((copies.under_way(), copies.pages.len()), (0, 0));
        }
    }
}
