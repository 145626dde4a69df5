//! How far requests go on where others ended.

use std::collections::{BTreeMap, VecDeque};

use super::SequenceInfo;

/// Ends of requests that are remembered of a device, for several sequential streams beside one another.
const REMEMBERED: usize = 32;

/// Follows the ends of requests, device by device.
#[derive(Default)]
pub(super) struct SequenceTally {
    /// Ends of the latest requests of each device that nothing has gone on from, the last one's at the back.
    ends: BTreeMap<u16, VecDeque<u64>>,
    reads: Counts,
    writes: Counts,
    /// Requests that begin a run: those that don't go on where the one before ended.
    runs: u64,
    bytes: u64,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    all: u64,
    directly: u64,
    streams: u64,
}

impl SequenceTally {
    /// Follows a read or a write.
    pub(super) fn add(&mut self, device: u16, offset: u64, length: u64, write: bool) {
        let ends = self.ends.entry(device).or_default();
        let directly = ends.back() == Some(&offset);
        let place = ends.iter().rposition(|end| *end == offset);
        let counts = if write { &mut self.writes } else { &mut self.reads };
        counts.all += 1;
        counts.directly += u64::from(directly);
        counts.streams += u64::from(place.is_some());
        self.runs += u64::from(!directly);
        self.bytes = self.bytes.saturating_add(length);
        match place {
            Some(place) => drop(ends.remove(place)),
            None if ends.len() == REMEMBERED => drop(ends.pop_front()),
            None => {}
        }
        ends.push_back(offset.saturating_add(length));
    }

    pub(super) fn finish(&self) -> SequenceInfo {
        let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        let (reads, writes) = (self.reads, self.writes);
        SequenceInfo {
            share: share(reads.directly + writes.directly, reads.all + writes.all),
            read_share: share(reads.directly, reads.all),
            write_share: share(writes.directly, writes.all),
            stream_share: share(reads.streams + writes.streams, reads.all + writes.all),
            read_stream_share: share(reads.streams, reads.all),
            write_stream_share: share(writes.streams, writes.all),
            mean_run_bytes: share(self.bytes, self.runs),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_that_begins_where_the_one_before_of_its_device_ended_is_sequential() {
        let mut tally = SequenceTally::default();
        tally.add(0, 0, 512, false);
        tally.add(0, 512, 512, false);
        tally.add(1, 1024, 512, false);
        tally.add(0, 1024, 1024, true);
        tally.add(0, 4096, 512, false);
        tally.add(0, 2048, 512, true);
        let info = tally.finish();
        assert!((info.share - 2.0 / 6.0).abs() < 1e-12 && (info.read_share - 0.25).abs() < 1e-12);
        assert!((info.stream_share - 0.5).abs() < 1e-12 && (info.write_stream_share - 1.0).abs() < 1e-12);
        assert!((info.mean_run_bytes - 3584.0 / 4.0).abs() < 1e-9);
    }

    #[test]
    fn a_stream_is_forgotten_when_32_others_have_ended_since() {
        let of = |others: u64| {
            let mut tally = SequenceTally::default();
            for turn in 0..100 {
                tally.add(0, turn * 512, 512, false);
                (0..others).for_each(|other| tally.add(0, (1 + turn * others + other) << 30, 512, false));
            }
            tally.finish().stream_share * (1 + others) as f64
        };
        for others in [0, 1, 10, 31] {
            assert!((of(others) - 0.99).abs() < 1e-9, "{others}");
        }
        assert!(of(32) < 1e-9);
    }

    #[test]
    fn streams_beside_one_another_are_followed_up_to_32() {
        let of = |streams: u64| {
            let mut tally = SequenceTally::default();
            for turn in 0..100 {
                (0..streams).for_each(|stream| tally.add(0, (stream << 30) + turn * 512, 512, false));
            }
            tally.finish()
        };
        assert!((of(32).stream_share - 0.99).abs() < 1e-12 && of(32).share.abs() < 1e-12);
        assert!(of(33).stream_share.abs() < 1e-12);
    }
}
