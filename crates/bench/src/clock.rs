//! A clock for benchmarks that others' work on the machine doesn't run.

use std::time::Instant;

/// Time that this thread has spent on a processor where the system tells it (Linux), else the time that has passed.
pub struct Stopwatch {
    started: Instant,
    on_cpu: Option<f64>,
}

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Self {
        Self { on_cpu: on_cpu(), started: Instant::now() }
    }

    /// Seconds since then.
    pub fn seconds(&self) -> f64 {
        match (self.on_cpu, on_cpu()) {
            (Some(before), Some(now)) => now - before,
            _ => self.started.elapsed().as_secs_f64(),
        }
    }
}

/// Seconds on a processor, exact to a tick of the scheduler (some ms).
fn on_cpu() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: u64 = text.split_ascii_whitespace().next()?.parse().ok()?;
    Some(nanoseconds as f64 / 1e9)
}
