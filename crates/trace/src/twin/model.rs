//! A workload described by classes of pages: what published statistics say of a trace that is not at hand.

use serde::{Deserialize, Serialize};

use crate::config::SizeWeight;

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
    /// Pages that are read together, in the first class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<Groups>,
    /// What of each stripe is read more often than the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skew: Option<Skew>,
}

/// The address space in stripes of so many aligned pieces of equal length: reads begin in the first piece of a stripe more often
/// than in another. On a drive that deals pieces out over the blocks of a superblock its first block is read so much more often
/// than the mean. Reads stay in their stripe; where the first class is walked, those no longer than a piece go to any of its
/// stripes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skew {
    /// Bytes of a piece.
    pub bytes: u64,
    /// Pieces of a stripe.
    pub of: u64,
    /// The share of reads that begin in the first piece, by its share of the stripe, less one: 0 (all alike) to `of` − 1 (all in it).
    pub excess: f64,
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

/// Pages that are read together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Groups {
    /// Number of groups.
    pub count: u64,
    /// Reads of a group; they arrive together.
    pub reads: u32,
    /// Share of the reads that come in groups.
    pub share: f64,
    /// Skew of the choice of a group (Zipf).
    pub theta: f64,
}

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
        if let Some(Skew { bytes, of, excess }) = &self.skew {
            within("skew.bytes", *bytes as f64, 512.0, 1e9)?;
            within("skew.of", *of as f64, 2.0, 4096.0)?;
            within("skew.excess", *excess, 0.0, *of as f64 - 1.0)?;
        }
        match &self.groups {
            None => Ok(()),
            Some(groups) => {
                share("groups.share", groups.share)?;
                within("groups.theta", groups.theta, 0.0, 10.0)?;
                within("groups.count", groups.count as f64, 1.0, 1e12)?;
                within("groups.reads", f64::from(groups.reads), 1.0, 4096.0)
            }
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
