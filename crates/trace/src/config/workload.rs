//! A workload: where its requests come from, how they arrive, the drive's state before, and what is measured.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use wordline_config::error::ConfigError;
use wordline_config::host::{Arrivals, HostConfig};
use wordline_config::run::{StartConfig, WindowConfig};
use wordline_config::{Layers, MeasureConfig};

use super::forms::SourceForm;
use super::{
    FilebenchSourceConfig, FioSourceConfig, FlowConfig, SyntheticConfig, TraceConfig, TwinConfig,
    YcsbSourceConfig,
};

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
    /// Where the requests come from, if all are of one flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceConfig>,
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
    /// Flows beside one another, in the place of the one source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flow: Vec<FlowConfig>,
}

/// Where requests come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", try_from = "SourceForm")]
pub enum SourceConfig {
    /// A generator.
    Synthetic(SyntheticConfig),
    /// A file.
    Trace(TraceConfig),
    /// A generator that follows a profile.
    Twin(TwinConfig),
    /// The load of a fio job.
    Fio(Box<FioSourceConfig>),
    /// YCSB over a log-structured merge tree.
    Ycsb(Box<YcsbSourceConfig>),
    /// Filebench over a file system.
    Filebench(Box<FilebenchSourceConfig>),
}

impl WorkloadConfig {
    /// What layers say of a workload, not validated. Compiled here, and not once more in each crate that asks.
    ///
    /// # Errors
    /// Those of [`Layers::resolve`].
    pub fn of_layers(layers: &Layers) -> Result<Self, ConfigError> {
        layers.resolve("workload")
    }

    /// The same, a twin played once however often it is repeated.
    pub fn once(mut self) -> Self {
        if let Some(SourceConfig::Twin(twin)) = &mut self.source {
            twin.repeat = None;
        }
        self
    }

    /// Finds the sets of planes that its flows keep to, on a drive that has these.
    ///
    /// # Errors
    /// One that the drive doesn't have.
    pub fn find_sets(&mut self, sets: &[(String, Range<u64>)]) -> Result<(), ConfigError> {
        for (number, flow) in self.flow.iter_mut().enumerate() {
            let Some(name) = &flow.nvm_set else { continue };
            let Some((_, bytes)) = sets.iter().find(|(set, _)| set == name) else {
                let names: Vec<&str> = sets.iter().map(|(name, _)| name.as_str()).collect();
                let allowed = match names.is_empty() {
                    true => "left out: the scheme has no set (scheme.nvm_set)".to_owned(),
                    false => format!("names of scheme.nvm_set: {}", names.join(", ")),
                };
                let error = ConfigError::new("nvm_set", format!("{name:?}"), allowed);
                return Err(error.under(&format!("flow[{number}]")));
            };
            flow.set_bytes = Some(bytes.clone());
        }
        Ok(())
    }

    /// The same error, in the words of the job file where it is about a flow that was a job of one.
    pub fn in_words_of_jobs(&self, error: ConfigError) -> ConfigError {
        let number =
            error.path.split_once("flow[").and_then(|(_, rest)| rest.split_once(']')?.0.parse().ok());
        let flow = number.and_then(|number: usize| self.flow.get(number));
        match flow.map(|flow| &flow.source) {
            Some(SourceConfig::Fio(source)) if error.origin.is_none() => match &source.fio.job {
                Some(job) => job.told(error),
                None => error,
            },
            _ => error,
        }
    }

    /// Refuses what can't be run on any drive. What depends on the drive's size is refused by [`crate::open`].
    pub fn validate(&self) -> Result<(), ConfigError> {
        match &self.source {
            Some(_) if !self.flow.is_empty() => {
                return Err(ConfigError::new(
                    "source",
                    "a table",
                    "nothing beside flow: each flow has its own",
                ));
            }
            None if self.flow.is_empty() => {
                return Err(ConfigError::new("source", "nothing", "a value: the key has no default"));
            }
            Some(source) => source.validate().map_err(|error| error.under("source"))?,
            None => {}
        }
        self.host.validate().map_err(|error| error.under("host"))?;
        self.start.validate().map_err(|error| error.under("start"))?;
        self.window.validate().map_err(|error| error.under("window"))?;
        self.measure.validate().map_err(|error| error.under("measure"))?;
        if let Some(source) = &self.source {
            source.check_arrivals(self.host.arrivals)?;
        }
        super::flow::validate(&self.flow, &self.host)
    }
}

impl SourceConfig {
    /// Whether requests like its own can follow its last.
    pub(crate) fn goes_on(&self) -> bool {
        matches!(self, Self::Synthetic(_) | Self::Fio(_))
    }

    /// Refuses open arrivals without times.
    pub(super) fn check_arrivals(&self, arrivals: Arrivals) -> Result<(), ConfigError> {
        match self {
            Self::Synthetic(synthetic) if arrivals.has_times() && synthetic.interarrival.is_none() => {
                Err(ConfigError::new(
                    "source.interarrival",
                    "nothing",
                    "poisson, fixed or burst, for arrivals that are open or held need times",
                ))
            }
            Self::Ycsb(_) | Self::Filebench(_) if arrivals.has_times() => Err(ConfigError::new(
                "host.arrivals",
                "\"open\"",
                "closed: an application's next request depends on its last",
            )),
            Self::Fio(job) if arrivals.has_times() && !job.fio.has_rates() => Err(ConfigError::new(
                "source.fio",
                "no iops",
                "iops of each direction, for arrivals that are open or held need times",
            )),
            _ => Ok(()),
        }
    }

    /// Refuses impossible values. Paths in errors begin below `source`.
    pub fn validate(&self) -> Result<(), ConfigError> {
        match self {
            Self::Synthetic(config) => config.validate(),
            Self::Trace(config) => config.validate(),
            Self::Twin(config) => config.validate(),
            Self::Fio(config) => config.validate(),
            Self::Ycsb(config) => config.validate(),
            Self::Filebench(config) => config.validate(),
        }
    }
}
