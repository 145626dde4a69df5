//! Read counts and bit errors: what is counted, the model of the raw bit error rate, error correction, read retries.

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};

/// What reads are counted by. Bit errors need the counts of blocks and switch them on themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadCounting {
    /// Nothing.
    #[default]
    Off,
    /// Physical block.
    Block,
    /// Physical block and flash page.
    Page,
}

/// Raw bit errors and what is done about them. `[device.errors]` switches them on; without it no read ever fails.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorsConfig {
    /// Factors on the raw bit error rate by page type: none, one for all, or one for each bit of the cell (LSB first).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub page_type_factors: Vec<f64>,
    /// Factor on the raw bit error rate of pages in SLC mode, in place of that of their page type; default 1.
    #[serde(default = "default_slc_factor")]
    pub slc_factor: f64,
    /// P/E cycles of every block before the run, for its bit errors; what it lives (`bad_blocks`) is counted from the run's first erase on.
    #[serde(default)]
    pub start_cycles: u32,
    /// Age of all data that the drive holds before the first request, days.
    #[serde(default)]
    pub age_days: f64,
    /// Data bytes of a codeword.
    #[serde(default = "default_codeword_bytes")]
    pub codeword_bytes: u32,
    /// Parity bytes of a codeword: their bits fail like those of the data.
    #[serde(default)]
    pub parity_bytes: u32,
    /// Bit errors in a codeword that are corrected.
    #[serde(default = "default_correctable_bits")]
    pub correctable_bits: u32,
    /// Read retries before a flash page is given up.
    #[serde(default = "default_max_retries")]
    pub max_retries: u32,
    /// Time of the cell array for one retry, ns; left out: tR of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_read_ns: Option<u64>,
    /// Each retry multiplies the raw bit error rate by this: better read voltages.
    #[serde(default = "default_retry_factor")]
    pub retry_factor: f64,
    /// Decoding of a flash page behind its transfer, ns; also before each retry, as what failed was decoded in vain.
    #[serde(default)]
    pub decode_ns: u64,
    /// Raw bit error rate of a block.
    #[serde(default)]
    pub rber: RberConfig,
}

fn default_slc_factor() -> f64 {
    1.0
}

fn default_codeword_bytes() -> u32 {
    1024
}

fn default_correctable_bits() -> u32 {
    72
}

fn default_max_retries() -> u32 {
    5
}

fn default_retry_factor() -> f64 {
    0.5
}

impl Default for ErrorsConfig {
    fn default() -> Self {
        Self {
            rber: RberConfig::default(),
            page_type_factors: Vec::new(),
            slc_factor: default_slc_factor(),
            start_cycles: 0,
            age_days: 0.0,
            codeword_bytes: default_codeword_bytes(),
            parity_bytes: 0,
            correctable_bits: default_correctable_bits(),
            max_retries: default_max_retries(),
            retry_read_ns: None,
            retry_factor: default_retry_factor(),
            decode_ns: 0,
        }
    }
}

/// Constants of the raw bit error rate: those of a published fit, each of which may be replaced. The equation is that
/// of [`RberConstants`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RberConfig {
    /// Whose constants.
    #[serde(default)]
    pub fit: RberFit,
    /// ε: rate of a fresh block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<f64>,
    /// α: factor of wear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wear_factor: Option<f64>,
    /// k: exponent of the P/E cycles in wear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wear_cycles_exponent: Option<f64>,
    /// β: factor of retention loss.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention_factor: Option<f64>,
    /// m: exponent of the P/E cycles in retention loss.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention_cycles_exponent: Option<f64>,
    /// n: exponent of the retention time (days).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention_days_exponent: Option<f64>,
    /// γ: factor of read disturb.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturb_factor: Option<f64>,
    /// p: exponent of the P/E cycles in read disturb.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturb_cycles_exponent: Option<f64>,
    /// q: exponent of the reads in read disturb.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturb_reads_exponent: Option<f64>,
    /// What the reads of the equation are.
    #[serde(default)]
    pub reads: DisturbReads,
}

/// Published fits: Kim, Choi and Min, "Design Tradeoffs for SSD Reliability", FAST 2019.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RberFit {
    /// 3D TLC of 72 layers.
    #[default]
    #[serde(rename = "tlc_72_layer")]
    Tlc72Layer,
    /// Planar MLC of the 2y nm generation.
    #[serde(rename = "mlc_2y_nm")]
    Mlc2yNm,
}

/// What the reads of the equation are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DisturbReads {
    /// Reads of the block since its erase, divided by its flash pages.
    #[default]
    PerPage,
    /// Reads of the block since its erase.
    PerBlock,
}

