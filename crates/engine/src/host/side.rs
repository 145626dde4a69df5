//! What a run asks of a host, and what a host may see of the drive.

use super::submitter::Submitter;
use crate::snapshot::{In, Out, SnapshotError};
use wordline_base::ids::DieId;
use wordline_base::request::{HostRequest, SourceError};
use wordline_base::time::Ns;
use wordline_observe::report::{LatencyTargetReport, SteadyEndReport};

/// What a host sees of the drive. Looks, and changes nothing.
pub trait DriveView {
    /// The die of a read's first page; `None` for other requests and for pages without data.
    fn die_of_request(&self, request: &HostRequest) -> Option<DieId>;

    /// Flash pages that wait or run on each die.
    fn die_load(&self) -> &[u32];
}

/// Why a host can't come as far as it was when it was saved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RestoreError {
    /// The workload can't go on.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// What was saved is of another host.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
}

/// A host: gives requests in the order in which they enter the drive, and the times at which they do.
pub trait HostSide {
    /// When the next request may enter the drive, no earlier than `now`; [`Ns::NEVER`] if none can before another is
    /// answered.
    fn next_time(&mut self, now: Ns) -> Result<Ns, SourceError>;

    /// The request with the number `id`, which enters at `now`, and when it arrived at the host's queue. `None` if the
    /// host would rather wait.
    fn take(
        &mut self,
        now: Ns,
        id: u64,
        drive: &dyn DriveView,
    ) -> Result<Option<(HostRequest, Ns)>, SourceError>;

    /// The request that most likely comes so many places behind the next, to fetch what it needs ahead.
    fn likely(&self, ahead: usize) -> Option<&HostRequest>;

    /// So many requests were answered by `now`.
    fn completed(&mut self, count: u32, now: Ns) -> Result<(), SourceError>;

    /// Where to put the numbers of the requests that are answered, if the host must know which.
    fn answered(&mut self) -> Option<&mut Vec<u64>> {
        None
    }

    /// Whether the workload has ended and all its requests were taken.
    fn is_at_end(&self) -> bool;

    /// Whether the request that was taken last came for the drive to settle, and isn't measured.
    #[inline(always)]
    fn took_settling(&self) -> bool {
        false
    }

    /// Requests that came for the drive to settle.
    fn settling_requests(&self) -> u64 {
        0
    }

    /// When requests of each flow's own began, where some began later than others.
    fn began(&self) -> Vec<Option<Ns>> {
        Vec::new()
    }

    /// When each flow ended where others went on behind that.
    fn ended(&self) -> Vec<Option<Ns>> {
        Vec::new()
    }

    /// What flows came to that end when they are steady.
    fn steady_ends(&self) -> Vec<SteadyEndReport> {
        Vec::new()
    }

    /// What each flow found that looks for how many requests may be outstanding.
    fn latency_targets(&self) -> Vec<LatencyTargetReport> {
        Vec::new()
    }

    /// Writes how far it has come, for a snapshot of the run.
    fn save(&self, out: &mut Out<'_>) -> Result<(), SnapshotError>;

    /// Comes as far, with sources that are new.
    fn restore(&mut self, input: &mut In<'_>) -> Result<(), RestoreError>;
}

/// One flow that nothing but its own queue holds up.
impl HostSide for Submitter<'_> {
    #[inline(always)]
    fn next_time(&mut self, now: Ns) -> Result<Ns, SourceError> {
        Submitter::next_time(self, now)
    }

    #[inline(always)]
    fn take(
        &mut self,
        now: Ns,
        _id: u64,
        _drive: &dyn DriveView,
    ) -> Result<Option<(HostRequest, Ns)>, SourceError> {
        Ok(Submitter::take(self, now))
    }

    #[inline(always)]
    fn likely(&self, ahead: usize) -> Option<&HostRequest> {
        self.peek(ahead)
    }

    #[inline(always)]
    fn completed(&mut self, count: u32, now: Ns) -> Result<(), SourceError> {
        Submitter::completed(self, count, now);
        Ok(())
    }

    #[inline(always)]
    fn is_at_end(&self) -> bool {
        Submitter::is_at_end(self)
    }

    fn save(&self, out: &mut Out<'_>) -> Result<(), SnapshotError> {
        Submitter::save(self, out)
    }

    fn restore(&mut self, input: &mut In<'_>) -> Result<(), RestoreError> {
        Submitter::restore(self, input).map(drop)
    }
}
