//! The parts of a response time: where its nanoseconds went.

use serde::{Deserialize, Serialize};

use crate::class::{CLASSES, Class};
use crate::clock::ClassClock;
use crate::sparse::Sparse;

/// Parts that are no wait behind a class.
const PLAIN: [&str; 21] = [
    "link",
    "admission",
    "space",
    "command",
    "cell",
    "transfer",
    "suspend",
    "conflict",
    "retry",
    "decode",
    "cpu",
    "cpu_wait",
    "buffer",
    "cache",
    "write_back",
    "gate",
    "xor",
    "translation",
    "misprediction",
    "chip",
    "moving",
];

/// Plain parts that every drive has; the first ones.
const COMMON_PLAIN: usize = 8;

/// Number of parts.
pub const PARTS: usize = PLAIN.len() + 2 * CLASSES;

/// A part of the response time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Waiting for the host link and moving on it.
    Link,
    /// Waiting at the host because the drive holds as many requests as it may.
    Admission,
    /// Waiting until garbage collection frees a block.
    Space,
    /// Command and address cycles on the channel.
    Command,
    /// The cell array at work for this request.
    Cell,
    /// Its data on the channel.
    Transfer,
    /// Suspending and resuming the request's own program.
    Suspend,
    /// Waiting until another write of a part of the same page is done.
    Conflict,
    /// Reading the flash page again after errors that could not be corrected, decoding in vain included.
    Retry,
    /// Decoding its data.
    Decode,
    /// Firmware at work for this request on a core of the controller.
    Cpu,
    /// Waiting for a core.
    CpuWait,
    /// Waiting for room in the data cache.
    Buffer,
    /// Data moving to or from the data cache's DRAM, and waiting for it.
    Cache,
    /// A flush, or a write with FUA: waiting until what is on its way from the cache is programmed.
    WriteBack,
    /// Joining the pages of its stripe.
    Xor,
    /// Waiting for a die that rests because its gate is closed for this class.
    Gate,
    /// Waiting for a page of the map to be read, or for one to be written that had to make room.
    Translation,
    /// Reading at a place that was guessed wrongly, waiting for the die included.
    Misprediction,
    /// Waiting for the turn of its chip while its die rests, or of a plane that its die works on while its copybacks rest.
    Chip,
    /// Waiting until its page has been moved out of a superblock that is being emptied.
    Moving,
    /// Waiting for the die, occupied by this class.
    DieWait(Class),
    /// Waiting for the channel, occupied by this class.
    ChannelWait(Class),
}

impl Part {
    /// Its place in the order of [`Part::names`].
    #[inline]
    pub const fn index(self) -> usize {
        match self {
            Self::Link => 0,
            Self::Admission => 1,
            Self::Space => 2,
            Self::Command => 3,
            Self::Cell => 4,
            Self::Transfer => 5,
            Self::Suspend => 6,
            Self::Conflict => 7,
            Self::Retry => 8,
            Self::Decode => 9,
            Self::Cpu => 10,
            Self::CpuWait => 11,
            Self::Buffer => 12,
            Self::Cache => 13,
            Self::WriteBack => 14,
            Self::Gate => 15,
            Self::Xor => 16,
            Self::Translation => 17,
            Self::Misprediction => 18,
            Self::Chip => 19,
            Self::Moving => 20,
            Self::DieWait(class) => PLAIN.len() + class.index(),
            Self::ChannelWait(class) => PLAIN.len() + CLASSES + class.index(),
        }
    }

    /// Names of all parts, in order.
    pub fn names() -> impl Iterator<Item = String> {
        let plain = PLAIN.iter().map(|&name| name.to_owned());
        let die = Class::ALL.iter().map(|class| format!("die_wait.{}", class.name()));
        let channel = Class::ALL.iter().map(|class| format!("channel_wait.{}", class.name()));
        plain.chain(die).chain(channel)
    }

    /// Whether results name the part even where it is nothing: the plain ones of every
    /// drive, and the waits behind the host and
    /// garbage collection, which every drive has.
    pub fn is_common(index: usize) -> bool {
        index < COMMON_PLAIN
            || index >= PLAIN.len() && Class::ALL[(index - PLAIN.len()) % CLASSES].is_common()
    }
}

/// Nanoseconds by part. Most parts of most requests are nothing.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Parts(Sparse<PARTS>);

impl Parts {
    /// Forgets all figures.
    #[inline]
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Forgets all figures, and begins with those that every command has.
    #[inline]
    pub fn begin(&mut self, command: u64, transfer: u64, cell: u64) {
        self.clear();
        for (part, ns) in [(Part::Command, command), (Part::Transfer, transfer), (Part::Cell, cell)] {
            self.0.put(part.index(), ns);
        }
    }

    /// Adds to a part.
    #[inline]
    pub fn add(&mut self, part: Part, ns: u64) {
        self.0.add(part.index(), ns);
    }

    /// A part.
    #[inline]
    pub fn get(&self, part: Part) -> u64 {
        self.0.get(part.index())
    }

    /// Gives time that was counted as one part to another.
    pub fn shift(&mut self, from: Part, to: Part, ns: u64) {
        let counted = self.0.get(from.index());
        debug_assert!(counted >= ns, "only what was counted can be counted as another part");
        self.0.put(from.index(), counted - ns);
        self.add(to, ns);
    }

    /// Adds, by class, how far a die's clock has moved since `then`; returns the total, ns.
    #[inline]
    pub fn add_die_wait(&mut self, now: &ClassClock, then: &ClassClock) -> u64 {
        let mut total = 0;
        now.since(then).for_each(|(class, ns)| {
            self.0.add(PLAIN.len() + class, ns);
            total += ns;
        });
        total
    }

    /// The same for a channel.
    #[inline]
    pub fn add_channel_wait(&mut self, now: &ClassClock, then: &ClassClock) {
        now.since(then).for_each(|(class, ns)| self.0.add(PLAIN.len() + CLASSES + class, ns));
    }

    /// Adds the waits for the channel of another.
    pub fn add_channel_waits_of(&mut self, other: &Self) {
        for (index, ns) in other.iter().filter(|&(index, _)| index >= PLAIN.len() + CLASSES) {
            self.0.add(index, ns);
        }
    }

    /// Adds all parts of another.
    #[inline]
    pub fn merge(&mut self, other: &Self) {
        other.iter().for_each(|(index, ns)| self.0.add(index, ns));
    }

    /// The parts that hold a figure, by index.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (usize, u64)> {
        self.0.iter()
    }

    /// Their total.
    pub fn total(&self) -> u64 {
        self.0.total()
    }
}
