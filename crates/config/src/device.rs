//! What a drive is made of: counts, sizes and times, as a data sheet or a paper's table gives them.

use serde::{Deserialize, Serialize};

use super::bad_blocks::BadBlocksConfig;
use super::cell::LONGEST_NS;
use super::energy::EnergyConfig;
use super::error::{ConfigError, check_range};
use super::errors::ErrorsConfig;
use super::firmware::CpuConfig;
use super::nand_modes::{CacheModeConfig, CopybackBlocks, CopybackConfig, SlcModeConfig};
use super::rated::RatedConfig;
use crate::left_out::is_default;

pub use super::cell::{CellConfig, CellTechnology};
pub use super::geometry::{CapacityConfig, GeometryConfig};

/// A drive. `presets/devices/*.toml` are of this form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceConfig {
    /// Short name, as in results.
    pub name: String,
    /// One sentence for `wordline show devices`.
    #[serde(default)]
    pub description: String,
    /// Counts and sizes.
    pub geometry: GeometryConfig,
    /// What of the raw capacity the host may use.
    pub capacity: CapacityConfig,
    /// Times of the cell array.
    pub cell: CellConfig,
    /// Bus between controller and chips.
    pub channel: ChannelConfig,
    /// What the planes of one die may do together.
    #[serde(default)]
    pub multi_plane: MultiPlaneConfig,
    /// What they may do each by itself.
    #[serde(default)]
    pub die: DieConfig,
    /// Interrupting programs and erases for reads.
    #[serde(default)]
    pub suspend: SuspendConfig,
    /// Bus between host and drive; ideal (no time) when left out.
    #[serde(default)]
    pub link: LinkConfig,
    /// Times of blocks in SLC mode; left out: no block is ever in that mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slc_mode: Option<SlcModeConfig>,
    /// Cache reads and cache programs; off when left out.
    #[serde(default)]
    pub cache_mode: CacheModeConfig,
    /// Moving pages inside a die; off when left out.
    #[serde(default)]
    pub copyback: CopybackConfig,
    /// Raw bit errors, error correction and read retries; left out: no read ever fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors: Option<ErrorsConfig>,
    /// Blocks that can't be used, from the factory and in use; left out: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bad_blocks: Option<BadBlocksConfig>,
    /// Only its reads are modelled, as those of a drive with zones: writes have a note.
    #[serde(default, skip_serializing_if = "crate::left_out::is_default")]
    pub reads_only: bool,
    /// Endurance as its maker rates it; left out: unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rated: Option<RatedConfig>,
    /// The controller's processor.
    #[serde(default)]
    pub cpu: CpuConfig,
    /// Energy of operations and of the rest of the drive; unknown (zero) when left out.
    #[serde(default)]
    pub energy: EnergyConfig,
    /// DRAM of the controller; without limit and without time when left out.
    #[serde(default)]
    pub dram: super::cache::DramConfig,
}

/// Bus between controller and chips.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChannelConfig {
    /// Million transfers a second, any positive value; a transfer moves `width_bits`.
    pub mega_transfers_per_s: f64,
    /// Width of the bus, bits.
    #[serde(default = "default_width")]
    pub width_bits: u32,
    /// Time of a read command and its address on the bus, ns.
    #[serde(default)]
    pub read_command_ns: u64,
    /// The same for each further plane of a multi-plane read, ns.
    #[serde(default)]
    pub read_command_extra_plane_ns: u64,
    /// Time of a program command and its address, ns.
    #[serde(default)]
    pub program_command_ns: u64,
    /// The same for each further plane, ns.
    #[serde(default)]
    pub program_command_extra_plane_ns: u64,
    /// Time of an erase command, ns.
    #[serde(default)]
    pub erase_command_ns: u64,
    /// The same for each further plane, ns.
    #[serde(default)]
    pub erase_command_extra_plane_ns: u64,
    /// How much of a flash page a transfer moves.
    #[serde(default)]
    pub transfer: TransferUnit,
    /// How much of a mapping unit a program moves.
    #[serde(default)]
    pub program_data: ProgramData,
    /// Whether the spare area moves with the data, in proportion to it.
    #[serde(default)]
    pub transfer_spare: bool,
    /// Who gets the bus next.
    #[serde(default)]
    pub arbitration: ChannelArbitration,
    /// Who takes commands: each die for itself, or a chip as one.
    #[serde(default)]
    pub commands: CommandTaker,
}

