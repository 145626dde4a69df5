//! Where the map of a prepared drive is.
#![allow(clippy::unwrap_used, reason = "a panic is the failure")]

use crate::run::Setup;
use wordline_config::run::{Occupancy, StartConfig};
use wordline_config::{HostConfig, Layer, MeasureConfig, WindowConfig, resolve_run};

#[test]
fn a_prepared_drive_has_a_journal_that_has_gone_round_and_an_empty_one_has_none() {
    let text = include_str!("../../../../../presets/devices/mqsim.toml");
    let keys = [
        ("device.geometry.channels", "1"),
        ("device.geometry.ways", "1"),
        ("device.geometry.dies", "1"),
        ("device.geometry.blocks", "64"),
        ("device.capacity.overprovisioning", "0.3"),
        ("scheme.mapping.policy", "journaled"),
    ];
    let keys = keys.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let layer = |text| Layer::from_toml("test", text).unwrap();
    let (device, scheme) = resolve_run(&layer(text), &layer(""), &keys).unwrap();
    for occupancy in [Occupancy::All, Occupancy::None] {
        let setup = Setup {
            device: device.clone(),
            scheme: scheme.clone(),
            host: HostConfig::default(),
            start: StartConfig { occupancy, ..StartConfig::default() },
            window: WindowConfig::default(),
            measure: MeasureConfig::default(),
            seed: 1,
            checked: true,
            sequence_numbers: false,
            pattern: None,
        };
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
