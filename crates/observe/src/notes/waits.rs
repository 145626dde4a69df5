//! Writes that waited for space: `stalled`, and `paced` where requests come at times of their own.

use super::{Note, percent};
use crate::report::Report;

/// Assumed: a smaller share of the writes' time leaves their mean what it is.
const NOTABLE: f64 = 0.05;

/// A write that takes longer is one that a host notices: the bound that the specification of the drives sets on pacing.
const LONG_NS: u64 = 50_000_000;

/// Space and room in the write buffer.
pub(super) fn notes(report: &Report) -> Vec<Note> {
    let blame = &report.write.blame.mean;
    if blame.response_total_ns == 0 {
        return Vec::new();
    }
    let share =
        |part: &str| blame.total_ns.get(part).copied().unwrap_or(0) as f64 / blame.response_total_ns as f64;
    let (space, buffer, longest) = (share("space"), share("buffer"), report.write.latency_ns.max);
    if space >= NOTABLE && report.evidence.merges {
        return vec![merged(space, longest, report.gc.stalled_units)];
    }
    if space >= NOTABLE || buffer >= NOTABLE && report.gc.stalled_units > 0 && longest >= LONG_NS {
        return vec![stalled(space + buffer, longest, report.gc.stalled_units)];
    }
    if report.evidence.open && buffer >= NOTABLE {
        return vec![paced(buffer)];
    }
    Vec::new()
}

fn stalled(share: f64, longest: u64, units: u64) -> Note {
    Note::new(
        "stalled",
        format!(
            "writes waited for free blocks, or for room in the buffer, for {} of their time, the longest answer took {:.1} ms, and {units} \
             units found no free block",
            percent(share),
            longest as f64 / 1e6
        ),
        "collection wins blocks more slowly than the host fills them, and nothing but the want of space holds the host back",
        "a scheme with a write buffer whose host writes are paced, an earlier trigger (scheme.gc.trigger), more spare space, or less load",
    )
}

fn merged(share: f64, longest: u64, units: u64) -> Note {
    Note::new(
        "stalled",
        format!(
            "writes waited for log blocks and merges for {} of their time, the longest answer took {:.1} ms, and {units} units waited",
            percent(share),
            longest as f64 / 1e6
        ),
        "a write without room in a log block waits until one is merged and erased",
        "more log blocks (scheme.block_map.log_blocks), a page map, or less load",
    )
}

fn paced(share: f64) -> Note {
    Note::new(
        "paced",
        format!("writes waited for room in the buffer for {} of their time", percent(share)),
        "the drive holds the host back to the rate that it can keep up",
        "fewer writes a second, where response times of a drive that isn't full are meant",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merges_are_told_as_what_they_are() {
        let mut report = Report::default();
        report.write.blame.mean.response_total_ns = 10;
        report.write.blame.mean.total_ns = [("space".to_owned(), 5)].into();
        report.evidence.merges = true;
        let [note] = notes(&report).try_into().unwrap_or_else(|_| panic!("one"));
        assert!(note.found.contains("waited for log blocks and merges for 50%"), "{}", note.found);
        assert!(note.remedy.contains("log_blocks"));
    }

    fn of(space: u128, buffer: u128, open: bool, longest: u64) -> Vec<String> {
        let mut report = Report::default();
        report.write.blame.mean.response_total_ns = 1000;
        report.write.blame.mean.total_ns =
            [("space".to_owned(), space), ("buffer".to_owned(), buffer)].into();
        (report.write.latency_ns.max, report.gc.stalled_units, report.evidence.open) = (longest, 7, open);
        notes(&report).into_iter().map(|note| note.kind).collect()
    }

    #[test]
    fn waits_for_space_are_stalls_and_those_for_the_buffer_pace() {
        assert_eq!(of(60, 0, false, 1), ["stalled"]);
        assert_eq!(of(0, 60, true, LONG_NS), ["stalled"]);
        assert_eq!(of(0, 60, true, 1), ["paced"]);
        // A closed loop always takes what the drive has.
        assert_eq!(of(0, 900, false, 1), Vec::<String>::new());
        assert_eq!(of(49, 49, true, 1), Vec::<String>::new());
        assert_eq!(notes(&Report::default()), Vec::new());
    }
}
