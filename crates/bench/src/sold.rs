//! Drives as they are sold, and the loads that are measured on them.

/// Names and descriptions of the drives.
pub(crate) const DRIVES: [(&str, &str); 5] = [
    ("enterprise-tlc", include_str!("../../../presets/devices/enterprise-tlc.toml")),
    ("7450pro-960", include_str!("../../../presets/devices/7450pro-960.toml")),
    ("p5520-1920", include_str!("../../../presets/devices/p5520-1920.toml")),
    ("980-1000", include_str!("../../../presets/devices/980-1000.toml")),
    ("client-qlc", include_str!("../../../presets/devices/client-qlc.toml")),
];

/// 4 KiB random reads at queue depth 16.
pub(crate) const READS: &str = include_str!("../../../presets/workloads/randread-4k-qd16.toml");

/// 4 KiB random writes at queue depth 16.
pub(crate) const WRITES: &str = include_str!("../../../presets/workloads/randwrite-4k-qd16.toml");

/// 70% reads of 8 KiB at queue depth 16.
pub(crate) const MIXED: &str = include_str!("../../../presets/workloads/mixed-70-30-8k-qd16.toml");
