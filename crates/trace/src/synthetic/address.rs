//! Offsets of requests.

use wordline_config::error::ConfigError;

use super::permutation::Permutation;
use super::region::Region;
use super::zipf::Zipf;
use crate::config::PatternConfig;
use crate::rng::{Xoshiro256PlusPlus, below, stream, unit};

/// Draws offsets in a region.
pub(super) struct AddressDrawer {
    region: Region,
    pattern: Pattern,
}

enum Pattern {
    Uniform {
        rng: Xoshiro256PlusPlus,
    },
    Zipf {
        zipf: Zipf,
        places: Permutation,
        rng: Xoshiro256PlusPlus,
    },
    HotCold {
        hot: u64,
        share: f64,
        places: Permutation,
        rng: Xoshiro256PlusPlus,
    },
    /// `positions` of the streams, bytes from the start of their parts.
    Sequential {
        positions: Vec<u64>,
        turn: usize,
        part: u64,
    },
}

impl AddressDrawer {
    /// Draws follow from the first seed, where hot places lie from the second.
    pub(super) fn new(
        config: &PatternConfig,
        region: Region,
        largest: u64,
        [seed, scatter]: [u64; 2],
    ) -> Result<Self, ConfigError> {
        let slots = region.slots;
        let rng = stream(seed, "trace.addresses");
        let places = || Permutation::new(slots, &mut stream(scatter, "trace.places"));
        let pattern = match config {
            PatternConfig::Uniform => Pattern::Uniform { rng },
            PatternConfig::Zipf { theta } => {
                Pattern::Zipf { zipf: Zipf::new(slots, *theta), places: places(), rng }
            }
            PatternConfig::HotCold { .. } => {
                let (hot, share) = hot_part(config, slots);
                Pattern::HotCold { hot, share, places: places(), rng }
            }
            PatternConfig::Sequential { streams } => {
                let part = (slots / u64::from(*streams)).saturating_mul(region.alignment);
                if part < largest {
                    let allowed =
                        format!("so few that a request of {largest} bytes fits each part of the region");
                    return Err(ConfigError::new("pattern.streams", streams, allowed));
                }
                Pattern::Sequential { positions: vec![0; *streams as usize], turn: 0, part }
            }
        };
        Ok(Self { region, pattern })
    }

    /// Fills `out` with offsets, bytes, of requests with these lengths. A request that would leave the region is
    /// moved back to the last slot from which it doesn't.
    pub(super) fn fill(&mut self, lengths: &[u64], out: &mut [u64]) {
        let region = self.region;
        match &mut self.pattern {
            Pattern::Uniform { rng } => region.fill(lengths, out, || below(rng, region.slots)),
            Pattern::Zipf { zipf, places, rng } => {
                region.fill(lengths, out, || places.apply(zipf.sample(rng).min(region.slots - 1)));
            }
            Pattern::HotCold { hot, share, places, rng } => region.fill(lengths, out, || {
                let is_hot = unit(rng) < *share;
                let rank = if is_hot { below(rng, *hot) } else { *hot + below(rng, region.slots - *hot) };
                places.apply(rank)
            }),
            Pattern::Sequential { positions, turn, part } => {
                for (place, length) in out.iter_mut().zip(lengths) {
                    let base = region.start + *turn as u64 * *part;
                    if let Some(position) = positions.get_mut(*turn) {
                        *place = base + step(position, *length, *part, region.alignment);
                    }
                    *turn = if *turn + 1 < positions.len() { *turn + 1 } else { 0 };
                }
            }
        }
    }
}

/// Of so many slots those that are hot, and the share of the requests that goes to them; none for other patterns.
pub(super) fn hot_part(config: &PatternConfig, slots: u64) -> (u64, f64) {
    let PatternConfig::HotCold { hot_share_of_space, hot_share_of_requests } = config else {
        return (0, 0.0);
    };
    let hot = (slots as f64 * hot_share_of_space).round() as u64;
    match hot {
        0 => (0, 0.0),
        _ if hot >= slots => (slots, 1.0),
        _ => (hot, *hot_share_of_requests),
    }
}

/// Where a stream's request goes, and its next position.
fn step(position: &mut u64, length: u64, part: u64, alignment: u64) -> u64 {
    if part.saturating_sub(*position) < length {
        *position = 0;
    }
    let here = *position;
    *position += length.next_multiple_of(alignment);
    here
}

impl Region {
    #[inline]
    fn fill(&self, lengths: &[u64], out: &mut [u64], mut draw: impl FnMut() -> u64) {
        let bytes = self.bytes();
        for (place, length) in out.iter_mut().zip(lengths) {
            let slot = draw();
            *place = self.start + slot * self.alignment;
            // Rare, and the division with it.
            if *length > self.alignment && bytes - slot * self.alignment < *length {
                *place = self.start + (bytes - length) / self.alignment * self.alignment;
            }
        }
    }
}
