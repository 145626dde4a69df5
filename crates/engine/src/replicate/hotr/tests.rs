use super::*;
use crate::config::{Layer, resolve_run};

/// The system on the paper's TLC drive, with the keys of this scheme.
fn system(keys: &str) -> Hotr {
    let device = Layer::from_toml("device", include_str!("../../../../../presets/devices/hotr-tlc.toml"));
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
fn a_tenth_of_the_pages_that_were_read_may_be_staged() {
    let mut system = system("");
    assert_eq!(system.limit(), 1, "one at least");
    for page in 0..50 {
        system.note_page(Lpa(page), 100);
        system.note_page(Lpa(page / 2), 100);
    }
    assert_eq!((system.read_count, system.limit()), (50, 5));
    assert_eq!(self::system("hot_share = 0.0").limit(), 0);
}
