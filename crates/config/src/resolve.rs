//! From the texts of a device and a scheme to what a run uses.

use serde::Serialize;

use super::device::DeviceConfig;
use super::error::ConfigError;
use super::layers::{Layer, Layers};
use super::scheme::SchemeConfig;

// What reads them is compiled here, and not once more in each crate that asks.
impl Layers {
    /// What the layers say of the drive, not validated. Errors as those of [`Layers::resolve`].
    pub fn device(&self) -> Result<DeviceConfig, ConfigError> {
        self.resolve("device")
    }

    /// What they say of its firmware, not validated.
    pub fn scheme(&self) -> Result<SchemeConfig, ConfigError> {
        self.resolve("scheme")
    }
}

/// Resolves and validates the drive and its firmware.
///
/// A device file may hold a table `[scheme]`, its source's choices of firmware. So the scheme is, each over the
/// one before: built-in defaults, the device's `[scheme]`, the scheme file, overrides of `scheme.…`. Overrides of a
/// workload are left to whoever resolves it. Paths in errors begin with `device` or `scheme`.
pub fn resolve_run(
    device: &Layer,
    scheme: &Layer,
    overrides: &[(String, String)],
) -> Result<(DeviceConfig, SchemeConfig), ConfigError> {
    resolve_layers(device, scheme, Layer::from_overrides(overrides)?)
}

/// [`resolve_run`] with overrides that are read already.
pub fn resolve_layers(
    device: &Layer,
    scheme: &Layer,
    overrides: Layer,
) -> Result<(DeviceConfig, SchemeConfig), ConfigError> {
    let (drive, defaults) = device.clone().split("scheme");
    // On its own first: a slip there must not hide behind the scheme file.
    Layers::new().with(defaults.clone()).scheme()?;
    let layers = Layers::new()
        .with(drive.under("device"))
        .with(defaults)
        .with(scheme.clone().under("scheme"))
        .with(overrides);
    let device = layers.device()?;
    device.validate().map_err(|error| layers.attach_origin(error.under("device")))?;
    let scheme = layers.scheme()?;
    scheme.validate().map_err(|error| layers.attach_origin(error.under("scheme")))?;
    Ok((device, scheme))
}

/// A resolved description as TOML, as `wordline show` prints it; reading it back gives the same description.
/// A value that TOML can't hold (a whole number above 2^63 − 1) leaves a comment that says so.
pub fn to_toml<T: Serialize>(description: &T) -> String {
    toml::to_string(description).unwrap_or_else(|error| format!("# not to be written as TOML: {error}\n"))
}
