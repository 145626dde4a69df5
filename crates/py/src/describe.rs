//! From the texts of descriptions to what they say.

use std::path::Path;

use pyo3::prelude::*;
use serde::Serialize;
use wordline_engine::config::{
    ConfigError, DeviceConfig, Layer, Layers, SchemeConfig, resolve_layers, to_toml,
};
use wordline_engine::{Kept, RunError, Setup, nvm_sets};
use wordline_trace::{OpenError, WorkloadConfig};

use crate::error::mistake;
use crate::guard::guarded;
use crate::wording::speaks_of_options;

/// What errors call a description, and its TOML.
pub type Text = (String, String);

/// Dotted path and TOML value.
pub type Overrides = Vec<(String, String)>;

/// A run, described.
#[derive(Serialize)]
pub struct Described {
    pub device: DeviceConfig,
    pub scheme: SchemeConfig,
    pub workload: WorkloadConfig,
    #[serde(skip)]
    layers: Layers,
    /// What errors call the file of the drive.
    #[serde(skip)]
    drive_file: String,
}

impl Described {
    /// The value of a key that was asked for: set for this run, or by the file of the scheme or the workload, and other than it is
    /// left out.
    pub fn asked_for(&self, path: &str) -> Option<String> {
        let (value, origin) = self.layers.given(path)?;
        let is_asked = origin.is_override() || origin.source != self.drive_file;
        (is_asked && self.differs_without(path)).then_some(value)
    }

    /// Whether the descriptions would be others if nothing gave this key.
    fn differs_without(&self, path: &str) -> bool {
        let others = self.layers.without(path);
        match path.split('.').next() {
            Some("device") => others.device().ok().as_ref() != Some(&self.device),
            Some("scheme") => others.scheme().ok().as_ref() != Some(&self.scheme),
            // One of a flow's keys, which stands in no table of tables, is left out by default.
            _ => match (WorkloadConfig::of_layers(&others), WorkloadConfig::of_layers(&self.layers)) {
                (Ok(without), Ok(with)) => path.contains('[') || without != with,
                _ => true,
            },
        }
    }

    /// An error about these descriptions that was found later, with the place where the value stands.
    pub fn mistake(&self, error: ConfigError) -> PyErr {
        mistake(self.layers.attach_origin(self.workload.in_words_of_jobs(error)))
    }

    /// Why the requests of the workload can't be had.
    pub fn not_opened(&self, error: OpenError) -> PyErr {
        match error {
            OpenError::Config(error) => self.mistake(error.under("workload")),
            other => mistake(other),
        }
    }

    /// Why a run has no result.
    pub fn failed(&self, error: RunError) -> PyErr {
        match error {
            RunError::Config(error) => self.mistake(error),
            other => mistake(other),
        }
    }

    /// All of a run but its requests.
    pub fn setup(&self, seed: u64, checked: bool) -> Setup {
        Setup {
            host: self.workload.host.clone(),
            start: self.workload.start.clone(),
            window: self.workload.window.clone(),
            measure: self.workload.measure.clone(),
            seed,
            kept: Kept::of_checked(checked),
            ..Setup::of(self.device.clone(), self.scheme.clone())
        }
    }
}

/// Reads and validates the three descriptions of a run.
pub fn describe(
    device: &Text,
    scheme: &Text,
    workload: &Text,
    overrides: &Overrides,
) -> Result<Described, ConfigError> {
    let name = name_of_file(workload)?;
    let drive_file = device.0.clone();
    let (device, scheme, workload) = (layer(device)?, layer(scheme)?, layer(workload)?);
    let (drive, defaults) = device.clone().split("scheme");
    let layers = Layers::new()
        .with(drive.under("device"))
        .with(defaults)
        .with(scheme.clone().under("scheme"))
        .with(name)
        .with(workload.under("workload"))
        .with(layer_of(overrides)?);
    let (device, scheme) = resolve_layers(&device, &scheme, layer_of(overrides)?)?;
    let mut workload = workload_in(&layers)?;
    if workload.flow.iter().any(|flow| flow.nvm_set.is_some()) {
        let sets = nvm_sets(&device, &scheme).map_err(|error| layers.attach_origin(error))?;
        let found = workload.find_sets(&sets).map_err(|error| error.under("workload"));
        found.map_err(|error| layers.attach_origin(error))?;
    }
    Ok(Described { device, scheme, workload, layers, drive_file })
}

