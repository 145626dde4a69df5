//! The law of a generator's requests, by which it is known what they leave in a cache.

use wordline_base::draws::{Class, Draws, Order, Places};
use wordline_config::error::ConfigError;

use super::permutation::Permutation;
use super::region::Region;
use super::zipf;
use crate::config::{PatternConfig, SizeWeight, Sizes, SyntheticConfig};
use crate::rng::stream;

/// Most lengths that are told apart; of more those with the same power of two above them count as one.
const MOST_SIZES: usize = 16;

/// Requests that read or write, by length. Paths in errors begin below `source`.
pub(crate) fn law(config: &SyntheticConfig, drive_bytes: u64, seed: u64) -> Result<Vec<Draws>, ConfigError> {
    let region = Region::new(config, drive_bytes)?;
    let write_share = (1.0 - config.read_share - config.trim_share).max(0.0);
    let all = config.read_share + write_share;
    let in_turn = matches!(config.pattern, PatternConfig::Sequential { .. });
    let draws = |(bytes, share): (u64, f64)| Draws {
        share: all * share,
        write_share: if all > 0.0 { write_share / all } else { 0.0 },
        start: region.start,
        alignment: region.alignment,
        slots: region.slots,
        bytes,
        order: order(&config.pattern, region.slots, seed),
    };
    Ok(lengths(&config.sizes, in_turn).into_iter().map(draws).collect())
}

/// Lengths and the shares of requests that have them. Streams in turn go through their parts with all of them: their mean.
fn lengths(sizes: &Sizes, in_turn: bool) -> Vec<(u64, f64)> {
    let list = match sizes {
        Sizes::Fixed(bytes) => vec![SizeWeight { bytes: *bytes, weight: 1.0 }],
        Sizes::Weighted(list) => list.clone(),
    };
    let all: f64 = list.iter().map(|size| size.weight).sum();
    let mut lengths: Vec<(u64, f64)> = Vec::new();
    for size in &list {
        let key = |bytes: u64| match (in_turn, list.len() > MOST_SIZES) {
            (true, _) => 0,
            (false, true) => bytes.next_power_of_two(),
            (false, false) => bytes,
        };
        let share = size.weight / all;
        match lengths.iter_mut().find(|(bytes, _)| key(*bytes) == key(size.bytes)) {
            Some((bytes, sum)) => {
                let mean = (*bytes as f64 * *sum + size.bytes as f64 * share) / (*sum + share);
                (*bytes, *sum) = (if mean.is_finite() { mean.round() as u64 } else { *bytes }, *sum + share);
            }
            None => lengths.push((size.bytes, share)),
        }
    }
    lengths
}

fn order(pattern: &PatternConfig, slots: u64, seed: u64) -> Order {
    let scattered = || -> Places {
        let places = Permutation::new(slots, &mut stream(seed, "trace.places"));
        Box::new(move |rank| places.apply(rank))
    };
    match pattern {
        PatternConfig::Uniform => {
            Order::Drawn(vec![Class { ranks: slots, share: 1.0 }], Box::new(|rank| rank))
        }
        PatternConfig::Zipf { theta } => Order::Drawn(zipf::classes(slots, *theta), scattered()),
        PatternConfig::HotCold { .. } => {
            let (hot, share) = super::address::hot_part(pattern, slots);
            let classes = [Class { ranks: hot, share }, Class { ranks: slots - hot, share: 1.0 - share }];
            Order::Drawn(classes.to_vec(), scattered())
        }
        PatternConfig::Sequential { streams } => Order::InTurn(*streams),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RegionConfig;
    use crate::synthetic::Generator;
    use wordline_base::request::RequestSource;

    /// Each class of each pattern gets as many of the generator's requests as the law says, at the places that it says.
    #[test]
    fn the_law_is_that_of_the_requests_before_the_first() {
        let patterns = [
            PatternConfig::Uniform,
            PatternConfig::Zipf { theta: 0.9 },
            PatternConfig::Zipf { theta: 1.4 },
            PatternConfig::HotCold { hot_share_of_space: 0.1, hot_share_of_requests: 0.7 },
        ];
        for pattern in patterns {
            let config = SyntheticConfig {
                requests: 1,
                read_share: 0.5,
                trim_share: 0.2,
                pattern: pattern.clone(),
                region: RegionConfig { start_bytes: Some(1 << 20), ..RegionConfig::default() },
                sizes: Sizes::Fixed(4096),
                alignment_bytes: None,
                interarrival: None,
            };
            let drive = 64 << 20;
            let law = law(&config, drive, 7).unwrap();
            let [draws] = law.as_slice() else { panic!("one length") };
            assert!((draws.share - 0.8).abs() < 1e-12 && (draws.write_share - 0.375).abs() < 1e-12);
            let Order::Drawn(classes, places) = &draws.order else { panic!("drawn") };
            assert!((classes.iter().map(|class| class.share).sum::<f64>() - 1.0).abs() < 1e-9);
            assert_eq!(classes.iter().map(|class| class.ranks).sum::<u64>(), draws.slots);
            // Of each slot its class.
            let mut of_slot = vec![0; draws.slots as usize];
            let mut rank = 0;
            for (number, class) in classes.iter().enumerate() {
                for _ in 0..class.ranks {
                    of_slot[places(rank) as usize] = number;
                    rank += 1;
                }
            }
            let mut source = Generator::before(&config, drive, 7).unwrap();
            let (mut counts, mut batch, mut all) = (vec![0u32; classes.len()], Vec::new(), 0.0);
            while all < 200_000.0 {
                batch.clear();
                source.next_batch(&mut batch).unwrap();
                for request in &batch {
                    counts[of_slot[((request.offset - draws.start) / 4096) as usize]] += 1;
                    all += 1.0;
                }
            }
            for (class, count) in classes.iter().zip(counts) {
                let expected = class.share * all;
                let slack = 5.0 * expected.sqrt() + 0.03 * expected + 3.0;
                assert!(
                    (f64::from(count) - expected).abs() < slack,
                    "{pattern:?} {class:?}: {count} {expected}"
                );
            }
        }
    }

    #[test]
    fn lengths_are_told_apart_unless_they_are_many() {
        let list = |count: u64| {
            Sizes::Weighted((1..=count).map(|at| SizeWeight { bytes: at * 4096, weight: 2.0 }).collect())
        };
        assert_eq!(lengths(&list(2), false), [(4096, 0.5), (8192, 0.5)]);
        assert_eq!(lengths(&list(3), true), [(8192, 1.0)]);
        let many = lengths(&list(64), false);
        assert_eq!(many.len(), 7);
        assert!((many.iter().map(|(_, share)| share).sum::<f64>() - 1.0).abs() < 1e-9);
    }
}
