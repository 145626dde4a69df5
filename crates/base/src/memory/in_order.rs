//! How a table whose hash gives no order is saved: in the order of its keys, so that equal drives have equal bytes. For
//! `#[serde(with = …)]`.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes it as a map in the order of its keys.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<K, V, H, S>(table: &HashMap<K, V, H>, to: S) -> Result<S::Ok, S::Error>
where
    K: Ord + Serialize,
    V: Serialize,
    S: Serializer,
{
    table.iter().collect::<BTreeMap<_, _>>().serialize(to)
}

/// Reads it back.
///
/// # Errors
/// Those of the deserializer.
pub fn deserialize<'de, K, V, H, D>(from: D) -> Result<HashMap<K, V, H>, D::Error>
where
    K: Ord + Hash + Deserialize<'de>,
    V: Deserialize<'de>,
    H: BuildHasher + Default,
    D: Deserializer<'de>,
{
    Ok(BTreeMap::deserialize(from)?.into_iter().collect())
}
