//! Policies of a user's own that schemes name. What they are is known to whoever registers them; here stands how a scheme
//! describes them, and who is asked whether it may.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::error::ConfigError;

/// `scheme.custom`: the parameters of each policy of a user's own, by name.
pub type CustomConfig = BTreeMap<String, toml::Table>;

/// Refuses names, parameters and pairs of policies that can't be; paths are relative to `scheme.custom`.
pub type Check = fn(&CustomConfig) -> Result<(), ConfigError>;

/// What is allowed where nothing was registered.
pub const NO_POLICIES: &str = "no key: this build has no policies of a user's own";

static CHECK: OnceLock<Check> = OnceLock::new();

/// From now on every scheme of this process is checked so. The first to say so is heard.
pub fn check_with(check: Check) {
    let _ = CHECK.set(check);
}

/// Refuses what nobody who was registered knows.
pub(crate) fn validate(config: &CustomConfig) -> Result<(), ConfigError> {
    match (CHECK.get(), config.iter().next()) {
        (Some(check), _) => check(config),
        (None, Some((name, table))) => Err(ConfigError::new(name, shown(table), NO_POLICIES)),
        (None, None) => Ok(()),
    }
}

/// The parameters of a policy as an error shows them.
pub fn shown(table: &toml::Table) -> String {
    let pairs: Vec<String> = table.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    if pairs.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", pairs.join(", ")) }
}
