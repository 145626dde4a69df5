//! Lengths of requests.

use rand_distr::Distribution;
use rand_distr::weighted::WeightedAliasIndex;
use wordline_config::error::ConfigError;

use crate::config::Sizes;
use crate::rng::Xoshiro256PlusPlus;

/// Draws lengths.
pub(crate) enum SizeDrawer {
    Fixed(u64),
    /// Constant time for each draw, however long the list.
    Weighted {
        sizes: Vec<u64>,
        chooser: WeightedAliasIndex<f64>,
        rng: Xoshiro256PlusPlus,
    },
}

impl SizeDrawer {
    pub(crate) fn new(config: &Sizes, rng: Xoshiro256PlusPlus) -> Result<Self, ConfigError> {
        match config {
            Sizes::Fixed(bytes) => Ok(Self::Fixed(*bytes)),
            Sizes::Weighted(list) => {
                let weights: Vec<f64> = list.iter().map(|size| size.weight).collect();
                let chooser = WeightedAliasIndex::new(weights)
                    .map_err(|error| ConfigError::new("sizes", error, "weights from 0, one above 0"))?;
                let sizes = list.iter().map(|size| size.bytes).collect();
                Ok(Self::Weighted { sizes, chooser, rng })
            }
        }
    }

    /// A length, bytes, drawn by somebody else's `rng`.
    pub(crate) fn draw(&self, rng: &mut Xoshiro256PlusPlus) -> u64 {
        match self {
            Self::Fixed(bytes) => *bytes,
            Self::Weighted { sizes, chooser, .. } => sizes.get(chooser.sample(rng)).copied().unwrap_or(1),
        }
    }

    /// Fills `out` with lengths, bytes.
    pub(crate) fn fill(&mut self, out: &mut [u64]) {
        match self {
            Self::Fixed(bytes) => out.fill(*bytes),
            Self::Weighted { sizes, chooser, rng } => {
                for place in out {
                    *place = sizes.get(chooser.sample(rng)).copied().unwrap_or(1);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SizeWeight;

    #[test]
    fn sizes_come_in_their_shares() {
        let list = [(512, 1.0), (4096, 6.0), (65_536, 3.0), (1, 0.0)];
        let list = list.map(|(bytes, weight)| SizeWeight { bytes, weight }).to_vec();
        let mut drawer =
            SizeDrawer::new(&Sizes::Weighted(list), crate::rng::stream(1, "trace.sizes")).unwrap();
        let mut out = vec![0; 100_000];
        drawer.fill(&mut out);
        let count = |bytes| out.iter().filter(|size| **size == bytes).count();
        assert!((9_500..10_500).contains(&count(512)));
        assert!((59_200..60_800).contains(&count(4096)));
        assert!((29_200..30_800).contains(&count(65_536)));
        assert_eq!(count(1), 0);
    }
}
