//! The shape of all state that a snapshot may hold, against the recorded one in `shapes.txt`: state that changes needs a new
//! [`FORMAT`], so that a snapshot from before is refused by its number.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is the failure")]

use super::FORMAT;
use crate::host::{HostOp, HostRequest, RequestSource, SourceError};
use crate::{Ending, Kept, Setup, Split, Stop, Unobserved, replay_in_parts};
use wordline_base::snapshot::shape::{LEFT_OUT, lines, taken_down};
use wordline_base::time::Ns;
use wordline_config::owned::SCHEME;
use wordline_config::run::{Occupancy, StartConfig, StartLayout};
use wordline_config::{HostConfig, Layer, MeasureConfig, WindowConfig, resolve_run};

#[path = "../../../../fuzz/src/keys.rs"]
mod keys;

const RECORDED: &str = include_str!("shapes.txt");

const RECORD: &str = "WORDLINE_RECORD_SHAPES=1 cargo test -p wordline-engine --lib shapes";

const DEVICE: &str = include_str!("../../../../presets/devices/mqsim.toml");

/// Small, and with little space.
const SMALL: [(&str, &str); 7] = [
    ("device.geometry.channels", "2"),
    ("device.geometry.ways", "1"),
    ("device.geometry.dies", "2"),
    ("device.geometry.planes", "2"),
    ("device.geometry.blocks", "24"),
    ("device.geometry.pages", "8"),
    ("device.capacity.overprovisioning", "0.5"),
];

/// A drive that starts in its steady state: no key of the drive.
const STEADY: (&str, &str) = ("workload.start.layout", "steady");

/// Keys that need one another.
const TOGETHER: [&[(&str, &str)]; 18] = [
    &[
        ("scheme.mapping.policy", "segments"),
        ("scheme.mapping.host_memory", "true"),
        ("device.link.host_memory_ns", "700"),
    ],
    &[("scheme.gc.pace.band", "2"), ("scheme.blocks.superblock", "channels")],
    &[STEADY],
    &[("scheme.nvm_set", "[{ name = 'a', channels = [0] }]"), ("scheme.placement.policy", "dynamic")],
    &[("scheme.blocks.host_write_points", "2"), ("scheme.gc.isolation", "persistent")],
    &[
        ("device.slc_mode", "{ read_ns = 20000, program_ns = 100000, erase_ns = 1000000 }"),
        ("scheme.slc_cache.policy", "dynamic"),
    ],
    &[
        ("device.slc_mode", "{ read_ns = 20000, program_ns = 100000, erase_ns = 1000000 }"),
        ("scheme.slc_cache.policy", "static"),
    ],
    &[("device.suspend.program_ns", "5000"), ("scheme.scheduler.policy", "read_first_suspend")],
    &[("scheme.blocks.superblock", "channels"), ("scheme.redundancy.policy", "parity_rows")],
    &[("scheme.reclaim.policy", "superblock"), ("scheme.reclaim.threshold", "20")],
    &[
        ("scheme.blocks.superblock", "channels"),
        ("scheme.reclaim.policy", "shuffler"),
        ("scheme.reclaim.threshold", "20"),
    ],
    &[
        ("scheme.blocks.superblock", "channels"),
        ("scheme.reclaim.policy", "page"),
        ("scheme.reclaim.threshold", "20"),
        ("workload.measure.reclaims", "true"),
    ],
    &[
        ("scheme.wear.free_block", "least_worn"),
        ("scheme.wear.static_spread", "1"),
        ("scheme.wear.static_interval", "1"),
    ],
    &[
        ("device.copyback.supported", "true"),
        ("device.copyback.blocks", "plane"),
        ("scheme.gc.rotating", "true"),
        ("scheme.placement.policy", "dynamic"),
        ("device.cpu.cores", "2"),
        ("scheme.firmware.lookup_ns", "300"),
    ],
    &[
        ("device.geometry.channels", "3"),
        ("scheme.redundancy.policy", "parity_pages"),
        ("scheme.cache.policy", "write_buffer"),
        ("scheme.cache.bytes", "100000"),
        ("scheme.cache.past_collection", "true"),
    ],
    &[("scheme.block_map.policy", "fast"), ("scheme.block_map.log_blocks", "3")],
    &[
        ("scheme.cache.policy", "write_buffer"),
        ("scheme.cache.bytes", "100000"),
        ("scheme.cache.pause", "{ every_units = 20, ns = 1000000 }"),
        ("scheme.cache.throttle", "{ from = 0.3, gap_ns = 20000 }"),
    ],
    // Regions that a plan of so small a drive can open.
    &[
        ("scheme.mapping.policy", "demand"),
        ("scheme.mapping.cache_bytes", "0"),
        ("scheme.reclaim.policy", "block"),
        ("scheme.reclaim.threshold", "20"),
        ("scheme.astro.enabled", "true"),
        ("scheme.astro.region_pages", "16"),
        ("scheme.astro.pages_per_bit", "4"),
        ("scheme.astro.planes", "0"),
        ("scheme.astro.at_once", "2"),
        ("scheme.astro.read_threshold", "30"),
    ],
];

