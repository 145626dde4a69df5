//! A rough measure of how hard a request presses on a drive: only for choosing which pieces stand for which.
//!
//! A virtual drive works off cell time on 64 units at once; a request's load is the work that it finds there and its own.
//! No simulation is run and no drive's figures are asked: the pieces of a profile must suit every drive.

use wordline_engine::host::request::{HostOp, HostRequest};

/// Cell time of 16 KiB, ns, in the range of today's TLC.
const READ_NS: f64 = 60_000.0;
const WRITE_NS: f64 = 500_000.0;

const UNITS: f64 = 64.0;

/// The virtual drive.
#[derive(Default)]
pub(super) struct Load {
    backlog_ns: f64,
}

impl Load {
    /// The load of the next request, ns, `gap_ns` after the one before.
    pub(super) fn next(&mut self, request: &HostRequest, gap_ns: u64) -> f64 {
        self.backlog_ns = (self.backlog_ns - gap_ns as f64).max(0.0);
        let pages = request.length.div_ceil(16_384).max(1) as f64;
        let own = match request.op {
            HostOp::Read => READ_NS,
            HostOp::Write | HostOp::WriteFua => WRITE_NS,
            HostOp::Trim | HostOp::Flush => return self.backlog_ns,
        };
        let found = self.backlog_ns;
        self.backlog_ns += pages * own / UNITS;
        found + own * (pages / UNITS).max(1.0)
    }
}
