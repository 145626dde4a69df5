//! A workload described by classes of pages: what published statistics say of a trace that is not at hand.

use serde::{Deserialize, Serialize};

use crate::config::SizeWeight;
use wordline_config::left_out::is_one;

/// Classes of pages and the requests that they get.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Share of requests that read; the others write.
    pub read_share: f64,
    /// Lengths of reads, bytes.
    pub read_sizes: Vec<SizeWeight>,
    /// Lengths of writes, bytes.
    pub write_sizes: Vec<SizeWeight>,
    /// Requests of a burst, on average (geometric).
    pub burst_requests: f64,
    /// Mean gap within a burst, ns (exponential).
    pub burst_gap_ns: f64,
    /// Mean gap between bursts, ns (exponential).
    pub idle_gap_ns: f64,
    /// Classes of pages; they lie one behind the other.
    pub class: Vec<PageClass>,
    /// Requests that come together, in bursts of their own beside those above.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub burst: Vec<Burst>,
    /// What of each stripe is read more often than the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skew: Option<Skew>,
}

/// The address space in stripes of so many aligned pieces of equal length: reads begin in the first pieces of a stripe more often
/// than in another. On a drive that deals pieces out over the blocks of a superblock its first blocks are read so much more often
/// than the mean. Reads stay in their stripe; where the first class is walked, those no longer than a piece go to any of its
/// stripes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skew {
    /// Bytes of a piece.
    pub bytes: u64,
    /// Pieces of a stripe.
    pub of: u64,
    /// How many of them are read more often, from the first on, as often as each other.
    #[serde(default = "first_only", skip_serializing_if = "is_first_only")]
    pub pieces: u64,
    /// The share of reads that begin in these, by their share of the stripe, less one: 0 (all alike) to
    /// `of` / `pieces` − 1 (all in them).
    pub excess: f64,
}

fn first_only() -> u64 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_first_only(pieces: &u64) -> bool {
    *pieces == 1
}

impl Skew {
    /// The excess with which all reads begin in the first pieces.
    pub fn most(&self) -> f64 {
        self.of as f64 / self.pieces as f64 - 1.0
    }
}

/// Pages that are used alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageClass {
    /// What they are, in a word.
    pub name: String,
    /// Their size, bytes.
    pub bytes: u64,
    /// Share of the reads that go to them; the shares of all classes add up to 1.
    pub reads: f64,
    /// Share of the writes that go to them.
    pub writes: f64,
    /// Which of them is next.
    pub walk: Walk,
    /// Skew of `zipf`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theta: Option<f64>,
    /// Its pages get reads and writes in runs: reads go to one half of them and writes to the other, and the halves change
    /// places after so many requests of the class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
    /// Reads that come back soon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recent: Option<Recent>,
}

/// Which pages of a class are next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Walk {
    /// In scattered extents of 1 MiB, each place once before any comes again; reads and writes walk separately.
    Once,
    /// At random, all alike.
    Uniform,
    /// At random, by Zipf's law; ranks are scattered.
    Zipf,
}

/// Reads that come back soon: their page is one that the class was read at shortly before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recent {
    /// Share of the class's reads that begin where one of the latest ones began; each of these alike.
    pub share: f64,
    /// How many of the latest reads are remembered.
    pub reads: u32,
}

/// Requests of one kind that come together: one after the other at short distances, nothing between them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Burst {
    /// What it is, in a word.
    pub name: String,
    /// Whether its requests read or write.
    pub op: BurstOp,
    /// Name of the class whose pages they go to.
    pub class: String,
    /// Share of all requests of this kind that come in such bursts; of all bursts of a kind at most 1.
    pub share: f64,
    /// Requests of a burst.
    pub requests: u32,
    /// Mean time from one of them to the next, ns (exponential).
    pub gap_ns: f64,
    /// So many of them in a row go on where the one before ended.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub run: u32,
    /// Requests that begin alike within aligned groups of pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aligned: Option<Aligned>,
    /// Its sequences of pages come again; when left out each burst goes to pages of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<Again>,
}

/// What the requests of a burst do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BurstOp {
    /// They read.
    Read,
    /// They write.
    Write,
}

/// Requests of a burst that begin as far behind a multiple of `bytes` as the first one does. A drive that deals pages out over
/// its dies in turn has such pages on the same dies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Aligned {
    /// Bytes of a group.
    pub bytes: u64,
    /// Share of the requests behind the first that do so.
    pub share: f64,
}

/// Sequences of pages that come again: the same pages and lengths in the same order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Again {
    /// Sequences in use at a time, from which each burst takes one. The fewer, the sooner one comes again.
    pub sequences: u32,
    /// How often a sequence comes before a new one takes its place, on average (geometric).
    pub times: f64,
    /// Skew of the choice (Zipf); 0: all alike.
    #[serde(default)]
    pub theta: f64,
}

fn one() -> u32 {
    1
}

/// Most sequences in use at a time: eight bytes are kept of each.
const MOST_SEQUENCES: f64 = 1_048_576.0;

/// Most requests of a burst, and latest reads that a class remembers.
pub(super) const MOST_REQUESTS: f64 = 4096.0;

