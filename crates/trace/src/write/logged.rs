//! What a log of requests has of each.

use wordline_base::request::HostRequest;
use wordline_base::time::Ns;

/// A request that was answered.
pub struct LoggedRequest {
    /// Its number in the run.
    pub id: u64,
    /// What the host asked.
    pub request: HostRequest,
    /// When the host had it ready.
    pub arrival: Ns,
    /// When the drive took it in.
    pub start: Ns,
    /// When the host had the answer.
    pub end: Ns,
    /// Whether it counts in the results.
    pub measured: bool,
    /// Nanoseconds of each part of its response time, in the order of the log's parts.
    pub blame: Vec<u64>,
}
