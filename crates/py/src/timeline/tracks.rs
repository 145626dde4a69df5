//! The tracks of a timeline: requests, channels, dies, and counters.

use std::collections::BTreeSet;

use wordline_engine::probe::Server;

use super::packets::{CounterDescriptor, TrackDescriptor};

/// Children in the order of their rank.
const BY_RANK: i32 = 3;

/// A die, or who serves beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Worker {
    die: u32,
    /// The plane that works by itself, from 1 on; 0 for the whole die.
    plane: u32,
    ideal: bool,
}

impl Worker {
    /// Who works where a server is.
    pub fn of(server: Server) -> Self {
        Self { die: server.die, plane: server.plane.map_or(0, |plane| plane + 1), ideal: server.ideal }
    }

    /// Its place among those of its die.
    fn rank(self) -> u32 {
        2 * self.plane + u32::from(self.ideal)
    }
}

/// Ranks of one die: its own, its queue's, and two for each of 32 planes.
const RANKS_OF_DIE: u32 = 67;

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
    /// What a die does, or who serves beside it.
    Die(Worker),
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
            Self::Die(worker) if worker.rank() == 0 => (6, worker.die),
            Self::Die(worker) => (8, worker.die * RANKS_OF_DIE + worker.rank()),
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
            Place::Die(worker) => self.worker_name(worker),
            Place::Queue(die) => format!("{}: waiting and running", self.die_name(die)),
        }
    }

    fn die_name(&self, die: u32) -> String {
        format!("channel {} die {}", die / self.dies_of_channel, die % self.dies_of_channel)
    }

    fn worker_name(&self, worker: Worker) -> String {
        let mut name = self.die_name(worker.die);
        if let Some(plane) = worker.plane.checked_sub(1) {
            name += &format!(" plane {plane}");
        }
        if worker.ideal {
            name += ", second server";
        }
        name
    }

    /// Requests first, then each channel with its dies.
    fn rank(&self, place: Place) -> i32 {
        let width = RANKS_OF_DIE * self.dies_of_channel + 1;
        let of_die =
            |die: u32| 2 + die / self.dies_of_channel * width + RANKS_OF_DIE * (die % self.dies_of_channel);
        let rank = match place {
            Place::Root | Place::Requests | Place::Inside => 0,
            Place::Row(row) => 1 + row,
            Place::Channel(channel) => 1 + channel * width,
            Place::Die(worker) if worker.rank() == 0 => of_die(worker.die),
            Place::Queue(die) => of_die(die) + 1,
            Place::Die(worker) => of_die(worker.die) + 1 + worker.rank(),
        };
        i32::try_from(rank).unwrap_or(i32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_server_has_a_track_of_its_own_below_its_die() {
        let tracks = Tracks::new(2, 4);
        let worker = |plane, ideal| Place::Die(Worker::of(Server { number: 0, die: 3, plane, ideal }));
        let places = [
            worker(None, false),
            Place::Queue(3),
            worker(None, true),
            worker(Some(0), false),
            worker(Some(0), true),
            worker(Some(31), true),
        ];
        let names = [
            "channel 1 die 1",
            "channel 1 die 1: waiting and running",
            "channel 1 die 1, second server",
            "channel 1 die 1 plane 0",
            "channel 1 die 1 plane 0, second server",
            "channel 1 die 1 plane 31, second server",
        ];
        assert_eq!(places.map(|place| tracks.name(place)), names);
        let ranks = places.map(|place| tracks.rank(place));
        assert!(
            ranks.is_sorted_by(|one, next| one < next) && ranks[5] < tracks.rank(Place::Channel(2)),
            "{ranks:?}"
        );
        let ids: BTreeSet<u64> = places.iter().map(|place| place.id()).collect();
        assert_eq!(ids.len(), places.len());
    }
}
