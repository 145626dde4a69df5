//! The one error of every description: which key, what it holds, what is allowed, where it came from.

use std::fmt;

use serde::Serialize;

/// Place a value came from: a file with its line, or an option of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// A file's name, or an option as it was given; empty where there is none to name.
    pub source: String,
    /// Line in that file, from 1; `None` where there are no lines.
    pub line: Option<usize>,
}

/// The origin of what no file and no option gave.
pub(super) const NOWHERE: Origin = Origin { source: String::new(), line: None };

impl Origin {
    /// The place, if there is one to name.
    pub(super) fn known(&self) -> Option<Self> {
        (*self != NOWHERE).then(|| self.clone())
    }

    /// Whether the value was set for this run, and stands in no file.
    pub fn is_override(&self) -> bool {
        self.line.is_none()
    }
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
        let value = short_number(value.to_string());
        Self { path: path.to_owned(), value, allowed: allowed.into(), origin: None }
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

/// Characters of the longest number that is written out.
const LONGEST_NUMBER: usize = 24;

/// A number as people write it: `1e-300`, not three hundred zeros. Any other text as it is.
fn short_number(text: String) -> String {
    let is_number = text.bytes().all(|sign| sign.is_ascii_digit() || sign == b'.' || sign == b'-');
    match text.parse::<f64>() {
        Ok(number) if is_number && text.len() > LONGEST_NUMBER => format!("{number:e}"),
        _ => text,
    }
}

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

/// A choice as a description has it.
pub fn word(choice: &impl Serialize) -> String {
    serde_json::to_string(choice).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_told_as_it_is_written() {
        let told = |value: f64| ConfigError::new("a", value, "").value;
        assert_eq!(told(1e-300), "1e-300");
        assert_eq!(told(-2.5e300), "-2.5e300");
        assert_eq!(told(0.30000000000000004), "0.30000000000000004");
        assert_eq!(told(0.000000001), "0.000000001");
        assert_eq!(told(f64::NAN), "NaN");
        assert_eq!(ConfigError::new("a", u64::MAX, "").value, u64::MAX.to_string());
        let words = "0123456789".repeat(9) + "…";
        assert_eq!(ConfigError::new("a", &words, "").value, words);
    }
}
