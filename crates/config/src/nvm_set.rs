//! Sets of planes that hold logical pages of their own (`[[scheme.nvm_set]]`): NVM Sets, as NVMe calls what is apart from the rest.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::device::GeometryConfig;
use super::error::ConfigError;

/// A set: the planes at any combination of these numbers. What the planes of all sets leave over forms one more, without a name.
///
/// The logical pages of the drive are divided between the sets in their order, each set getting as many for each of its planes. They
/// are written, moved and collected on its planes only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NvmSetConfig {
    /// Its name, which no other set has.
    pub name: String,
    /// Numbers of channels; all where left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channels: Option<Vec<u32>>,
    /// Numbers of chips on their channel; all where left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ways: Option<Vec<u32>>,
    /// Numbers of dies in their chip; all where left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dies: Option<Vec<u32>>,
    /// Numbers of planes in their die; all where left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planes: Option<Vec<u32>>,
}

impl NvmSetConfig {
    /// Its four lists, each with its key and how many of the kind a drive has below the next.
    pub fn lists(&self, geometry: &GeometryConfig) -> [(&'static str, &Option<Vec<u32>>, u32); 4] {
        [
            ("channels", &self.channels, geometry.channels),
            ("ways", &self.ways, geometry.ways),
            ("dies", &self.dies, geometry.dies),
            ("planes", &self.planes, geometry.planes),
        ]
    }

    /// Whether the plane at these numbers (channel, chip, die, plane) is one of its.
    pub fn has(&self, numbers: [u32; 4]) -> bool {
        let lists = [&self.channels, &self.ways, &self.dies, &self.planes];
        let named = |list: &Option<Vec<u32>>, number| list.as_ref().is_none_or(|list| list.contains(&number));
        lists.into_iter().zip(numbers).all(|(list, number)| named(list, number))
    }

    /// Refuses numbers that this drive doesn't have. Paths are relative to the set.
    pub fn check_on(&self, geometry: &GeometryConfig) -> Result<(), ConfigError> {
        for (key, list, count) in self.lists(geometry) {
            if let Some(number) = list.iter().flatten().find(|&&number| number >= count) {
                let allowed = format!("0 to {}, as on the drive", count.saturating_sub(1));
                return Err(ConfigError::new(key, number, allowed));
            }
        }
        Ok(())
    }

    fn validate(&self) -> Result<(), ConfigError> {
        if self.name.is_empty() {
            return Err(ConfigError::new("name", "\"\"", "a name"));
        }
        let lists = [
            ("channels", &self.channels),
            ("ways", &self.ways),
            ("dies", &self.dies),
            ("planes", &self.planes),
        ];
        for (key, list) in lists.into_iter().filter_map(|(key, list)| Some((key, list.as_ref()?))) {
            if list.is_empty() {
                return Err(ConfigError::new(key, "[]", "at least one number; all where left out"));
            }
            let mut seen = BTreeSet::new();
            if let Some(number) = list.iter().find(|&&number| !seen.insert(number)) {
                return Err(ConfigError::new(key, number, "each number once"));
            }
        }
        Ok(())
    }
}

/// Refuses sets that no drive can have. Paths are relative to the scheme.
pub(super) fn check(sets: &[NvmSetConfig]) -> Result<(), ConfigError> {
    let mut names = BTreeSet::new();
    for (number, set) in sets.iter().enumerate() {
        let under = |error: ConfigError| error.under(&format!("nvm_set[{number}]"));
        set.validate().map_err(under)?;
        if !names.insert(&set.name) {
            let name = format!("{:?}", set.name);
            return Err(under(ConfigError::new("name", name, "a name that no other set has")));
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
mod tests {
    use crate::scheme::SchemeConfig;

    fn refused(keys: &str) -> String {
        let scheme: SchemeConfig = toml::from_str(keys).unwrap();
        scheme.validate_values().map_or_else(|error| error.to_string(), |()| String::new())
    }

    const TWO: &str =
        "nvm_set = [{ name = 'a', channels = [0] }, { name = 'b', ways = [1], dies = [0, 1] }]\n";

    #[test]
    fn sets_have_names_of_their_own_and_lists_that_name_something_once() {
        assert_eq!(refused(TWO), "");
        let cases = [
            ("[{ name = '' }]", "nvm_set[0].name = \"\": allowed: a name"),
            (
                "[{ name = 'a' }, { name = 'a' }]",
                "nvm_set[1].name = \"a\": allowed: a name that no other set has",
            ),
            (
                "[{ name = 'a', dies = [] }]",
                "nvm_set[0].dies = []: allowed: at least one number; all where left out",
            ),
            ("[{ name = 'a', ways = [1, 0, 1] }]", "nvm_set[0].ways = 1: allowed: each number once"),
        ];
        for (sets, message) in cases {
            assert_eq!(refused(&format!("nvm_set = {sets}")), message);
        }
    }

    #[test]
    fn what_lies_on_planes_of_several_sets_is_refused_by_name() {
        let cases = [
            (
                "mapping.policy = 'journaled'",
                "mapping.policy = \"journaled\": allowed: \"page\", \"demand\", \"segments\" or \"tpftl\" beside scheme.nvm_set",
            ),
            (
                "redundancy.policy = 'parity_rows'",
                "redundancy.policy = \"parity_rows\": allowed: \"none\" beside scheme.nvm_set",
            ),
            (
                "slc_cache.policy = 'dynamic'",
                "slc_cache.policy = \"dynamic\": allowed: \"none\" beside scheme.nvm_set",
            ),
            ("copies.reserved_dies = [1]", "copies.reserved_dies = [1]: allowed: [] beside scheme.nvm_set"),
            (
                "copies.reserved_blocks = 0.1",
                "copies.reserved_blocks = 0.1: allowed: 0 beside scheme.nvm_set",
            ),
            (
                "gc.rotating = true",
                "gc.rotating = true: allowed: false, since sets would wait for one another, beside scheme.nvm_set",
            ),
            (
                "placement.policy = 'dynamic'\ncache = { policy = 'lru', bytes = 65536 }",
                "placement.policy = \"dynamic\": allowed: \"static\" with a data cache beside scheme.nvm_set",
            ),
            (
                "hotr = { enabled = true, staging_share = 0.1 }",
                "hotr.enabled = true: allowed: false beside scheme.nvm_set",
            ),
            ("partition.enabled = true", "partition.enabled = true: allowed: false beside scheme.nvm_set"),
            (
                "block_map = { policy = 'bast', log_blocks = 3 }",
                "block_map.policy = \"bast\": allowed: \"off\" beside scheme.nvm_set",
            ),
            (
                "array = { members = 2, layout = 'mirrored' }",
                "array = several drives: allowed: left out beside scheme.nvm_set",
            ),
        ];
        for (keys, message) in cases {
            assert_eq!(refused(keys), "", "alone it may be");
            assert_eq!(refused(&format!("{TWO}{keys}")), message);
        }
    }
}
