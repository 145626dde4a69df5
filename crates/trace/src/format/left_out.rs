//! What readers pass over that their users should know of.

use crate::config::BlockEvent;

/// Counts of what was passed over, and of events, wanted or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LeftOut {
    /// Lines without a type of request.
    pub untyped: u64,
    /// Wanted events that neither move data nor flush.
    pub dataless: u64,
    /// SCSI and passthrough commands that are no reads, writes or flushes.
    pub commands: u64,
    /// Events that the tracer itself lost.
    pub lost: u64,
    /// Events seen: queued, issued, completed.
    pub events: [u64; 3],
}

impl LeftOut {
    /// Adds what another counted.
    pub(crate) fn add(&mut self, other: &Self) {
        self.untyped += other.untyped;
        self.dataless += other.dataless;
        self.commands += other.commands;
        self.lost += other.lost;
        for (sum, count) in self.events.iter_mut().zip(other.events) {
            *sum += count;
        }
    }

    /// Counts an event.
    pub(super) fn event(&mut self, event: BlockEvent) {
        if let Some(count) = self.events.get_mut(event as usize) {
            *count += 1;
        }
    }

    /// The kind of event of which there are more than twice as many as of the `wanted` one, and both counts.
    pub(crate) fn more_of(&self, wanted: BlockEvent) -> Option<(BlockEvent, u64, u64)> {
        let count = |event: BlockEvent| self.events.get(event as usize).copied().unwrap_or_default();
        let others = [BlockEvent::Queue, BlockEvent::Issue, BlockEvent::Complete];
        let most = others.into_iter().max_by_key(|event| (count(*event), *event == wanted))?;
        (count(most) > 2 * count(wanted) + 1).then(|| (most, count(most), count(wanted)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_more_events_of_another_kind_are_told() {
        let mut counts = LeftOut::default();
        assert_eq!(counts.more_of(BlockEvent::Issue), None);
        counts.event(BlockEvent::Issue);
        (0..3).for_each(|_| counts.event(BlockEvent::Queue));
        assert_eq!(counts.more_of(BlockEvent::Issue), None);
        counts.event(BlockEvent::Queue);
        assert_eq!(counts.more_of(BlockEvent::Issue), Some((BlockEvent::Queue, 4, 1)));
        assert_eq!(counts.more_of(BlockEvent::Queue), None);
        assert_eq!(counts.more_of(BlockEvent::Complete), Some((BlockEvent::Queue, 4, 0)));
    }
}
