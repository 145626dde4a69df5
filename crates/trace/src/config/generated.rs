//! Descriptions of sources that play a profile or model an application.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use wordline_config::error::{ConfigError, check_range};

/// A twin: requests with the statistics of a profile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TwinConfig {
    /// The profile; a relative path is taken from [`crate::OpenContext::base_dir`].
    pub path: PathBuf,
    /// Number of requests; as many as the trace had when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
    /// Bytes of address space that the requests are laid out in; the profile's when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space_bytes: Option<u64>,
    /// Share of the profile's requests and of its space, in the place of `requests` and `space_bytes`: with `host.time_scale` of its
    /// inverse the load that a drive with this share of the dies has of the whole drive's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// How often the same requests are played, each time directly after the last arrival of the one before; once when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<u32>,
    /// In the place of `model.skew.excess` of the profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skew: Option<f64>,
    /// In the place of `model.skew.pieces` of the profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skew_pieces: Option<u64>,
    /// In the place of `theta` of every class of the profile that is walked by Zipf's law.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theta: Option<f64>,
}

impl TwinConfig {
    /// A whole profile, once.
    pub fn of_profile(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self {
            path,
            requests: None,
            space_bytes: None,
            share: None,
            repeat: None,
            skew: None,
            skew_pieces: None,
            theta: None,
        }
    }

    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        if self.path.as_os_str().is_empty() {
            return Err(ConfigError::new("path", "\"\"", "a file's name"));
        }
        check_range("requests", self.requests.unwrap_or(1), 1, 1 << 48)?;
        self.validate_share()?;
        check_range("repeat", self.repeat.unwrap_or(1), 1, 1_000_000)?;
        check_range("skew", self.skew.unwrap_or(0.0), 0.0, 1e6)?;
        check_range("skew_pieces", self.skew_pieces.unwrap_or(1), 1, 4095)?;
        check_range("theta", self.theta.unwrap_or(0.0), 0.0, 10.0)?;
        check_range("space_bytes", self.space_bytes.unwrap_or(1 << 20), 1 << 20, 1 << 50)
    }

    fn validate_share(&self) -> Result<(), ConfigError> {
        let Some(share) = self.share else { return Ok(()) };
        if self.requests.is_some() || self.space_bytes.is_some() {
            let allowed = "without requests and space_bytes, which it is in the place of";
            return Err(ConfigError::new("share", share, allowed));
        }
        check_range("share", share, 1e-6, 1.0)
    }
}

/// The load of a fio job.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FioSourceConfig {
    /// Number of requests at most, flushes not counted; what the job says when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
    /// The job.
    pub fio: super::FioConfig,
}

impl FioSourceConfig {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        check_range("requests", self.requests.unwrap_or(1), 1, 1 << 48)?;
        self.fio.validate().map_err(|error| error.under("fio"))
    }
}

/// YCSB over a merge tree.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct YcsbSourceConfig {
    /// Number of requests at most; as many as the operations make when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
    /// The run.
    pub ycsb: super::YcsbConfig,
}

/// Filebench over a file system.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FilebenchSourceConfig {
    /// Number of requests at most; as many as the loops make when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
    /// The run.
    pub filebench: super::FilebenchConfig,
}

impl YcsbSourceConfig {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        check_end(self.requests, self.ycsb.operations, "ycsb.operations")?;
        self.ycsb.validate().map_err(|error| error.under("ycsb"))
    }
}

impl FilebenchSourceConfig {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        check_end(self.requests, self.filebench.loops, "filebench.loops")?;
        self.filebench.validate().map_err(|error| error.under("filebench"))
    }
}

/// Refuses a run without end.
fn check_end(requests: Option<u64>, turns: Option<u64>, name: &str) -> Result<(), ConfigError> {
    check_range("requests", requests.unwrap_or(1), 1, 1 << 48)?;
    if requests.is_none() && turns.is_none() {
        return Err(ConfigError::new(
            "requests",
            "nothing",
            format!("a number, or {name}: else the run has no end"),
        ));
    }
    Ok(())
}
