//! Requests inside the drive, by the number that the engine knows them by.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::pending::Waiting;

/// Those requests. Numbers count from 0, in the order in which requests enter.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Inside {
    /// By number, from that of `first` on; answered ones are gone.
    requests: VecDeque<Option<Waiting>>,
    first: u64,
    count: u64,
}

impl Inside {
    /// The number of the next request that enters.
    #[inline(always)]
    pub fn next_number(&self) -> u64 {
        self.first + self.requests.len() as u64
    }

    /// How many there are.
    #[inline(always)]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// A request enters.
    #[inline(always)]
    pub fn enter(&mut self, waiting: Waiting) {
        self.requests.push_back(Some(waiting));
        self.count += 1;
    }

    /// The request with this number was answered.
    #[inline(always)]
    pub fn leave(&mut self, number: u64) -> Option<Waiting> {
        let place = usize::try_from(number.checked_sub(self.first)?).ok()?;
        let left = self.requests.get_mut(place)?.take()?;
        self.count -= 1;
        while let Some(None) = self.requests.front() {
            self.requests.pop_front();
            self.first += 1;
        }
        Some(left)
    }

    /// In the order in which they entered.
    pub fn iter(&self) -> impl Iterator<Item = &Waiting> {
        self.requests.iter().flatten()
    }

    /// Whether its figures agree, as those of a snapshot may not.
    pub fn is_consistent(&self) -> bool {
        self.count == self.iter().count() as u64
            && !matches!(self.requests.front(), Some(None))
            && self.first.checked_add(self.requests.len() as u64).is_some_and(|next| next < u64::MAX / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{Op, Request};

    #[test]
    fn a_request_leaves_once_and_numbers_go_on() {
        let mut inside = Inside::default();
        for tag in 0..4 {
            assert_eq!(inside.next_number(), tag);
            inside.enter((&Request::new(0, Op::Read, 0, 1).tagged(10 + tag)).into());
        }
        let mut leave = |number| inside.leave(number).map(|left| left.tag);
        assert_eq!(
            [leave(1), leave(1), leave(0), leave(0), leave(3), leave(9)],
            [Some(11), None, Some(10), None, Some(13), None]
        );
        assert_eq!((inside.count(), inside.next_number(), inside.is_consistent()), (1, 4, true));
    }
}
