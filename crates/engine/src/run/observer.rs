//! Who watches a run.

use wordline_base::time::Ns;

/// How far a drive is whose pages are overwritten before its first request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overwritten {
    /// Overwrites so far.
    pub done: u64,
    /// Those after which it ends at the earliest: a drive that is to settle takes more where it hasn't by then.
    pub least: u64,
    /// Pages that are overwritten again and again.
    pub pages: u64,
}

/// Watches a run from outside.
pub trait Observer {
    /// Called every few thousand requests; `false` stops the run.
    fn progress(&mut self, requests_done: u64, simulated: Ns) -> bool;

    /// Called while the drive is prepared by overwriting its pages; `false` stops that.
    fn preparing(&mut self, _overwritten: Overwritten) -> bool {
        self.progress(0, Ns::ZERO)
    }
}

/// Overwrites, counted for an observer.
pub(super) struct Counted(Overwritten);

impl Counted {
    /// None yet of `least` or more, of so many pages.
    pub fn of(least: u64, pages: u32) -> Self {
        Self(Overwritten { done: 0, least, pages: u64::from(pages) })
    }

    /// It ends after so many at the earliest, if not later anyway.
    pub fn at_least(&mut self, least: u64) {
        self.0.least = self.0.least.max(least);
    }

    /// Tells of `more` overwrites; whether to go on.
    pub fn told(&mut self, more: u64, observer: &mut dyn Observer) -> bool {
        self.0.done += more;
        observer.preparing(self.0)
    }
}

/// Watches nothing.
pub struct Unobserved;

impl Observer for Unobserved {
    fn progress(&mut self, _requests_done: u64, _simulated: Ns) -> bool {
        true
    }
}
