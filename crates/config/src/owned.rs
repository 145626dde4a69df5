//! Keys that some choices of a table read and the others don't: which those are, and that nobody sets the others.
//!
//! A key that its table's choice passes over would change nothing, and say nothing: it is refused.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::ConfigError;
use super::source::Source;
use super::tree::Item;

/// A table in which one key chooses what the others are for.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// Path of the table below its root.
    pub table: &'static str,
    /// The key that chooses: a policy, a kind, or whether it is on.
    pub choice: &'static str,
    /// All that may be chosen, as text; the first is the default.
    pub choices: &'static [&'static str],
    /// Keys that only some of them read, and which those are. Every other key of the table is read by all.
    pub owned: &'static [(&'static str, &'static [&'static str])],
}

const CACHED: &[&str] = &["demand", "segments", "tpftl"];
const ON_FLASH: &[&str] = &["demand", "segments", "tpftl", "journaled"];
const BY_NODE: &[&str] = &["tpftl"];
const RECLAIMS: &[&str] = &["block", "superblock", "shuffler", "page"];
const MOVES_SUPERBLOCKS: &[&str] = &["superblock", "shuffler", "page"];
const SLC: &[&str] = &["static", "dynamic"];
const DATA_CACHE: &[&str] = &["write_buffer", "lru"];
const ON: &[&str] = &["true"];
const SWITCH: &[&str] = &["false", "true"];

