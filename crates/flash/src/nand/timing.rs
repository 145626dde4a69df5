//! How long each part of an operation takes. `docs/timing-model.md` has the formulas.

use super::CellMode;
use wordline_base::time::Ns;
use wordline_config::device::{DeviceConfig, TransferUnit};
use wordline_config::nand_modes::SlcModeConfig;

/// Times of a drive, prepared from its description.
#[derive(Clone, Debug)]
pub struct Timing {
    read_by_page: Vec<u64>,
    program_by_page: Vec<u64>,
    erase: Ns,
    /// Times of blocks in SLC mode, where the device has any.
    slc: SlcModeConfig,
    read_command: CommandTime,
    program_command: CommandTime,
    erase_command: CommandTime,
    transfer: TransferTime,
}

#[derive(Clone, Copy, Debug)]
struct CommandTime {
    first: u64,
    further: u64,
}

impl CommandTime {
    fn of(self, planes: u32) -> Ns {
        Ns(self.first + self.further * u64::from(planes.saturating_sub(1)))
    }
}

/// Bytes to nanoseconds, exactly: bits ÷ width, times 10^6 ÷ (thousand transfers a second), rounded up.
#[derive(Clone, Debug)]
struct TransferTime {
    width_bits: u64,
    kilo_transfers_per_s: u64,
    whole_page: Option<u64>,
    page_bytes: u64,
    spare_bytes: u64,
}

impl TransferTime {
    fn bytes_on_channel(&self, bytes: u64) -> u64 {
        let bytes = self.whole_page.unwrap_or(bytes);
        bytes + (bytes * self.spare_bytes).div_ceil(self.page_bytes)
    }

    fn of(&self, bytes: u64) -> Ns {
        let transfers = (self.bytes_on_channel(bytes) * 8).div_ceil(self.width_bits);
        Ns((transfers * 1_000_000).div_ceil(self.kilo_transfers_per_s))
    }
}

/// Page type of each page of a block.
pub(crate) fn page_types(device: &DeviceConfig) -> impl Iterator<Item = usize> + '_ {
    let cell = &device.cell;
    let bits = cell.technology.bits();
    (0..device.geometry.pages as usize).map(move |page| {
        let pattern = &cell.page_types;
        let first = cell.first_pages.get(page);
        let later = page - cell.first_pages.len().min(page);
        let repeated = if pattern.is_empty() { None } else { pattern.get(later % pattern.len()) };
        first.or(repeated).map_or(later % bits, |&kind| usize::from(kind))
    })
}

fn times_by_page(device: &DeviceConfig, times: &[u64]) -> Vec<u64> {
    page_types(device).map(|kind| times.get(kind).or(times.first()).copied().unwrap_or(0)).collect()
}

impl Timing {
    /// Mean times of the array for a read and a program, over the pages of a block, ns.
    pub fn mean_cell_ns(&self) -> [f64; 2] {
        let mean = |times: &[u64]| times.iter().sum::<u64>() as f64 / times.len().max(1) as f64;
        [mean(&self.read_by_page), mean(&self.program_by_page)]
    }

    /// From a validated description.
    pub fn new(device: &DeviceConfig) -> Self {
        let (channel, geometry) = (&device.channel, &device.geometry);
        let page = u64::from(geometry.page_bytes);
        Self {
            read_by_page: times_by_page(device, &device.cell.read_ns),
            program_by_page: times_by_page(device, &device.cell.program_ns),
            erase: Ns(device.cell.erase_ns),
            slc: device.slc_mode.clone().unwrap_or(SlcModeConfig { read_ns: 0, program_ns: 0, erase_ns: 0 }),
            read_command: CommandTime {
                first: channel.read_command_ns,
                further: channel.read_command_extra_plane_ns,
            },
            program_command: CommandTime {
                first: channel.program_command_ns,
                further: channel.program_command_extra_plane_ns,
            },
            erase_command: CommandTime {
                first: channel.erase_command_ns,
                further: channel.erase_command_extra_plane_ns,
            },
            transfer: TransferTime {
                width_bits: u64::from(channel.width_bits),
                kilo_transfers_per_s: ((channel.mega_transfers_per_s * 1000.0).round() as u64).max(1),
                whole_page: (channel.transfer == TransferUnit::Page).then_some(page),
                page_bytes: page,
                spare_bytes: if channel.transfer_spare { u64::from(geometry.spare_bytes) } else { 0 },
            },
        }
    }

    /// The value of each page of a block, from one for all page types or one for each; 0 from none.
    pub fn by_page_type(device: &DeviceConfig, values: &[u64]) -> Vec<u64> {
        times_by_page(device, values)
    }

    /// Bytes that cross the channel for a flash page of which `bytes` are wanted: the whole page and the spare bytes
    /// where the device moves them.
    pub fn bytes_on_channel(&self, bytes: u32) -> u64 {
        self.transfer.bytes_on_channel(u64::from(bytes))
    }

    /// tR of page `page` of a block in this mode.
    #[inline]
    pub fn read(&self, page: u32, mode: CellMode) -> Ns {
        Ns(match mode {
            CellMode::Native => self.read_by_page.get(page as usize).copied().unwrap_or(0),
            CellMode::Slc => self.slc.read_ns,
        })
    }

    /// tPROG of page `page` of a block in this mode.
    #[inline]
    pub fn program(&self, page: u32, mode: CellMode) -> Ns {
        Ns(match mode {
            CellMode::Native => self.program_by_page.get(page as usize).copied().unwrap_or(0),
            CellMode::Slc => self.slc.program_ns,
        })
    }

    /// tERASE of a block in this mode.
    #[inline]
    pub fn erase(&self, mode: CellMode) -> Ns {
        match mode {
            CellMode::Native => self.erase,
            CellMode::Slc => Ns(self.slc.erase_ns),
        }
    }

    /// Bus time of a read command for so many planes.
    pub fn read_command(&self, planes: u32) -> Ns {
        self.read_command.of(planes)
    }

    /// Bus time of a program command for so many planes, without its data.
    pub fn program_command(&self, planes: u32) -> Ns {
        self.program_command.of(planes)
    }

    /// Bus time of an erase command for so many planes.
    pub fn erase_command(&self, planes: u32) -> Ns {
        self.erase_command.of(planes)
    }

    /// Bus time of the data of one flash page of which `bytes` are wanted.
    #[inline]
    pub fn transfer(&self, bytes: u32) -> Ns {
        self.transfer.of(u64::from(bytes))
    }
}
