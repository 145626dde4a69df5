//! Memory of this process, and the lines of the result.

use std::fs;

/// Resident memory of this process, bytes; 0 where the system does not say.
pub fn resident_bytes() -> u64 {
    of_status("VmRSS:")
}

/// Memory of this process, bytes, what it shares with itself counted once; 0 where the system does not say.
pub fn own_bytes() -> u64 {
    let text = fs::read_to_string("/proc/self/smaps_rollup").unwrap_or_default();
    in_kib(&text, "Pss:")
}

/// The most that it had, bytes; 0 where the system does not say.
pub fn peak_bytes() -> u64 {
    of_status("VmHWM:")
}

fn of_status(field: &str) -> u64 {
    in_kib(&fs::read_to_string("/proc/self/status").unwrap_or_default(), field)
}

/// Bytes of a line `field: … kB`.
fn in_kib(text: &str, field: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(field));
    let kib = line.and_then(|line| line.split_whitespace().next()).and_then(|word| word.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

/// What a figure is held against.
#[derive(Clone, Copy)]
pub enum Goal {
    /// At least this.
    AtLeast(f64),
    /// At most this.
    AtMost(f64),
    /// Nothing yet: for comparison.
    None,
}

/// The middle one of some measurements.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// One line: what was measured, its value, its goal and their ratio (above 1 is better than the goal).
pub fn report(name: &str, value: f64, unit: &str, goal: Goal) {
    let (words, ratio) = match goal {
        Goal::AtLeast(goal) => (format!("at least {goal:.3}"), value / goal),
        Goal::AtMost(goal) => (format!("at most {goal:.3}"), goal / value),
        Goal::None => return println!("{name:<60} {value:>8.3} {unit}"),
    };
    let verdict = if ratio >= 1.0 { "met" } else { "MISSED" };
    println!("{name:<60} {value:>8.3} {unit:<14} goal {words:<14} ratio {ratio:>6.2}  {verdict}");
}
