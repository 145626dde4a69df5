//! The state of an array in a snapshot: that of its drives, and what it keeps itself.

use super::Array;
use crate::device::Device;
use crate::snapshot::{In, Out, Part, SnapshotError};
use wordline_base::fields;

fields! {
    Array:
    rebuilt: config parts;
    state: requests free turn now completed answered recorder monitor reader link;
    parts: members;
    dropped: ;
}

impl Array {
    /// A second array in the same state. They don't influence each other from then on. Probes are not copied; a policy of a user's
    /// own must be able to fork.
    pub fn fork(&self) -> Result<Self, SnapshotError> {
        Part::fork(self)
    }

    pub(super) fn save_state(&self, out: &mut Out<'_>) -> Result<(), SnapshotError> {
        out.put("array")?;
        Part::save(self, out)
    }

    pub(super) fn restore_state(&mut self, input: &mut In<'_>) -> Result<(), SnapshotError> {
        input.expect("array")?;
        let shapes: Vec<_> = self.members.iter().map(Device::shape).collect();
        Part::restore(self, input)?;
        self.members.iter_mut().zip(&shapes).try_for_each(|(member, shape)| member.settle_restored(shape))?;
        let known = |&number: &u32| (number as usize) < self.requests.len();
        let reads = !self.has_windows() || self.reader.0 < self.members.len();
        if self.free.len() > self.requests.len() || !self.free.iter().all(known) || !reads {
            return Err(SnapshotError::Misfit("the requests of the array".to_owned()));
        }
        Ok(())
    }
}
