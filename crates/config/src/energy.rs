//! What a drive costs in energy, as a data sheet or a paper gives it.

use serde::{Deserialize, Serialize};

use super::cell::CellTechnology;
use super::error::{ConfigError, check_range};
use crate::left_out::is_default;

/// Energy of operations, and of the rest of the drive; zero stands for "unknown".
///
/// `[energy]` of a device; zero, the default, means unknown, and no preset has figures. Where to find some: V. Mohan et al.,
/// "Modeling Power Consumption of NAND Flash Memories Using FlashPower" (IEEE TCAD 32(7), 2013), and supply current × voltage ×
/// time of a data sheet. Energy is charged when a die takes an operation, the channel's for reads when their data leaves, in
/// whole picojoules:
///
/// `E = Σ reads · read_nj(type) + Σ programs · program_nj(type) + erases · erase_nj + bytes on channels · channel_pj_per_byte`
///
/// and beside the flash, for requests that are answered,
///
/// `E = window · rest_mw + requests · request_nj + bytes of the host · host_pj_per_byte`
///
/// Not modelled: power states, suspending and resuming. A program unit costs what all its pages cost, filled or not; a read that
/// is retried costs one read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnergyConfig {
    /// Cell read of a flash page, nJ: one value for all page types, or one for each bit of the cell (LSB first).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_nj: Vec<u64>,
    /// Program of a flash page, nJ, like `read_nj`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub program_nj: Vec<u64>,
    /// Erase of a block, nJ.
    #[serde(default)]
    pub erase_nj: u64,
    /// Cell read of a flash page in SLC mode, nJ; left out: that of the native page of its number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slc_read_nj: Option<u64>,
    /// Program of a flash page in SLC mode, nJ; left out: as above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slc_program_nj: Option<u64>,
    /// Erase of a block in SLC mode, nJ; left out: `erase_nj`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slc_erase_nj: Option<u64>,
    /// A byte on the channel, spare bytes that move included, pJ.
    #[serde(default)]
    pub channel_pj_per_byte: u64,
    /// What the drive takes whenever it is on, busy or not, controller, DRAM and link included, mW.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rest_mw: u64,
    /// What the controller takes beside that for a request of the host, nJ.
    #[serde(default, skip_serializing_if = "is_default")]
    pub request_nj: u64,
    /// The same for a byte that the host reads or writes: link, DRAM and codes, pJ.
    #[serde(default, skip_serializing_if = "is_default")]
    pub host_pj_per_byte: u64,
}

/// Most energy that a description may give for one operation, nJ: one joule.
const MOST_NJ: u64 = 1_000_000_000;

/// Most that a description may give for a drive at rest, mW: a kilowatt.
const MOST_REST_MW: u64 = 1_000_000;

impl EnergyConfig {
    /// Whether any figure is known.
    pub fn is_known(&self) -> bool {
        let pages = self.read_nj.iter().chain(&self.program_nj);
        let slc = [&self.slc_read_nj, &self.slc_program_nj, &self.slc_erase_nj].into_iter().flatten();
        let flash = pages.chain(slc).chain([&self.erase_nj, &self.channel_pj_per_byte]);
        flash.chain([&self.rest_mw, &self.request_nj, &self.host_pj_per_byte]).any(|&energy| energy > 0)
    }

    /// Refuses what no device of this technology can have.
    pub fn validate(&self, technology: CellTechnology) -> Result<(), ConfigError> {
        let bits = technology.bits();
        for (key, energies) in [("read_nj", &self.read_nj), ("program_nj", &self.program_nj)] {
            if energies.len() > 1 && energies.len() != bits {
                return Err(ConfigError::new(
                    key,
                    format!("{energies:?}"),
                    format!("none, one energy, or {bits}: one for each bit of the cell"),
                ));
            }
            for &energy in energies {
                check_range(key, energy, 0, MOST_NJ)?;
            }
        }
        let slc = [
            ("slc_read_nj", self.slc_read_nj),
            ("slc_program_nj", self.slc_program_nj),
            ("slc_erase_nj", self.slc_erase_nj),
        ];
        for (key, energy) in slc {
            check_range(key, energy.unwrap_or(0), 0, MOST_NJ)?;
        }
        check_range("erase_nj", self.erase_nj, 0, MOST_NJ)?;
        check_range("channel_pj_per_byte", self.channel_pj_per_byte, 0, MOST_NJ)?;
        check_range("rest_mw", self.rest_mw, 0, MOST_REST_MW)?;
        check_range("request_nj", self.request_nj, 0, MOST_NJ)?;
        check_range("host_pj_per_byte", self.host_pj_per_byte, 0, MOST_NJ)
    }
}
