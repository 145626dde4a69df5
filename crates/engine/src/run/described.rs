//! Setups for tests of whole drives.
#![allow(clippy::unwrap_used, reason = "a panic is the failure")]

use super::Setup;
use wordline_config::{ConfigError, Layer, resolve_run};
use wordline_ftl::durable::Kept;

/// MQSim's drive with other values of these keys, in checked mode, or why there is none.
pub(crate) fn described<V: AsRef<str>>(keys: &[(&str, V)]) -> Result<Setup, ConfigError> {
    let text = include_str!("../../../../presets/devices/mqsim.toml");
    let keys: Vec<_> =
        keys.iter().map(|(key, value)| ((*key).to_owned(), value.as_ref().to_owned())).collect();
    let layer = |text| Layer::from_toml("test", text).unwrap();
    let (device, scheme) = resolve_run(&layer(text), &layer(""), &keys)?;
    Ok(Setup { kept: Kept::Checked, ..Setup::of(device, scheme) })
}
