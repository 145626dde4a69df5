use super::*;
use wordline_config::{Layer, resolve_run};

/// The system on the paper's TLC drive, with the keys of this scheme.
fn system(keys: &str) -> Hotr {
    let device = Layer::from_toml("device", include_str!("../../../../presets/devices/hotr-tlc.toml"));
    let scheme = Layer::from_toml("scheme", &format!("[hotr]\nenabled = true\n{keys}"));
    let (device, scheme) = resolve_run(&device.unwrap(), &scheme.unwrap(), &[]).unwrap();
    Hotr::new(&scheme.hotr, &device)
}

#[test]
fn the_staging_space_is_the_last_chip_or_spare_space_of_all() {
    // Twenty chips of two dies of 4 GiB.
    let chip = system("");
    assert_eq!(chip.reservation().dies, [DieId(38), DieId(39)]);
    assert_eq!(chip.copies(), CopyBudget::Units(2 * 4 * 2048 * 64));
    assert_eq!(system("staging_chips = 2").reservation().dies.len(), 4);
    let spare = system("staging = \"overprovisioned\"");
    assert_eq!(spare.reservation(), Reservation::default());
    assert_eq!(spare.copies(), CopyBudget::Units(2 * 4 * 2048 * 64), "5% are a twentieth");
    assert_eq!(spare.bytes(), 16_384 * 20 * 20);
}

#[test]
fn the_space_bounds_what_is_staged_or_a_number_or_a_share_of_the_pages_that_were_read() {
    let space = 2 * 4 * 2048 * 64;
    assert_eq!(system("").limit(), space);
    assert_eq!(system("hot_pages = 1_000").limit(), 1_000);
    assert_eq!(system("hot_pages = 2_000_000").limit(), space);
    let mut system = system("hot_share = 0.1");
    assert_eq!(system.limit(), 1, "one at least");
    for page in 0..50 {
        system.note_page(Lpa(page), 100);
        system.note_page(Lpa(page / 2), 100);
    }
    assert_eq!((system.read_count, system.limit()), (50, 5));
    assert_eq!(self::system("hot_share = 0.0").limit(), 0);
}

#[test]
fn two_bounds_of_what_is_staged_are_refused() {
    let config = HotrConfig { hot_share: Some(0.1), hot_pages: Some(1_000), ..HotrConfig::default() };
    let error = config.validate().unwrap_err().to_string();
    assert!(error.contains("one of hot_pages and hot_share"), "{error}");
}
