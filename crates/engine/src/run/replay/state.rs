//! Where a run stops, and its state in a snapshot.

use std::io::{Read, Write};

use super::Replay;
use crate::host::HostSide;
use crate::run::RunError;
use crate::run::volume::Volume;
use crate::snapshot::{Identity, In, Out, SnapshotError};

impl<H: HostSide, V: Volume> Replay<'_, H, V> {
    pub(super) fn stops_now(&self) -> bool {
        self.device.now() >= self.stop.at
    }

    /// Writes where the run is: the drive with its requests in flight, the host, the warm-up.
    pub(in crate::run) fn save(
        &self,
        identity: &Option<Identity>,
        out: &mut dyn Write,
    ) -> Result<(), SnapshotError> {
        let Self {
            host,
            warmup,
            device,
            observer: _,
            number,
            done,
            window_open,
            until: _,
            is_answered: _,
            report: _,
            stop: _,
            drive_bytes: _,
            streams: _,
            requests_before: _,
            operations_before: _,
        } = self;
        let Some(identity) = identity else { return Ok(()) };
        let mut out = Out::begin(out)?;
        identity.save(&mut out)?;
        device.save(&mut out)?;
        host.save(&mut out)?;
        out.put(&(warmup.written, warmup.settling, warmup.since, number, done, window_open))?;
        out.finish()
    }

    /// Goes on from there.
    pub(super) fn restore(
        &mut self,
        identity: &Option<Identity>,
        input: &mut dyn Read,
    ) -> Result<(), RunError> {
        let Some(identity) = identity else { return Ok(()) };
        let mut input = In::begin(input)?;
        identity.check(&mut input)?;
        self.device.restore(&mut input)?;
        self.host.restore(&mut input)?;
        let warmup = &mut self.warmup;
        (warmup.written, warmup.settling, warmup.since, self.number, self.done, self.window_open) =
            input.take()?;
        if self.number.checked_sub(self.done) != Some(self.device.requests_inside() as u64) {
            return Err(SnapshotError::Misfit("the number of requests in flight".to_owned()).into());
        }
        Ok(input.finish()?)
    }
}
