//! Clocks and memory of this process, and the lines of the result.

use std::fs;

/// Resident memory of this process, bytes; 0 where the system does not say.
pub fn resident_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next()).and_then(|word| word.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

/// One line: what was measured, its value, its goal and their ratio (above 1 is better than the goal).
pub fn report(name: &str, value: f64, unit: &str, goal: f64, more_is_better: bool) {
    let ratio = if more_is_better { value / goal } else { goal / value };
    let verdict = if ratio >= 1.0 { "met" } else { "MISSED" };
    println!("{name:<58} {value:>9.3} {unit:<18} goal {goal:>6.2}  ratio {ratio:>5.2}  {verdict}");
}
