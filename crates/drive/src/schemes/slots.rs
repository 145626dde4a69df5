//! Which schemes exclude each other: those whose parts, not the same, fill one slot.

use toml::Value;
use wordline_config::{ConfigError, combine};
use wordline_engine::custom;

use super::Part;
use super::leaves::{Leaves, leaves_of};
use crate::presets::Text;

/// Refuses two parts of a scheme's name that make the same decision.
pub(super) fn check(name: &str, first: &Part, second: &Part) -> Result<(), ConfigError> {
    let known = custom::parts()
        .map(|part| Ok((part, leaves_of(&Text::new(part.name, part.keys))?)))
        .collect::<Result<Vec<_>, ConfigError>>()?;
    let of = |scheme: &Leaves| -> Vec<combine::Part> {
        known.iter().filter(|(part, keys)| has(scheme, part, keys)).map(|(part, _)| *part).collect()
    };
    for a in of(&first.leaves) {
        for b in of(&second.leaves) {
            if let Some(slot) = excludes(&a, &b).filter(|_| a.name != b.name) {
                let found = format!(
                    "{name}: {} ({}) and {} ({}) both fill the slot `{slot}`",
                    first.name, a.name, second.name, b.name
                );
                return Err(ConfigError::new("scheme", found, "one part for a slot"));
            }
        }
    }
    Ok(())
}

/// The slot that both fill, or that one fills and the other can't have filled, if there is one.
fn excludes(a: &combine::Part, b: &combine::Part) -> Option<&'static str> {
    let pairs = [(a.slots, b.slots), (a.without, b.slots), (a.slots, b.without)];
    let shared = pairs.iter().find_map(|(ours, theirs)| ours.iter().find(|slot| theirs.contains(slot)));
    shared.map(|slot| slot.name())
}

/// Last names of the keys that say which part it is.
const SWITCHES: [&str; 3] = ["policy", "enabled", "layout"];

/// Whether a scheme has a part: it names the same policy, or sets the key that switches the part on. A part's other keys are only
/// the values with which it is tried.
fn has(scheme: &Leaves, part: &combine::Part, keys: &Leaves) -> bool {
    let switches = |key: &[String]| key.last().is_some_and(|last| SWITCHES.contains(&last.as_str()));
    if keys.keys().any(|key| switches(key)) {
        return keys
            .iter()
            .filter(|(key, _)| switches(key))
            .all(|(key, value)| scheme.get(key) == Some(value));
    }
    // Without a switch the key that is written first is what the part is about.
    let place = |key: &[String]| key.last().and_then(|last| part.keys.find(last.as_str()));
    let Some((key, value)) = keys.iter().min_by_key(|(key, _)| place(key)) else { return false };
    match value {
        // A policy of a user's own: its table may hold parameters.
        Value::Table(inner) if inner.is_empty() => scheme.keys().any(|path| path.starts_with(key)),
        Value::String(_) => scheme.get(key) == Some(value),
        _ => scheme.contains_key(key),
    }
}
