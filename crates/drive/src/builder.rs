//! Descriptions of a drive to be made.

use wordline_config::run::{MapCacheStart, Occupancy, StartConfig};
use wordline_config::{ConfigError, Layer, Layers, resolve_run};
use wordline_engine::{Kept, Setup};

use crate::presets::{Kind, Text, preset};
use crate::schemes::scheme;
use crate::{Drive, Error};

/// How a drive is described.
#[derive(Clone, Debug)]
enum Description {
    /// By a name.
    Named(String),
    /// In TOML.
    Text(Text),
}

/// A drive to be made: enterprise-tlc with the firmware that it is sold with, full, unless something else is said.
///
/// Nothing is looked at before [`build`](Self::build).
#[derive(Clone, Debug)]
pub struct Builder {
    device: Description,
    scheme: Description,
    start: Text,
    overrides: Vec<(String, String)>,
    seed: u64,
    kept: Kept,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            device: Description::Named("enterprise-tlc".to_owned()),
            scheme: Description::Named("baseline".to_owned()),
            start: Text::new("start", ""),
            overrides: Vec::new(),
            seed: 1,
            kept: Kept::Nothing,
        }
    }
}

impl Builder {
    /// The drive of this preset.
    #[must_use]
    pub fn device(self, name: impl Into<String>) -> Self {
        Self { device: Description::Named(name.into()), ..self }
    }

    /// A drive described in TOML, as a file of `presets/devices` is.
    #[must_use]
    pub fn device_text(self, text: Text) -> Self {
        Self { device: Description::Text(text), ..self }
    }

    /// The scheme of this name: a preset, `key=value`, or several of these joined by `+`.
    #[must_use]
    pub fn scheme(self, name: impl Into<String>) -> Self {
        Self { scheme: Description::Named(name.into()), ..self }
    }

    /// A scheme described in TOML, as a file of `presets/schemes` is.
    #[must_use]
    pub fn scheme_text(self, text: Text) -> Self {
        Self { scheme: Description::Text(text), ..self }
    }

    /// The state at the start in TOML, as the table `start` of a workload: `occupancy = 0.5`.
    #[must_use]
    pub fn start(self, toml: impl Into<String>) -> Self {
        Self { start: Text::new("start", toml), ..self }
    }

    /// Another value of a key: `("device.geometry.blocks", "64")`. A value is TOML where it reads as TOML, else a string.
    #[must_use]
    pub fn set(mut self, path: impl Into<String>, value: impl Into<String>) -> Self {
        self.overrides.push((path.into(), value.into()));
        self
    }

    /// Seed of every random stream; 1 unless set.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Whether every read is verified and [`Drive::audit`] can be asked for; costs some time.
    #[must_use]
    pub fn checked(self, checked: bool) -> Self {
        Self { kept: Kept::of_checked(checked), ..self }
    }

    /// What the drive keeps beside what its firmware needs: with sequence numbers [`Drive::after_power_loss`] can be asked for.
    #[must_use]
    pub fn keep(self, kept: Kept) -> Self {
        Self { kept, ..self }
    }

    /// Makes the drive, at time 0 in its state at the start.
    ///
    /// # Errors
    /// A description that can't be: key, value, what is allowed, and where it stands.
    pub fn build(&self) -> Result<Drive, Error> {
        let layer = |text: Text| Layer::from_toml(&text.label, &text.toml);
        let device = layer(self.device.text(|name| preset(Kind::Device, name))?)?;
        let scheme = layer(self.scheme.text(scheme)?)?;
        Drive::prepare(self.setup(&device, &scheme)?).map_err(|error| match error {
            Error::Config(error) => Error::Config(self.told(error, device, scheme)),
            other => other,
        })
    }

    /// An error that was found as the drive was prepared, with the place where the value stands.
    fn told(&self, error: ConfigError, device: Layer, scheme: Layer) -> ConfigError {
        let (drive, defaults) = device.split("scheme");
        let layers = Layers::new().with(drive.under("device")).with(defaults).with(scheme.under("scheme"));
        let overrides = Layer::from_overrides(&self.overrides).unwrap_or_default();
        layers.with(overrides).attach_origin(error)
    }

    /// All that the drive depends on.
    fn setup(&self, device: &Layer, scheme: &Layer) -> Result<Setup, ConfigError> {
        let (device, scheme) = resolve_run(device, scheme, &self.overrides)?;
        let start = self.resolved_start()?;
        Ok(Setup { start, seed: self.seed, kept: self.kept, ..Setup::of(device, scheme) })
    }

    fn resolved_start(&self) -> Result<StartConfig, ConfigError> {
        let text = Layer::from_toml(&self.start.label, &self.start.toml)?;
        let layers = Layers::new()
            .with(text.under("start").under("workload"))
            .with(Layer::from_overrides(&self.overrides)?);
        let Start { mut start } = layers.resolve("workload")?;
        let asks_for_used = start.map_cache.is_used() && layers.given("workload.start.map_cache").is_some();
        start.map_cache = MapCacheStart::Empty;
        let error = match start.occupancy {
            Occupancy::Footprint | Occupancy::Span => {
                let allowed = "\"all\", \"none\" or a share: the requests to come aren't known";
                Some(("workload.start.occupancy", "footprint or span".to_owned(), allowed))
            }
            _ if asks_for_used => {
                let allowed = "\"empty\": the requests to come aren't known";
                Some(("workload.start.map_cache", "used".to_owned(), allowed))
            }
            _ => start.settle_requests.filter(|&requests| requests > 0).map(|requests| {
                let allowed = "left out: the requests to come aren't known";
                ("workload.start.settle_requests", requests.to_string(), allowed)
            }),
        };
        match error {
            Some((path, value, allowed)) => Err(layers.attach_origin(ConfigError::new(path, value, allowed))),
            None => Ok(start),
        }
    }
}

impl Description {
    fn text(&self, named: impl Fn(&str) -> Result<Text, ConfigError>) -> Result<Text, ConfigError> {
        match self {
            Self::Named(name) => named(name),
            Self::Text(text) => Ok(text.clone()),
        }
    }
}

/// What of a workload's description a drive has of its own.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Start {
    #[serde(default)]
    start: StartConfig,
}
