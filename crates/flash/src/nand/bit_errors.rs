//! Raw bit errors: their rate from wear, retention and read disturb, the errors of a read drawn from it, and how many
//! retries it takes to correct them.

use serde::{Deserialize, Serialize};

use super::binomial::Binomial;
use super::timing::page_types;
use super::{CellMode, Geometry, ReadCounts};
use wordline_base::ids::Ppa;
use wordline_base::rng::{self, Xoshiro256PlusPlus};
use wordline_base::time::Ns;
use wordline_config::DeviceConfig;
use wordline_config::device::TransferUnit;
use wordline_config::errors::{DisturbReads, ErrorsConfig, RberConstants};

/// Name of the random stream of the drawn errors.
const STREAM: &str = "bit errors";

const NS_PER_DAY: f64 = 86_400e9;

/// Raw bit error rate of a block after so many P/E cycles, days since it was programmed, and reads since it was
/// erased:
///
/// ε + α · cyclesᵏ + β · cyclesᵐ · daysⁿ + γ · cyclesᵖ · readsᑫ
///
/// (Bryan S. Kim, Jongmoo Choi, Sang Lyul Min: "Design Tradeoffs for SSD Reliability", FAST 2019).
pub fn raw_bit_error_rate(constants: &RberConstants, cycles: f64, days: f64, reads: f64) -> f64 {
    let [alpha, k] = constants.wear;
    let [beta, m, n] = constants.retention;
    let [gamma, p, q] = constants.disturb;
    constants.base
        + alpha * libm::pow(cycles, k)
        + beta * libm::pow(cycles, m) * libm::pow(days, n)
        + gamma * libm::pow(cycles, p) * libm::pow(reads, q)
}

/// How the read of a flash page went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadOutcome {
    /// Codewords that were decoded at first.
    pub codewords: u32,
    /// Raw bit errors in them, before any retry.
    pub raw_errors: u64,
    /// Most of them in one codeword.
    pub worst: u32,
    /// Retries.
    pub retries: u32,
    /// Whether a codeword could not be corrected even so.
    pub uncorrectable: bool,
}

/// State and rules of bit errors of a drive.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BitErrors {
    constants: RberConstants,
    factor_by_page: Vec<f64>,
    slc_factor: f64,
    start_cycles: u32,
    age_days: f64,
    /// Reads of a block that count as one in the equation.
    reads_in_one: f64,
    codeword_bytes: u32,
    codeword_bits: u32,
    correctable: u32,
    max_retries: u32,
    retry_read: Option<Ns>,
    retry_factor: f64,
    /// Time to decode a flash page.
    pub decode: Ns,
    /// Bytes of a flash page, where a transfer always moves a whole one.
    whole_page: Option<u32>,
    units_per_block: u32,
    /// By block: 0 for data of before the run, t + 1 for what was begun at t ns.
    programmed: Vec<u64>,
    random: Xoshiro256PlusPlus,
}

impl BitErrors {
    /// P/E cycles of every block before the run.
    pub fn start_cycles(&self) -> u32 {
        self.start_cycles
    }

    /// From a validated description.
    pub fn new(device: &DeviceConfig, config: &ErrorsConfig, geometry: &Geometry) -> Self {
        let factors = &config.page_type_factors;
        let factor = |kind: usize| factors.get(kind).or(factors.first()).copied().unwrap_or(1.0);
        Self {
            constants: config.rber.constants(),
            factor_by_page: page_types(device).map(factor).collect(),
            slc_factor: config.slc_factor,
            start_cycles: config.start_cycles,
            age_days: config.age_days,
            reads_in_one: match config.rber.reads {
                DisturbReads::PerPage => f64::from(geometry.pages_per_block),
                DisturbReads::PerBlock => 1.0,
            },
            codeword_bytes: config.codeword_bytes,
            codeword_bits: 8 * (config.codeword_bytes + config.parity_bytes),
            correctable: config.correctable_bits,
            max_retries: config.max_retries,
            retry_read: config.retry_read_ns.map(Ns),
            retry_factor: config.retry_factor,
            decode: Ns(config.decode_ns),
            whole_page: (device.channel.transfer == TransferUnit::Page).then_some(geometry.page_bytes),
            units_per_block: geometry.units_per_block(),
            programmed: vec![0; geometry.planes() as usize * geometry.blocks_per_plane as usize],
            random: rng::stream(0, STREAM),
        }
    }

