//! Which units a text's numbers are taken for, and what is said of it: units that neither the form nor a name nor the
//! description tells, and numbers that look like others than the form has.

use super::detected::How;
use super::evidence::{Evidence, Multiples};
use super::{Form, Rules};
use crate::config::{TimeUnit, TraceConfig};

/// More requests in a second than any drive of a trace has answered.
const FASTEST: f64 = 2e7;

/// Times that lie between 1985 and 2096 as Windows files have them.
const FILE_TIMES: std::ops::Range<u128> = 121_000_000_000_000_000..156_000_000_000_000_000;

/// Seconds since 1970 that lie between 1985 and 2096.
const EPOCH_SECONDS: std::ops::Range<u128> = 473_000_000..4_000_000_000;

/// Sets in `config` what the numbers tell of units that nothing else does; returns what is to be said of all units.
pub(super) fn settle(form: Form, how: How, config: &mut TraceConfig, evidence: &Evidence) -> Vec<String> {
    if evidence.rows == 0 {
        return Vec::new();
    }
    let given = Told::of(config, evidence);
    let mut notes = Vec::new();
    if form == Form::Columns {
        notes.extend(column_times(config, evidence, &given));
        notes.extend(column_lengths(config, evidence, &given));
    }
    if form == Form::Mqsim && how == How::Guessed && evidence.in_bytes(config) {
        (config.offset_unit_bytes, config.length_unit_bytes) = (Some(1), Some(1));
    }
    let rules = Rules::configured(form, config);
    if how == How::Guessed {
        notes.push(taken(form, &rules));
    }
    notes.extend(times_in_doubt(form, &rules, evidence, &given));
    notes.extend(sizes_in_doubt(form, config, evidence, &given));
    notes
}

/// Whether more requests come in a second than can be, if times have this unit.
pub(super) fn too_fast(evidence: &Evidence, unit_ns: u64) -> bool {
    evidence.rows >= 10 && evidence.rate(unit_ns).is_some_and(|rate| rate > FASTEST)
}

/// Which units are told, by the description or by names.
struct Told {
    time: bool,
    offset: bool,
    length: bool,
}

impl Told {
    fn of(config: &TraceConfig, evidence: &Evidence) -> Self {
        let sectors = config.sector_bytes != 512;
        Self {
            time: config.time_unit.is_some() || evidence.names.time || evidence.dated,
            offset: config.offset_unit_bytes.is_some() || sectors || evidence.names.offset,
            length: config.length_unit_bytes.is_some() || sectors || evidence.names.length,
        }
    }
}

/// Times of columns whose name has no unit: since 1970 or 1601 where they are large enough, else seconds where they
/// have a fraction.
fn column_times(config: &mut TraceConfig, evidence: &Evidence, told: &Told) -> Option<String> {
    if told.time {
        return None;
    }
    let (unit, why) = match epoch_unit(evidence.first) {
        Some(TimeUnit::Ticks) => (TimeUnit::Ticks, "as Windows counts from 1601"),
        Some(unit) => (unit, "as counted from 1970"),
        None if evidence.fractional => (TimeUnit::Seconds, "since they have a fraction"),
        None => return None,
    };
    config.time_unit = Some(unit);
    Some(format!("times are taken for {}, {why} (give `time_unit`)", time_word(unit.ns())))
}

/// Lengths of no unit that can't be bytes, beside offsets that count sectors.
fn column_lengths(config: &mut TraceConfig, evidence: &Evidence, told: &Told) -> Option<String> {
    if told.length || !evidence.names.offset_in_sectors || !evidence.lengths.like_sectors() {
        return None;
    }
    config.length_unit_bytes = Some(config.sector_bytes);
    Some(format!(
        "lengths are taken for sectors of {} bytes, as offsets are, since most are no multiple of 512 (give \
         `length_unit_bytes`)",
        config.sector_bytes
    ))
}

/// The unit in which a time lies between 1985 and 2096, in billionths.
fn epoch_unit(first: u128) -> Option<TimeUnit> {
    let first = first / 1_000_000_000;
    if FILE_TIMES.contains(&first) {
        return Some(TimeUnit::Ticks);
    }
    let units = [
        (TimeUnit::Seconds, 1),
        (TimeUnit::Milliseconds, 1_000),
        (TimeUnit::Microseconds, 1_000_000),
        (TimeUnit::Nanoseconds, 1_000_000_000),
    ];
    units.into_iter().find(|(_, parts)| EPOCH_SECONDS.contains(&(first / parts))).map(|(unit, _)| unit)
}

