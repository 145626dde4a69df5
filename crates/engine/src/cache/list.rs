//! Doubly linked lists of numbers: a number is in one list at most, and leaves it in constant time.

use serde::{Deserialize, Serialize};

/// No number.
pub const NIL: u32 = u32::MAX;

/// The ends of one list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct List {
    /// The oldest; [`NIL`] when empty.
    pub old: u32,
    /// The youngest.
    pub young: u32,
    /// Members.
    pub len: u32,
}

impl Default for List {
    fn default() -> Self {
        Self { old: NIL, young: NIL, len: 0 }
    }
}

/// The neighbours of a member; what they were while it is in no list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    older: u32,
    younger: u32,
}

impl Link {
    /// The next younger member; [`NIL`] at the young end.
    #[inline]
    pub fn younger(self) -> u32 {
        self.younger
    }

    /// The next older member; [`NIL`] at the old end.
    #[inline]
    pub fn older(self) -> u32 {
        self.older
    }

    /// Room for a number, while the member is in no list.
    #[inline]
    pub fn of_number(number: u64) -> Self {
        Self { older: number as u32, younger: (number >> 32) as u32 }
    }

    /// That number.
    #[inline]
    pub fn number(self) -> u64 {
        u64::from(self.older) | u64::from(self.younger) << 32
    }
}

/// The links of all members of any number of disjoint lists, wherever they are kept.
pub trait Links {
    /// That of a member.
    fn link(&self, member: u32) -> Link;

    /// The same, to change it.
    fn link_mut(&mut self, member: u32) -> &mut Link;

    /// Puts a member between two neighbours of a list; [`NIL`] stands for what lies beyond an end.
    #[inline]
    fn put_between(&mut self, list: &mut List, member: u32, older: u32, younger: u32) {
        *self.link_mut(member) = Link { older, younger };
        match older {
            NIL => list.old = member,
            older => self.link_mut(older).younger = member,
        }
        match younger {
            NIL => list.young = member,
            younger => self.link_mut(younger).older = member,
        }
        list.len += 1;
    }

    /// Puts a member to the young end.
    #[inline]
    fn push_young(&mut self, list: &mut List, member: u32) {
        self.put_between(list, member, list.young, NIL);
    }

    /// Takes a member out of the list that it is in.
    #[inline]
    fn unlink(&mut self, list: &mut List, member: u32) {
        let Link { older, younger } = self.link(member);
        match older {
            NIL => list.old = younger,
            older => self.link_mut(older).younger = younger,
        }
        match younger {
            NIL => list.young = older,
            younger => self.link_mut(younger).older = older,
        }
        list.len -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    impl Links for [Link; 12] {
        fn link(&self, member: u32) -> Link {
            self[member as usize]
        }

        fn link_mut(&mut self, member: u32) -> &mut Link {
            &mut self[member as usize]
        }
    }

    fn members(links: &[Link; 12], list: List) -> impl Iterator<Item = u32> {
        let some = |member: u32| Some(member).filter(|&member| member != NIL);
        std::iter::successors(some(list.old), move |&member| some(links[member as usize].younger()))
    }

    proptest! {
        #[test]
        fn a_link_out_of_use_keeps_any_number(number: u64) {
            prop_assert_eq!(Link::of_number(number).number(), number);
        }

        #[test]
        fn two_lists_behave_like_two_deques(steps in prop::collection::vec((0u32..12, 0u8..4, 0usize..12), 0..300)) {
            let mut links = [Link::default(); 12];
            let mut lists = [List::default(); 2];
            let mut model: [VecDeque<u32>; 2] = Default::default();
            for (member, step, place) in steps {
                let (list, young) = (usize::from(step & 1), step & 2 == 0);
                if let Some(held) = (0..2).find(|&other| model[other].contains(&member)) {
                    links.unlink(&mut lists[held], member);
                    model[held].retain(|&other| other != member);
                } else if young {
                    links.push_young(&mut lists[list], member);
                    model[list].push_back(member);
                } else {
                    let place = place % (model[list].len() + 1);
                    let at = |place: usize| model[list].get(place).copied().unwrap_or(NIL);
                    let (older, younger) = (place.checked_sub(1).map_or(NIL, at), at(place));
                    links.put_between(&mut lists[list], member, older, younger);
                    model[list].insert(place, member);
                }
                for (list, model) in lists.iter().zip(&model) {
                    prop_assert_eq!(members(&links, *list).collect::<Vec<_>>(), model.iter().copied().collect::<Vec<_>>());
                    prop_assert_eq!(list.len as usize, model.len());
                }
            }
        }
    }
}
