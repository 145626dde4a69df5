//! The state of an array in a snapshot: that of its drives, and what it keeps itself.

use super::Array;
use crate::device::Device;
use crate::snapshot::{In, Out, SnapshotError};

impl Array {
    /// A second array in the same state. They don't influence each other from then on. Probes are not copied; a policy of a user's
    /// own must be able to fork.
    pub fn fork(&self) -> Result<Self, SnapshotError> {
        let Self {
            config,
            members,
            requests,
            free,
            parts: _,
            turn,
            now,
            completed,
            answered,
            recorder,
            monitor,
            reader,
            link,
        } = self;
        Ok(Self {
            config: config.clone(),
            members: members.iter().map(Device::fork).collect::<Result<_, _>>()?,
            requests: requests.clone(),
            free: free.clone(),
            parts: Vec::new(),
            turn: *turn,
            now: *now,
            completed: *completed,
            answered: answered.clone(),
            recorder: recorder.clone(),
            monitor: monitor.clone(),
            reader: *reader,
            link: *link,
        })
    }

    pub(super) fn save_state(&self, out: &mut Out<'_>) -> Result<(), SnapshotError> {
        let Self {
            config: _,
            members,
            requests,
            free,
            parts: _,
            turn,
            now,
            completed,
            answered,
            recorder,
            monitor,
            reader,
            link,
        } = self;
        out.put("array")?;
        out.put(&(requests, free, turn, now, completed, answered, recorder, monitor, reader, link))?;
        members.iter().try_for_each(|member| member.save_state(out))
    }

    pub(super) fn restore_state(&mut self, input: &mut In<'_>) -> Result<(), SnapshotError> {
        input.expect("array")?;
        let state = input.take()?;
        (
            self.requests,
            self.free,
            self.turn,
            self.now,
            self.completed,
            self.answered,
            self.recorder,
            self.monitor,
            self.reader,
            self.link,
        ) = state;
        self.members.iter_mut().try_for_each(|member| member.restore_state(input))?;
        let known = |&number: &u32| (number as usize) < self.requests.len();
        let reads = !self.has_windows() || self.reader.0 < self.members.len();
        if self.free.len() > self.requests.len() || !self.free.iter().all(known) || !reads {
            return Err(SnapshotError::Misfit("the requests of the array".to_owned()));
        }
        Ok(())
    }
}
