//! Descriptions of sources that play a profile or model an application.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use wordline_engine::config::error::{ConfigError, check_range};

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
}

impl TwinConfig {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        if self.path.as_os_str().is_empty() {
            return Err(ConfigError::new("path", "\"\"", "a file's name"));
        }
        check_range("requests", self.requests.unwrap_or(1), 1, 1 << 48)?;
        check_range("space_bytes", self.space_bytes.unwrap_or(1 << 20), 1 << 20, 1 << 50)
    }
}

/// The load of a fio job.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FioSourceConfig {
    /// Number of requests at most, flushes not counted; what the job says when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
    /// The job.
    pub fio: crate::fio::FioConfig,
}

impl FioSourceConfig {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        check_range("requests", self.requests.unwrap_or(1), 1, 1 << 48)?;
        self.fio.validate().map_err(|error| error.under("fio"))
    }
}
