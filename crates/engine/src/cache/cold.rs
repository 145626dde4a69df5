//! Which pages were written lately: the first write of a page in a period is taken for cold.
//!
//! MQSim's data cache does so (A. Tavakkol et al., "MQSim: A Framework for Enabling Realistic Studies of Modern Multi-Queue
//! SSD Devices", FAST 2018; `Data_Cache_Manager_Flash_Advanced`), with a period of one second.

use std::collections::{BTreeSet, HashSet};
use std::hash::BuildHasherDefault;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use wordline_base::ids::Lpa;
use wordline_base::memory::PageHasher;
use wordline_base::time::Ns;

/// Pages, of which nothing depends on the order of the table.
type Pages = HashSet<u32, BuildHasherDefault<PageHasher>>;

/// Pages written in this period.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColdWrites {
    period: Ns,
    ends: Ns,
    #[serde(serialize_with = "in_order", deserialize_with = "from_any")]
    written: Pages,
}

/// Saved in order, so that equal drives have equal bytes.
fn in_order<S: Serializer>(pages: &Pages, serializer: S) -> Result<S::Ok, S::Error> {
    pages.iter().collect::<BTreeSet<_>>().serialize(serializer)
}

fn from_any<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Pages, D::Error> {
    Ok(BTreeSet::<u32>::deserialize(deserializer)?.into_iter().collect())
}

impl ColdWrites {
    /// Periods of this length; the first begins with the first write.
    pub fn new(period: Ns) -> Self {
        Self { period, ..Self::default() }
    }

    /// Notes a write; whether it is the first of its page in its period.
    pub fn is_cold(&mut self, lpa: Lpa, now: Ns) -> bool {
        if now >= self.ends {
            self.written.clear();
            self.ends = now + self.period;
        }
        self.written.insert(lpa.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_write_of_each_period_is_cold() {
        let mut cold = ColdWrites::new(Ns(100));
        let writes = [(50, 1), (60, 1), (149, 2), (150, 1), (160, 2), (170, 2), (400, 2)];
        let found = writes.map(|(now, lpa)| cold.is_cold(Lpa(lpa), Ns(now)));
        assert_eq!(found, [true, false, true, true, true, false, true]);
    }
}
