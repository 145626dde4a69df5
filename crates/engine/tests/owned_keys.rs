//! Keys that only some policies read: every key of every slot is known to be one or not, and where nothing reads it a value other
//! than its default is refused.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use serde::Deserialize;
use serde_json::Value;

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::cache::{CacheBytes, CacheConfig, CacheKind};
use wordline_engine::config::host::HostConfig;
use wordline_engine::config::owned::{ALL, Slot};
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::*;
use wordline_engine::config::{ConfigError, Layer, Layers};
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::time::Ns;

/// Keys that every choice of their slot reads.
const READ_BY_ALL: &[(&str, &[&str])] = &[
    ("mapping", &["unmapped_reads", "translation_entry_bytes"]),
    ("placement", &["order"]),
    // The write point is there whatever fills it.
    ("separation", &["separate_hot_moves"]),
    (
        "gc",
        &[
            "trigger",
            "stop",
            "background",
            "pace",
            "read_ahead_pages",
            "isolation",
            "host_access",
            "rotating",
            "copyback",
        ],
    ),
    ("reclaim", &[]),
    ("slc_cache", &[]),
    // Tiers of one's own may stand beside any policy, and under each there is something that a bound lets go first.
    ("scheduler", &["tiers", "starvation_bound_ns"]),
    ("redundancy", &[]),
    ("block_map", &[]),
    // Bounds on requests inside the drive need no cache.
    ("cache", &["max_writes", "max_writes_hold"]),
    ("collision", &[]),
    ("hotr", &[]),
    ("partition", &[]),
    ("astro", &[]),
    ("arbitration", &["burst"]),
];

/// What a choice needs beside it.
const NEEDS: &[(&str, &str, &str)] = &[
    ("slc_cache", "static", "scheme.slc_cache.share = 0.125"),
    ("separation", "hot_cold", "scheme.blocks.host_write_points = 2"),
    ("scheduler", "piq", "workload.host.max_inside = 8"),
    ("scheduler", "fios", "workload.host.max_inside = 8"),
    ("scheduler", "paq", "workload.host.max_inside = 8"),
];

/// Values one of which every key takes and has not by default.
const VALUES: &[&str] = &[
    "true",
    "false",
    "0.25",
    "0.2",
    "2",
    "7",
    "20000",
    "all",
    "\"none\"",
    "each",
    "occupied",
    "background",
    "foreground",
    "close",
    "fold_first",
    "erased",
    "any_wait",
    "append",
    "earlier",
    "new",
    "overprovisioned",
    "blocked",
    "any_die",
    "wait",
    "never",
    "down",
    "read_channels",
    "block",
    "{ every_units = 20, ns = 1000 }",
    "{ from = 0.3, gap_ns = 20000 }",
    "{ gap_ns = 5, burst_units = 3, beside_reads_ns = 9 }",
    "{ full = 0.5 }",
    "{ group = 3 }",
];

#[derive(Deserialize)]
struct Load {
    #[serde(default)]
    host: HostConfig,
}

/// The description with these overrides over the defaults, whole, as far as it is allowed.
fn described(root: &str, overrides: &[(String, String)]) -> Result<Value, ConfigError> {
    let layers = Layers::new().with(Layer::from_overrides(overrides)?);
    if root == "scheme" {
        let scheme: SchemeConfig = layers.resolve("scheme")?;
        scheme.validate().map_err(|error| error.under(root))?;
        Ok(serde_json::to_value(scheme).unwrap())
    } else {
        let host = layers.resolve::<Load>("workload")?.host;
        host.validate().map_err(|error| error.under(root))?;
        Ok(serde_json::to_value(host).unwrap())
    }
}

/// What errors list of keys or words.
fn listed(error: &ConfigError) -> Vec<String> {
    let list = error.allowed.strip_prefix("a known key: ").unwrap_or(&error.allowed);
    list.split(';').next().unwrap().replace(" or ", ", ").split(", ").map(str::to_owned).collect()
}

fn chosen(root: &str, slot: &Slot, choice: &str) -> Vec<(String, String)> {
    let mut overrides = vec![(format!("{root}.{}.{}", slot.table, slot.choice), choice.to_owned())];
    let needs = NEEDS.iter().filter(|(table, of, _)| (*table, *of) == (slot.table, choice));
    overrides.extend(needs.map(|(_, _, need)| {
        let (path, value) = need.split_once(" = ").unwrap();
        (path.to_owned(), value.to_owned())
    }));
    overrides
}

