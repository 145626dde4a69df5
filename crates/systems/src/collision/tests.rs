use super::*;
use wordline_config::{Layer, resolve_run};

/// The system on the paper's drive, with the keys of this scheme.
fn system(keys: &str) -> Collision {
    let device = Layer::from_toml("device", include_str!("../../../../presets/devices/collision.toml"));
    let scheme = Layer::from_toml("scheme", &format!("[collision]\nenabled = true\n{keys}"));
    let (device, scheme) = resolve_run(&device.unwrap(), &scheme.unwrap(), &[]).unwrap();
    Collision::new(&scheme.collision, &device)
}

/// On die 0 every pair of these has collided once while die 1 was idle.
fn collided(system: &mut Collision, pairs: &[(u32, u32)]) {
    for &(a, b) in pairs {
        system.lists[0].record(pairs::pair(Ppa(a), Ppa(b)), &[0, 1, 0, 0], 5);
    }
}

/// The victim of the pair of the pages 4 and 2, of which the latter was read later.
fn victim(system: &mut Collision) -> Option<Lpa> {
    let reads = [4, 2].map(|page| ReadThere { lpa: Lpa(page), ppa: Ppa(page), order: 1 });
    let key = pairs::pair(Ppa(4), Ppa(2));
    let decided = system.decide(DieId(0), key, reads, DieId(1), &|ppa| ppa);
    decided.then(|| reads.map(|read| read.lpa).into_iter().find(|&lpa| system.awaited.contains(lpa)).unwrap())
}

#[test]
fn benefit_and_cost_are_those_of_equations_2_and_4() {
    let system = system("");
    // Figure 5: ten collisions less, of 60 µs each.
    assert!((system.benefit_ns(10) - 600_000.0).abs() < 1e-6);
    // 1,000 reads a second: 0.7 reads meet the program of 700 µs, and wait for half of it.
    assert!((system.cost_ns(1_000.0) - 245_000.0).abs() < 1e-6);
    assert!(system.benefit_ns(4) < system.cost_ns(1_000.0) && system.benefit_ns(5) > system.cost_ns(1_000.0));
}

#[test]
fn memory_is_what_the_paper_computes() {
    // §III-A: 38.5 bytes on 16 dies.
    assert_eq!(pair_entry_bits(16), 308);
    let system = system("");
    assert_eq!(system.lists.len(), 16);
    // §IV-A prints 5 KB; its own 38.5 bytes make 3,080.
    assert_eq!(80 * pair_entry_bits(16) / 8, 3_080);
    // §IV-A: 3.23 MB, from 0.2% of the flash pages of 16 KiB.
    let map = f64::from(system.budget) * 24.0;
    assert!((map / 3.23e6 - 1.0).abs() < 0.005, "{map}");
    assert_eq!(system.bytes(), 3_080 + u64::from(system.budget) * 24);
}

#[test]
fn the_victim_is_the_page_in_more_of_the_remaining_pairs() {
    let mut one = system("");
    collided(&mut one, &[(4, 2), (4, 7), (4, 9), (2, 7)]);
    assert_eq!(victim(&mut one), Some(Lpa(4)));
    let mut other = system("");
    collided(&mut other, &[(4, 2), (4, 7), (2, 9), (2, 7)]);
    assert_eq!(victim(&mut other), Some(Lpa(2)));
    for (tie, page) in [("later", 2), ("earlier", 4)] {
        let mut equal = system(&format!("tie = \"{tie}\""));
        collided(&mut equal, &[(4, 2)]);
        assert_eq!(victim(&mut equal), Some(Lpa(page)), "{tie}");
    }
}

#[test]
fn the_pair_of_e_and_g_disappears_when_f_is_replicated() {
    // Figure 5, die 2: E and G would not have collided without F. Pages as numbers: E 5, F 2, G 4.
    let mut system = system("");
    collided(&mut system, &[(5, 4), (5, 2), (4, 2)]);
    assert!(system.lists[0].get(pairs::pair(Ppa(5), Ppa(4))).is_some());
    assert_eq!(victim(&mut system), Some(Lpa(2)));
    assert!(system.lists[0].is_empty(), "the list of the die is cleared");
}

#[test]
fn a_page_that_has_a_copy_is_no_victim_unless_copies_are_replaced() {
    let mut system = system("");
    collided(&mut system, &[(4, 2)]);
    system.map.add(Lpa(2), Ppa(1_000));
    assert_eq!(victim(&mut system), Some(Lpa(4)), "the other one is");
    collided(&mut system, &[(4, 2)]);
    assert_eq!(victim(&mut system), None, "the replica of 4 is on its way");
    assert_eq!(system.awaited.take(Lpa(4)), Some(DieId(1)));
    system.map.add(Lpa(4), Ppa(1_001));
    assert_eq!((victim(&mut system), system.counters.victims_have_copies), (None, 1));
    assert_eq!(system.lists[0].len(), 1, "nothing was replicated, so nothing is cleared");

    let mut replacing = self::system("replace_copies = true");
    collided(&mut replacing, &[(4, 2)]);
    replacing.map.add(Lpa(2), Ppa(1_000));
    assert_eq!(victim(&mut replacing), Some(Lpa(2)));
}

#[test]
fn the_state_comes_back_from_bytes_and_fits_its_own_drive_only() {
    let mut system = system("");
    collided(&mut system, &[(4, 2), (4, 7)]);
    system.map.add(Lpa(3), Ppa(30));
    let bytes = postcard::to_allocvec(&system).unwrap();
    let saved = || postcard::from_bytes::<Collision>(&bytes).unwrap();
    let mut other = self::system("");
    assert!(other.take_up(saved()).is_some());
    assert_eq!(postcard::to_allocvec(&other).unwrap(), bytes);
    assert_eq!(other.lists[0].len(), 2);
    assert!(self::system("pairs_per_die = 6").take_up(saved()).is_none());
}
