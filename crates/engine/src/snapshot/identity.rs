//! What a snapshot is of: which version made it, and with which configuration.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{In, Out, SnapshotError};
use wordline_base::VERSION;

/// First record of a snapshot.
#[derive(Serialize, Deserialize)]
struct Head {
    version: String,
    kind: String,
    hash: u64,
    configuration: String,
}

/// Kind and configuration of a snapshot.
pub struct Identity {
    kind: &'static str,
    configuration: String,
}

const DESCRIPTIONS: [&str; 3] = ["device", "scheme", "workload"];

/// FNV-1a, 64 bits.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

impl Identity {
    /// Of a kind ("a drive") and of what its state depends on, all defaults filled in. What descriptions are called, and say of
    /// themselves, doesn't count.
    pub fn new(kind: &'static str, configuration: &impl Serialize) -> Result<Self, SnapshotError> {
        let mut configuration =
            serde_json::to_value(configuration).map_err(|error| SnapshotError::Write(error.to_string()))?;
        for described in DESCRIPTIONS {
            if let Some(Value::Object(table)) = configuration.get_mut(described) {
                table.retain(|key, _| key != "name" && key != "description");
            }
        }
        Ok(Self { kind, configuration: configuration.to_string() })
    }

    /// A number that tells configurations apart.
    pub fn hash(&self) -> u64 {
        hash(&self.configuration)
    }

    /// The first key that differs, of this one ("there") and the other ("here").
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        (self.configuration != other.configuration)
            .then(|| first_difference(&self.configuration, &other.configuration))
    }

    pub(crate) fn save(&self, out: &mut Out<'_>) -> Result<(), SnapshotError> {
        out.put(&Head {
            version: VERSION.to_owned(),
            kind: self.kind.to_owned(),
            hash: self.hash(),
            configuration: self.configuration.clone(),
        })
    }

    /// Refuses a snapshot of something else.
    pub(crate) fn check(&self, input: &mut In<'_>) -> Result<(), SnapshotError> {
        let head: Head = input.take()?;
        if head.version != VERSION {
            return Err(SnapshotError::Version(head.version));
        }
        if head.kind != self.kind {
            return Err(SnapshotError::Kind { found: head.kind, wanted: self.kind });
        }
        if head.hash == self.hash() && head.configuration == self.configuration {
            return Ok(());
        }
        let difference = first_difference(&head.configuration, &self.configuration);
        Err(SnapshotError::Configuration(difference))
    }
}

fn first_difference(there: &str, here: &str) -> String {
    let parse = |text| serde_json::from_str::<Value>(text).unwrap_or_default();
    differing(&parse(there), &parse(here), "").unwrap_or_else(|| "its hash differs".to_owned())
}

/// The first key that differs, with both values.
fn differing(there: &Value, here: &Value, path: &str) -> Option<String> {
    if there == here {
        return None;
    }
    let (Value::Object(left), Value::Object(right)) = (there, here) else {
        return Some(format!("`{path}` is {there} there and {here} here"));
    };
    let mut keys: Vec<_> = left.keys().chain(right.keys()).collect();
    keys.sort();
    keys.iter().find_map(|&key| {
        let below = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        let value = |object: &serde_json::Map<String, Value>| object.get(key).cloned().unwrap_or_default();
        differing(&value(left), &value(right), &below)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_key_that_differs_is_named_with_both_values() {
        let there = r#"{"a":{"b":1,"c":[1,2]},"d":"x"}"#;
        let here = r#"{"a":{"b":1,"c":[1,3]},"d":"x","e":2}"#;
        assert_eq!(first_difference(there, here), "`a.c` is [1,2] there and [1,3] here");
        assert_eq!(first_difference(r#"{"a":1}"#, r#"{"a":1,"e":2}"#), "`e` is null there and 2 here");
    }
}
