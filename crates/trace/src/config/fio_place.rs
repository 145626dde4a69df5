//! Where a job stands in its file, so that what is wrong with it is told in the file's words.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use wordline_config::error::{ConfigError, Origin};

/// A job in its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobPlace {
    /// The file.
    pub file: String,
    /// The job's section.
    pub section: String,
    /// The line of that.
    pub line: usize,
    /// The settings that keys of the flow and its source come from.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, JobSetting>,
}

/// A setting in a job file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobSetting {
    /// What it stands in, where that is a file that the job's file includes, or an option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its line, in a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Its value as written.
    pub value: String,
}

/// Last parts of paths, and the settings that they come from: the first that a job has is meant.
const ORIGINS: &[(&str, &[&str])] = &[
    ("bytes", &["size", "filesize"]),
    ("size_bytes", &["size", "filesize"]),
    ("share", &["size"]),
    ("start_bytes", &["offset", "size", "filesize"]),
    ("start_share", &["offset"]),
    ("range", &["offset", "size"]),
    ("sizes", &["bssplit", "bsrange", "bs"]),
    ("align_bytes", &["ba"]),
    ("iops", &["rate_iops", "rate"]),
    ("random_share", &["percentage_random"]),
    ("zipf", &["random_distribution"]),
    ("pareto", &["random_distribution"]),
    ("normal", &["random_distribution"]),
    ("zoned", &["random_distribution"]),
    ("queue_depth", &["iodepth"]),
    ("max_outstanding", &["iodepth"]),
    ("think_time_ns", &["thinktime"]),
    ("latency_target", &["latency_target"]),
    ("duration_ns", &["steadystate_duration"]),
    ("interval_ns", &["steadystate_check_interval"]),
    ("ramp_ns", &["steadystate_ramp_time"]),
    ("start_ns", &["startdelay"]),
    ("limit", &["steadystate"]),
    ("limit_share", &["steadystate"]),
    ("ns", &["latency_target"]),
    ("window_ns", &["latency_window"]),
    ("percentile", &["latency_percentile"]),
    ("submit_batch", &["iodepth_low", "iodepth_batch_complete"]),
    ("name", &["name"]),
    ("strided", &["zonesize", "zonerange"]),
    ("files", &["nrfiles", "filename", "size", "filesize"]),
    ("sequence", &["random_distribution"]),
];

impl JobPlace {
    /// Whether a key of the file is one that keys of the flow or its source come from.
    pub(crate) fn keeps(key: &str) -> bool {
        ORIGINS.iter().any(|(_, keys)| keys.contains(&key))
    }

    /// The same error about the setting of the file that its value comes from, or about the job.
    pub(crate) fn told(&self, error: ConfigError) -> ConfigError {
        let last = error.path.rsplit('.').next().unwrap_or_default();
        let last = last.split('[').next().unwrap_or_default();
        let keys = ORIGINS.iter().find(|(name, _)| *name == last).map_or(&[][..], |(_, keys)| keys);
        let found = keys.iter().find_map(|key| Some((*key, self.settings.get(*key)?)));
        let at =
            |file: Option<&String>, line| Some(Origin { source: file.unwrap_or(&self.file).clone(), line });
        let allowed = match last {
            "start_bytes" => format!("{} (the job's part begins at byte {})", error.allowed, error.value),
            _ => error.allowed,
        };
        match found {
            Some((key, setting)) => ConfigError {
                path: key.to_owned(),
                value: setting.value.clone(),
                allowed,
                origin: at(setting.file.as_ref(), setting.line),
            },
            None => {
                let value = format!("{last} {}", error.value);
                ConfigError {
                    path: format!("[{}]", self.section),
                    value,
                    allowed,
                    origin: at(None, Some(self.line)),
                }
            }
        }
    }
}
