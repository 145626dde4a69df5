//! Keys of a description that the form of its file passes over.

use super::Form;
use crate::config::{ColumnsConfig, TraceConfig};

/// A key that only some forms read.
struct Key {
    name: &'static str,
    /// Its value, where somebody set it.
    set: fn(&TraceConfig) -> Option<String>,
    /// Whether a form reads it.
    reads: fn(Form, &TraceConfig) -> bool,
    /// Why not: what the form is or hasn't.
    why: &'static str,
}

const KEYS: [Key; 8] = [
    Key {
        name: "latency_unit",
        set: |config| config.latency_unit.map(|unit| format!("\"{}\"", unit.word())),
        reads: |form, _| is_of_columns(form) || form.latency_ns().is_some(),
        why: "no column holds response times",
    },
    Key {
        name: "sector_bytes",
        set: |config| Some(config.sector_bytes).filter(|bytes| *bytes != 512).map(|bytes| bytes.to_string()),
        reads: counts_sectors,
        why: "nothing that has no unit of its own counts sectors",
    },
    Key {
        name: "offset_unit_bytes",
        set: |config| config.offset_unit_bytes.map(|bytes| bytes.to_string()),
        reads: |form, _| form != Form::Srt,
        why: "offsets have a unit of their own",
    },
    Key {
        name: "length_unit_bytes",
        set: |config| config.length_unit_bytes.map(|bytes| bytes.to_string()),
        reads: |form, _| form != Form::Srt,
        why: "lengths have a unit of their own",
    },
    Key {
        name: "read_is",
        set: |config| config.read_is.map(|value| value.to_string()),
        reads: |form, _| is_of_columns(form) || form.has_numbers_as_types(),
        why: "types of requests aren't 0 or 1",
    },
    Key {
        name: "event",
        set: |config| config.event.map(|event| format!("\"{}\"", event.key())),
        reads: |form, config| form.has_events() || (form == Form::Columns && config.columns.event.is_some()),
        why: "it tells of one event of each request",
    },
    Key {
        name: "columns.event",
        set: |config| config.columns.event.as_ref().map(|_| "…".to_owned()),
        reads: |form, _| form != Form::Parquet,
        why: "its rows are requests, whatever their events",
    },
    Key {
        name: "columns",
        set: |config| (config.columns != ColumnsConfig::default()).then(|| "{ … }".to_owned()),
        reads: |form, _| is_of_columns(form),
        why: "its columns are known",
    },
];

/// What was set and isn't read in a file of this form, whose flows may share one address space: a sentence each.
pub(crate) fn unread(form: Form, shared: bool, config: &TraceConfig) -> Vec<String> {
    let of_form = KEYS.iter().filter(|key| !(key.reads)(form, config));
    let found = of_form.filter_map(|key| Some((key.name, (key.set)(config)?, key.why)));
    let device = config.device.filter(|_| shared).map(|device| {
        ("device", device.to_string(), "its flows aren't devices, but share one address space")
    });
    let told =
        |(key, value, why)| format!("{key} = {value} has no effect in the form `{}`: {why}", form.name());
    found.chain(device).map(told).collect()
}

/// Whether a description may say which columns hold what.
fn is_of_columns(form: Form) -> bool {
    matches!(form, Form::Columns | Form::Parquet)
}

fn counts_sectors(form: Form, config: &TraceConfig) -> bool {
    let offsets = (form.offsets_in_sectors() || is_of_columns(form)) && config.offset_unit_bytes.is_none();
    let lengths = (form.lengths_in_sectors() || is_of_columns(form)) && config.length_unit_bytes.is_none();
    offsets || lengths
}
