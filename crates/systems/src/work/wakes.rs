//! When systems are woken: as they want it, and once the drive has been idle for long enough.

use super::state::Systems;
use wordline_base::time::Ns;

impl Systems {
    /// When a system wants to be woken, or the drive will have been idle for long enough; [`Ns::NEVER`] if neither comes.
    #[inline(always)]
    pub fn next_wake(&self) -> Ns {
        self.next_wake
    }

    /// Whether the drive has been idle for long enough, and still is.
    pub fn are_idle(&self) -> bool {
        self.idleness.is_idle
    }

    /// From now on no request is inside: when the drive has been idle for long enough, [`Self::next_wake`] comes.
    pub fn idleness_begins(&mut self, now: Ns) {
        self.idleness.at = now + self.idleness.after;
        self.set_next_wake();
    }

    /// When the drive will have been idle for long enough; [`Ns::NEVER`]: it isn't idle, or was told so.
    pub fn idle_at(&self) -> Ns {
        self.idleness.at
    }

    /// A request is inside; whether the drive had been idle for long enough.
    pub fn idleness_ends(&mut self) -> bool {
        if self.idleness.at != Ns::NEVER {
            self.idleness.at = Ns::NEVER;
            self.set_next_wake();
        }
        std::mem::take(&mut self.idleness.is_idle)
    }

    /// Whether the drive has been idle for long enough at this time, [`Self::next_wake`]; tells so once.
    pub fn is_idle_since(&mut self, now: Ns) -> bool {
        if self.idleness.at != now {
            return false;
        }
        (self.idleness.at, self.idleness.is_idle) = (Ns::NEVER, true);
        true
    }

    /// A system wants to be woken at this time, in place of another.
    pub fn wake_later(&mut self, number: usize, time: Ns) {
        if let Some(wake) = self.wake.get_mut(number) {
            *wake = time;
            self.set_next_wake();
        }
    }

    /// The number of a system that wants to be woken at this time, once.
    pub(super) fn take_due(&mut self, from: usize, now: Ns) -> Option<usize> {
        let number = (from..self.wake.len()).find(|&number| self.wake.get(number) == Some(&now))?;
        *self.wake.get_mut(number)? = Ns::NEVER;
        Some(number)
    }

    pub(super) fn set_next_wake(&mut self) {
        self.next_wake = self.wake.iter().copied().min().unwrap_or(Ns::NEVER).min(self.idleness.at);
    }
}
