//! A write buffer: units stay from the write until they are in flash, in the order in which they became dirty.

use serde::{Deserialize, Serialize};

use super::{Access, CachePolicy};
use wordline_base::ids::Lpa;

/// First in, first out; reads hit what is still there, and never enter.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct WriteBuffer;

impl CachePolicy for WriteBuffer {
    fn admits_read(&mut self, _lpa: Lpa) -> bool {
        false
    }

    fn refreshes(&mut self, _lpa: Lpa, _access: Access) -> bool {
        false
    }

    fn keeps(&mut self, _lpa: Lpa) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_leave_in_the_order_in_which_they_were_written_and_none_stays() {
        use crate::cache::CacheView;
        use crate::cache::table::{UnitTable, Written};
        let mut table = UnitTable::new(4, 4096, 1);
        for (stamp, lpa) in [7, 3, 5].into_iter().enumerate() {
            let slot = table.insert(Lpa(lpa), 0).unwrap();
            table.written(slot, Written { stamp: stamp as u64 + 1, version: 1, group: 0, stream: 0 });
        }
        let mut policy = WriteBuffer;
        assert!(!policy.refreshes(Lpa(7), Access::Write));
        assert_eq!(policy.write_back(&CacheView { table: &table }), Some(Lpa(7)));
        assert_eq!(policy.evict(&CacheView { table: &table }), None);
        assert!(!policy.keeps(Lpa(7)) && !policy.admits_read(Lpa(7)));
    }
}