impl Model {
    /// What is wrong with it, in one line.
    pub(super) fn validate(&self) -> Result<(), String> {
        share("model.read_share", self.read_share)?;
        for (name, sizes) in [("read_sizes", &self.read_sizes), ("write_sizes", &self.write_sizes)] {
            let known = !sizes.is_empty()
                && sizes.iter().all(|size| (1..=1 << 30).contains(&size.bytes) && size.weight >= 0.0)
                && sizes.iter().any(|size| size.weight > 0.0);
            if !known {
                return Err(format!("model.{name}: allowed: sizes of 1 to 2^30 bytes, one weight above 0"));
            }
        }
        within("model.burst_requests", self.burst_requests, 1.0, 1e9)?;
        within("model.burst_gap_ns", self.burst_gap_ns, 0.0, 1e15)?;
        within("model.idle_gap_ns", self.idle_gap_ns, 0.0, 1e15)?;
        if self.class.is_empty() || self.class.len() > 1000 {
            return Err(format!("model.class: {} classes: allowed: 1 to 1000", self.class.len()));
        }
        for class in &self.class {
            let name = &class.name;
            share(&format!("reads of class {name}"), class.reads)?;
            share(&format!("writes of class {name}"), class.writes)?;
            if !(1 << 20..1 << 50).contains(&class.bytes) {
                return Err(format!("bytes of class {name} = {}: allowed: 1 MiB to 1 PiB", class.bytes));
            }
            match (class.walk, class.theta) {
                (Walk::Zipf, Some(theta)) => within("theta", theta, 0.0, 10.0)?,
                (Walk::Zipf, None) => return Err(format!("class {name}: zipf needs theta")),
                (_, Some(theta)) => {
                    return Err(format!("theta = {theta} of class {name}: allowed: with zipf"));
                }
                (_, None) => {}
            }
        }
        for class in self.class.iter().filter(|class| class.turns.is_some()) {
            if class.turns == Some(0) || class.bytes < 2 << 20 {
                let PageClass { name, turns, bytes, .. } = class;
                return Err(format!(
                    "turns = {} of class {name} of {bytes} bytes: allowed: at least 1, of 2 MiB or more",
                    turns.unwrap_or(0)
                ));
            }
        }
        let sum = |of: fn(&PageClass) -> f64| self.class.iter().map(of).sum::<f64>();
        within("reads of all classes", sum(|class| class.reads), 0.999, 1.001)?;
        within("writes of all classes", sum(|class| class.writes), 0.999, 1.001)?;
        if let Some(skew @ Skew { bytes, of, pieces, excess }) = &self.skew {
            within("skew.bytes", *bytes as f64, 512.0, 1e9)?;
            within("skew.of", *of as f64, 2.0, 4096.0)?;
            within("skew.pieces", *pieces as f64, 1.0, *of as f64 - 1.0)?;
            within("skew.excess", *excess, 0.0, skew.most())?;
        }
        for class in &self.class {
            if let Some(Recent { share: soon, reads }) = &class.recent {
                share(&format!("recent.share of class {}", class.name), *soon)?;
                within("recent.reads", f64::from(*reads), 1.0, MOST_REQUESTS)?;
                if class.turns.is_some() || class.walk == Walk::Once {
                    return Err(format!(
                        "recent of class {}: allowed: where it is walked uniform or zipf, without turns",
                        class.name
                    ));
                }
            }
        }
        self.validate_bursts()
    }

    fn validate_bursts(&self) -> Result<(), String> {
        within("model.burst, number", self.burst.len() as f64, 0.0, 100.0)?;
        for burst in &self.burst {
            let Burst { name, class, .. } = burst;
            share(&format!("share of burst {name}"), burst.share)?;
            within(&format!("requests of burst {name}"), f64::from(burst.requests), 1.0, MOST_REQUESTS)?;
            within(&format!("gap_ns of burst {name}"), burst.gap_ns, 0.0, 1e12)?;
            within(&format!("run of burst {name}"), f64::from(burst.run), 1.0, MOST_REQUESTS)?;
            let found = self.class.iter().find(|known| known.name == *class);
            if !found.is_some_and(|class| class.walk != Walk::Once && class.turns.is_none()) {
                return Err(format!(
                    "class = {class} of burst {name}: allowed: a class that is walked uniform or zipf, without turns"
                ));
            }
            if let Some(Aligned { bytes, share: alike }) = &burst.aligned {
                within(&format!("aligned.bytes of burst {name}"), *bytes as f64, 4096.0, 1_048_576.0)?;
                share(&format!("aligned.share of burst {name}"), *alike)?;
            }
            if let Some(again) = &burst.again {
                within(
                    &format!("again.sequences of burst {name}"),
                    f64::from(again.sequences),
                    1.0,
                    MOST_SEQUENCES,
                )?;
                within(&format!("again.times of burst {name}"), again.times, 1.0, 1e12)?;
                within(&format!("again.theta of burst {name}"), again.theta, 0.0, 10.0)?;
            }
        }
        let in_use = self.burst.iter().filter_map(|burst| burst.again.as_ref());
        let in_use: f64 = in_use.map(|again| f64::from(again.sequences)).sum();
        within("again.sequences of all bursts", in_use, 0.0, MOST_SEQUENCES)?;
        for op in [BurstOp::Read, BurstOp::Write] {
            let sum: f64 = self.burst.iter().filter(|burst| burst.op == op).map(|burst| burst.share).sum();
            within(&format!("shares of all bursts that {}", op.name()), sum, 0.0, 1.000_001)?;
        }
        Ok(())
    }
}

impl BurstOp {
    fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

fn share(name: &str, value: f64) -> Result<(), String> {
    within(name, value, 0.0, 1.0)
}

fn within(name: &str, value: f64, low: f64, high: f64) -> Result<(), String> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(format!("{name} = {value}: allowed: {low} to {high}"))
}
