//! Answers told one by one: to a host of several flows, and to whoever puts several drives together.

use serde::{Deserialize, Serialize};

use super::Front;
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
        if let Some(answered) = &mut self.answered {
            answered.push(id);
        }
    }

    /// Whether there are answers that the host hasn't heard of.
    #[inline(always)]
    pub fn has_completed(&self) -> bool {
        self.completed > 0
    }

    /// Requests that were completed since this was asked last.
    pub fn take_completed(&mut self) -> u32 {
        std::mem::take(&mut self.completed)
    }

    /// From now on the numbers of the requests that are completed are kept, or no longer.
    pub fn keep_answered(&mut self, kept: bool) {
        self.answered = kept.then(Vec::new);
    }

    /// Appends the numbers of the requests that were completed since this was asked last.
    pub fn take_answered(&mut self, into: &mut Vec<u64>) {
        if let Some(answered) = &mut self.answered {
            into.append(answered);
        }
    }

    /// From now on answers are kept.
    pub fn keep_answers(&mut self) {
        self.answers = Some(Box::default());
    }

    /// Whether answers are kept.
    pub fn keeps_answers(&self) -> bool {
        self.answers.is_some()
    }

    /// The answers, if there are any.
    #[inline]
    pub fn take_answers(&mut self) -> Option<Box<Answers>> {
        if self.answers.as_ref().is_none_or(|answers| answers.done.is_empty()) {
            return None;
        }
        self.answers.take()
    }

    /// Keeps further answers in the memory of those that were lent.
    pub fn give_back_answers(&mut self, mut answers: Box<Answers>) {
        answers.done.clear();
        self.answers = Some(answers);
    }
}
