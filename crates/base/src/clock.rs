//! Time by class, of which most classes of most drives have none.

use serde::{Deserialize, Serialize};

use crate::class::{ByClass, CLASSES, Class};
use crate::sparse::Sparse;

/// Nanoseconds by class, as a clock that only runs forwards or what one showed at a moment.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct ClassClock(Sparse<CLASSES>);

impl ClassClock {
    /// Adds to a class.
    #[inline]
    pub fn add(&mut self, class: Class, ns: u64) {
        self.0.add(class.index(), ns);
    }

    /// Makes `other` show the same.
    #[inline]
    pub fn copy_to(&self, other: &mut Self) {
        self.0.copy_to(&mut other.0);
    }

    /// By how much each class is ahead of `then`, an earlier moment of the same clock; classes that are not are left out.
    #[inline]
    pub fn since<'a>(&'a self, then: &'a Self) -> impl Iterator<Item = (usize, u64)> + 'a {
        let ahead = |(index, ns)| (index, ns - then.0.get(index));
        self.0.iter().map(ahead).filter(|&(_, ns)| ns > 0)
    }

    /// What it would show if it had not run for so long for a class, which it has.
    pub fn without(mut self, class: Class, ns: u64) -> Self {
        let shown = self.0.get(class.index());
        self.0.put(class.index(), shown.saturating_sub(ns));
        self
    }

    /// All classes.
    pub fn by_class(&self) -> ByClass<u64> {
        let mut all = [0; CLASSES];
        self.0.iter().for_each(|(index, ns)| all[index] = ns);
        all
    }

    /// Of all classes together.
    pub fn total(&self) -> u64 {
        self.0.total()
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
