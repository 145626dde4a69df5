//! The controller: its cores, its DRAM, the data cache in that, and the host's memory that it may use.

use super::host_memory::HostMemory;
use crate::cache::{Cache, Ledger};
use crate::cpu::Cpu;
use wordline_base::fields;

/// Cores and memory of the controller.
pub(super) struct Controller {
    pub cpu: Cpu,
    /// Who uses the DRAM.
    pub dram: Ledger,
    /// The data cache, off where there is none.
    pub cache: Cache,
    /// Look-ups of what of the map lies in the host's memory.
    pub host_memory: HostMemory,
}

fields! {
    Controller:
    rebuilt: ;
    state: dram cpu host_memory;
    parts: cache;
    dropped: ;
}
