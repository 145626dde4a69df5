//! Instructions of a flash operation by room of the house: what each part of the drive costs, and the budget of each.

use std::collections::BTreeMap;

/// The rooms, and what below the engine's sources belongs to each: a file's room is that of its longest beginning here.
const ROOMS: [(&str, &[&str]); 7] = [
    ("base", &["snapshot", "lib.rs"]),
    ("config", &[]),
    ("flash", &[]),
    ("ftl", &["arrange.rs"]),
    ("systems", &["custom.rs", "device/borders/systems.rs"]),
    (
        "observe",
        &[
            "observers",
            "device/borders/observers.rs",
            "device/seen",
            "device/face/tenants.rs",
            "front/answers.rs",
        ],
    ),
    ("drive", &["host", "run", "array", "cache", "cores", "device", "front"]),
];

/// What comes from the workload, and from libraries, the standard one included.
const OTHERS: [&str; 2] = ["workload", "libraries"];

/// The names of all rooms and of what is none.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ROOMS.iter().map(|room| room.0).chain(OTHERS)
}

/// The room of a source file.
fn room_of(path: &str) -> &'static str {
    if let Some((room, _)) = ROOMS.into_iter().find(|(room, _)| path.contains(&format!("crates/{room}/"))) {
        return room;
    }
    let Some((_, below)) = path.split_once("crates/engine/src/") else {
        let ours = path.contains("crates/trace/") || path.contains("crates/bench/");
        return if ours { OTHERS[0] } else { OTHERS[1] };
    };
    let lengths = |beginnings: &[&str]| {
        let fits = |beginning: &&&str| below.starts_with(**beginning);
        beginnings.iter().filter(fits).map(|beginning| beginning.len()).max()
    };
    let best = ROOMS.iter().filter_map(|(room, beginnings)| Some((lengths(beginnings)?, *room))).max();
    best.map_or("none", |(_, room)| room)
}

/// Instructions by source file summed by room.
pub(crate) fn by_room(by_file: &BTreeMap<String, u64>) -> BTreeMap<&'static str, u64> {
    let mut rooms = BTreeMap::new();
    for (file, count) in by_file {
        *rooms.entry(room_of(file)).or_insert(0) += count;
    }
    rooms
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn each_file(folder: &Path, see: &mut impl FnMut(&str)) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { each_file(&path, see) } else { see(path.to_str().unwrap()) }
        }
    }

    #[test]
    fn every_source_file_of_the_engine_and_below_is_in_a_room() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut found = 0;
        for name in ["base", "config", "flash", "ftl", "systems", "observe", "engine"] {
            each_file(&crates.join(name).join("src"), &mut |file| {
                let file = file.replace("/bench/../", "/");
                found += 1;
                assert!(ROOMS.iter().any(|(room, _)| *room == room_of(&file)), "{file}");
            });
        }
        assert!(found > 200);
    }

    #[test]
    fn the_longest_beginning_decides() {
        assert_eq!(room_of("/x/crates/engine/src/front/admission.rs"), "drive");
        assert_eq!(room_of("/x/crates/engine/src/device/borders/systems.rs"), "systems");
        assert_eq!(room_of("/x/crates/base/src/divisor.rs"), "base");
        assert_eq!(room_of("/x/crates/systems/src/hotr/mod.rs"), "systems");
        assert_eq!(room_of("/x/crates/trace/src/lib.rs"), "workload");
        assert_eq!(room_of("/rustc/library/core/src/slice/mod.rs"), "libraries");
        let counts = BTreeMap::from([("/crates/flash/src/nand/die.rs".into(), 3), ("/core.rs".into(), 2)]);
        assert_eq!(by_room(&counts), BTreeMap::from([("flash", 3), ("libraries", 2)]));
    }
}
