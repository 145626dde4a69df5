//! What uses the DRAM of a drive.

use std::collections::BTreeMap;

use serde::Serialize;

/// The controller's DRAM.
#[derive(Clone, Debug, Default, Serialize)]
pub struct DramReport {
    /// Its size; `None` without a limit.
    pub total_bytes: Option<u64>,
    /// What nobody uses; `None` without a limit.
    pub free_bytes: Option<u64>,
    /// What all users take together.
    pub used_bytes: u64,
    /// User (`map`, `data_cache`, …) → bytes.
    pub bytes_by_user: BTreeMap<String, u64>,
}

impl DramReport {
    /// Of a DRAM of so many bytes (`None`: without a limit), shared by these users. Those of one name count as one.
    pub fn new<'a>(total_bytes: Option<u64>, users: impl Iterator<Item = (&'a str, u64)>) -> Self {
        let mut bytes_by_user = BTreeMap::new();
        for (name, bytes) in users {
            let held: &mut u64 = bytes_by_user.entry(name.to_owned()).or_default();
            *held = held.saturating_add(bytes);
        }
        let used_bytes = bytes_by_user.values().fold(0, |sum: u64, bytes| sum.saturating_add(*bytes));
        let free_bytes = total_bytes.map(|total| total.saturating_sub(used_bytes));
        Self { total_bytes, free_bytes, used_bytes, bytes_by_user }
    }

    /// That of several drives, or of the parts of one. Without a limit where one of them has none.
    pub fn of_all<'a>(members: impl Iterator<Item = &'a Self> + Clone) -> Self {
        let total = members.clone().map(|member| member.total_bytes);
        let users = members.flat_map(|member| &member.bytes_by_user);
        Self::new(total.sum(), users.map(|(name, &bytes)| (name.as_str(), bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dram_of_several_drives_is_that_of_all() {
        let drive = DramReport::new(Some(1000), [("map", 300), ("pairs", 50), ("map", 100)].into_iter());
        assert_eq!((drive.used_bytes, drive.free_bytes, drive.bytes_by_user["map"]), (450, Some(550), 400));
        let both = DramReport::of_all([&drive, &drive].into_iter());
        assert_eq!((both.total_bytes, both.free_bytes, both.used_bytes), (Some(2000), Some(1100), 900));
        assert_eq!(both.bytes_by_user["pairs"], 100);
        let unlimited = DramReport::new(None, std::iter::empty());
        let mixed = DramReport::of_all([&drive, &unlimited].into_iter());
        assert_eq!((mixed.total_bytes, mixed.free_bytes, mixed.used_bytes), (None, None, 450));
    }
}
