//! How many requests a job has outstanding, and how many answers it waits for before it submits again.

use super::engines::is_synchronous;
use super::options::Settings;
use super::values::whole;

/// Most requests outstanding.
const MOST: u64 = 65_536;

/// A job's queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Depth {
    pub requests: u32,
    /// Answers that a full queue waits for, and the requests that follow them at once.
    pub batch: u32,
}

impl Depth {
    /// That of a job under this engine.
    pub(super) fn read(
        keys: &mut Settings<'_>,
        engine: &str,
        is_given: bool,
        notes: &mut Vec<String>,
    ) -> Self {
        let depth = keys.take_value("iodepth", |text| whole(text, 1, MOST)).unwrap_or(1);
        let answers = keys.take_value("iodepth_batch_complete", |text| whole(text, 0, MOST)).unwrap_or(1);
        let low = keys.take_value("iodepth_low", |text| whole(text, 0, MOST)).filter(|low| *low > 0);
        let has_threads = keys.take_value("io_submit_mode", |text| match text {
            "inline" => Ok(false),
            "offload" => Ok(true),
            _ => Err("inline or offload".into()),
        });
        // Threads of its own wait in the place of the job.
        if depth > 1 && is_synchronous(engine) && has_threads != Some(true) {
            let job = keys.job;
            let named = if is_given { "" } else { ", fio's own where none is named" };
            notes.push(format!(
                "job {job}: iodepth={depth} is 1 under a synchronous ioengine ({engine}{named}), as in fio"
            ));
            return Self { requests: 1, batch: 1 };
        }
        Self { requests: depth as u32, batch: batch(depth, answers, low.unwrap_or(depth)) as u32 }
    }
}

/// Answers that a full queue waits for: so many at a time, until no more requests than `low` are outstanding.
fn batch(depth: u64, answers: u64, low: u64) -> u64 {
    let answers = answers.clamp(1, depth);
    depth.saturating_sub(low).max(1).next_multiple_of(answers).min(depth)
}

#[cfg(test)]
mod tests {
    use super::batch;

    #[test]
    fn a_full_queue_waits_for_whole_batches_of_answers_until_it_is_low() {
        assert_eq!([batch(16, 1, 16), batch(16, 0, 16), batch(16, 4, 16)], [1, 1, 4]);
        assert_eq!([batch(16, 1, 4), batch(16, 8, 4), batch(16, 5, 4), batch(16, 64, 16)], [12, 16, 15, 16]);
    }
}
