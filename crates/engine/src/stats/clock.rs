//! Time by class, of which most classes of most drives have none: only those that have some are touched.

use serde::{Deserialize, Serialize};

use crate::sched::class::{ByClass, CLASSES, Class};

/// Nanoseconds by class, as a clock that only runs forwards or what one showed at a moment.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ClassClock {
    /// Classes that have a figure, one bit each; the others' figures mean nothing.
    set: u32,
    ns: ByClass<u64>,
}

impl Default for ClassClock {
    fn default() -> Self {
        Self { set: 0, ns: [0; CLASSES] }
    }
}

impl ClassClock {
    /// Adds to a class.
    #[inline]
    pub fn add(&mut self, class: Class, ns: u64) {
        let index = class.index();
        self.ns[index] = ns + if self.set & (1 << index) == 0 { 0 } else { self.ns[index] };
        self.set |= 1 << index;
    }

    /// Makes `other` show the same.
    #[inline]
    pub fn copy_to(&self, other: &mut Self) {
        other.set = self.set;
        for index in self.indices() {
            other.ns[index] = self.ns[index];
        }
    }

    /// By how much each class is ahead of `then`, an earlier moment of the same clock; classes that are not are left out.
    #[inline]
    pub fn since<'a>(&'a self, then: &'a Self) -> impl Iterator<Item = (usize, u64)> + 'a {
        self.indices().filter_map(move |index| {
            let before = if then.set & (1 << index) == 0 { 0 } else { then.ns[index] };
            (self.ns[index] != before).then(|| (index, self.ns[index] - before))
        })
    }

    /// All classes.
    pub fn by_class(&self) -> ByClass<u64> {
        let mut all = [0; CLASSES];
        self.indices().for_each(|index| all[index] = self.ns[index]);
        all
    }

    /// Of all classes together.
    pub fn total(&self) -> u64 {
        self.indices().map(|index| self.ns[index]).sum()
    }

    #[inline]
    fn indices(&self) -> impl Iterator<Item = usize> + use<> {
        let mut left = self.set & ((1 << CLASSES) - 1);
        std::iter::from_fn(move || {
            let index = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (index < CLASSES).then_some(index)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_clock_showed_and_what_it_shows_differ_by_what_was_added() {
        let mut clock = ClassClock::default();
        clock.add(Class::GcErase, 3);
        // A place that showed something else before.
        let mut then = ClassClock::default();
        then.add(Class::HostRead, 99);
        clock.copy_to(&mut then);
        clock.add(Class::HostRead, 5);
        clock.add(Class::GcErase, 4);
        let since: Vec<_> = clock.since(&then).collect();
        assert_eq!(since, [(Class::HostRead.index(), 5), (Class::GcErase.index(), 4)]);
        assert_eq!((then.total(), clock.total()), (3, 12));
        assert_eq!(clock.since(&clock).count(), 0);
    }
}
