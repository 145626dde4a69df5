//! Answers told one by one, for whoever puts several drives together.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::Device;
use crate::ids::Lpa;
use crate::stats::blame::{Part, Parts};

/// A request that the host has the answer of.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// The identity that it was submitted with.
    pub id: u64,
    /// Where its time went.
    pub parts: Parts,
}

/// Answers that were not taken yet, and the parts of those on the link, by number of the request.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Answers {
    done: VecDeque<Answer>,
    coming: Vec<Parts>,
}

impl Device {
    /// From now on answers are kept until [`Self::take_answer`] takes them.
    pub fn tell_answers(&mut self) {
        self.answers = Some(Box::default());
    }

    /// The next answer.
    pub fn take_answer(&mut self) -> Option<Answer> {
        self.answers.as_mut()?.done.pop_front()
    }

    /// What the answer of a request will tell of its time.
    pub(super) fn note_parts(
        answers: &mut Answers,
        number: u32,
        inside: [Option<&Parts>; 2],
        outside: &[(Part, u64)],
    ) {
        let index = number as usize;
        if answers.coming.len() <= index {
            answers.coming.resize(index + 1, Parts::default());
        }
        let parts = &mut answers.coming[index];
        parts.clear();
        inside.into_iter().flatten().for_each(|some| parts.merge(some));
        outside.iter().for_each(|&(part, ns)| parts.add(part, ns));
    }

    /// The host has the answer.
    #[inline(always)]
    pub(super) fn tell_answer(&mut self, number: u32) {
        let id = self.request_id(number);
        if let Some(answers) = &mut self.answers {
            let parts = answers.coming.get(number as usize).copied().unwrap_or_default();
            answers.done.push_back(Answer { id, parts });
        }
    }

    /// Flash pages waiting or running on the die that holds this byte of the host's address space; 0 for a page without
    /// data.
    pub fn waiting_before(&self, offset: u64) -> u32 {
        let lpa = offset / u64::from(self.geometry.unit_bytes);
        if lpa >= u64::from(self.logical_units) {
            return 0;
        }
        let ppa = self.lookup(Lpa(lpa as u32));
        if ppa.is_some() { self.outstanding[self.die_of(ppa).0.index()] } else { 0 }
    }
}
