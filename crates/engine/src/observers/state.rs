//! Whoever is told of what happens, and changes nothing: the report, series and samples, energy, probes, counts.

use super::monitor::Monitor;
use crate::probe::Probe;
use crate::stats::energy::EnergyTable;
use crate::stats::recorder::Recorder;
use crate::stats::settled::Settled;
use wordline_base::fields;

/// What is recorded of a drive.
pub(crate) struct Observers {
    /// How it came to its start.
    pub settled: Settled,
    pub recorder: Recorder,
    pub monitor: Monitor,
    pub energy: Option<Box<EnergyTable>>,
    pub probe: Option<Box<dyn Probe>>,
    pub flash_operations: u64,
    pub events_processed: u64,
    pub reads_verified: u64,
    /// What the drive found to be impossible first.
    pub fault: Option<String>,
}

impl Observers {
    /// Those of a new drive.
    pub fn new(energy: Option<Box<EnergyTable>>) -> Self {
        Self {
            settled: Settled::default(),
            recorder: Recorder::new(),
            monitor: Monitor::default(),
            energy,
            probe: None,
            flash_operations: 0,
            events_processed: 0,
            reads_verified: 0,
            fault: None,
        }
    }
}

fields! {
    Observers:
    rebuilt: energy;
    state: settled recorder monitor flash_operations events_processed reads_verified fault;
    parts: ;
    dropped: probe;
}
