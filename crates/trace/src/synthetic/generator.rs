//! The source behind a description: columns of operations, lengths, offsets and times become requests.

use rand::Rng;
use wordline_base::request::{HostOp, HostRequest, RequestSource, SourceError};
use wordline_base::time::Ns;
use wordline_config::error::ConfigError;

use super::address::AddressDrawer;
use super::arrivals::Arrivals;
use super::region::Region;
use super::sizes::SizeDrawer;
use crate::config::SyntheticConfig;
use crate::rng::{Xoshiro256PlusPlus, stream};

/// Requests of a batch.
const BATCH: usize = 1024;

/// Generates requests. Each use of chance has a random stream of its own, so that another share of reads leaves the
/// addresses as they were, and so on.
pub(crate) struct Generator {
    left: u64,
    total: u64,
    ops: OpDrawer,
    sizes: SizeDrawer,
    addresses: AddressDrawer,
    arrivals: Arrivals,
    lengths: Vec<u64>,
    offsets: Vec<u64>,
    times: Vec<Ns>,
}

impl Generator {
    /// A generator for a drive of this size; paths in errors begin below `source`.
    pub(crate) fn new(config: &SyntheticConfig, drive_bytes: u64, seed: u64) -> Result<Self, ConfigError> {
        Self::of_seeds(config, drive_bytes, seed, seed)
    }

    /// What came before the first request of [`Self::new`]: other requests without end, to the same hot places.
    pub(crate) fn before(config: &SyntheticConfig, drive_bytes: u64, seed: u64) -> Result<Self, ConfigError> {
        let endless = SyntheticConfig { requests: u64::MAX, ..config.clone() };
        Self::of_seeds(&endless, drive_bytes, stream(seed, "trace.before").next_u64(), seed)
    }

    /// With draws that follow from `seed`, and places that follow from `places`.
    fn of_seeds(
        config: &SyntheticConfig,
        drive_bytes: u64,
        seed: u64,
        places: u64,
    ) -> Result<Self, ConfigError> {
        let region = Region::new(config, drive_bytes)?;
        Ok(Self {
            left: config.requests,
            total: config.requests,
            ops: OpDrawer::new(config, seed),
            sizes: SizeDrawer::new(&config.sizes, stream(seed, "trace.sizes"))?,
            addresses: AddressDrawer::new(&config.pattern, region, config.sizes.largest(), [seed, places])?,
            arrivals: Arrivals::new(config.interarrival.as_ref(), seed),
            lengths: vec![0; BATCH],
            offsets: vec![0; BATCH],
            times: vec![Ns::ZERO; BATCH],
        })
    }
}

impl RequestSource for Generator {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        self.sizes.fill(&mut self.lengths);
        self.addresses.fill(&self.lengths, &mut self.offsets);
        self.arrivals.fill(&mut self.times);
        let count = self.left.min(BATCH as u64);
        self.left -= count;
        let columns = self.lengths.iter().zip(&self.offsets).zip(&self.times).take(count as usize);
        batch.extend(columns.map(|((length, offset), time)| HostRequest {
            time: *time,
            op: self.ops.draw(),
            offset: *offset,
            length: *length,
            flow: 0,
            stream: 0,
        }));
        Ok(())
    }

    fn size_hint(&self) -> Option<u64> {
        Some(self.total)
    }
}

/// Draws operations.
struct OpDrawer {
    /// Of 2^53 equally likely numbers, those below this read …
    read_below: u64,
    /// … and those from there to below this trim; the others write.
    trim_below: u64,
    rng: Xoshiro256PlusPlus,
}

impl OpDrawer {
    fn new(config: &SyntheticConfig, seed: u64) -> Self {
        let of_all = |share: f64| (share * (1_u64 << 53) as f64).round() as u64;
        Self {
            read_below: of_all(config.read_share),
            trim_below: of_all(config.read_share + config.trim_share),
            rng: stream(seed, "trace.operations"),
        }
    }

    #[inline]
    fn draw(&mut self) -> HostOp {
        let number = self.rng.next_u64() >> 11;
        if number < self.read_below {
            HostOp::Read
        } else if number < self.trim_below {
            HostOp::Trim
        } else {
            HostOp::Write
        }
    }
}
