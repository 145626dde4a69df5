//! Read counts and bit errors: counters of the window, and their sections of the report.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use wordline_base::class::{ByClass, Class, FlashOp};
use wordline_flash::nand::ReadCounts;
use wordline_flash::nand::bit_errors::{BitErrors, ReadOutcome};

/// What happened in the window.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DisturbCounters {
    /// Array reads, retries included.
    pub reads: u64,
    codewords: u64,
    raw_errors: u64,
    worst: u32,
    /// Flash pages by the retries that they took.
    by_retries: Vec<u64>,
    uncorrectable: ByClass<u64>,
}

impl DisturbCounters {
    /// A flash page was read.
    pub fn page_read(&mut self, outcome: &ReadOutcome) {
        self.codewords += u64::from(outcome.codewords);
        self.raw_errors += outcome.raw_errors;
        self.worst = self.worst.max(outcome.worst);
        let retries = outcome.retries as usize;
        if self.by_retries.len() <= retries {
            self.by_retries.resize(retries + 1, 0);
        }
        self.by_retries[retries] += 1;
    }

    /// A read of this class could not correct its flash page.
    pub fn page_lost(&mut self, class: Class) {
        self.uncorrectable[class.index()] += 1;
    }

    /// The section on read counts.
    pub fn read_disturb(&self, counts: &ReadCounts) -> ReadDisturbReport {
        let blocks = counts.blocks();
        let total: u64 = blocks.iter().map(|&reads| u64::from(reads)).sum();
        ReadDisturbReport {
            reads: self.reads,
            block_max: blocks.iter().copied().max().unwrap_or(0),
            block_mean: total as f64 / blocks.len().max(1) as f64,
            block_peak: counts.peak(),
            page_max: counts.pages().iter().copied().max(),
        }
    }

    /// The section on bit errors.
    pub fn errors(&self, errors: &BitErrors) -> ErrorsReport {
        let bits = self.codewords as f64 * f64::from(errors.codeword_bits());
        let retries = self.by_retries.iter().zip(0u64..);
        let reads = Class::ALL.iter().filter(|class| class.op() == FlashOp::Read);
        ErrorsReport {
            codewords: self.codewords,
            raw_bit_errors: self.raw_errors,
            mean_rber: (bits > 0.0).then(|| self.raw_errors as f64 / bits),
            max_codeword_errors: self.worst,
            retries: retries.map(|(pages, retries)| pages * retries).sum(),
            pages_by_retries: self.by_retries.clone(),
            uncorrectable_pages: self.uncorrectable.iter().sum(),
            uncorrectable_by_class: reads
                .map(|class| (class.name().to_owned(), self.uncorrectable[class.index()]))
                .collect(),
        }
    }
}

/// Reads of flash pages and the counts of the blocks.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ReadDisturbReport {
    /// Array reads of flash pages in the window, read retries included.
    pub reads: u64,
    /// Most reads of a block since its erase, at the end of the run.
    pub block_max: u32,
    /// Reads of a block since its erase, mean over all blocks, at the end of the run.
    pub block_mean: f64,
    /// Most reads that any block had between two erases, in the whole run.
    pub block_peak: u32,
    /// Most reads of a flash page since its erase, at the end of the run; `None` unless counted by page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_max: Option<u32>,
}

/// Bit errors of the flash pages read in the window.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ErrorsReport {
    /// Codewords read.
    pub codewords: u64,
    /// Raw bit errors in them, before any retry.
    pub raw_bit_errors: u64,
    /// Raw bit errors for each bit read; `None` when nothing was read.
    pub mean_rber: Option<f64>,
    /// Most raw bit errors in a codeword.
    pub max_codeword_errors: u32,
    /// Read retries.
    pub retries: u64,
    /// Flash pages read that took 0, 1, … retries.
    pub pages_by_retries: Vec<u64>,
    /// Reads of flash pages whose data was lost: not corrected by any retry.
    pub uncorrectable_pages: u64,
    /// The same by class of the read.
    pub uncorrectable_by_class: BTreeMap<String, u64>,
}

impl ErrorsReport {
    /// That of several drives with codewords of one length; `None` of drives without bit errors.
    pub fn of_all<'a>(drives: impl Iterator<Item = &'a Self>) -> Option<Self> {
        drives.cloned().reduce(|all, drive| {
            let codewords = all.codewords + drive.codewords;
            let errors = |of: &Self| of.mean_rber.unwrap_or(0.0) * of.codewords as f64;
            let mut pages_by_retries = vec![0; all.pages_by_retries.len().max(drive.pages_by_retries.len())];
            let mut uncorrectable_by_class = all.uncorrectable_by_class.clone();
            for own in [&all.pages_by_retries, &drive.pages_by_retries] {
                pages_by_retries.iter_mut().zip(own).for_each(|(sum, pages)| *sum += pages);
            }
            for (class, pages) in &drive.uncorrectable_by_class {
                *uncorrectable_by_class.entry(class.clone()).or_default() += pages;
            }
            Self {
                codewords,
                raw_bit_errors: all.raw_bit_errors + drive.raw_bit_errors,
                mean_rber: (codewords > 0).then(|| (errors(&all) + errors(&drive)) / codewords as f64),
                max_codeword_errors: all.max_codeword_errors.max(drive.max_codeword_errors),
                retries: all.retries + drive.retries,
                pages_by_retries,
                uncorrectable_pages: all.uncorrectable_pages + drive.uncorrectable_pages,
                uncorrectable_by_class,
            }
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
mod tests {
    use super::*;

    #[test]
    fn bit_errors_of_several_drives_are_summed_and_their_rate_is_weighted_by_what_was_read() {
        let of = |codewords, mean_rber, pages: [u64; 2]| ErrorsReport {
            codewords,
            mean_rber,
            pages_by_retries: pages.into(),
            uncorrectable_by_class: [("host_read".to_owned(), pages[1])].into(),
            ..ErrorsReport::default()
        };
        let drives = [of(300, Some(1e-3), [5, 1]), of(100, Some(5e-3), [2, 3]), of(0, None, [0, 0])];
        let all = ErrorsReport::of_all(drives.iter()).unwrap();
        assert_eq!((all.codewords, &all.pages_by_retries[..]), (400, &[7, 4][..]));
        assert!((all.mean_rber.unwrap() - 2e-3).abs() < 1e-12);
        assert_eq!(all.uncorrectable_by_class["host_read"], 4);
        assert!(ErrorsReport::of_all([].iter()).is_none());
    }
}