/// The slots of a scheme.
pub const SCHEME: &[Slot] = &[
    Slot {
        table: "mapping",
        choice: "policy",
        choices: &["page", "demand", "segments", "tpftl", "journaled"],
        owned: &[
            ("cache_bytes", CACHED),
            ("cache_share", CACHED),
            ("cache_share_of", CACHED),
            ("entry_bytes", CACHED),
            ("translation_page_bytes", ON_FLASH),
            ("stored_at_start", ON_FLASH),
            ("loads", &["demand", "segments"]),
            ("search_buckets", CACHED),
            ("protected_share", &["demand"]),
            ("batch_entries", CACHED),
            ("batch_until", &["demand"]),
            ("eviction", CACHED),
            ("host_memory", CACHED),
            ("write_back_lookups", CACHED),
            ("node_entry_bytes", BY_NODE),
            ("node_bytes", BY_NODE),
            ("request_prefetch", BY_NODE),
            ("prefetch_threshold", BY_NODE),
            ("batch_update", BY_NODE),
            ("clean_first", BY_NODE),
            ("journal_bytes", &["journaled"]),
            ("journal_entry_bytes", &["journaled"]),
        ],
    },
    Slot { table: "placement", choice: "policy", choices: &["static", "dynamic"], owned: &[] },
    Slot {
        table: "separation",
        choice: "policy",
        choices: &["stream", "none", "hot_cold"],
        owned: &[("decay_writes", &["hot_cold"]), ("filter_bits", &["hot_cold"]), ("hot_at", &["hot_cold"])],
    },
    Slot {
        table: "gc",
        choice: "policy",
        choices: &["greedy", "d_choices", "random", "fifo", "cost_benefit", "windowed_greedy"],
        owned: &[("choices", &["d_choices"]), ("window", &["windowed_greedy"])],
    },
    Slot {
        table: "reclaim",
        choice: "policy",
        choices: &["none", "block", "superblock", "shuffler", "page"],
        owned: &[
            ("threshold", RECLAIMS),
            ("hard_limit", RECLAIMS),
            ("priority", RECLAIMS),
            ("host_access", RECLAIMS),
            ("map_blocks", RECLAIMS),
            ("holes", MOVES_SUPERBLOCKS),
            ("shuffle", &["shuffler"]),
            ("pages", &["page"]),
        ],
    },
    Slot {
        table: "slc_cache",
        choice: "policy",
        choices: &["none", "static", "dynamic"],
        owned: &[
            ("bytes", &["static"]),
            ("share", SLC),
            ("min_bytes", &["dynamic"]),
            ("max_bytes", &["dynamic"]),
            ("when_full", SLC),
            ("fold_at_idle", SLC),
        ],
    },
    Slot {
        table: "scheduler",
        choice: "policy",
        choices: &["read_first", "fifo", "read_first_suspend"],
        owned: &[("suspends_below_waiting_writes", &["read_first_suspend"])],
    },
    Slot {
        table: "redundancy",
        choice: "policy",
        choices: &["none", "parity_rows", "parity_pages"],
        owned: &[("when", &["parity_rows"]), ("xor_ns", &["parity_rows", "parity_pages"])],
    },
    Slot {
        table: "block_map",
        choice: "policy",
        choices: &["off", "block", "bast", "fast"],
        owned: &[("log_blocks", &["block", "bast", "fast"])],
    },
    Slot {
        table: "cache",
        choice: "policy",
        choices: &["none", "write_buffer", "lru"],
        owned: &[
            ("bytes", DATA_CACHE),
            ("dirty_high", DATA_CACHE),
            ("dirty_low", DATA_CACHE),
            ("admit_reads", &["lru"]),
            ("cold_period_ns", DATA_CACHE),
            ("rewrites", DATA_CACHE),
            ("max_write_backs", DATA_CACHE),
            ("pause", DATA_CACHE),
            ("throttle", DATA_CACHE),
            ("rate_limit", DATA_CACHE),
            ("past_collection", DATA_CACHE),
        ],
    },
    Slot {
        table: "collision",
        choice: "enabled",
        choices: SWITCH,
        owned: &[
            ("pairs_per_die", ON),
            ("copies_share", ON),
            ("least_occurrences", ON),
            ("rate_window_ns", ON),
            ("tie", ON),
            ("record", ON),
            ("reads_considered", ON),
            ("replace_copies", ON),
        ],
    },
    Slot {
        table: "hotr",
        choice: "enabled",
        choices: SWITCH,
        owned: &[
            ("staging", ON),
            ("staging_chips", ON),
            ("staging_share", ON),
            ("hot_share", ON),
            ("hot_pages", ON),
            ("list_length", ON),
            ("hot_count", ON),
            ("track", ON),
            ("migrate", ON),
            ("erases_block", ON),
            ("queued_block", ON),
        ],
    },
    Slot {
        table: "partition",
        choice: "enabled",
        choices: SWITCH,
        owned: &[
            ("history", ON),
            ("busy", ON),
            ("when_busy", ON),
            ("first_read_channels", ON),
            ("adapts", ON),
            ("interval_accesses", ON),
            ("rounding", ON),
            ("first_reads", ON),
            ("migrate_with_gc", ON),
            ("migrate_at_idle", ON),
            ("idle_share", ON),
        ],
    },
    Slot {
        table: "astro",
        choice: "enabled",
        choices: SWITCH,
        owned: &[
            ("region_pages", ON),
            ("pages_per_bit", ON),
            ("planes", ON),
            ("read_threshold", ON),
            ("update_share", ON),
            ("updates_of", ON),
            ("update_priority", ON),
            ("least_updated", ON),
            ("at_collection", ON),
            ("gather", ON),
            ("at_once", ON),
            ("spare_superblocks", ON),
        ],
    },
];

/// The slots of `workload.host`.
pub const HOST: &[Slot] = &[
    Slot {
        table: "arbitration",
        choice: "kind",
        choices: &["round_robin", "weighted", "strict"],
        owned: &[
            ("high_weight", &["weighted"]),
            ("medium_weight", &["weighted"]),
            ("low_weight", &["weighted"]),
        ],
    },
    Slot {
        table: "scheduler",
        choice: "kind",
        choices: &["none", "piq", "fios", "paq"],
        owned: &[
            ("window", &["piq", "fios", "paq"]),
            ("timeslice_ns", &["fios"]),
            ("anticipation_ns", &["fios"]),
        ],
    },
];

/// All slots, and below which path their tables are.
pub const ALL: [(&str, &[Slot]); 2] = [("scheme", SCHEME), ("workload.host", HOST)];

