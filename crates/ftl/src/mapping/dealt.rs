//! Orders other than their own in which logical pages are dealt out over the planes.

use std::sync::Arc;

use crate::placement::PlaneSets;
use crate::redundancy::PageStripes;
use wordline_base::ids::Lpa;
use wordline_base::snapshot::SnapshotError;

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

    /// Units of each set that hold data; none without sets.
    pub(super) fn of_sets(&self) -> &[u32] {
        match self {
            Self::Stripes(..) => &[],
            Self::Sets(_, occupied) => occupied,
        }
    }

    /// Takes up how much holds data, of all and of each set; returns the units that lie on flash then.
    pub(super) fn take_up(&mut self, units: u32, of_sets: Vec<u32>) -> Result<u32, SnapshotError> {
        match self {
            Self::Stripes(stripes, occupied) => {
                *occupied = units;
                Ok(units.saturating_add(stripes.parity_units(units)))
            }
            Self::Sets(sets, occupied) => {
                let fits = |(set, &units): (usize, &u32)| units as usize <= sets.units(set).len();
                let all: u64 = of_sets.iter().map(|&units| u64::from(units)).sum();
                let same = of_sets.len() == sets.len() && all == u64::from(units);
                if !same || !of_sets.iter().enumerate().all(fits) {
                    return Err(SnapshotError::Misfit("other sets of planes than the drive has".to_owned()));
                }
                *occupied = of_sets;
                Ok(units)
            }
        }
    }

    /// Among the planes of a set: number of the plane at this position, how many they are, and units dealt out over them; `None` without
    /// sets.
    pub(super) fn turn_of(&self, position: u32) -> Option<[u32; 3]> {
        let Self::Sets(sets, occupied) = self else { return None };
        let (set, number) = sets.of_position(position);
        let laid = occupied.get(set).copied().unwrap_or(0);
        Some([number, sets.positions(set).len().max(1) as u32, laid])
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
