//! The one error of every description: which key, what it holds, what is allowed, where it came from.

use std::fmt;

/// Place a value came from: a file with its line, or a command-line override.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// A file's name, or a word such as `--set`.
    pub source: String,
    /// Line in that file, from 1; `None` where there are no lines.
    pub line: Option<usize>,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}", self.source),
            None => f.write_str(&self.source),
        }
    }
}

/// A value that a description may not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// Dotted path of the key, from the root (`device.geometry.channels`).
    pub path: String,
    /// The value, as written.
    pub value: String,
    /// What would have been allowed, as a phrase that follows "allowed:".
    pub allowed: String,
    /// Where the value stands, when known.
    pub origin: Option<Origin>,
}

impl ConfigError {
    /// An error about `path`, whose origin is found later by the layer that read the files.
    pub fn new(path: &str, value: impl fmt::Display, allowed: impl Into<String>) -> Self {
        Self { path: path.to_owned(), value: value.to_string(), allowed: allowed.into(), origin: None }
    }

    /// The same error below a parent key.
    #[must_use]
    pub fn under(mut self, parent: &str) -> Self {
        self.path = format!("{parent}.{}", self.path);
        self
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(origin) = &self.origin {
            write!(f, "{origin}: ")?;
        }
        write!(f, "{} = {}: allowed: {}", self.path, self.value, self.allowed)
    }
}

impl std::error::Error for ConfigError {}

/// Refuses a value outside `range`, naming the key and the range.
pub fn check_range<T: PartialOrd + fmt::Display + Copy>(
    path: &str,
    value: T,
    low: T,
    high: T,
) -> Result<(), ConfigError> {
    if value < low || value > high || value.partial_cmp(&low).is_none() {
        return Err(ConfigError::new(path, value, format!("{low} to {high}")));
    }
    Ok(())
}
