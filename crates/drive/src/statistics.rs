//! What was counted, as a run's `result.json` has it.

use serde::Serialize;
use wordline_config::{DeviceConfig, SchemeConfig, StartConfig};
use wordline_engine::Volume;
use wordline_engine::stats::notes::Note;
use wordline_engine::stats::report::Report;

use crate::volume::of_either;
use crate::{Drive, Error};

/// What was counted since the first request, or since [`Drive::mark`].
#[derive(Serialize)]
pub struct Statistics {
    /// Version of the simulator.
    pub version: &'static str,
    /// The drive's seed.
    pub seed: u64,
    /// What it was made of.
    pub config: Config,
    /// How much work it was so far.
    pub engine: EngineFigures,
    /// What the reader of the figures should know.
    pub notes: Vec<Note>,
    /// The figures.
    #[serde(flatten)]
    pub report: Report,
}

/// What a drive is made of, defaults filled in.
#[derive(Serialize)]
pub struct Config {
    /// The drive.
    pub device: DeviceConfig,
    /// Its firmware.
    pub scheme: SchemeConfig,
    /// Its state at the start.
    pub start: StartConfig,
}

/// How much work it was, since the drive was made.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct EngineFigures {
    /// Requests that were answered.
    pub requests: u64,
    /// Flash pages read and programmed, and blocks erased.
    pub flash_operations: u64,
    /// Events.
    pub events: u64,
    /// The time of the last event, ns.
    pub simulated_ns: u64,
}

impl Statistics {
    /// As JSON: the keys of `result.json`, but for those of the workload and of wall-clock times.
    ///
    /// # Errors
    /// None that is known: figures and texts are always JSON.
    pub fn to_json(&self) -> Result<String, Error> {
        serde_json::to_string(self).map_err(|error| Error::Fault(error.to_string()))
    }
}

impl Drive {
    /// What was counted so far. The window ends with the drive's last event.
    ///
    /// # Errors
    /// A drive that has failed.
    pub fn statistics(&mut self) -> Result<Statistics, Error> {
        self.check_sound()?;
        let (answered, number) = (self.front.answered, self.front.inside.next_number());
        let is_marked = self.front.has_begun && !self.front.window_open;
        let (mut report, engine) = of_either!(&mut self.inner, volume => {
            if is_marked {
                // Nothing came since: an empty window.
                let now = Volume::now(&**volume);
                Volume::open_window_at(&mut **volume, now, number);
            }
            let engine = EngineFigures {
                requests: answered,
                flash_operations: Volume::flash_operations(&**volume),
                events: Volume::events_processed(&**volume),
                simulated_ns: Volume::now(&**volume).0,
            };
            (Volume::report(&**volume), engine)
        });
        (report.evidence.open, report.evidence.answered) = (true, answered);
        let notes = report.notes();
        let setup = &self.setup;
        let (device, scheme, start) = (setup.device.clone(), setup.scheme.clone(), setup.start.clone());
        let config = Config { device, scheme, start };
        Ok(Statistics { version: env!("CARGO_PKG_VERSION"), seed: setup.seed, config, engine, notes, report })
    }

    /// From the next request that enters on everything is counted anew. A request under way counts where it is answered.
    ///
    /// # Errors
    /// A drive that has failed.
    pub fn mark(&mut self) -> Result<(), Error> {
        self.check_sound()?;
        self.front.window_open = false;
        Ok(())
    }
}