/// Who takes commands on a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandTaker {
    /// Each die for itself, when it has none.
    #[default]
    Die,
    /// A chip, when none of its dies has a command: one for each die, all of the same operation, back to back. Chips of a
    /// channel have turns, behind data that leaves a page register. MQSim's chips work so (Tavakkol et al., FAST 2018).
    Chip,
}

fn default_width() -> u32 {
    8
}

/// How much of a flash page a transfer moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TransferUnit {
    /// Reads move the sectors asked for, programs the mapping units that are filled.
    #[default]
    Requested,
    /// Always the whole flash page.
    Page,
}

/// How much of a mapping unit a program of the host's data moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgramData {
    /// All of it.
    #[default]
    Unit,
    /// The sectors that were written; and the reads that merges need move the others. MQSim counts so (Tavakkol et al., FAST
    /// 2018): it takes the rest to be in the chip already.
    Written,
}

/// Who gets a channel next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChannelArbitration {
    /// Commands without data (reads, erases) first, so that no die waits for its cells because of the others' data;
    /// then first come, first served.
    #[default]
    CommandFirst,
    /// First come, first served.
    Fifo,
    /// Data leaving a page register before commands and data-in; first come first served among each.
    DataOutFirst,
}

/// What the planes of one die may do together.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MultiPlaneConfig {
    /// Which addresses may go together.
    #[serde(default)]
    pub rule: MultiPlaneRule,
    /// How many waiting commands of a die's queue are searched for partners; 0 = four full multi-plane pages.
    #[serde(default)]
    pub window: u32,
}

/// Which addresses of different planes may be in one command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MultiPlaneRule {
    /// Planes work one at a time.
    None,
    /// Same block number and same page of the block.
    #[default]
    SameBlockAndPage,
    /// Same page of any block.
    SamePage,
    /// Any page of any block.
    Any,
}

/// What the planes of one die do without each other.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DieConfig {
    /// Which operations a plane begins and ends while others of its die are at theirs.
    #[serde(default)]
    pub independent_planes: IndependentPlanes,
}

/// Operations that planes do independently of each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IndependentPlanes {
    /// None: a die does one command at a time.
    #[default]
    None,
    /// Reads, as makers sell it ("independent multi-plane read", "asynchronous independent plane read"). Programs and erases are
    /// the whole die's still.
    Reads,
}

/// Interrupting programs and erases for reads. A scheduler uses it; the device says what it costs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuspendConfig {
    /// Time from the suspend command of a program until the die can read, ns; left out: can't be suspended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program_ns: Option<u64>,
    /// The same for an erase, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erase_ns: Option<u64>,
    /// Time lost when the operation goes on, ns.
    #[serde(default)]
    pub resume_ns: u64,
    /// Most suspensions of one operation.
    #[serde(default = "default_suspensions")]
    pub max_per_operation: u32,
    /// A program stops at the end of a step only (a pulse and its verification), counted from the begin of the array's
    /// work, ns; 0: at any time.
    #[serde(default, skip_serializing_if = "is_default")]
    pub program_step_ns: u64,
    /// The same of an erase, ns.
    #[serde(default, skip_serializing_if = "is_default")]
    pub erase_step_ns: u64,
    /// Work of the array that a program does again behind its first suspension, at most what it had done, ns.
    #[serde(default, skip_serializing_if = "is_default")]
    pub program_repeats_ns: u64,
    /// The same of an erase, ns.
    #[serde(default, skip_serializing_if = "is_default")]
    pub erase_repeats_ns: u64,
}

impl Default for SuspendConfig {
    fn default() -> Self {
        Self {
            program_ns: None,
            erase_ns: None,
            resume_ns: 0,
            max_per_operation: default_suspensions(),
            program_step_ns: 0,
            erase_step_ns: 0,
            program_repeats_ns: 0,
            erase_repeats_ns: 0,
        }
    }
}

fn default_suspensions() -> u32 {
    8
}

