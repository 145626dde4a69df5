//! The time of the DRAM's accesses, and those under way.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use wordline_base::time::Ns;
use wordline_config::cache::{DramConfig, DramRows};

/// The DRAM: one access at a time, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dram {
    access_ns: u64,
    bytes_per_s: Option<u64>,
    rows: Option<DramRows>,
    whole_requests: bool,
    /// Accesses under way: when each ends, and whose it is.
    accesses: VecDeque<(Ns, u32)>,
    /// The one that came last.
    last: Last,
}

/// An access that units of its request may join while it is the same moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Last {
    request: u32,
    asked: Ns,
    begin: Ns,
    bytes: u64,
    units: usize,
}

fn moving(bytes: u64, rate: u64) -> u64 {
    (u128::from(bytes) * 1_000_000_000).div_ceil(u128::from(rate.max(1))) as u64
}

impl Dram {
    /// As a device has it.
    pub fn new(config: &DramConfig) -> Self {
        Self {
            access_ns: config.access_ns,
            bytes_per_s: config.bytes_per_s.filter(|&rate| rate > 0),
            rows: config.rows.clone(),
            whole_requests: config.whole_requests,
            ..Self::default()
        }
    }

    /// Time of an access to so many bytes.
    pub fn access_time(&self, bytes: u64) -> Ns {
        let data = |bytes| self.bytes_per_s.map_or(0, |rate| moving(bytes, rate));
        match &self.rows {
            Some(rows) if bytes > rows.bytes => {
                let pairs = bytes / rows.bytes / 2;
                let row = self.access_ns + data(rows.bytes) + rows.gap_ns;
                Ns(pairs * row + self.access_ns + moving(bytes % rows.bytes, rows.rest_bytes_per_s))
            }
            _ => Ns(self.access_ns + data(bytes)),
        }
    }

    /// Whether an access takes no time now.
    pub fn is_immediate(&self, bytes: u32) -> bool {
        self.accesses.is_empty() && self.access_time(u64::from(bytes)) == Ns::ZERO
    }

    /// Whether nothing is under way.
    pub fn is_idle(&self) -> bool {
        self.accesses.is_empty()
    }

    /// An operation of a request moves so many bytes; returns when the first access ends if that has changed.
    pub fn access(&mut self, id: u32, request: u32, bytes: u32, now: Ns) -> Option<Ns> {
        let joins = self.whole_requests
            && (self.last.request, self.last.asked) == (request, now)
            && self.last.units <= self.accesses.len()
            && self.last.units > 0;
        if !joins {
            let begin = self.accesses.back().map_or(now, |&(end, _)| end.max(now));
            self.last = Last { request, asked: now, begin, bytes: 0, units: 0 };
        }
        self.last.bytes += u64::from(bytes);
        self.last.units += 1;
        let end = self.last.begin + self.access_time(self.last.bytes);
        self.accesses.push_back((end, id));
        let first = self.accesses.len() - self.last.units;
        for (ends, _) in self.accesses.iter_mut().skip(first) {
            *ends = end;
        }
        (first == 0).then_some(end)
    }

    /// The first access has ended: whose it was, and when the next ends.
    pub fn ended(&mut self) -> Option<(u32, Option<Ns>)> {
        let (_, id) = self.accesses.pop_front()?;
        Some((id, self.accesses.front().map(|&(end, _)| end)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dram(whole_requests: bool, rows: Option<DramRows>) -> Dram {
        let config =
            DramConfig { access_ns: 26, bytes_per_s: Some(200_000_000), whole_requests, rows, bytes: None };
        Dram::new(&config)
    }

    #[test]
    fn an_access_of_4_kib_takes_20_us_with_the_settings_that_mqsim_ships() {
        assert_eq!(dram(false, None).access_time(4096), Ns(26 + 20_480));
    }

    #[test]
    fn of_long_accesses_every_second_row_takes_time() {
        let rows = DramRows { bytes: 8192, gap_ns: 13, rest_bytes_per_s: 10_000_000_000 };
        let dram = dram(false, Some(rows));
        let row = 26 + 40_960 + 13;
        let of_sectors = |sectors: u64| dram.access_time(512 * sectors).0;
        assert_eq!(of_sectors(16), 26 + 40_960);
        assert_eq!(of_sectors(24), 26 + 410);
        assert_eq!(of_sectors(32), row + 26);
        assert_eq!(of_sectors(120), 3 * row + 26 + 410);
    }

    #[test]
    fn units_of_a_request_are_one_access_where_the_device_says_so() {
        let mut each = dram(false, None);
        assert_eq!(each.access(1, 7, 2048, Ns(100)), Some(Ns(100 + 26 + 10_240)));
        assert_eq!(each.access(2, 7, 2048, Ns(100)), None);
        assert_eq!(each.ended(), Some((1, Some(Ns(100 + 2 * (26 + 10_240))))));
        let mut whole = dram(true, None);
        assert_eq!(whole.access(1, 7, 2048, Ns(100)), Some(Ns(100 + 26 + 10_240)));
        assert_eq!(whole.access(2, 7, 2048, Ns(100)), Some(Ns(100 + 26 + 20_480)));
        // Another request, and the same at another time, wait.
        assert_eq!(whole.access(3, 8, 2048, Ns(100)), None);
        assert_eq!(whole.access(4, 8, 2048, Ns(101)), None);
        let first = Ns(100 + 26 + 20_480);
        let step = Ns(26 + 10_240);
        assert_eq!(whole.ended(), Some((1, Some(first))));
        assert_eq!(whole.ended(), Some((2, Some(first + step))));
        assert_eq!(whole.ended(), Some((3, Some(first + step + step))));
        assert_eq!(whole.ended(), Some((4, None)));
    }
}
