//! Garbage collection: which superblock is emptied next, and how far the emptying of each domain has come.

pub mod collector;
pub mod cost_benefit;
pub mod d_choices;
pub mod fifo;
pub mod greedy;
pub mod pace;
pub mod random;
#[cfg(test)]
mod sketch;
mod standing;
pub mod windowed_greedy;

use crate::blocks::Needs;
use crate::blocks::table::BlockView;
use wordline_base::ids::SuperblockId;
use wordline_base::policies;
use wordline_base::snapshot::Stored;
use wordline_config::scheme::{GcConfig, GcKind};

pub use cost_benefit::CostBenefit;
pub use d_choices::DChoices;
pub use fifo::Fifo;
pub use greedy::Greedy;
pub use random::Random;
pub use windowed_greedy::WindowedGreedy;

/// Chooses the superblock to collect.
///
/// A pure decision on the superblocks of one domain. It may choose only superblocks that are [`Full`] and returns
/// `None` when collecting none of them would win a flash page. A choice that wins less ([`BlockView::most_valid`])
/// counts as `None`, which ends the collection: so that a drive that can win space always goes on, a policy passes
/// such superblocks over as long as there is another.
///
/// It may assume that the view is complete and true at this moment, and of one domain; a state of its own is kept by the domain's first
/// superblock. It must
///
/// - choose a `Full` superblock of this domain: any other choice ends the run with an error that names it;
/// - be quick: it may be asked after every program while nothing can be won. After `None` it is asked again when the domain's next program
///   is allocated or ends;
/// - hold on to a choice by chance while it isn't carried out: the engine asks again when there was no room for its pages, and drawing anew
///   favours what is mostly empty (`gc/standing.rs`).
///
/// [`Full`]: crate::blocks::BlockState::Full
pub trait VictimPolicy {
    /// The next victim among these superblocks.
    fn choose(&mut self, blocks: &BlockView<'_>) -> Option<SuperblockId>;

    /// What of the past of the superblocks it looks at; asked once.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    wordline_base::state_methods!(VictimPolicy);
}

/// The built-in policies, and a user's own.
pub enum GcPolicy {
    /// Fewest valid units.
    Greedy(Greedy),
    /// Fewest valid units of some drawn at random.
    DChoices(DChoices),
    /// Any.
    Random(Random),
    /// The one that became full longest ago.
    Fifo(Fifo),
    /// The best ratio of what is won, weighted by age, to what it costs.
    CostBenefit(CostBenefit),
    /// Fewest valid units of those that became full longest ago.
    WindowedGreedy(WindowedGreedy),
    /// A user's own.
    Custom(Box<dyn VictimPolicy + Send>),
}

impl GcPolicy {
    /// What the random stream of the policy gives next; `None` where it has none.
    pub fn next_drawn(&self) -> Option<u64> {
        match self {
            Self::DChoices(policy) => Some(policy.next_drawn()),
            Self::Random(policy) => Some(policy.next_drawn()),
            Self::Greedy(_)
            | Self::Fifo(_)
            | Self::CostBenefit(_)
            | Self::WindowedGreedy(_)
            | Self::Custom(_) => None,
        }
    }

    /// The one that a scheme names; its random numbers come from the `seed` of the run.
    pub fn new(config: &GcConfig, seed: u64) -> Self {
        match config.policy {
            GcKind::Greedy => Self::Greedy(Greedy),
            GcKind::DChoices => Self::DChoices(DChoices::new(config.choices, seed)),
            GcKind::Random => Self::Random(Random::new(seed)),
            GcKind::Fifo => Self::Fifo(Fifo),
            GcKind::CostBenefit => Self::CostBenefit(CostBenefit),
            GcKind::WindowedGreedy => Self::WindowedGreedy(WindowedGreedy { window: config.window }),
        }
    }
}

impl VictimPolicy for GcPolicy {
    fn choose(&mut self, blocks: &BlockView<'_>) -> Option<SuperblockId> {
        match self {
            Self::Greedy(policy) => policy.choose(blocks),
            Self::DChoices(policy) => policy.choose(blocks),
            Self::Random(policy) => policy.choose(blocks),
            Self::Fifo(policy) => policy.choose(blocks),
            Self::CostBenefit(policy) => policy.choose(blocks),
            Self::WindowedGreedy(policy) => policy.choose(blocks),
            Self::Custom(policy) => policy.choose(blocks),
        }
    }

    fn needs(&self) -> Needs {
        match self {
            Self::Greedy(policy) => policy.needs(),
            Self::DChoices(policy) => policy.needs(),
            Self::Random(policy) => policy.needs(),
            Self::Fifo(policy) => policy.needs(),
            Self::CostBenefit(policy) => policy.needs(),
            Self::WindowedGreedy(policy) => policy.needs(),
            Self::Custom(policy) => policy.needs(),
        }
    }
}

policies!(GcPolicy, "policy of garbage collection",
    rebuilt: [Greedy, Fifo, CostBenefit, WindowedGreedy],
    stored: [DChoices, Random]);

impl Stored for DChoices {}
impl Stored for Random {}
