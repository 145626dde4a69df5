//! Answers told one by one, for whoever puts several drives together.

use super::front::Front;
use serde::{Deserialize, Serialize};

use super::Device;
use wordline_base::ids::Lpa;
use wordline_base::parts::{Part, Parts};

/// Requests that the host has the answer of, and where their time went. Between two events of a drive whose answers are
/// taken there are none.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Answers {
    /// Those not taken yet: the identity that it was submitted with, and its number.
    done: Vec<(u64, u32)>,
    /// The parts of these, and of those on the link, by number of the request.
    parts: Vec<Parts>,
}

impl Answers {
    /// The identity of each request, in the order of their answers, and the parts of its time.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &Parts)> {
        self.done.iter().filter_map(|&(id, number)| Some((id, self.parts.get(number as usize)?)))
    }

    /// What the answer of a request will tell of its time.
    pub(super) fn note_parts(&mut self, number: u32, inside: [Option<&Parts>; 2], outside: &[(Part, u64)]) {
        let index = number as usize;
        if self.parts.len() <= index {
            self.parts.resize(index + 1, Parts::default());
        }
        let parts = &mut self.parts[index];
        parts.clear();
        inside.into_iter().flatten().for_each(|some| parts.merge(some));
        outside.iter().for_each(|&(part, ns)| parts.add(part, ns));
    }
}

impl Front {
    /// The host has the answer.
    #[inline(always)]
    pub(super) fn tell_answer(&mut self, number: u32) {
        let id = self.request_id(number);
        if let Some(answers) = &mut self.answers {
            answers.done.push((id, number));
        }
    }
}

impl Device {
    /// From now on answers are kept, to be taken ([`Self::take_answers`]) before the drive has anything else to do: then
    /// the number of a request that was answered belongs to another.
    pub fn tell_answers(&mut self) {
        self.front.answers = Some(Box::default());
    }

    /// The answers, if there are any, to be given back when they were looked at ([`Self::give_back_answers`]).
    #[inline]
    pub fn take_answers(&mut self) -> Option<Box<Answers>> {
        if self.front.answers.as_ref().is_none_or(|answers| answers.done.is_empty()) {
            return None;
        }
        self.front.answers.take()
    }

    /// Keeps further answers in the memory of those that were lent.
    pub fn give_back_answers(&mut self, mut answers: Box<Answers>) {
        answers.done.clear();
        self.front.answers = Some(answers);
    }

    /// Flash pages waiting or running on the die that holds this byte of the host's address space; 0 for a page without
    /// data.
    pub fn waiting_before(&self, offset: u64) -> u32 {
        let lpa = offset / u64::from(self.geometry.unit_bytes);
        if lpa >= u64::from(self.ftl.logical_units()) {
            return 0;
        }
        let ppa = self.ftl.lookup(Lpa(lpa as u32));
        if ppa.is_some() { self.flash.loads()[self.geometry.die_at(ppa).0.index()] } else { 0 }
    }
}
