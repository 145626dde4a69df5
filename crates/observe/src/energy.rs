//! Energy in whole picojoules: of flash operations by class and operation, and of the rest of the drive.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use wordline_base::class::{ByClass, Class, FlashOp};
use wordline_base::time::Ns;
use wordline_config::DeviceConfig;
use wordline_flash::nand::{CellMode, Timing};

/// What each operation costs, prepared from a drive's description.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EnergyTable {
    /// pJ of a read and of a program of each page of a block.
    read_by_page: Vec<u64>,
    program_by_page: Vec<u64>,
    erase_pj: u64,
    /// pJ of a read, a program and an erase in SLC mode, where they differ.
    slc: [Option<u64>; 3],
    channel_pj_per_byte: u64,
    rest_mw: u64,
    request_pj: u64,
    host_pj_per_byte: u64,
}

/// pJ of a nJ.
const PJ: u64 = 1_000;

impl EnergyTable {
    /// From a validated description; `None` when it knows no energy.
    pub fn new(device: &DeviceConfig) -> Option<Box<Self>> {
        let energy = &device.energy;
        let by_page =
            |energies: &[u64]| Timing::by_page_type(device, energies).into_iter().map(|nj| nj * PJ).collect();
        energy.is_known().then(|| {
            Box::new(Self {
                read_by_page: by_page(&energy.read_nj),
                program_by_page: by_page(&energy.program_nj),
                erase_pj: energy.erase_nj * PJ,
                slc: [energy.slc_read_nj, energy.slc_program_nj, energy.slc_erase_nj]
                    .map(|nj| nj.map(|nj| nj * PJ)),
                channel_pj_per_byte: energy.channel_pj_per_byte,
                rest_mw: energy.rest_mw,
                request_pj: energy.request_nj * PJ,
                host_pj_per_byte: energy.host_pj_per_byte,
            })
        })
    }

    /// The cell array's energy for one flash page (its number in the block) or one block in this mode, pJ.
    pub fn cell(&self, op: FlashOp, page: u32, mode: CellMode) -> u64 {
        let [read, program, erase] = self.slc;
        let slc = match op {
            FlashOp::Read => read,
            FlashOp::Program => program,
            FlashOp::Erase => erase,
        };
        if let Some(pj) = slc.filter(|_| mode == CellMode::Slc) {
            return pj;
        }
        let by_page = match op {
            FlashOp::Read => &self.read_by_page,
            FlashOp::Program => &self.program_by_page,
            FlashOp::Erase => return self.erase_pj,
        };
        by_page.get(page as usize).copied().unwrap_or(0)
    }

    /// What the drive used beside its flash in a window in which so many requests with so many bytes were answered, pJ.
    pub fn beside_flash(&self, window: Ns, requests: u64, bytes: u64) -> BesideFlash {
        let times = |each: u64, count: u64| u128::from(each) * u128::from(count);
        // A milliwatt is a picojoule a nanosecond.
        BesideFlash {
            rest_pj: times(self.rest_mw, window.0),
            requests_pj: times(self.request_pj, requests),
            bytes_pj: times(self.host_pj_per_byte, bytes),
        }
    }

    /// The channel's energy for so many bytes, pJ.
    pub fn channel(&self, bytes: u64) -> u64 {
        self.channel_pj_per_byte.saturating_mul(bytes)
    }
}

/// Sums of a window, pJ.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct EnergyRecorder {
    cell: ByClass<u128>,
    channel: ByClass<u128>,
}

impl EnergyRecorder {
    /// Adds what the cell array used.
    pub fn add_cell(&mut self, class: Class, pj: u64) {
        self.cell[class.index()] += u128::from(pj);
    }

    /// Adds what the channel used.
    pub fn add_channel(&mut self, class: Class, pj: u64) {
        self.channel[class.index()] += u128::from(pj);
    }

    /// All of it.
    pub fn total(&self) -> u128 {
        self.cell.iter().chain(&self.channel).sum()
    }

    /// The sums by name, with what the drive used beside its flash.
    pub fn report(&self, beside: BesideFlash) -> EnergyReport {
        let mut report = EnergyReport { total_pj: self.total(), ..EnergyReport::default() };
        report.set_beside_flash(beside);
        for class in Class::ALL {
            let (cell, channel) = (self.cell[class.index()], self.channel[class.index()]);
            let operation = match class.op() {
                FlashOp::Read => "read",
                FlashOp::Program => "program",
                FlashOp::Erase => "erase",
            };
            *report.by_operation_pj.entry(operation.to_owned()).or_default() += cell;
            *report.by_operation_pj.entry("transfer".to_owned()).or_default() += channel;
            if cell + channel == 0 && !class.is_common() {
                continue;
            }
            *report.by_cause_pj.entry(class.cause().name().to_owned()).or_default() += cell + channel;
        }
        report
    }
}

/// What the drive used beside its flash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BesideFlash {
    /// For being on, pJ.
    pub rest_pj: u128,
    /// For requests, pJ.
    pub requests_pj: u128,
    /// For the host's bytes, pJ.
    pub bytes_pj: u128,
}

impl BesideFlash {
    /// All three, pJ.
    pub fn sum(&self) -> u128 {
        self.rest_pj + self.requests_pj + self.bytes_pj
    }
}

/// Energy of the flash operations begun in the window, whole picojoules: each of the two tables adds up to their total. And that
/// of the rest of the drive, where its description knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EnergyReport {
    /// All operations of the flash, pJ.
    pub total_pj: u128,
    /// With what the drive used beside its flash, pJ.
    pub drive_pj: u128,
    /// That by itself.
    pub beside_flash: BesideFlash,
    /// Cause (`host`, `gc`, …) → pJ.
    pub by_cause_pj: BTreeMap<String, u128>,
    /// `read`, `program`, `erase` (the cell array; `program` with the cell reads of copybacks) and `transfer` (data on the channels) → pJ.
    pub by_operation_pj: BTreeMap<String, u128>,
}

impl EnergyReport {
    /// Takes this for what was used beside the flash.
    pub fn set_beside_flash(&mut self, beside: BesideFlash) {
        self.beside_flash = beside;
        self.drive_pj = self.total_pj + beside.sum();
    }

    /// The sum of several drives; `None` of none.
    pub fn of_all<'a>(drives: impl Iterator<Item = &'a Self>) -> Option<Self> {
        drives.cloned().reduce(|mut sum, drive| {
            sum.total_pj += drive.total_pj;
            let (mut beside, more) = (sum.beside_flash, drive.beside_flash);
            beside.rest_pj += more.rest_pj;
            beside.requests_pj += more.requests_pj;
            beside.bytes_pj += more.bytes_pj;
            sum.set_beside_flash(beside);
            add(&mut sum.by_cause_pj, &drive.by_cause_pj);
            add(&mut sum.by_operation_pj, &drive.by_operation_pj);
            sum
        })
    }
}

fn add(sums: &mut BTreeMap<String, u128>, more: &BTreeMap<String, u128>) {
    for (name, pj) in more {
        *sums.entry(name.clone()).or_default() += pj;
    }
}
