//! Mitigation of patterned read collisions (Jun et al.; papers/000).

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};

/// Replication of pages that keep colliding (`[scheme.collision]`); off by default. `docs/collision.md` has the rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollisionConfig {
    /// Whether it is on; default false.
    #[serde(default)]
    pub enabled: bool,
    /// Most entries of a die's list of pairs, the paper's l_R; 0 to 10^6, default 5 (§IV-A). With 0 nothing is ever
    /// replicated.
    #[serde(default = "default_pairs")]
    pub pairs_per_die: u32,
    /// Most replicated pages, as a share of the drive's flash pages, the paper's l_M; 0 to 1, default 0.002 (§IV-A).
    #[serde(default = "default_share")]
    pub copies_share: f64,
    /// Times that a pair must have met, while its list holds it, to be weighed; 1 to 65,535, default 2: the paper
    /// weighs an entry when it is updated, and a pair that isn't in the list makes a new one (§III-A).
    #[serde(default = "default_occurrences")]
    pub least_occurrences: u32,
    /// Time over which the reads of a die are counted for r of equation 3, ns; 1 µs to an hour, default a second, after
    /// "r read operations … every second" (§III-A). The paper names no other.
    #[serde(default = "default_window")]
    pub rate_window_ns: u64,
    /// Which page of a pair is replicated when both appear in as many of the remaining pairs: `later` (default, the
    /// read that came last) or `earlier`. The paper doesn't say.
    #[serde(default)]
    pub tie: VictimTie,
    /// Which pairs an imbalanced collision records: `all` (default, §II-C: those of the reads that were there among
    /// each other, too) or `new` (those with the read that came).
    #[serde(default)]
    pub record: RecordedPairs,
    /// Reads of a die that are paired at most, the latest; 2 to 64, default 8. The paper names no bound.
    #[serde(default = "default_reads")]
    pub reads_considered: u32,
    /// What happens to a victim that has a copy already: false (default), the other page of the pair is taken, or none;
    /// true, its copy is replaced. The paper doesn't say.
    #[serde(default)]
    pub replace_copies: bool,
}

/// Which page of a pair is replicated when nothing speaks for either.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VictimTie {
    /// That of the read that came later.
    #[default]
    Later,
    /// That of the read that came earlier.
    Earlier,
}

/// Which pairs an imbalanced collision records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordedPairs {
    /// Every pair of the reads at the die.
    #[default]
    All,
    /// The pairs of the read that came.
    New,
}

impl Default for CollisionConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            pairs_per_die: default_pairs(),
            copies_share: default_share(),
            least_occurrences: default_occurrences(),
            rate_window_ns: default_window(),
            tie: VictimTie::default(),
            record: RecordedPairs::default(),
            reads_considered: default_reads(),
            replace_copies: false,
        }
    }
}

fn default_pairs() -> u32 {
    5
}

fn default_share() -> f64 {
    0.002
}

fn default_occurrences() -> u32 {
    2
}

fn default_window() -> u64 {
    1_000_000_000
}

fn default_reads() -> u32 {
    8
}

impl CollisionConfig {
    /// Refuses what can't be. Paths in errors are relative to `[collision]`.
    pub fn validate(&self) -> Result<(), ConfigError> {
        check_range("pairs_per_die", self.pairs_per_die, 0, 1_000_000)?;
        check_range("copies_share", self.copies_share, 0.0, 1.0)?;
        check_range("least_occurrences", self.least_occurrences, 1, 65_535)?;
        check_range("rate_window_ns", self.rate_window_ns, 1_000, 3_600_000_000_000)?;
        check_range("reads_considered", self.reads_considered, 2, 64)
    }
}
