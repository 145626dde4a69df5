//! The channels of each type, and what lies on each of them (§3.2).

use serde::{Deserialize, Serialize};

use super::history::Majority;
use wordline_base::ids::PlaneId;
use wordline_config::partition::Rounding;
use wordline_ftl::placement::PlaneSet;

/// What a channel is for, and what a page is predicted to get.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// Reads.
    Read,
    /// Writes.
    Write,
}

impl Kind {
    /// As an index.
    pub fn index(self) -> usize {
        usize::from(self == Self::Write)
    }

    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Read => Self::Write,
            Self::Write => Self::Read,
        }
    }
}

/// A channel.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Channel {
    kind: Kind,
    /// Its planes that data of the host may be on; of one without any nothing is to be decided.
    planes: Vec<PlaneId>,
    /// Pages on it by what most of their requests were: reads, writes, as many of each.
    pages: [u64; 3],
}

/// All channels.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Channels {
    channels: Vec<Channel>,
    /// The planes of each kind.
    planes: [PlaneSet; 2],
}

fn slot(majority: Majority) -> Option<usize> {
    match majority {
        Majority::Unknown => None,
        Majority::Read => Some(0),
        Majority::Write => Some(1),
        Majority::Tie => Some(2),
    }
}

/// Read channels of `count` where `read` pages are predicted to be read and `written` to be written: in proportion, at least one
/// of each kind; `None` while no page is predicted to be either.
pub fn read_channels(count: u32, read: u64, written: u64, rounding: Rounding) -> Option<u32> {
    let all = read + written;
    if all == 0 || count < 2 {
        return None;
    }
    let (count, read, all) = (u128::from(count), u128::from(read), u128::from(all));
    let channels = match rounding {
        Rounding::Nearest => (2 * count * read + all) / (2 * all),
        Rounding::Down => count * read / all,
        Rounding::Up => (count * read).div_ceil(all),
    };
    Some(channels.clamp(1, count - 1) as u32)
}

impl Channels {
    /// Channels with these planes each; the first `reads` of those that have any are for reads, the others for writes.
    pub fn new(planes: Vec<Vec<PlaneId>>, reads: u32) -> Self {
        let mut left = reads;
        let channels = planes.into_iter().map(|planes| {
            let read = !planes.is_empty() && left > 0;
            left -= u32::from(read);
            Channel { kind: if read { Kind::Read } else { Kind::Write }, planes, pages: [0; 3] }
        });
        let mut this = Self { channels: channels.collect(), planes: Default::default() };
        this.note_planes();
        this
    }

    /// Whether it has as many channels.
    pub fn fits(&self, other: &Self) -> bool {
        self.channels.len() == other.channels.len() || self.is_empty() || other.is_empty()
    }

    /// Whether the drive isn't known yet.
    pub fn is_empty(&self) -> bool {
        self.channels.is_empty()
    }

    /// Channels that have planes.
    pub fn count(&self) -> u32 {
        self.used().count() as u32
    }

    fn used(&self) -> impl Iterator<Item = &Channel> {
        self.channels.iter().filter(|channel| !channel.planes.is_empty())
    }

    /// How many are of a kind.
    pub fn count_of(&self, kind: Kind) -> u32 {
        self.used().filter(|channel| channel.kind == kind).count() as u32
    }

    /// Those of a kind, by number.
    pub fn of(&self, kind: Kind) -> impl Iterator<Item = u32> + '_ {
        let numbered = (0u32..).zip(&self.channels);
        numbered
            .filter(move |(_, channel)| channel.kind == kind && !channel.planes.is_empty())
            .map(|(number, _)| number)
    }

    /// The kind of one.
    pub fn kind(&self, channel: u32) -> Kind {
        self.channels.get(channel as usize).map_or(Kind::Write, |channel| channel.kind)
    }

    /// Their planes.
    pub fn planes(&self, kind: Kind) -> &PlaneSet {
        let [reads, writes] = &self.planes;
        if kind == Kind::Read { reads } else { writes }
    }

    fn note_planes(&mut self) {
        self.planes.iter_mut().for_each(PlaneSet::clear);
        for channel in &self.channels {
            if let Some(set) = self.planes.get_mut(channel.kind.index()) {
                channel.planes.iter().for_each(|&plane| set.insert(plane));
            }
        }
    }

    /// A page lies on a channel from now on.
    pub fn add(&mut self, channel: u32, majority: Majority) {
        if let Some(pages) = self.pages(channel, majority) {
            *pages += 1;
        }
    }

    /// A page lies there no more.
    pub fn remove(&mut self, channel: u32, majority: Majority) {
        if let Some(pages) = self.pages(channel, majority) {
            *pages = pages.saturating_sub(1);
        }
    }

    fn pages(&mut self, channel: u32, majority: Majority) -> Option<&mut u64> {
        self.channels.get_mut(channel as usize)?.pages.get_mut(slot(majority)?)
    }

    /// Pages on the channels of a kind that are predicted to get this. A tie is what its channel is for.
    pub fn pages_of(&self, on: Kind, predicted: Kind) -> u64 {
        self.used().filter(|channel| channel.kind == on).map(|channel| predicted_on(channel, predicted)).sum()
    }

    /// All pages that are predicted to get this.
    pub fn predicted(&self, kind: Kind) -> u64 {
        self.used().map(|channel| predicted_on(channel, kind)).sum()
    }

    /// Makes `reads` channels those for reads, one after the other: each time the one that has the fewest pages of the type
    /// that it was for (§3.2), of equals the first. Returns how many changed.
    pub fn split(&mut self, reads: u32) -> u32 {
        let mut changed = 0;
        while self.count_of(Kind::Read) != reads {
            let from = if self.count_of(Kind::Read) < reads { Kind::Write } else { Kind::Read };
            let of_type = self.channels.iter_mut();
            let fewest = of_type
                .filter(|channel| channel.kind == from && !channel.planes.is_empty())
                .min_by_key(|channel| predicted_on(channel, from));
            let Some(channel) = fewest else { break };
            channel.kind = from.other();
            changed += 1;
        }
        if changed > 0 {
            self.note_planes();
        }
        changed
    }
}

