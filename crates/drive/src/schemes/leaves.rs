//! The values of a description by the path of their key.

use std::collections::BTreeMap;

use toml::Value;
use wordline_config::ConfigError;

use crate::presets::Text;

/// Value by path. A table without keys is a value.
pub(super) type Leaves = BTreeMap<Vec<String>, Value>;

/// Those of a description, which reads as a [`wordline_config::Layer`]: that refuses what is nested beyond all use.
pub(super) fn leaves_of(text: &Text) -> Result<Leaves, ConfigError> {
    let table: toml::Table =
        toml::from_str(&text.toml).map_err(|error| ConfigError::new(&text.label, error.message(), "TOML"))?;
    let mut leaves = Leaves::new();
    collect(table, &mut Vec::new(), &mut leaves);
    Ok(leaves)
}

fn collect(table: toml::Table, path: &mut Vec<String>, leaves: &mut Leaves) {
    for (key, value) in table {
        path.push(key);
        match value {
            Value::Table(inner) if !inner.is_empty() => collect(inner, path, leaves),
            value => {
                leaves.insert(path.clone(), value);
            }
        }
        path.pop();
    }
}

/// A path as TOML writes it.
pub(super) fn dotted(path: &[String]) -> String {
    path.iter().map(|key| quoted(key)).collect::<Vec<_>>().join(".")
}

fn quoted(key: &str) -> String {
    let is_bare = |sign: char| sign.is_ascii_alphanumeric() || sign == '_' || sign == '-';
    match !key.is_empty() && key.chars().all(is_bare) {
        true => key.to_owned(),
        false => Value::String(key.to_owned()).to_string(),
    }
}