/// Constants of the raw bit error rate ε + α · cyclesᵏ + β · cyclesᵐ · daysⁿ + γ · cyclesᵖ · readsᑫ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RberConstants {
    /// ε.
    pub base: f64,
    /// α and k.
    pub wear: [f64; 2],
    /// β, m and n.
    pub retention: [f64; 3],
    /// γ, p and q.
    pub disturb: [f64; 3],
}

impl RberFit {
    /// The fit's constants.
    pub fn constants(self) -> RberConstants {
        match self {
            Self::Tlc72Layer => RberConstants {
                base: 1.48e-3,
                wear: [3.90e-10, 2.05],
                retention: [6.28e-5, 0.14, 0.54],
                disturb: [3.73e-9, 0.33, 1.71],
            },
            Self::Mlc2yNm => RberConstants {
                base: 8.34e-5,
                wear: [3.30e-11, 1.71],
                retention: [5.56e-19, 2.49, 3.33],
                disturb: [6.26e-13, 1.76, 0.47],
            },
        }
    }
}

impl RberConfig {
    /// The fit's constants with those that are replaced.
    pub fn constants(&self) -> RberConstants {
        let fit = self.fit.constants();
        let [wear, wear_cycles] = fit.wear;
        let [retention, retention_cycles, retention_days] = fit.retention;
        let [disturb, disturb_cycles, disturb_reads] = fit.disturb;
        RberConstants {
            base: self.base.unwrap_or(fit.base),
            wear: [self.wear_factor.unwrap_or(wear), self.wear_cycles_exponent.unwrap_or(wear_cycles)],
            retention: [
                self.retention_factor.unwrap_or(retention),
                self.retention_cycles_exponent.unwrap_or(retention_cycles),
                self.retention_days_exponent.unwrap_or(retention_days),
            ],
            disturb: [
                self.disturb_factor.unwrap_or(disturb),
                self.disturb_cycles_exponent.unwrap_or(disturb_cycles),
                self.disturb_reads_exponent.unwrap_or(disturb_reads),
            ],
        }
    }

    fn validate(&self) -> Result<(), ConfigError> {
        let factors = [
            ("base", self.base, 0.5),
            ("wear_factor", self.wear_factor, 1.0),
            ("retention_factor", self.retention_factor, 1.0),
            ("disturb_factor", self.disturb_factor, 1.0),
            ("wear_cycles_exponent", self.wear_cycles_exponent, 10.0),
            ("retention_cycles_exponent", self.retention_cycles_exponent, 10.0),
            ("retention_days_exponent", self.retention_days_exponent, 10.0),
            ("disturb_cycles_exponent", self.disturb_cycles_exponent, 10.0),
            ("disturb_reads_exponent", self.disturb_reads_exponent, 10.0),
        ];
        factors
            .into_iter()
            .try_for_each(|(key, value, most)| check_range(key, value.unwrap_or(0.0), 0.0, most))
    }
}

impl ErrorsConfig {
    /// Refuses what no flash and no code can be, for cells of `bits` bits. Paths in errors are relative to `[errors]`.
    pub fn validate(&self, bits: usize) -> Result<(), ConfigError> {
        self.rber.validate().map_err(|e| e.under("rber"))?;
        let factors = &self.page_type_factors;
        if factors.len() > 1 && factors.len() != bits {
            let allowed = format!("one factor, or {bits}: one for each bit of the cell");
            return Err(ConfigError::new("page_type_factors", format!("{factors:?}"), allowed));
        }
        for &factor in factors {
            check_range("page_type_factors", factor, 0.0, 1000.0)?;
        }
        check_range("slc_factor", self.slc_factor, 0.0, 1000.0)?;
        check_range("start_cycles", self.start_cycles, 0, 10_000_000)?;
        check_range("age_days", self.age_days, 0.0, 36_500.0)?;
        check_range("codeword_bytes", self.codeword_bytes, 16, 1 << 20)?;
        check_range("parity_bytes", self.parity_bytes, 0, 1 << 20)?;
        check_range("correctable_bits", self.correctable_bits, 0, 8 * self.codeword_bytes)?;
        check_range("max_retries", self.max_retries, 0, 1000)?;
        check_range("retry_read_ns", self.retry_read_ns.unwrap_or(0), 0, 10_000_000_000)?;
        check_range("retry_factor", self.retry_factor, 0.0, 1.0)?;
        check_range("decode_ns", self.decode_ns, 0, 1_000_000_000)
    }
}
