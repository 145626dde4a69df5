//! Where the map of a prepared drive is.
#![allow(clippy::unwrap_used, reason = "a panic is the failure")]

use crate::run::Setup;
use crate::run::described::described;
use wordline_config::run::{Occupancy, StartConfig};

#[test]
fn a_prepared_drive_has_a_journal_that_has_gone_round_and_an_empty_one_has_none() {
    let described = described(&[
        ("device.geometry.channels", "1"),
        ("device.geometry.ways", "1"),
        ("device.geometry.dies", "1"),
        ("device.geometry.blocks", "64"),
        ("device.capacity.overprovisioning", "0.3"),
        ("scheme.mapping.policy", "journaled"),
    ])
    .unwrap();
    for occupancy in [Occupancy::All, Occupancy::None] {
        let start = StartConfig { occupancy, ..StartConfig::default() };
        let setup = Setup { start, ..described.clone() };
        let drive = setup.prepare(&[]).unwrap();
        let sizes = drive.ftl.translation().sizes;
        assert!(sizes.translation_pages > 1 && sizes.journal_pages > 1);
        let stored =
            (0..sizes.map_pages()).filter(|&page| drive.ftl.is_mapped(drive.ftl.map_page(page))).count();
        let expected = if occupancy == Occupancy::All { sizes.map_pages() } else { 0 };
        assert_eq!(stored as u32, expected);
        assert!(drive.audit().is_ok());
    }
}
