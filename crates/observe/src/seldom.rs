//! Requests of a kind that most workloads don't have: what is kept of them takes memory with the first.

use serde::{Deserialize, Serialize};

use super::batches::Side;
use super::blame::{Part, Parts};
use super::latency::DirectionRecorder;
use super::report::DirectionReport;
use wordline_base::time::Ns;

/// Response times of one kind of request and their parts, from its first one on.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SeldomRecorder(Option<Box<DirectionRecorder>>);

impl SeldomRecorder {
    fn made(&mut self) -> &mut DirectionRecorder {
        self.0.get_or_insert_with(|| Box::new(DirectionRecorder::with_blame()))
    }

    /// As [`DirectionRecorder::record`].
    pub fn record(&mut self, latency: Ns, bytes: u64, inside: [Option<&Parts>; 2], outside: &[(Part, u64)]) {
        self.made().record(latency, bytes, inside, outside);
    }

    /// As [`DirectionRecorder::answered`].
    pub fn answered(&mut self, bytes: u64) {
        self.made().answered(bytes);
    }

    /// What is kept; `None` before the first request.
    pub fn get(&self) -> Option<&DirectionRecorder> {
        self.0.as_deref()
    }

    /// As [`DirectionRecorder::side`].
    pub fn side(&self) -> Side {
        self.get().map_or_else(Side::default, DirectionRecorder::side)
    }

    /// As [`DirectionRecorder::report`].
    pub fn report(&self, window: Ns) -> DirectionReport {
        self.get().map_or_else(DirectionReport::default, |recorder| recorder.report(window))
    }
}
