//! Policies of the data cache of one's own, right and wrong ones.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use crate::cache::{cached, collecting, counts, mixed};
use crate::common::*;
use wordline_engine::cache::{Access, CachePolicy, CacheView};
use wordline_engine::config::cache::CacheKind;
use wordline_engine::ids::Lpa;
use wordline_engine::stats::report::Report;

/// Keeps even pages only; gives up and writes back the youngest.
struct Contrary;

impl CachePolicy for Contrary {
    fn admits_read(&mut self, lpa: Lpa) -> bool {
        lpa.0.is_multiple_of(2)
    }
    fn refreshes(&mut self, _lpa: Lpa, access: Access) -> bool {
        access == Access::Read
    }
    fn keeps(&mut self, lpa: Lpa) -> bool {
        lpa.0.is_multiple_of(2)
    }
    fn evict(&mut self, view: &CacheView<'_>) -> Option<Lpa> {
        view.clean().last()
    }
    fn write_back(&mut self, view: &CacheView<'_>) -> Option<Lpa> {
        view.dirty().last()
    }
}

/// Names what is not there.
struct Wrong;

impl CachePolicy for Wrong {
    fn admits_read(&mut self, _lpa: Lpa) -> bool {
        true
    }
    fn refreshes(&mut self, _lpa: Lpa, _access: Access) -> bool {
        true
    }
    fn keeps(&mut self, _lpa: Lpa) -> bool {
        true
    }
    fn write_back(&mut self, view: &CacheView<'_>) -> Option<Lpa> {
        view.dirty().next().map(|lpa| Lpa(lpa.0 + 1_000_000))
    }
}

/// Keeps all and gives up nothing.
struct Miser;

impl CachePolicy for Miser {
    fn admits_read(&mut self, _lpa: Lpa) -> bool {
        true
    }
    fn refreshes(&mut self, _lpa: Lpa, _access: Access) -> bool {
        true
    }
    fn keeps(&mut self, _lpa: Lpa) -> bool {
        true
    }
    fn evict(&mut self, _view: &CacheView<'_>) -> Option<Lpa> {
        None
    }
}

fn with(policy: Box<dyn CachePolicy + Send>) -> Result<Report, wordline_engine::RunError> {
    let setup = cached(collecting(), CacheKind::Lru, 40, 0.5);
    let mut drive = setup.prepare(&[]).unwrap();
    drive.set_cache_policy(policy);
    let requests = mixed(3, 1_500, drive.logical_bytes());
    record_on(&setup, drive, &mut Listed(requests)).map(|(report, _)| report)
}

#[test]
fn a_policy_of_ones_own_works_and_one_that_names_what_is_not_cached_is_told_so() {
    assert!(counts(&with(Box::new(Contrary)).unwrap()).evictions > 0);
    let error = with(Box::new(Wrong)).unwrap_err().to_string();
    assert!(error.contains("the cache policy chose") && error.contains("no dirty unit"), "{error}");
    let error = with(Box::new(Miser)).unwrap_err().to_string();
    assert!(error.contains("gives up none of 40 clean units"), "{error}");
}
