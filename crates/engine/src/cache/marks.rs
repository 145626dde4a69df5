//! What is true or not of a cached unit, in one byte.

use serde::{Deserialize, Serialize};

/// Something that is true of a unit or isn't.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It is newer than flash.
    Dirty = 1,
    /// Its page was written again and has another slot: nobody finds this one, but it goes to flash all the same.
    Superseded = 2,
}

/// Those of a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks(u8);

impl Marks {
    /// Only this one.
    pub fn only(mark: Mark) -> Self {
        Self(mark as u8)
    }

    /// Whether it is true.
    #[inline]
    pub fn has(self, mark: Mark) -> bool {
        self.0 & mark as u8 != 0
    }

    /// It is true from now on, or no longer.
    #[inline]
    pub fn set(&mut self, mark: Mark, on: bool) {
        self.0 = if on { self.0 | mark as u8 } else { self.0 & !(mark as u8) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mark_is_set_and_cleared_by_itself() {
        let mut marks = Marks::only(Mark::Dirty);
        marks.set(Mark::Superseded, true);
        marks.set(Mark::Dirty, false);
        assert_eq!([Mark::Dirty, Mark::Superseded].map(|mark| marks.has(mark)), [false, true]);
    }
}
