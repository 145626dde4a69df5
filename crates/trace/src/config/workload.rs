//! A workload: where its requests come from, how they arrive, the drive's state before, and what is measured.

use serde::{Deserialize, Serialize};
use wordline_engine::config::MeasureConfig;
use wordline_engine::config::error::ConfigError;
use wordline_engine::config::run::{Arrivals, HostConfig, StartConfig, WindowConfig};

use super::forms::SourceForm;
use super::{SyntheticConfig, TraceConfig};

/// A workload. `presets/workloads/*.toml` are of this form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkloadConfig {
    /// Short name, as in results.
    #[serde(default)]
    pub name: String,
    /// One sentence for `wordline show workloads`.
    #[serde(default)]
    pub description: String,
    /// Where the requests come from.
    pub source: SourceConfig,
    /// How they arrive.
    #[serde(default)]
    pub host: HostConfig,
    /// The drive before the first of them.
    #[serde(default)]
    pub start: StartConfig,
    /// What is measured.
    #[serde(default)]
    pub window: WindowConfig,
    /// What is recorded beside the totals.
    #[serde(default)]
    pub measure: MeasureConfig,
}

/// Where requests come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", try_from = "SourceForm")]
pub enum SourceConfig {
    /// A generator.
    Synthetic(SyntheticConfig),
    /// A file.
    Trace(TraceConfig),
}

impl WorkloadConfig {
    /// Refuses what can't be run on any drive. What depends on the drive's size is refused by [`crate::open`].
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.source.validate().map_err(|error| error.under("source"))?;
        self.host.validate().map_err(|error| error.under("host"))?;
        self.start.validate().map_err(|error| error.under("start"))?;
        self.window.validate().map_err(|error| error.under("window"))?;
        self.measure.validate().map_err(|error| error.under("measure"))?;
        self.check_arrivals()
    }

    fn check_arrivals(&self) -> Result<(), ConfigError> {
        match &self.source {
            SourceConfig::Synthetic(synthetic)
                if self.host.arrivals == Arrivals::Open && synthetic.interarrival.is_none() =>
            {
                Err(ConfigError::new(
                    "source.interarrival",
                    "nothing",
                    "poisson, fixed or burst, for open arrivals need times",
                ))
            }
            _ => Ok(()),
        }
    }
}

impl SourceConfig {
    /// Refuses impossible values. Paths in errors begin below `source`.
    pub fn validate(&self) -> Result<(), ConfigError> {
        match self {
            Self::Synthetic(config) => config.validate(),
            Self::Trace(config) => config.validate(),
        }
    }
}