/// One description with its defaults filled in, as TOML.
fn resolved_toml(kind: &str, text: &Text, overrides: &Overrides) -> Result<String, ConfigError> {
    match kind {
        "device" => {
            let (drive, defaults) = layer(text)?.split("scheme");
            let scheme = Layers::new().with(defaults.clone()).scheme()?;
            let (device, _) = resolve_layers(&drive, &Layer::default(), layer_of(overrides)?)?;
            // What the drive says of its firmware is part of its file.
            let scheme = (scheme != SchemeConfig::default()).then_some(scheme);
            Ok(to_toml(&Drive { device, scheme }))
        }
        "scheme" => {
            let layers = Layers::new().with(layer(text)?.under("scheme")).with(layer_of(overrides)?);
            let scheme = layers.scheme()?;
            scheme.validate_values().map_err(|error| layers.attach_origin(error.under("scheme")))?;
            Ok(to_toml(&scheme))
        }
        "workload" => Ok(to_toml(&workload_of(text, overrides)?)),
        _ => Err(ConfigError::new("kind", kind, "device, scheme or workload")),
    }
}

#[derive(Serialize)]
struct Drive {
    #[serde(flatten)]
    device: DeviceConfig,
    #[serde(skip_serializing_if = "Option::is_none")]
    scheme: Option<SchemeConfig>,
}

fn layer((label, text): &Text) -> Result<Layer, ConfigError> {
    Layer::from_toml(label, text)
}

/// What a workload is called unless it says so itself: as its file.
fn name_of_file((label, _): &Text) -> Result<Layer, ConfigError> {
    let path = Path::new(label);
    let is_file = path.extension().is_some_and(|ending| ending == "toml");
    match path.file_stem().filter(|_| is_file) {
        Some(stem) => {
            let name = toml::Value::String(stem.to_string_lossy().into_owned());
            Layer::from_overrides(&[("workload.name", name.to_string())])
        }
        None => Ok(Layer::default()),
    }
}

/// Reads and validates the description of a workload.
pub fn workload_of(text: &Text, overrides: &Overrides) -> Result<WorkloadConfig, ConfigError> {
    let own = layer(text)?.under("workload");
    workload_in(&Layers::new().with(name_of_file(text)?).with(own).with(layer_of(overrides)?))
}

fn workload_in(layers: &Layers) -> Result<WorkloadConfig, ConfigError> {
    let workload = WorkloadConfig::of_layers(layers)?;
    let told = |error: ConfigError| layers.attach_origin(workload.in_words_of_jobs(error.under("workload")));
    workload.validate().map_err(told)?;
    Ok(workload)
}

/// A description with its defaults filled in, as TOML. `kind` is `device`, `scheme` or `workload`. A scheme's
/// defaults are those of `device`, where one is given.
#[pyfunction]
#[pyo3(signature = (kind, text, overrides, *, device=None))]
pub fn resolve(kind: &str, text: Text, overrides: Overrides, device: Option<Text>) -> PyResult<String> {
    guarded(|| {
        match (kind, &device) {
            ("scheme", Some(device)) => scheme_on(&text, device, &overrides),
            _ => resolved_toml(kind, &text, &overrides),
        }
        .map_err(mistake)
    })
}

fn scheme_on(scheme: &Text, device: &Text, overrides: &Overrides) -> Result<String, ConfigError> {
    let (_, scheme) = resolve_layers(&layer(device)?, &layer(scheme)?, layer_of(overrides)?)?;
    Ok(to_toml(&scheme))
}

/// Overrides as a layer whose errors name them as they were given.
pub fn layer_of(overrides: &Overrides) -> Result<Layer, ConfigError> {
    if speaks_of_options() {
        Layer::from_options("--set", overrides)
    } else {
        Layer::from_overrides(overrides)
    }
}
