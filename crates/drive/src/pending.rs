//! Requests that were submitted and haven't entered the drive, in the order in which they do: by arrival, those of the same time as they
//! were submitted.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use wordline_base::request::HostRequest;

use crate::request::Request;

/// A request and its tag.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Waiting {
    pub request: HostRequest,
    pub tag: u64,
}

impl From<&Request> for Waiting {
    #[inline]
    fn from(request: &Request) -> Self {
        Self { request: request.for_engine(), tag: request.tag }
    }
}

/// Those requests.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Pending(VecDeque<Waiting>);

impl Pending {
    /// Puts requests at their places.
    pub fn extend(&mut self, requests: &[Request]) {
        let times = self.0.back().map(|last| last.request.time.0).into_iter();
        let is_sorted = times.chain(requests.iter().map(|request| request.time)).is_sorted();
        match requests {
            [one] if !is_sorted => {
                let place = self.0.partition_point(|waiting| waiting.request.time.0 <= one.time);
                self.0.insert(place, one.into());
            }
            requests => {
                self.0.extend(requests.iter().map(Waiting::from));
                if !is_sorted {
                    // Stable: requests of the same time keep their order.
                    self.0.make_contiguous().sort_by_key(|waiting| waiting.request.time);
                }
            }
        }
    }

    /// The first.
    #[inline(always)]
    pub fn first(&self) -> Option<&Waiting> {
        self.0.front()
    }

    /// Takes the first.
    #[inline(always)]
    pub fn take(&mut self) -> Option<Waiting> {
        self.0.pop_front()
    }

    /// The one so many places behind the first.
    #[inline(always)]
    pub fn peek(&self, ahead: usize) -> Option<&HostRequest> {
        self.0.get(ahead).map(|waiting| &waiting.request)
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// In their order.
    pub fn iter(&self) -> impl Iterator<Item = Request> + '_ {
        self.0.iter().map(|waiting| Request::of_engine(&waiting.request, waiting.tag))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Op;

    fn at(time: u64, tag: u64) -> Request {
        Request::new(time, Op::Read, 0, 512).tagged(tag)
    }

    #[test]
    fn requests_enter_by_arrival_and_those_of_one_time_as_submitted() {
        let all = [at(5, 0), at(9, 1), at(5, 2), at(3, 3), at(9, 4), at(5, 5)];
        let mut one_by_one = Pending::default();
        all.iter().for_each(|request| one_by_one.extend(std::slice::from_ref(request)));
        let mut at_once = Pending::default();
        at_once.extend(&all);
        let tags = |pending: &Pending| pending.iter().map(|request| request.tag).collect::<Vec<_>>();
        assert_eq!(tags(&one_by_one), [3, 0, 2, 5, 1, 4]);
        assert_eq!(tags(&at_once), tags(&one_by_one));
    }
}