fn predicted_on(channel: &Channel, kind: Kind) -> u64 {
    let [reads, writes, ties] = channel.pages;
    let alike = if channel.kind == kind { ties } else { 0 };
    alike + if kind == Kind::Read { reads } else { writes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_channels_are_in_proportion_and_never_all_or_none() {
        let of = |read, written| read_channels(8, read, written, Rounding::Nearest);
        assert_eq!((of(300, 100), of(5, 0), of(0, 5), of(0, 0)), (Some(6), Some(7), Some(1), None));
        assert_eq!((of(9, 7), of(7, 9)), (Some(5), Some(4)), "4.5 and 3.5: halves are rounded up");
        assert_eq!(read_channels(8, 100, 150, Rounding::Down), Some(3));
        assert_eq!(read_channels(8, 100, 150, Rounding::Up), Some(4));
        assert_eq!(read_channels(2, 1, 1_000, Rounding::Up), Some(1));
        assert_eq!(read_channels(1, 1, 1, Rounding::Nearest), None);
    }

    /// Four channels of two planes, the first two for reads.
    fn four() -> Channels {
        Channels::new((0..4).map(|channel| vec![PlaneId(2 * channel), PlaneId(2 * channel + 1)]).collect(), 2)
    }

    fn kinds(channels: &Channels) -> String {
        (0..4).map(|channel| if channels.kind(channel) == Kind::Read { 'R' } else { 'W' }).collect()
    }

    #[test]
    fn the_channel_with_the_fewest_pages_of_its_type_changes() {
        let mut channels = four();
        assert_eq!(kinds(&channels), "RRWW");
        (0..3).for_each(|_| channels.add(2, Majority::Write));
        (0..2).for_each(|_| channels.add(3, Majority::Write));
        (0..9).for_each(|_| channels.add(3, Majority::Read));
        assert_eq!(channels.split(3), 1);
        assert_eq!(kinds(&channels), "RRWR", "channel 3 had the fewest pages for writes");
        // Channels 0 and 1 hold no pages for reads, channel 3 holds 9.
        channels.add(0, Majority::Read);
        assert_eq!(channels.split(1), 2);
        assert_eq!(kinds(&channels), "WWWR");
        assert_eq!(channels.planes(Kind::Read).iter().collect::<Vec<_>>(), [PlaneId(6), PlaneId(7)]);
        assert_eq!(channels.split(1), 0);
    }

    #[test]
    fn a_tie_is_what_its_channel_is_for() {
        let mut channels = four();
        (0..5).for_each(|_| channels.add(0, Majority::Tie));
        channels.add(3, Majority::Tie);
        channels.add(3, Majority::Read);
        assert_eq!((channels.predicted(Kind::Read), channels.predicted(Kind::Write)), (6, 1));
        assert_eq!(channels.pages_of(Kind::Write, Kind::Read), 1);
        channels.remove(3, Majority::Read);
        channels.remove(3, Majority::Read);
        assert_eq!(channels.pages_of(Kind::Write, Kind::Read), 0);
    }

    #[test]
    fn a_channel_without_planes_is_of_no_kind() {
        let channels = Channels::new(vec![vec![], vec![PlaneId(1)], vec![PlaneId(2)]], 1);
        assert_eq!((channels.count(), channels.count_of(Kind::Read)), (2, 1));
        assert_eq!(channels.of(Kind::Read).collect::<Vec<_>>(), [1]);
        assert_eq!(channels.of(Kind::Write).collect::<Vec<_>>(), [2]);
    }
}
