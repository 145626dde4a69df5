//! Orders other than their own in which logical pages are dealt out over the planes.

use std::sync::Arc;

use crate::placement::PlaneSets;
use crate::redundancy::PageStripes;
use wordline_base::ids::Lpa;

/// An order in which logical pages are dealt out, and which of them hold data.
#[derive(Clone, Debug)]
pub(super) enum Dealt {
    /// Stripes of logical pages, among them their parity. The first so many units of the host hold data.
    Stripes(PageStripes, u32),
    /// Pages of sets of planes. The first so many units of each set hold data.
    Sets(Arc<PlaneSets>, Vec<u32>),
}

impl Dealt {
    /// Whether a logical page holds data.
    pub(super) fn holds(&self, lpa: Lpa) -> bool {
        match self {
            Self::Stripes(stripes, occupied) => match lpa.0.checked_sub(stripes.data_units()) {
                Some(parity) => parity < stripes.parity_units(*occupied),
                None => lpa.0 < *occupied,
            },
            Self::Sets(sets, occupied) => {
                let set = sets.of(lpa);
                let number = lpa.0.wrapping_sub(sets.units(set).start);
                occupied.get(set).is_some_and(|&occupied| number < occupied)
            }
        }
    }

    /// Place of a logical page in this order.
    #[inline]
    pub(super) fn place(&self, lpa: Lpa) -> u32 {
        match self {
            Self::Stripes(stripes, _) => stripes.dealt_as(lpa),
            Self::Sets(sets, _) => sets.dealt_as(lpa),
        }
    }

    /// The logical page of a place, whether it holds data or not.
    pub(super) fn home(&self, place: u32) -> Lpa {
        match self {
            Self::Stripes(stripes, _) => stripes.dealt_at(place),
            Self::Sets(sets, _) => sets.dealt_at(place),
        }
    }

    /// The logical page of a place that one of those has that are laid out; of sets, [`Lpa::NONE`] for any other.
    #[inline]
    pub(super) fn at(&self, place: u32) -> Lpa {
        match self {
            Self::Stripes(stripes, _) => stripes.dealt_at(place),
            Self::Sets(sets, _) => {
                let lpa = sets.dealt_at(place);
                if lpa.is_some() && self.holds(lpa) { lpa } else { Lpa::NONE }
            }
        }
    }
}