    /// What its stream gives next.
    pub fn next_drawn(&self) -> u64 {
        rng::next_of(&self.random)
    }

    /// Draws from the stream of this seed from now on.
    pub fn set_seed(&mut self, seed: u64) {
        self.random = rng::stream(seed, STREAM);
    }

    /// Bits of a codeword.
    pub fn codeword_bits(&self) -> u32 {
        self.codeword_bits
    }

    /// The first flash page of the block that holds this unit is being programmed.
    pub fn programmed(&mut self, ppa: Ppa, now: Ns) {
        self.programmed[(ppa.0 / self.units_per_block) as usize] = now.0.saturating_add(1);
    }

    /// Days since the block that holds this unit was programmed.
    pub fn days(&self, ppa: Ppa, now: Ns) -> f64 {
        match self.programmed[(ppa.0 / self.units_per_block) as usize] {
            0 => self.age_days + now.0 as f64 / NS_PER_DAY,
            begun => now.since(Ns(begun - 1)).0 as f64 / NS_PER_DAY,
        }
    }

    /// Raw bit error rate of flash page `page` of the block that holds `ppa`, which was erased `erases` times in the
    /// run.
    pub fn rate(
        &self,
        ppa: Ppa,
        (page, mode): (u32, CellMode),
        erases: u32,
        counts: &ReadCounts,
        now: Ns,
    ) -> f64 {
        let cycles = f64::from(self.start_cycles) + f64::from(erases);
        let reads = f64::from(counts.block_of(ppa)) / self.reads_in_one;
        let factor = match mode {
            CellMode::Native => self.factor_by_page.get(page as usize).copied().unwrap_or(1.0),
            CellMode::Slc => self.slc_factor,
        };
        (factor * raw_bit_error_rate(&self.constants, cycles, self.days(ppa, now), reads)).min(0.5)
    }

    /// Reads `bytes` of a flash page with this raw bit error rate. Each codeword's errors are drawn on their own. A
    /// retry reads the codewords that failed so far again, at a rate lowered once more.
    pub fn read(&mut self, rate: f64, bytes: u32) -> ReadOutcome {
        let codewords = self.whole_page.unwrap_or(bytes).div_ceil(self.codeword_bytes);
        let mut outcome = ReadOutcome { codewords, ..ReadOutcome::default() };
        let first = Binomial::new(self.codeword_bits, rate);
        let mut failed = 0;
        for _ in 0..codewords {
            let errors = first.draw(&mut self.random);
            outcome.raw_errors += u64::from(errors);
            outcome.worst = outcome.worst.max(errors);
            failed += u32::from(errors > self.correctable);
        }
        let mut rate = rate;
        while failed > 0 && outcome.retries < self.max_retries {
            outcome.retries += 1;
            rate *= self.retry_factor;
            let again = Binomial::new(self.codeword_bits, rate);
            failed = (0..failed).map(|_| u32::from(again.draw(&mut self.random) > self.correctable)).sum();
        }
        outcome.uncorrectable = failed > 0;
        outcome
    }

    /// Time that so many retries add in the array of a flash page with this tR: each is a read, and before it what
    /// failed was decoded in vain.
    pub fn retry_time(&self, retries: u32, cell_read: Ns) -> Ns {
        let one = self.retry_read.unwrap_or(cell_read) + self.decode;
        Ns(one.0.saturating_mul(u64::from(retries)))
    }
}