impl Slot {
    /// Whether a key of the table is read where this is chosen.
    pub fn reads(&self, choice: &str, key: &str) -> bool {
        let owners = self.owned.iter().find(|(owned, _)| *owned == key).map(|(_, owners)| *owners);
        owners.is_none_or(|owners| owners.contains(&choice))
    }

    /// What a description chooses; the default where it says nothing.
    pub fn chosen(&self, description: &Value) -> String {
        match description.get(self.table).and_then(|table| table.get(self.choice)) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Bool(on)) => on.to_string(),
            _ => self.choices.first().copied().unwrap_or_default().to_owned(),
        }
    }

    /// Every key of the table that isn't left out by default, with its default.
    fn defaults<T: Serialize + DeserializeOwned>(&self) -> Value {
        // Another choice than the default: tables that are as by default may not be written down.
        let choice = match self.choices.last() {
            Some(&"true") => toml::Value::Boolean(true),
            choice => choice.copied().unwrap_or_default().into(),
        };
        let description = Item::of_one(self.table, Item::of_one(self.choice, Item::of(choice)));
        let whole = T::deserialize(Source(&description)).ok().and_then(|it| serde_json::to_value(it).ok());
        whole.and_then(|mut whole| whole.get_mut(self.table).map(Value::take)).unwrap_or_default()
    }

    /// Refuses the first key that is set to something, and that nobody reads.
    fn check<T: Serialize + DeserializeOwned>(&self, description: &Value) -> Result<(), ConfigError> {
        let Some(Value::Object(table)) = description.get(self.table) else { return Ok(()) };
        let chosen = self.chosen(description);
        let passed_over =
            || self.owned.iter().filter(|(key, _)| table.contains_key(*key) && !self.reads(&chosen, key));
        if passed_over().next().is_none() {
            return Ok(());
        }
        let defaults = self.defaults::<T>();
        for (key, owners) in passed_over() {
            let (value, default) = (table.get(*key), defaults.get(*key));
            if value == default {
                continue;
            }
            let (inner, value, default) = changed_within(value, default);
            let default = default.map_or_else(|| "left out".to_owned(), shown);
            let path = format!("{}.{key}{inner}", self.table);
            let allowed = format!(
                "{default}, or {} = {}: with {} nothing reads it",
                self.choice,
                one_of(owners),
                quoted(&chosen)
            );
            return Err(ConfigError::new(&path, value.map_or_else(String::new, shown), allowed));
        }
        Ok(())
    }
}

/// Of a table whose default is a table, too, the first key that is another: its path behind the table's, its value and its default.
fn changed_within<'a>(
    value: Option<&'a Value>,
    default: Option<&'a Value>,
) -> (String, Option<&'a Value>, Option<&'a Value>) {
    if let (Some(Value::Object(own)), Some(Value::Object(defaults))) = (value, default)
        && let Some((key, inner)) = own.iter().find(|(key, inner)| defaults.get(*key) != Some(inner))
    {
        return (format!(".{key}"), Some(inner), defaults.get(key));
    }
    (String::new(), value, default)
}

/// Refuses keys that what is chosen in their table doesn't read, unless they are as by default. Paths in errors are relative to the
/// description.
pub fn check<T: Serialize + DeserializeOwned>(description: &T, slots: &[Slot]) -> Result<(), ConfigError> {
    let Ok(description) = serde_json::to_value(description) else { return Ok(()) };
    slots.iter().try_for_each(|slot| slot.check::<T>(&description))
}

fn shown(value: &Value) -> String {
    match value {
        Value::Object(_) => "a table".to_owned(),
        value => value.to_string(),
    }
}

fn quoted(choice: &str) -> String {
    if SWITCH.contains(&choice) { choice.to_owned() } else { format!("\"{choice}\"") }
}

/// `a`, `a or b`, `a, b or c`.
fn one_of(choices: &[&str]) -> String {
    let all: Vec<String> = choices.iter().map(|choice| quoted(choice)).collect();
    match all.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}