fn setup(scheme: &str, changes: &[(&str, &str)]) -> Option<Setup> {
    let steady = changes.contains(&STEADY);
    let changes = changes.iter().filter(|change| **change != STEADY);
    let all = SMALL.iter().chain(changes).map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    let layer = |text| Layer::from_toml("test", text).unwrap();
    let (device, scheme) = resolve_run(&layer(DEVICE), &layer(scheme), &all.collect::<Vec<_>>()).ok()?;
    // Log blocks fill while requests are served.
    let overwrite = if scheme.block_map.is_on() { 0.0 } else { 1.0 };
    let setup = Setup {
        host: HostConfig { queue_depth: 32, ..HostConfig::default() },
        start: StartConfig {
            occupancy: Occupancy::All,
            overwrite,
            layout: if steady { StartLayout::Steady } else { StartLayout::InOrder },
            settle_requests: None,
            ..StartConfig::default()
        },
        window: WindowConfig { warmup_requests: 50, ..WindowConfig::default() },
        measure: MeasureConfig {
            interval_ns: 1_000_000,
            sample_ns: 100_000,
            sample_table: true,
            block_table: true,
            chips: true,
            collisions: true,
            ..MeasureConfig::default()
        },
        kept: Kept::Checked,
        ..Setup::of(device, scheme)
    };
    setup.validate().ok().map(|()| setup)
}

/// Reads, writes and TRIMs over the whole drive.
struct Mixed {
    drive: u64,
    given: u64,
}

impl RequestSource for Mixed {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        for number in self.given..(self.given + 50).min(300) {
            let op = match number % 16 {
                15 => HostOp::Trim,
                14 => HostOp::Flush,
                13 => HostOp::WriteFua,
                even if even % 2 == 0 => HostOp::Read,
                _ => HostOp::Write,
            };
            let offset = number * 7_919 * 2048 % self.drive;
            let length =
                if op == HostOp::Flush { 0 } else { (1024 + number * 512 % 20_000).min(self.drive - offset) };
            let offset = if op == HostOp::Flush { 0 } else { offset };
            batch.push(HostRequest {
                time: Ns(number * 2_000),
                op,
                offset,
                length,
                flow: 0,
                stream: number as u16 % 2,
            });
        }
        self.given += 50;
        Ok(())
    }
}

/// Saves a run in the middle; returns whether the drive was accepted.
fn saved_in_the_middle(scheme: &str, changes: &[(&str, &str)]) -> bool {
    let Some(setup) = setup(scheme, changes) else { return false };
    let Ok(mut drive) = setup.prepare(&[]) else { return false };
    let mut source = Mixed { drive: drive.logical_bytes(), given: 0 };
    let mut saved = Vec::new();
    let stop = Stop { after_requests: 200, ..Stop::default() };
    let split = Split { stop, save: Some(&mut saved), ..Split::default() };
    match replay_in_parts(&setup, &mut drive, &mut source, &mut Unobserved, split) {
        Ok(Ending::Stopped { .. }) => true,
        Ok(Ending::Finished(_)) => panic!("{changes:?}: the run should have stopped"),
        // Drives that are worn out, for one.
        Err(_) => false,
    }
}

/// Drives with each part that can be switched on.
fn every_part() -> (usize, usize) {
    let (mut asked, mut saved) = (0, 0);
    let mut save = |scheme: &str, changes: &[(&str, &str)]| {
        asked += 1;
        saved += usize::from(saved_in_the_middle(scheme, changes));
    };
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../presets/schemes");
    let mut schemes: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    schemes.sort();
    for scheme in schemes {
        save(&std::fs::read_to_string(scheme).unwrap(), &[]);
    }
    for changes in TOGETHER {
        save("", changes);
    }
    for (key, values) in keys::KEYS.iter().filter(|(key, _)| !key.starts_with("workload")) {
        let choice = choice_that_reads(key);
        for value in *values {
            let choice = choice.as_ref().map(|(path, choice)| (path.as_str(), *choice));
            let changes: Vec<_> = choice.into_iter().chain([(*key, *value)]).collect();
            save("", &changes);
        }
    }
    (asked, saved)
}

/// A policy that reads a key which others don't.
fn choice_that_reads(key: &str) -> Option<(String, &'static str)> {
    SCHEME.iter().find_map(|slot| {
        let first = key.strip_prefix(&format!("scheme.{}.", slot.table))?.split('.').next()?;
        let (_, owners) = slot.owned.iter().find(|(owned, _)| *owned == first)?;
        Some((format!("scheme.{}.{}", slot.table, slot.choice), *owners.first()?))
    })
}

