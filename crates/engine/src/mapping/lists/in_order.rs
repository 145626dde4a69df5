//! A table by logical page as it is saved: in the order of pages, which the hash doesn't give.

use std::collections::HashMap;
use std::hash::BuildHasher;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub fn serialize<S, H>(table: &HashMap<u32, u32, H>, to: S) -> Result<S::Ok, S::Error>
where
    S: Serializer,
{
    let mut entries: Vec<(u32, u32)> = table.iter().map(|(&page, &slot)| (page, slot)).collect();
    entries.sort_unstable();
    entries.serialize(to)
}

pub fn deserialize<'de, D, H>(from: D) -> Result<HashMap<u32, u32, H>, D::Error>
where
    D: Deserializer<'de>,
    H: BuildHasher + Default,
{
    Ok(Vec::<(u32, u32)>::deserialize(from)?.into_iter().collect())
}
