//! Pauses of write-back: the firmware is at something else, and the buffer takes writes only as far as it has room.

use serde::{Deserialize, Serialize};

use wordline_base::time::Ns;
use wordline_config::cache::PauseConfig;

/// When write-back pauses.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pauses {
    every_units: u64,
    lasts: Ns,
    room: u64,
    /// Units sent to flash since the last pause began.
    sent: u64,
    /// The end of the pause that goes on, or of the last one.
    until: Ns,
    /// Units that have entered since it began.
    entered: u64,
    /// When a write had to wait for room last.
    waited: Option<Ns>,
}

impl Pauses {
    /// As a scheme describes them; none yet.
    pub fn new(config: &PauseConfig) -> Self {
        let room = config.room_units.unwrap_or(u64::MAX);
        let (every_units, lasts) = (config.every_units, Ns(config.ns));
        Self { every_units, lasts, room, sent: 0, until: Ns::ZERO, entered: 0, waited: None }
    }

    /// A unit was sent to flash.
    pub fn sent(&mut self) {
        self.sent += 1;
    }

    /// A write has to wait for room, or had to until now.
    pub fn write_waits(&mut self, now: Ns) {
        self.waited = Some(now);
    }

    /// A unit of a write has entered that wasn't held.
    pub fn entered(&mut self) {
        self.entered += 1;
    }

    /// Whether in this pause as many have entered as may.
    pub fn is_full(&self, now: Ns) -> bool {
        self.rests(now) && self.entered >= self.room
    }

    /// Whether write-back pauses.
    pub fn rests(&self, now: Ns) -> bool {
        now < self.until
    }

    /// Begins a pause if one is due, and no write had to wait for as long as it lasts; returns its end.
    pub fn begin(&mut self, now: Ns) -> Option<Ns> {
        let calm = self.waited.is_none_or(|waited| now >= waited + self.lasts);
        if self.rests(now) || self.sent < self.every_units || !calm {
            return None;
        }
        (self.sent, self.until, self.entered) = (0, now + self.lasts, 0);
        Some(self.until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_comes_after_so_many_units_and_counts_them_from_its_begin() {
        let mut pauses = Pauses::new(&PauseConfig { every_units: 2, ns: 100, room_units: Some(1) });
        pauses.sent();
        assert_eq!(pauses.begin(Ns(10)), None);
        pauses.sent();
        assert_eq!(pauses.begin(Ns(20)), Some(Ns(120)));
        assert!(pauses.rests(Ns(119)) && !pauses.rests(Ns(120)));
        assert!(!pauses.is_full(Ns(119)));
        pauses.entered();
        assert!(pauses.is_full(Ns(119)) && !pauses.is_full(Ns(120)));
        // What must not wait is sent in the pause, too.
        pauses.sent();
        pauses.sent();
        assert_eq!(pauses.begin(Ns(60)), None);
        assert_eq!(pauses.begin(Ns(120)), Some(Ns(220)));
        assert!(!pauses.is_full(Ns(130)), "counted anew");
        pauses.sent();
        pauses.sent();
        pauses.write_waits(Ns(200));
        assert_eq!((pauses.begin(Ns(299)), pauses.begin(Ns(300))), (None, Some(Ns(400))));
    }
}