/// Bus between host and drive; each direction serves one command at a time.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkConfig {
    /// Payload bytes a second in each direction; left out: no time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_per_s: Option<u64>,
    /// Time of the link to the drive for each command beside its data, ns.
    #[serde(default)]
    pub submission_ns: u64,
    /// Time of the link to the host for each completion beside its data, ns.
    #[serde(default)]
    pub completion_ns: u64,
    /// Time of a read of the host's memory over the link, there and back, ns.
    #[serde(default, skip_serializing_if = "is_default")]
    pub host_memory_ns: u64,
    /// When the data of a read of several pages crosses.
    #[serde(default, skip_serializing_if = "LinkData::of_requests")]
    pub read_data: LinkData,
    /// When the data of a write crosses: with its command, or page by page when the firmware has done its work for it.
    #[serde(default, skip_serializing_if = "LinkData::of_requests")]
    pub write_data: LinkData,
    /// Most data of one command (MDTS), bytes, in whole mapping units; larger requests are split. Left out: any size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_transfer_bytes: Option<u64>,
}

/// When the data of a request of several pages crosses the link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkData {
    /// All of it at once: of a read when its last page has come from flash, of a write with its command.
    #[default]
    Request,
    /// Page by page: of a read each mapping unit when it has come from flash, of a write each flash page behind the firmware's
    /// work for the command, which came alone.
    Page,
}

impl LinkData {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
    fn of_requests(&self) -> bool {
        *self == Self::Request
    }
}

impl DeviceConfig {
    /// Refuses what no drive can be. Paths in errors are relative to the device.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.geometry.validate().map_err(|e| e.under("geometry"))?;
        self.capacity.validate().map_err(|e| e.under("capacity"))?;
        self.cell.validate(self.geometry.pages).map_err(|e| e.under("cell"))?;
        if self.geometry.pages_per_program > 1 && self.cell.program_ns.len() > 1 {
            let allowed = "one time, since geometry.pages_per_program pages are programmed at once";
            return Err(ConfigError::new("cell.program_ns", format!("{:?}", self.cell.program_ns), allowed));
        }
        self.channel.validate().map_err(|e| e.under("channel"))?;
        check_range("window", self.multi_plane.window, 0, 4096).map_err(|e| e.under("multi_plane"))?;
        self.suspend.validate().map_err(|e| e.under("suspend"))?;
        self.cache_mode.validate().map_err(|e| e.under("cache_mode"))?;
        if self.channel.commands == CommandTaker::Chip {
            self.check_chips()?;
        }
        if self.copyback.blocks == CopybackBlocks::Plane {
            self.check_planes()?;
        }
        if self.die.independent_planes == IndependentPlanes::Reads {
            self.check_independent_planes()?;
        }
        if let Some(slc_mode) = &self.slc_mode {
            slc_mode.validate(self.cell.technology).map_err(|e| e.under("slc_mode"))?;
        }
        if let Some(errors) = &self.errors {
            errors.validate(self.cell.technology.bits()).map_err(|e| e.under("errors"))?;
        }
        if let Some(bad_blocks) = &self.bad_blocks {
            bad_blocks.validate(&self.geometry).map_err(|e| e.under("bad_blocks"))?;
        }
        self.link.validate(&self.geometry).map_err(|e| e.under("link"))?;
        if let Some(rated) = &self.rated {
            rated.validate().map_err(|e| e.under("rated"))?;
        }
        self.energy.validate(self.cell.technology).map_err(|e| e.under("energy"))?;
        self.cpu.validate().map_err(|e| e.under("cpu"))?;
        self.dram.validate().map_err(|e| e.under("dram"))
    }
}

impl DeviceConfig {
    /// Refuses what doesn't go together with planes that collect by themselves.
    fn check_planes(&self) -> Result<(), ConfigError> {
        let plane = |allowed| Err(ConfigError::new("copyback.blocks", "\"plane\"", allowed));
        if !(self.copyback.supported && self.copyback.same_plane_only) {
            return plane("\"die\", unless copyback.supported and copyback.same_plane_only");
        }
        if self.channel.commands == CommandTaker::Chip {
            return plane("\"die\" beside channel.commands = \"chip\"");
        }
        if self.cache_mode.read || self.cache_mode.program {
            return plane("\"die\" beside cache_mode");
        }
        Ok(())
    }

