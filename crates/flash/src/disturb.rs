//! What reading does to flash, and what it costs when bits are wrong: read counts, retries, decoding.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::nand::bit_errors::BitErrors;
use crate::nand::{Geometry, ReadCounts};
use crate::sched::queue::OpId;
use wordline_base::time::Ns;
use wordline_config::errors::ReadCounting;
use wordline_config::{DeviceConfig, SchemeConfig};

/// A flash page whose data has left the die and is being decoded.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Decoding {
    pub done: Ns,
    pub head: OpId,
}

/// Read counts, and bit errors where the device has them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Disturb {
    pub(crate) counts: ReadCounts,
    /// Reads of a block from which on it is worn; 2^32 − 1: never.
    pub(crate) worn_at: u32,
    pub(crate) errors: Option<BitErrors>,
    /// Retries of the command under construction: its planes are retried together.
    pub(crate) retry: Ns,
    /// In the order in which they are done: each takes the same time.
    pub(crate) decoding: VecDeque<Decoding>,
}

impl Disturb {
    /// `None` if nothing asks for it: then reading costs one branch.
    pub fn new(device: &DeviceConfig, scheme: &SchemeConfig, geometry: &Geometry) -> Option<Box<Self>> {
        if scheme.read_counts == ReadCounting::Off && device.errors.is_none() && !scheme.reclaim.is_on() {
            return None;
        }
        Some(Box::new(Self {
            worn_at: if scheme.reclaim.is_on() { scheme.reclaim.threshold } else { u32::MAX },
            counts: ReadCounts::new(geometry, scheme.read_counts == ReadCounting::Page),
            errors: device.errors.as_ref().map(|config| BitErrors::new(device, config, geometry)),
            retry: Ns::ZERO,
            decoding: VecDeque::new(),
        }))
    }

    /// Whether the event set needs a place for the decoder.
    pub fn decodes(device: &DeviceConfig) -> bool {
        device.errors.as_ref().is_some_and(|errors| errors.decode_ns > 0)
    }

    /// Reads by block, and by flash page where asked for.
    pub fn counts(&self) -> &ReadCounts {
        &self.counts
    }

    /// The bit errors; `None` where the device has none.
    pub fn errors(&self) -> Option<&BitErrors> {
        self.errors.as_ref()
    }

    /// Draws bit errors from the streams of this seed.
    pub fn seed_errors(&mut self, seed: u64) {
        if let Some(errors) = &mut self.errors {
            errors.set_seed(seed);
        }
    }
}