/// What a guess took.
fn taken(form: Form, rules: &Rules) -> String {
    let (name, others) = match form {
        Form::Disksim => (
            "DiskSim ASCII",
            "FlashSim's lines look alike, with lengths in pages (`length_unit_bytes = 4096`), and so do replayers' with \
             bytes (`format = \"replayer\"`)",
        ),
        Form::Replayer => (
            "a replayer's trace",
            "DiskSim's lines look alike, with offsets and lengths in sectors (`format = \"disksim\"`)",
        ),
        Form::Mqsim => (
            "MQSim or SSDsim ASCII",
            "DiskSim's lines look alike when their times are whole ms (`format = \"disksim\"`)",
        ),
        Form::Wordline => (
            "Wordline CSV without its header",
            "lines of Alibaba's form look alike when their times are small (`format = \"alibaba\"`)",
        ),
        Form::Tencent => ("Tencent CBS (Timestamp,Offset,Size,IOType,VolumeID)", "so may others look"),
        _ => (form.name(), "so may others look"),
    };
    let (offsets, lengths) = (size_word(rules.offset_unit), size_word(rules.length_unit));
    let sizes = if offsets == lengths {
        format!("offsets and lengths in {offsets}")
    } else {
        format!("offsets in {offsets}, lengths in {lengths}")
    };
    format!(
        "taken for {name}, with times in {}, {sizes}; {others}: `format`, `time_unit`, `offset_unit_bytes` and \
         `length_unit_bytes` settle it",
        time_word(rules.unit_ns)
    )
}

/// Times that look like those of another unit.
fn times_in_doubt(form: Form, rules: &Rules, evidence: &Evidence, told: &Told) -> Option<String> {
    if told.time {
        return None;
    }
    let own = match form {
        Form::Msr => Some((TimeUnit::Ticks, "Windows file times")),
        Form::Systor | Form::Tencent => Some((TimeUnit::Seconds, "seconds since 1970")),
        Form::Alibaba => Some((TimeUnit::Microseconds, "microseconds since 1970")),
        _ => None,
    };
    let read = time_word(rules.unit_ns);
    if let Some((unit, what)) = own
        && epoch_unit(evidence.first) != Some(unit)
    {
        return Some(format!(
            "times are read in {read}, but the first is none of {what}: `time_unit` gives another unit"
        ));
    }
    if rules.unit_ns == 1 && evidence.fractional {
        return Some(format!(
            "times are read in {read}, but have a fraction: `time_unit` gives another unit"
        ));
    }
    if too_fast(evidence, rules.unit_ns) {
        let rate = evidence.rate(rules.unit_ns).unwrap_or_default();
        return Some(format!(
            "times are read in {read}, which makes {rate:.1e} requests a second of the first {}: `time_unit` gives another \
             unit",
            evidence.rows
        ));
    }
    None
}

/// Offsets and lengths that look like those of another unit.
fn sizes_in_doubt(form: Form, config: &TraceConfig, evidence: &Evidence, told: &Told) -> Vec<String> {
    let rules = Rules::configured(form, config);
    let columns = form == Form::Columns;
    let mut notes = Vec::new();
    // A name that counts sectors may be wrong: an `lba` in bytes.
    let by_name = evidence.names.offset_in_sectors && config.offset_unit_bytes.is_none();
    let offset_unit = if columns && by_name { config.sector_bytes } else { rules.offset_unit };
    if !told.offset || by_name {
        notes.extend(size_in_doubt("offsets", "offset_unit_bytes", offset_unit, evidence.offsets));
    }
    if !told.length && config.length_unit_bytes.is_none() {
        notes.extend(size_in_doubt("lengths", "length_unit_bytes", rules.length_unit, evidence.lengths));
    }
    if !told.length
        && let Some((unit, count, own)) = evidence.other_length_unit(rules.length_unit)
    {
        notes.push(format!(
            "{count} of the first {} requests begin where the one before ends if lengths count {}, {own} as they are read: \
             `length_unit_bytes = {unit}` takes them so",
            evidence.rows,
            size_word(unit)
        ));
    }
    notes
}

fn size_in_doubt(what: &str, key: &str, unit: u64, numbers: Multiples) -> Option<String> {
    let Multiples { above_0, of_512, .. } = numbers;
    if unit > 1 && numbers.like_bytes() {
        return Some(format!(
            "{what} are read in {}, but the first {above_0} are all multiples of 512, as bytes are: `{key} = 1` takes them so",
            size_word(unit)
        ));
    }
    (unit == 1 && numbers.like_sectors()).then(|| {
        format!(
            "{what} are read in bytes, but of the first {above_0} only {of_512} are multiples of 512: `{key} = 512` takes them \
             for sectors"
        )
    })
}

fn time_word(ns: u64) -> &'static str {
    match ns {
        1 => "ns",
        100 => "units of 100 ns",
        1_000 => "µs",
        1_000_000 => "ms",
        _ => "s",
    }
}

fn size_word(bytes: u64) -> String {
    match bytes {
        1 => "bytes".to_owned(),
        512 => "sectors of 512 bytes".to_owned(),
        _ => format!("units of {bytes} bytes"),
    }
}
