//! The byte ledger of the controller's DRAM: what one user takes, the others lack.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use wordline_config::ConfigError;
use wordline_observe::dram::DramReport;

/// A user's number in the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account(usize);

/// Who uses how many bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    total: Option<u64>,
    users: Vec<(String, u64)>,
}

impl Ledger {
    /// Of a DRAM of so many bytes; `None` has no limit.
    pub fn new(total: Option<u64>) -> Self {
        Self { total, users: Vec::new() }
    }

    /// Enters a user. [`Self::check`] tells, once all are entered, whether they fit together.
    pub fn reserve(&mut self, name: &str, bytes: u64) -> Account {
        self.users.push((name.to_owned(), bytes));
        Account(self.users.len() - 1)
    }

    /// A user grows or shrinks; refused, and nothing changed, when the others leave too little.
    pub fn resize(&mut self, account: Account, bytes: u64) -> Result<(), ConfigError> {
        let Some((_, held)) = self.users.get_mut(account.0) else { return Ok(()) };
        let before = std::mem::replace(held, bytes);
        let checked = self.check();
        if checked.is_err() && bytes > before {
            self.users[account.0].1 = before;
            return checked;
        }
        Ok(())
    }

    /// Bytes in use.
    pub fn used(&self) -> u64 {
        self.users.iter().fold(0, |sum, (_, bytes)| sum.saturating_add(*bytes))
    }

    /// Bytes that nobody uses; `None` without a limit.
    pub fn free(&self) -> Option<u64> {
        self.total.map(|total| total.saturating_sub(self.used()))
    }

    /// Refuses an over-commitment, naming who uses what.
    pub fn check(&self) -> Result<(), ConfigError> {
        let used = self.used();
        let Some(total) = self.total.filter(|&total| used > total) else { return Ok(()) };
        let users: Vec<_> = self.users.iter().map(|(name, bytes)| format!("{name} {bytes}")).collect();
        let allowed = format!("at least {used} bytes: {}", users.join(", "));
        Err(ConfigError::new("device.dram.bytes", total, allowed))
    }

    /// For the results.
    pub fn report(&self) -> DramReport {
        let mut bytes_by_user = BTreeMap::new();
        for (name, bytes) in &self.users {
            *bytes_by_user.entry(name.clone()).or_insert(0) += bytes;
        }
        DramReport { total_bytes: self.total, free_bytes: self.free(), bytes_by_user }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_takes_the_others_lack_and_an_over_commitment_names_them_all() {
        let mut ledger = Ledger::new(Some(1000));
        let map = ledger.reserve("map", 400);
        ledger.reserve("data_cache", 500);
        assert_eq!((ledger.check(), ledger.free()), (Ok(()), Some(100)));
        let error = ledger.resize(map, 501).unwrap_err().to_string();
        assert_eq!(error, "device.dram.bytes = 1000: allowed: at least 1001 bytes: map 501, data_cache 500");
        assert_eq!(ledger.free(), Some(100), "a refusal changes nothing");
        ledger.resize(map, 500).unwrap();
        assert_eq!(ledger.free(), Some(0));
        ledger.resize(map, 10).unwrap();
        ledger.reserve("pairs", 491);
        let report = ledger.report();
        assert_eq!((report.total_bytes, report.free_bytes), (Some(1000), Some(0)));
        assert_eq!(report.bytes_by_user["pairs"], 491);
        assert!(ledger.check().is_err());
    }

    #[test]
    fn without_a_limit_everything_fits() {
        let mut ledger = Ledger::new(None);
        let account = ledger.reserve("map", u64::MAX);
        ledger.reserve("data_cache", u64::MAX);
        assert_eq!((ledger.check(), ledger.free()), (Ok(()), None));
        ledger.resize(account, 3).unwrap();
    }
}
