//! What is known beside a job file's text, and all that is wrong with it.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// What is known beside a job file's text.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The folder that files which it includes are found in.
    pub folder: Option<PathBuf>,
    /// Values of `${NAME}`.
    pub environment: BTreeMap<String, String>,
    /// The sections that are read; all if none is named.
    pub sections: Vec<String>,
    /// Lines behind those of each job, as from a command line: they hold before its own.
    pub settings: Vec<String>,
}

/// All that is wrong with a job file, each thing once.
#[derive(Debug, Default)]
pub(super) struct Reasons(Vec<String>);

impl Reasons {
    pub(super) fn add(&mut self, reason: String) {
        // What stands in [global] is wrong in every job.
        if !self.0.contains(&reason) {
            self.0.push(reason);
        }
    }

    /// The reasons, one a line, if there are any.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.0.is_empty() { Ok(()) } else { Err(self.0.join("\n")) }
    }
}