#[test]
fn every_key_of_every_slot_is_one_that_all_read_or_one_that_some_do() {
    for (root, slots) in ALL {
        for slot in slots {
            let path = |key: &str| format!("{root}.{}.{key}", slot.table);
            let unknown = described(root, &[(path("zzzzzzzz"), "1".to_owned())]).unwrap_err();
            let shared = READ_BY_ALL.iter().find(|(table, _)| *table == slot.table);
            // The two schedulers, of the drive and of the host, have nothing in common.
            let shared = shared.filter(|_| !(root != "scheme" && slot.table == "scheduler"));
            let shared: &[&str] = shared.map_or(&[], |(_, keys)| keys);
            let mut expected: Vec<&str> = slot.owned.iter().map(|(key, _)| *key).collect();
            expected.extend(shared);
            expected.push(slot.choice);
            expected.sort_unstable();
            let mut known = listed(&unknown);
            known.sort();
            assert_eq!(known, expected, "{}: {unknown}", slot.table);
            if !slot.choices.contains(&"true") {
                let unknown = described(root, &[(path(slot.choice), "zzzzzzzz".to_owned())]).unwrap_err();
                let mut choices: Vec<&str> = slot.choices.to_vec();
                choices.sort_unstable();
                let mut known = listed(&unknown);
                known.sort();
                assert_eq!(known, choices, "{}", slot.table);
            }
            let default = described(root, &[]).unwrap();
            assert_eq!(slot.chosen(&default), slot.choices[0]);
            assert!(slot.owned.iter().flat_map(|(_, owners)| *owners).all(|one| slot.choices.contains(one)));
        }
    }
}

#[test]
fn a_key_that_the_choice_does_not_read_is_refused_and_one_that_it_reads_is_not() {
    for (root, slots) in ALL {
        for slot in slots {
            for (key, owners) in slot.owned {
                let path = format!("{root}.{}.{key}", slot.table);
                let with = |choice: &str, value: &str| {
                    let mut overrides = chosen(root, slot, choice);
                    // One of two that say the same.
                    overrides.retain(|(other, _)| {
                        !(path.ends_with("slc_cache.bytes") && other.ends_with(".share"))
                    });
                    overrides.push((path.clone(), value.to_owned()));
                    described(root, &overrides)
                };
                let of = |whole: &Value| whole.get(slot.table).and_then(|table| table.get(*key)).cloned();
                let default =
                    |choice: &str| described(root, &chosen(root, slot, choice)).ok().as_ref().and_then(of);
                let other = |choice: &str| {
                    VALUES.iter().copied().find(|value| {
                        with(choice, value)
                            .is_ok_and(|whole| of(&whole).is_some() && of(&whole) != default(choice))
                    })
                };
                for owner in *owners {
                    assert!(other(owner).is_some(), "{path} with {owner}: none of the values");
                }
                let value = other(owners[0]).unwrap();
                for choice in slot.choices.iter().filter(|choice| !owners.contains(choice)) {
                    let told = with(choice, value).map(|_| ()).expect_err(&format!("{path} with {choice}"));
                    assert!(
                        (told.path == path || told.path.starts_with(&format!("{path}.")))
                            && told.allowed.contains("nothing reads it"),
                        "{choice}: {told}"
                    );
                }
            }
        }
    }
}

/// A drive on which every key of the mapping that is read shows: a part of it is occupied, it has a data cache, and searches as
/// well as look-ups in the host's memory take time.
fn telling(policy: MappingKind) -> Setup {
    let mut drive = device(2, 1, 1, 2);
    (drive.geometry.blocks, drive.geometry.pages) = (24, 8);
    drive.geometry.page_bytes = 8192;
    drive.capacity.overprovisioning = Some(0.6);
    drive.link.host_memory_ns = 700;
    let mut setup = setup(drive);
    setup.scheme.gc.trigger = 0.15;
    setup.scheme.firmware.search_step_ns = 300;
    setup.scheme.cache = CacheConfig {
        policy: CacheKind::WriteBuffer,
        bytes: CacheBytes::Bytes(16 * 4096),
        ..CacheConfig::default()
    };
    setup.scheme.mapping.policy = policy;
    setup.scheme.mapping.translation_entry_bytes = 64;
    if policy == MappingKind::Journaled {
        setup.scheme.mapping.translation_entry_bytes = 16;
    }
    if policy.is_cached() {
        setup.scheme.mapping.cache_share = Some(0.3);
    }
    setup.start = start(Occupancy::Share(0.3), 0.0);
    setup.host = closed(16);
    setup
}

const MAPPINGS: [MappingKind; 5] = [
    MappingKind::Page,
    MappingKind::Demand,
    MappingKind::Segments,
    MappingKind::Tpftl,
    MappingKind::Journaled,
];

