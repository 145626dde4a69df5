//! Which record an operation is on.

use crate::config::{Distribution, YcsbConfig};
use crate::rng::{Xoshiro256PlusPlus, below, stream, unit};
use crate::synthetic::{Permutation, Zipf};

/// Draws records. A record's *place* is where its key sorts; YCSB hashes keys, so places are scattered.
pub(super) struct Keys {
    records: u64,
    most: u64,
    distribution: Distribution,
    zipf: Zipf,
    places: Permutation,
    popular: Permutation,
    rng: Xoshiro256PlusPlus,
    mix: Xoshiro256PlusPlus,
}

impl Keys {
    /// Keys of a database that has `records` and room for `most`.
    pub(super) fn new(config: &YcsbConfig, most: u64, seed: u64) -> Self {
        Self {
            records: config.records,
            most,
            distribution: config.distribution.unwrap_or(config.workload.distribution()),
            zipf: Zipf::new(config.records, config.theta),
            places: Permutation::new(most, &mut stream(seed, "ycsb.places")),
            popular: Permutation::new(config.records, &mut stream(seed, "ycsb.popularity")),
            rng: stream(seed, "ycsb.keys"),
            mix: stream(seed, "ycsb.operations"),
        }
    }

    /// The place of the next record asked for.
    pub(super) fn next(&mut self) -> u64 {
        let record = match self.distribution {
            Distribution::Uniform => below(&mut self.rng, self.records),
            Distribution::Zipfian => self.popular.apply(self.zipf.sample(&mut self.rng)),
            Distribution::Latest => {
                let age = self.zipf.sample(&mut self.rng).min(self.records - 1);
                self.records - 1 - age
            }
        };
        self.places.apply(record)
    }

    /// Adds a record; its place. `None` when the database is full.
    pub(super) fn insert(&mut self) -> Option<u64> {
        if self.records >= self.most {
            return None;
        }
        self.records += 1;
        Some(self.places.apply(self.records - 1))
    }

    /// The place of a record of the loaded database.
    pub(super) fn place(&self, record: u64) -> u64 {
        self.places.apply(record)
    }

    /// A number from 0 to below 1 for the choice of an operation.
    pub(super) fn chance(&mut self) -> f64 {
        unit(&mut self.mix)
    }

    /// Length of a scan, records.
    pub(super) fn scan(&mut self, longest: u64) -> u64 {
        1 + below(&mut self.mix, longest)
    }
}
