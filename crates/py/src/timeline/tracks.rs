//! The tracks of a timeline: requests, channels, dies, and counters.

use std::collections::BTreeSet;

use super::packets::{CounterDescriptor, TrackDescriptor};

/// Children in the order of their rank.
const BY_RANK: i32 = 3;

/// Where something is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The drive.
    Root,
    /// All requests.
    Requests,
    /// Requests, no two of which overlap.
    Row(u32),
    /// Counts the requests inside the drive.
    Inside,
    /// A channel: what moves over it, and its dies below it.
    Channel(u32),
    /// What a die does.
    Die(u32),
    /// Counts the flash pages that wait or run on a die.
    Queue(u32),
}

impl Place {
    /// Number of the track.
    pub fn id(self) -> u64 {
        let (kind, number) = match self {
            Self::Root => (1, 0),
            Self::Requests => (2, 0),
            Self::Inside => (3, 0),
            Self::Row(row) => (4, row),
            Self::Channel(channel) => (5, channel),
            Self::Die(die) => (6, die),
            Self::Queue(die) => (7, die),
        };
        (kind << 32) | u64::from(number)
    }

    /// The track above it.
    pub fn parent(self) -> Option<Self> {
        match self {
            Self::Root => None,
            Self::Requests | Self::Channel(_) | Self::Die(_) | Self::Queue(_) => Some(Self::Root),
            Self::Row(_) | Self::Inside => Some(Self::Requests),
        }
    }
}

/// Which tracks were described, and what they are called.
pub struct Tracks {
    known: BTreeSet<Place>,
    dies_of_channel: u32,
    channels: u32,
}

impl Tracks {
    /// Of a drive of this shape.
    pub fn new(dies_of_channel: u32, channels: u32) -> Self {
        Self { known: BTreeSet::new(), dies_of_channel: dies_of_channel.max(1), channels }
    }

    /// Whether nobody has asked for it yet.
    pub fn is_new(&self, place: Place) -> bool {
        !self.known.contains(&place)
    }

    /// A track's description.
    pub fn describe(&mut self, place: Place) -> TrackDescriptor {
        self.known.insert(place);
        let counter = matches!(place, Place::Inside | Place::Queue(_)).then_some(CounterDescriptor {});
        TrackDescriptor {
            id: Some(place.id()),
            name: Some(self.name(place)),
            parent: place.parent().map(Place::id),
            counter,
            child_ordering: matches!(place, Place::Root | Place::Requests).then_some(BY_RANK),
            rank: Some(self.rank(place)),
        }
    }

    fn name(&self, place: Place) -> String {
        match place {
            Place::Root => "drive".to_owned(),
            Place::Requests => "requests".to_owned(),
            Place::Row(row) => format!("row {row}"),
            Place::Inside => "requests inside".to_owned(),
            Place::Channel(channel) => match channel.checked_sub(self.channels) {
                None => format!("channel {channel}"),
                // The second servers of an ideal drive have numbers behind those of the real ones.
                Some(real) => format!("channel {real}, second server"),
            },
            Place::Die(die) => self.die_name(die),
            Place::Queue(die) => format!("{}: waiting and running", self.die_name(die)),
        }
    }

    fn die_name(&self, die: u32) -> String {
        let dies = self.dies_of_channel * self.channels;
        match die.checked_sub(dies) {
            None => format!("channel {} die {}", die / self.dies_of_channel, die % self.dies_of_channel),
            Some(real) => format!("{}, second server", self.die_name(real % dies.max(1))),
        }
    }

    /// Requests first, then each channel with its dies.
    fn rank(&self, place: Place) -> i32 {
        let width = 2 * self.dies_of_channel + 1;
        let rank = match place {
            Place::Root | Place::Requests | Place::Inside => 0,
            Place::Row(row) => 1 + row,
            Place::Channel(channel) => 1 + channel * width,
            Place::Die(die) => 2 + die / self.dies_of_channel * width + 2 * (die % self.dies_of_channel),
            Place::Queue(die) => 3 + die / self.dies_of_channel * width + 2 * (die % self.dies_of_channel),
        };
        i32::try_from(rank).unwrap_or(i32::MAX)
    }
}