#[test]
fn every_key_of_the_mapping_that_a_policy_reads_changes_what_comes_out() {
    let result = |setup: &Setup| {
        let bytes = setup.logical_bytes().unwrap();
        let mut random = Random(5);
        let requests = (0..1_500).map(|number| {
            let op = match random.below(8) {
                0 => HostOp::Trim,
                1..=3 => HostOp::Read,
                _ => HostOp::Write,
            };
            let (offset, units) = (random.below(bytes / 4096 - 4) * 4096, 1 + random.below(3));
            HostRequest { time: Ns(number), op, offset, length: units * 4096, flow: 0, stream: 0 }
        });
        serde_json::to_string(&run(setup, &mut Listed(requests.collect())).unwrap()).unwrap()
    };
    let changes: [(&str, &str); 24] = [
        ("unmapped_reads", "allocate"),
        ("cache_bytes", "1024"),
        ("cache_share", "0.6"),
        ("cache_share_of", "occupied"),
        ("entry_bytes", "16"),
        ("translation_entry_bytes", "32"),
        ("translation_page_bytes", "2048"),
        ("stored_at_start", "all"),
        ("loads", "each"),
        ("search_buckets", "3"),
        ("protected_share", "0.5"),
        ("batch_entries", "3"),
        ("batch_until", "erased"),
        ("eviction", "background"),
        ("host_memory", "true"),
        ("write_back_lookups", "true"),
        ("node_entry_bytes", "12"),
        ("node_bytes", "20"),
        ("request_prefetch", "false"),
        ("prefetch_threshold", "1"),
        ("batch_update", "false"),
        ("clean_first", "false"),
        ("journal_bytes", "65536"),
        ("journal_entry_bytes", "20"),
    ];
    for policy in MAPPINGS {
        let base = telling(policy);
        let plain = result(&base);
        for (key, value) in changes {
            let mut table = serde_json::to_value(&base.scheme.mapping).unwrap();
            let object = table.as_object_mut().unwrap();
            object.insert(key.to_owned(), serde_json::from_str(value).unwrap_or_else(|_| Value::from(value)));
            if key == "cache_bytes" {
                // It stands in its place.
                object.remove("cache_share");
            }
            let mut setup = base.clone();
            setup.scheme.mapping = serde_json::from_value(table).unwrap();
            if setup.scheme.mapping == base.scheme.mapping {
                panic!("{key} = {value} is as before");
            }
            if key == "stored_at_start" && policy == MappingKind::Journaled {
                // It shows when pages of the map are collected, which a small drive never does.
                assert!(setup.validate().is_ok());
                continue;
            }
            match setup.validate() {
                Ok(()) => {
                    assert!(result(&setup) != plain, "{key} = {value} with {policy:?} changes nothing")
                }
                Err(error) => assert!(error.allowed.contains("nothing reads it"), "{policy:?}: {error}"),
            }
        }
    }
}

#[test]
fn a_later_layer_that_chooses_another_policy_leaves_out_what_that_does_not_read() {
    let preset = "[scheme.mapping]\npolicy = \"segments\"\nhost_memory = true\ncache_bytes = 4096\n\
                  [scheme.cache]\npolicy = \"lru\"\nbytes = 65536\nadmit_reads = \"none\"\nmax_writes = 4\n\
                  [scheme.astro]\nenabled = true\nplanes = 4";
    let over = |overrides: &[(&str, &str)]| {
        let layers = Layers::new().with(Layer::from_toml("preset.toml", preset).unwrap());
        let layers = layers.with(Layer::from_overrides(overrides).unwrap());
        let scheme: SchemeConfig = layers.resolve("scheme").unwrap();
        scheme
            .validate()
            .map(|()| scheme)
            .map_err(|error| layers.attach_origin(error.under("scheme")).to_string())
    };
    let scheme = over(&[("scheme.mapping.policy", "page"), ("scheme.cache.policy", "write_buffer")]).unwrap();
    assert_eq!(scheme.mapping, MappingConfig::default());
    assert_eq!((scheme.cache.bytes, scheme.cache.max_writes), (CacheBytes::Bytes(65536), 4));
    assert_eq!(over(&[("scheme.mapping.policy", "demand")]).unwrap().mapping.cache_bytes, 4096);
    assert_eq!(over(&[("scheme.astro.enabled", "false")]).unwrap().astro, SchemeConfig::default().astro);
    let inner =
        over(&[("scheme.reclaim.policy", "block"), ("scheme.reclaim.shuffle.full", "0.6")]).unwrap_err();
    assert!(inner.starts_with("scheme.reclaim.shuffle.full = 0.6: allowed: 0.3, or policy"), "{inner}");
    // In one layer they are said together.
    let both = over(&[("scheme.mapping.policy", "page"), ("scheme.mapping.cache_bytes", "4096")]);
    assert_eq!(
        both.unwrap_err(),
        "scheme.mapping.cache_bytes = 4096: \
         allowed: 262144, or policy = \"demand\", \"segments\" or \"tpftl\": with \"page\" nothing reads it"
    );
}
