//! Separation of writes: which of the host's write points takes a page, so that pages that die together lie together.

mod bloom;

use wordline_base::ids::Lpa;
use wordline_config::separation::{SeparationConfig, SeparationKind};

pub use bloom::HotCold;

/// Decides where the host's pages are written.
///
/// It has no clock and no randomness; it is asked once for each page that the host writes, in the order of admission (to the data
/// cache, where there is one), and not for what is written while the drive is prepared.
pub trait Separation {
    /// The write point, from 0 to `points` − 1, of a page that a request of this stream writes. Larger answers count as
    /// the last.
    fn write_point(&mut self, lpa: Lpa, stream: u16, points: u8) -> u8;

    /// Whether a page that garbage collection moves keeps apart from the others (`scheme.separation.separate_hot_moves`).
    fn is_hot(&self, _lpa: Lpa) -> bool {
        false
    }

    wordline_base::state_methods!(Separation);
}

/// The built-in policies, and a user's own.
pub enum SeparationPolicy {
    /// The first write point takes all.
    None,
    /// By the stream of the request; the engine looks it up itself.
    Stream,
    /// By how often and how lately the page was written.
    HotCold(Box<HotCold>),
    /// A user's own.
    Custom(Box<dyn Separation + Send>),
}

impl SeparationPolicy {
    /// The one that a scheme names, for a drive of so many mapping units.
    pub fn new(config: &SeparationConfig, logical_units: u32) -> Self {
        match config.policy {
            SeparationKind::None => Self::None,
            SeparationKind::Stream => Self::Stream,
            SeparationKind::HotCold => Self::HotCold(Box::new(HotCold::new(config, logical_units))),
        }
    }
}

impl Separation for SeparationPolicy {
    fn write_point(&mut self, lpa: Lpa, stream: u16, points: u8) -> u8 {
        match self {
            Self::None => 0,
            Self::Stream => stream.min(u16::from(u8::MAX)) as u8,
            Self::HotCold(policy) => policy.write_point(lpa, stream, points),
            Self::Custom(policy) => policy.write_point(lpa, stream, points),
        }
    }

    fn is_hot(&self, lpa: Lpa) -> bool {
        match self {
            Self::None | Self::Stream => false,
            Self::HotCold(policy) => policy.is_hot(lpa),
            Self::Custom(policy) => policy.is_hot(lpa),
        }
    }
}

wordline_base::policies!(SeparationPolicy, "separation",
    none: [None, Stream], rebuilt: [], stored: [HotCold]);

impl wordline_base::snapshot::Stored for HotCold {}
