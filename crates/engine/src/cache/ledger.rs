//! The byte ledger of the controller's DRAM: what one user takes, the others lack.

use serde::{Deserialize, Serialize};

use wordline_config::ConfigError;
use wordline_observe::dram::DramReport;

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
    pub fn reserve(&mut self, name: &str, bytes: u64) {
        self.users.push((name.to_owned(), bytes));
    }

    /// The same of one that takes the place of who had this name before.
    pub fn replace(&mut self, name: &str, bytes: u64) {
        match self.users.iter_mut().find(|(user, _)| user == name) {
            Some((_, held)) => *held = bytes,
            None if bytes > 0 => self.reserve(name, bytes),
            None => {}
        }
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
        DramReport::new(self.total, self.users.iter().map(|(name, bytes)| (name.as_str(), *bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_takes_the_others_lack_and_an_over_commitment_names_them_all() {
        let mut ledger = Ledger::new(Some(1000));
        ledger.reserve("map", 400);
        ledger.reserve("data_cache", 500);
        assert_eq!((ledger.check(), ledger.free()), (Ok(()), Some(100)));
        ledger.reserve("pairs", 101);
        let error = ledger.check().unwrap_err().to_string();
        let users = "map 400, data_cache 500, pairs 101";
        assert_eq!(error, format!("device.dram.bytes = 1000: allowed: at least 1001 bytes: {users}"));
        let report = ledger.report();
        assert_eq!((report.total_bytes, report.free_bytes), (Some(1000), Some(0)));
        assert_eq!(report.bytes_by_user["pairs"], 101);
    }

    #[test]
    fn who_takes_the_place_of_another_takes_its_memory_too() {
        let mut ledger = Ledger::new(Some(1000));
        ledger.reserve("map", 400);
        ledger.replace("map", 10);
        ledger.replace("read_counters", 0);
        assert_eq!(ledger.free(), Some(990));
        ledger.replace("read_counters", 90);
        ledger.replace("map", 0);
        assert_eq!(ledger.free(), Some(910));
        assert_eq!(ledger.report().bytes_by_user.len(), 2);
    }

    #[test]
    fn without_a_limit_everything_fits() {
        let mut ledger = Ledger::new(None);
        ledger.reserve("map", u64::MAX);
        ledger.reserve("data_cache", u64::MAX);
        assert_eq!((ledger.check(), ledger.free()), (Ok(()), None));
    }
}