/// Parts of a text between separators outside of all brackets.
fn split<'a>(text: &'a str, separator: &str) -> Vec<&'a str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0i32);
    for (place, letter) in text.char_indices() {
        depth += i32::from("([{<".contains(letter)) - i32::from(")]}>".contains(letter));
        if depth == 0 && text[place..].starts_with(separator) && place >= start {
            parts.push(&text[start..place]);
            start = place + separator.len();
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Whether a kind of value is one that was recorded, as far as either was seen.
fn fits(now: &str, before: &str) -> bool {
    let (all, known) = (split(now, " | "), split(before, " | "));
    if all.len() > 1 || known.len() > 1 {
        return all.iter().all(|now| known.iter().any(|before| fits(now, before)));
    }
    if now == before || now == "?" || before == "?" {
        return true;
    }
    for (open, close) in [("Option<", '>'), ("[", ']'), ("(", ')'), ("{", '}')] {
        let inner = |text: &'_ str| text.strip_prefix(open)?.strip_suffix(close).map(str::to_owned);
        if let (Some(now), Some(before)) = (inner(now), inner(before)) {
            let parts = |text: &str| -> Vec<String> {
                split(text, ", ").iter().flat_map(|part| split(part, ": ")).map(str::to_owned).collect()
            };
            let (now, before) = (parts(&now), parts(&before));
            return now.len() == before.len()
                && now.iter().zip(&before).all(|(now, before)| fits(now, before));
        }
    }
    false
}

/// Name of a line, and its fields with their kinds.
fn fields(line: &str) -> (&str, Vec<(&str, &str)>) {
    let (name, rest) = line.split_once(" { ").unwrap();
    let inner = rest.strip_suffix(" }").unwrap_or_default();
    (name, split(inner, ", ").iter().filter_map(|field| field.split_once(": ")).collect())
}

/// Whether a line says something else than those that were recorded. What was not seen before is nothing else.
fn contradicts(line: &str, recorded: &[&str]) -> bool {
    let (name, now) = fields(line);
    // A variant is known by its number: of an enum `Enum`, `Enum::3 `.
    let number = name
        .split_once("::")
        .map_or(name, |(_, rest)| &name[..name.len() - rest.len() + rest.find(' ').unwrap_or(0)]);
    let known =
        |other: &str| if number == name { other == name } else { other.starts_with(&format!("{number} ")) };
    let mut others = recorded.iter().map(|line| fields(line)).filter(|(other, _)| known(other)).peekable();
    let same = |(other, before): (&str, Vec<(&str, &str)>)| {
        other == name
            && before.len() == now.len()
            && before.iter().zip(&now).all(|(before, now)| before.0 == now.0 && fits(now.1, before.1))
    };
    others.peek().is_some() && !others.any(same)
}

#[test]
fn a_changed_field_contradicts_and_what_was_not_seen_does_not() {
    let recorded = [
        "A { x: u32, y: Option<?>, z: [(u8, B)] }",
        "E::0 One {  }",
        "E::1 Two { 0: A }",
        "record r { 0: u8 | [A] }",
    ];
    for fine in [
        "A { x: u32, y: Option<u8>, z: [(u8, B)] }",
        "A { x: u32, y: Option<?>, z: [?] }",
        "New { x: u32 }",
        "E::1 Two { 0: A }",
        "E::2 Three {  }",
        "record r { 0: [A] }",
    ] {
        assert!(!contradicts(fine, &recorded), "{fine}");
    }
    for other in [
        "A { x: u64, y: Option<?>, z: [(u8, B)] }",
        "A { x: u32, y: u8, z: [(u8, B)] }",
        "A { x: u32, y: Option<?>, z: [(u8, C)] }",
        "A { x: u32, y: Option<?> }",
        "A { x: u32, yy: Option<?>, z: [?] }",
        "E::1 Three {  }",
        "record r { 0: u8 | [B] }",
    ] {
        assert!(contradicts(other, &recorded), "{other}");
    }
}

#[test]
fn state_of_another_shape_has_another_number_of_its_form() {
    let mut counts = (0, 0);
    let shapes = taken_down(|| counts = every_part());
    assert!(counts.1 * 4 > counts.0 * 3, "{counts:?}: too few drives to see all state");
    let now = lines(&shapes);
    let left_out: Vec<_> = now.iter().filter(|line| line.contains(LEFT_OUT)).collect();
    assert!(left_out.is_empty(), "state can't be read back when fields are left out: {left_out:#?}");
    let (format, recorded) = RECORDED.split_once('\n').unwrap();
    let format: u32 = format.strip_prefix("FORMAT ").unwrap().parse().unwrap();
    let recorded: Vec<&str> = recorded.lines().collect();
    let other: Vec<_> = now.iter().filter(|line| contradicts(line, &recorded)).collect();
    if std::env::var_os("WORDLINE_RECORD_SHAPES").is_some() && (format < FORMAT || other.is_empty()) {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/snapshot/shapes.txt");
        return std::fs::write(path, format!("FORMAT {FORMAT}\n{}\n", now.join("\n"))).unwrap();
    }
    assert!(
        other.is_empty() || format < FORMAT,
        "what a snapshot holds has changed: raise FORMAT in snapshot/mod.rs, then record it: {RECORD}\n{other:#?}"
    );
    assert!(format == FORMAT, "FORMAT is {FORMAT}, what was recorded is of {format}: record it: {RECORD}");
}
