//! Doubly linked lists through two flat arrays: a number is in one list at most, and leaves it in constant time.

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

/// The links of all members of any number of disjoint lists.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Links {
    older: Vec<u32>,
    younger: Vec<u32>,
}

impl Links {
    /// For members 0 to `count` − 1, none of them in a list.
    pub fn new(count: u32) -> Self {
        Self { older: vec![0; count as usize], younger: vec![0; count as usize] }
    }

    /// Puts a member to the young end.
    pub fn push_young(&mut self, list: &mut List, member: u32) {
        self.older[member as usize] = list.young;
        self.younger[member as usize] = NIL;
        match list.young {
            NIL => list.old = member,
            young => self.younger[young as usize] = member,
        }
        list.young = member;
        list.len += 1;
    }

    /// Puts a member to the old end.
    pub fn push_old(&mut self, list: &mut List, member: u32) {
        self.younger[member as usize] = list.old;
        self.older[member as usize] = NIL;
        match list.old {
            NIL => list.young = member,
            old => self.older[old as usize] = member,
        }
        list.old = member;
        list.len += 1;
    }

    /// Takes a member out of the list that it is in.
    pub fn unlink(&mut self, list: &mut List, member: u32) {
        let (older, younger) = (self.older[member as usize], self.younger[member as usize]);
        match older {
            NIL => list.old = younger,
            older => self.younger[older as usize] = younger,
        }
        match younger {
            NIL => list.young = older,
            younger => self.older[younger as usize] = older,
        }
        list.len -= 1;
    }

    /// The members of a list from the oldest.
    pub fn iter(&self, list: List) -> impl Iterator<Item = u32> {
        let next = |&member: &u32| Some(self.younger[member as usize]).filter(|&next| next != NIL);
        std::iter::successors(Some(list.old).filter(|&old| old != NIL), next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn two_lists_behave_like_two_deques(steps in prop::collection::vec((0u32..12, 0u8..4), 0..300)) {
            let mut links = Links::new(12);
            let mut lists = [List::default(); 2];
            let mut model: [VecDeque<u32>; 2] = Default::default();
            for (member, step) in steps {
                let (list, young) = (usize::from(step & 1), step & 2 == 0);
                if let Some(held) = (0..2).find(|&other| model[other].contains(&member)) {
                    links.unlink(&mut lists[held], member);
                    model[held].retain(|&other| other != member);
                } else if young {
                    links.push_young(&mut lists[list], member);
                    model[list].push_back(member);
                } else {
                    links.push_old(&mut lists[list], member);
                    model[list].push_front(member);
                }
                for (list, model) in lists.iter().zip(&model) {
                    prop_assert_eq!(links.iter(*list).collect::<Vec<_>>(), model.iter().copied().collect::<Vec<_>>());
                    prop_assert_eq!(list.len as usize, model.len());
                }
            }
        }
    }
}
