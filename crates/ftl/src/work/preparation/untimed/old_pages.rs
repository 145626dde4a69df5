//! On how many flash pages what is overwritten lay: what a read of it would have cost.

use wordline_base::ids::{DomainId, Ppa};

/// Counts them while a drive is overwritten without simulated time.
#[derive(Clone, Debug, Default)]
pub struct OldPages {
    unit_shift: u32,
    /// The last one of each domain.
    last: Vec<u32>,
    pages: u64,
    units: u64,
}

impl OldPages {
    /// Of a drive of so many domains, whose flash pages have 2^`unit_shift` units.
    pub fn new(domains: usize, unit_shift: u32) -> Self {
        Self { unit_shift, last: vec![u32::MAX; domains], pages: 0, units: 0 }
    }

    /// A unit of a domain was overwritten that lay here.
    #[inline(always)]
    pub fn left(&mut self, domain: DomainId, old: Ppa) {
        let page = old.0 >> self.unit_shift;
        if let Some(last) = self.last.get_mut(domain.index()) {
            self.pages += u64::from(*last != page);
            *last = page;
        }
        self.units += 1;
    }

    /// Flash pages for each unit that was overwritten since it was asked last; `None` if none was.
    pub fn take(&mut self) -> Option<f64> {
        let (pages, units) = (std::mem::take(&mut self.pages), std::mem::take(&mut self.units));
        (units > 0).then(|| pages as f64 / units as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_one_page_in_a_row_count_once() {
        let mut pages = OldPages::new(2, 2);
        assert_eq!(pages.take(), None);
        for (domain, old) in [(0, 4), (0, 5), (1, 40), (0, 7), (0, 8), (1, 44)] {
            pages.left(DomainId(domain), Ppa(old));
        }
        assert_eq!(pages.take(), Some(4.0 / 6.0));
        assert_eq!(pages.take(), None);
    }
}