    /// Refuses what doesn't go together with planes that read apart.
    fn check_independent_planes(&self) -> Result<(), ConfigError> {
        let reads = |allowed| Err(ConfigError::new("die.independent_planes", "\"reads\"", allowed));
        if self.channel.commands == CommandTaker::Chip {
            return reads("\"none\" beside channel.commands = \"chip\"");
        }
        if self.cache_mode.read {
            return reads("\"none\" beside cache_mode.read");
        }
        if self.copyback.blocks == CopybackBlocks::Plane {
            return reads("\"none\" beside copyback.blocks = \"plane\"");
        }
        Ok(())
    }

    /// Refuses what doesn't go together with chips that take commands as one.
    fn check_chips(&self) -> Result<(), ConfigError> {
        let chip = |allowed| Err(ConfigError::new("channel.commands", "\"chip\"", allowed));
        if self.channel.arbitration != ChannelArbitration::DataOutFirst {
            return chip("\"die\", unless channel.arbitration is \"data_out_first\"");
        }
        if self.cache_mode != CacheModeConfig::default() {
            return chip("\"die\" beside cache_mode");
        }
        Ok(())
    }
}

impl ChannelConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        check_range("mega_transfers_per_s", self.mega_transfers_per_s, 0.001, 1e6)?;
        check_range("width_bits", self.width_bits, 1, 1024)?;
        for (key, time) in [
            ("read_command_ns", self.read_command_ns),
            ("read_command_extra_plane_ns", self.read_command_extra_plane_ns),
            ("program_command_ns", self.program_command_ns),
            ("program_command_extra_plane_ns", self.program_command_extra_plane_ns),
            ("erase_command_ns", self.erase_command_ns),
            ("erase_command_extra_plane_ns", self.erase_command_extra_plane_ns),
        ] {
            check_range(key, time, 0, LONGEST_NS)?;
        }
        Ok(())
    }
}

impl SuspendConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        check_range("program_ns", self.program_ns.unwrap_or(0), 0, LONGEST_NS)?;
        check_range("erase_ns", self.erase_ns.unwrap_or(0), 0, LONGEST_NS)?;
        check_range("resume_ns", self.resume_ns, 0, LONGEST_NS)?;
        check_range("program_step_ns", self.program_step_ns, 0, LONGEST_NS)?;
        check_range("erase_step_ns", self.erase_step_ns, 0, LONGEST_NS)?;
        check_range("program_repeats_ns", self.program_repeats_ns, 0, LONGEST_NS)?;
        check_range("erase_repeats_ns", self.erase_repeats_ns, 0, LONGEST_NS)?;
        check_range("max_per_operation", self.max_per_operation, 0, 1_000_000)
    }

    /// How long an operation of the array works on until it can stop, of which so much is done, ns.
    pub fn to_next_step(&self, erase: bool, done_ns: u64) -> u64 {
        let step = if erase { self.erase_step_ns } else { self.program_step_ns };
        done_ns.next_multiple_of(step.max(1)) - done_ns
    }

    /// How much of what an operation of the array has done it does again if it stops for the first time, ns.
    pub fn repeats(&self, erase: bool, done_ns: u64) -> u64 {
        done_ns.min(if erase { self.erase_repeats_ns } else { self.program_repeats_ns })
    }
}

impl LinkConfig {
    fn validate(&self, geometry: &GeometryConfig) -> Result<(), ConfigError> {
        if let Some(rate) = self.bytes_per_s {
            check_range("bytes_per_s", rate, 1_000, 1_000_000_000_000_000)?;
        }
        let unit = u64::from(geometry.mapping_unit_bytes);
        if let Some(most) = self.max_transfer_bytes.filter(|&most| most == 0 || !most.is_multiple_of(unit)) {
            let allowed = format!("a multiple of geometry.mapping_unit_bytes = {unit}, at least one");
            return Err(ConfigError::new("max_transfer_bytes", most, allowed));
        }
        check_range("submission_ns", self.submission_ns, 0, LONGEST_NS)?;
        check_range("completion_ns", self.completion_ns, 0, LONGEST_NS)
    }
}
