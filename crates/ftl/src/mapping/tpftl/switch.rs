//! When entries are fetched selectively: while the number of nodes falls.

use serde::{Deserialize, Serialize};

/// Counts nodes that come and go. Requests in order need entries of few translation pages, and push out those of many.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Switch {
    /// Nodes fewer, or more, until it changes; 0: never on.
    threshold: u32,
    /// Nodes that went, less those that came, since it changed last.
    fewer: i64,
    on: bool,
}

impl Switch {
    pub fn new(threshold: u32) -> Self {
        Self { threshold, fewer: 0, on: false }
    }

    pub fn is_on(self) -> bool {
        self.on
    }

    pub fn node_came(&mut self) {
        self.count(-1);
    }

    pub fn node_went(&mut self) {
        self.count(1);
    }

    fn count(&mut self, fewer: i64) {
        self.fewer += fewer;
        if self.threshold > 0 && self.fewer.unsigned_abs() >= u64::from(self.threshold) {
            self.on = self.fewer > 0;
            self.fewer = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_on_after_three_nodes_fewer_and_off_after_three_more() {
        let mut switch = Switch::new(3);
        let after = |switch: &mut Switch, came: &[bool]| {
            for came in came {
                if *came { switch.node_came() } else { switch.node_went() }
            }
            switch.is_on()
        };
        assert!(!after(&mut switch, &[false, true, false, false]));
        assert!(after(&mut switch, &[false]));
        // Counted anew from there.
        assert!(after(&mut switch, &[true, true, false]));
        assert!(!after(&mut switch, &[true, true]));
        assert!(!after(&mut Switch::new(0), &[false; 9]));
    }
}
