//! Pages that a system wants to copy as soon as their data is in the controller.

use serde::{Deserialize, Serialize};

use wordline_base::ids::Lpa;

/// Pages whose read isn't done yet, the oldest first, each with what its system needs to know then. Of more than `most`
/// the oldest are forgotten: reads may end without data, because of TRIMs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Awaited<T> {
    most: usize,
    pages: Vec<(Lpa, T)>,
}

impl<T> Awaited<T> {
    /// None yet.
    pub fn new(most: usize) -> Self {
        Self { most, pages: Vec::new() }
    }

    /// Whether the page is awaited.
    #[inline]
    pub fn contains(&self, lpa: Lpa) -> bool {
        self.pages.iter().any(|awaited| awaited.0 == lpa)
    }

    /// One more page.
    pub fn push(&mut self, lpa: Lpa, what: T) {
        if self.pages.len() >= self.most {
            self.pages.remove(0);
        }
        self.pages.push((lpa, what));
    }

    /// The page is awaited no more.
    pub fn take(&mut self, lpa: Lpa) -> Option<T> {
        let index = self.pages.iter().position(|awaited| awaited.0 == lpa)?;
        Some(self.pages.remove(index).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_gives_way_and_a_page_is_taken_once() {
        let mut awaited = Awaited::new(2);
        (1..4).for_each(|page| awaited.push(Lpa(page), page * 10));
        assert!(!awaited.contains(Lpa(1)) && awaited.contains(Lpa(2)));
        assert_eq!(
            (awaited.take(Lpa(3)), awaited.take(Lpa(3)), awaited.take(Lpa(2))),
            (Some(30), None, Some(20))
        );
    }
}
