//! The arbiter: which copy of a page serves a read.

use wordline_config::copies::ArbiterKind;

use wordline_base::class::Class;
use wordline_base::ids::{DieId, Lpa, Ppa};
use wordline_base::time::Ns;

/// A copy that could serve a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Where it is.
    pub ppa: Ppa,
    /// Its die.
    pub die: DieId,
    /// Number of the system that asked for it; `None` for the primary.
    pub owner: Option<usize>,
    /// Flash pages waiting or running on its die, this read not counted.
    pub outstanding: u32,
    /// What its die is doing.
    pub running: Option<Class>,
    /// Time until that is done, or until it could be suspended for a read, ns.
    pub remaining: Ns,
    /// `remaining`, and the time of all that waits there and goes before this read, ns.
    pub ahead: Ns,
    /// The read is there already: its die is about to take it.
    pub here: bool,
}

/// A read of a page that has copies.
#[derive(Clone, Copy, Debug)]
pub struct Serving<'a> {
    /// The page.
    pub lpa: Lpa,
    /// It was asked before, as the read came; now its die takes it.
    pub again: bool,
    /// The primary first, then the copies in the order in which they were made.
    pub candidates: &'a [Candidate],
}

/// Chooses the copy that serves a read. A pure decision on the candidates.
///
/// It is asked when the read comes, and again when a die takes it: a read that is then better served elsewhere is sent
/// on, once.
pub trait Arbiter {
    /// Index of the candidate that serves; there are at least two.
    fn serve(&self, read: &Serving<'_>) -> usize;

    wordline_base::state_methods!(Arbiter);
}

/// The built-in arbiters, and a user's own.
pub enum ArbiterPolicy {
    /// See [`ArbiterKind::Earliest`].
    Earliest,
    /// See [`ArbiterKind::FewestOutstanding`].
    FewestOutstanding,
    /// See [`ArbiterKind::Primary`].
    Primary,
    /// A user's own.
    Custom(Box<dyn Arbiter + Send>),
}

wordline_base::policies!(ArbiterPolicy, "arbiter of copies", none: [Earliest, FewestOutstanding, Primary], rebuilt: [], stored: []);

impl ArbiterPolicy {
    /// The one that a scheme names.
    pub fn new(kind: ArbiterKind) -> Self {
        match kind {
            ArbiterKind::Earliest => Self::Earliest,
            ArbiterKind::FewestOutstanding => Self::FewestOutstanding,
            ArbiterKind::Primary => Self::Primary,
        }
    }

    /// Its name in results.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Earliest => "earliest",
            Self::FewestOutstanding => "fewest_outstanding",
            Self::Primary => "primary",
            Self::Custom(_) => "custom",
        }
    }
}

/// The first of the candidates with the smallest figure, the one where the read is before others.
fn least<K: Ord>(candidates: &[Candidate], figure: impl Fn(&Candidate) -> K) -> usize {
    let key = |&index: &usize| candidates.get(index).map(|candidate| (figure(candidate), !candidate.here));
    (0..candidates.len()).min_by_key(key).unwrap_or(0)
}

impl Arbiter for ArbiterPolicy {
    fn serve(&self, read: &Serving<'_>) -> usize {
        match self {
            Self::Earliest => least(read.candidates, |candidate| candidate.ahead),
            Self::FewestOutstanding => least(read.candidates, |candidate| candidate.outstanding),
            Self::Primary => 0,
            Self::Custom(arbiter) => arbiter.serve(read),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(ahead: u64, outstanding: u32, here: bool) -> Candidate {
        Candidate {
            ppa: Ppa(0),
            die: DieId(0),
            owner: None,
            outstanding,
            running: None,
            remaining: Ns::ZERO,
            ahead: Ns(ahead),
            here,
        }
    }

    fn served(policy: &ArbiterPolicy, candidates: &[Candidate]) -> usize {
        policy.serve(&Serving { lpa: Lpa(0), again: false, candidates })
    }

    #[test]
    fn each_built_in_takes_its_figure_and_ties_go_to_the_primary_or_stay_where_they_are() {
        let busy = [candidate(50, 1, false), candidate(20, 3, false), candidate(20, 2, false)];
        assert_eq!(served(&ArbiterPolicy::Earliest, &busy), 1);
        assert_eq!(served(&ArbiterPolicy::FewestOutstanding, &busy), 0);
        assert_eq!(served(&ArbiterPolicy::Primary, &busy), 0);
        let equal = [candidate(0, 0, false), candidate(0, 0, false)];
        assert_eq!(served(&ArbiterPolicy::Earliest, &equal), 0);
        let there = [candidate(0, 0, false), candidate(0, 0, true)];
        assert_eq!(served(&ArbiterPolicy::Earliest, &there), 1);
        assert_eq!(served(&ArbiterPolicy::FewestOutstanding, &there), 1);
    }
}
