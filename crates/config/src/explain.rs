//! What serde says of a wrong description, said for a person.

use super::error::{ConfigError, Origin};
use super::source::{DATE, Refused};
use super::suggest::did_you_mean;
use super::tree::{Content, Item, shortened};

/// The error of a value below `root`. `file` is the last file that described the root.
pub(super) fn explain(root: &str, tree: &Item, file: Option<Origin>, refused: &Refused) -> ConfigError {
    let report = Report { root, tree, file, path: refused.path.clone() };
    let message = refused.message.as_str();
    if let Some(rest) = message.strip_prefix("unknown field ") {
        report.unknown_key(rest)
    } else if let Some(rest) = message.strip_prefix("missing field ") {
        report.missing_key(rest)
    } else if let Some(rest) = message.strip_prefix("unknown variant ") {
        report.unknown_word(rest)
    } else if let Some((found, expected)) = wrong_value(message) {
        report.wrong_value(found, expected)
    } else {
        report.other(message)
    }
}

/// Found and expected of `invalid type: string "x", expected u32` and its like.
fn wrong_value(message: &str) -> Option<(&str, &str)> {
    ["invalid type: ", "invalid value: ", "invalid length "]
        .iter()
        .find_map(|start| message.strip_prefix(start))?
        .rsplit_once(", expected ")
}

/// The words between backticks.
fn quoted_words(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The word found and the known ones, of "`x`, expected one of `a`, `b`".
fn found_and_known(text: &str) -> (&str, Vec<&str>) {
    let (found, expected) = text.split_once("`, ").unwrap_or((text, ""));
    (found.trim_start_matches('`'), quoted_words(expected))
}

struct Report<'a> {
    root: &'a str,
    tree: &'a Item,
    file: Option<Origin>,
    path: String,
}

impl Report<'_> {
    fn unknown_key(&self, rest: &str) -> ConfigError {
        let (key, known) = found_and_known(rest);
        // Inside a tagged enum serde has lost the way to the key itself.
        let named = self.path == key || self.path.ends_with(&format!(".{key}"));
        let path = if named { self.path.clone() } else { join(&self.path, key) };
        self.error(&path, one_of("a known key", key, &known))
    }

    fn missing_key(&self, rest: &str) -> ConfigError {
        let key = rest.trim_matches('`');
        let (table, left) = self.tree.find(&self.path);
        let origin = match &self.file {
            Some(file) if left.is_empty() && table.origin.source == file.source => Some(table.origin.clone()),
            Some(file) => Some(file.clone()),
            None => table.known_origin(),
        };
        let path = join(self.root, &join(&self.path, key));
        ConfigError { origin, ..ConfigError::new(&path, "nothing", "a value: the key has no default") }
    }

    fn unknown_word(&self, rest: &str) -> ConfigError {
        let (word, known) = found_and_known(rest);
        let allowed = format!("{}{}", list(&known), did_you_mean(word, &known));
        self.error(&self.culprit(&format!("string \"{word}\"")), allowed)
    }

    fn wrong_value(&self, found: &str, expected: &str) -> ConfigError {
        let path = self.culprit(found);
        let key = path.split('[').next().unwrap_or(&path);
        let unit = if key.ends_with("_ns") { " of ns" } else { "" };
        self.error(&path, format!("{}{}", phrase(expected, unit), neighbours(found, expected)))
    }

    /// Messages of our own types say themselves what is allowed.
    fn other(&self, message: &str) -> ConfigError {
        let allowed = match message.split_once("allowed: ") {
            Some((_, allowed)) => allowed.to_owned(),
            None if message.starts_with("data did not match any variant") => {
                format!("another type than {}", type_name(self.tree.find(&self.path).0))
            }
            None => message.replace(['\n', '\r'], " "),
        };
        self.error(&self.path, allowed)
    }

    fn error(&self, path: &str, allowed: String) -> ConfigError {
        let (item, left) = self.tree.find(path);
        let value = if left.is_empty() { item.quoted() } else { "nothing".to_owned() };
        let path = join(self.root, &shortened(path));
        ConfigError { origin: item.known_origin(), ..ConfigError::new(&path, value, allowed) }
    }

    /// The path itself, or, where it stops at a table because of a tagged enum, the one value below that the
    /// message means.
    fn culprit(&self, found: &str) -> String {
        let (item, _) = self.tree.find(&self.path);
        let Content::Table(entries) = &item.content else { return self.path.clone() };
        let mut alike = entries.iter().filter(|(_, item)| found_name(item) == found);
        match (alike.next(), alike.next()) {
            (Some((key, _)), None) => join(&self.path, key),
            _ => self.path.clone(),
        }
    }
}

fn join(parent: &str, key: &str) -> String {
    match (parent, key) {
        ("", key) => key.to_owned(),
        (parent, "") => parent.to_owned(),
        (parent, key) => format!("{parent}.{key}"),
    }
}

fn one_of(what: &str, word: &str, known: &[&str]) -> String {
    let hint = did_you_mean(word, known);
    if known.is_empty() {
        "no key at this place".to_owned()
    } else if hint.is_empty() {
        format!("{what}: {}", list(known))
    } else {
        format!("{what}{hint}")
    }
}

fn list(words: &[&str]) -> String {
    match words.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        Some((only, _)) => (*only).to_owned(),
        None => "nothing".to_owned(),
    }
}

/// How serde names a value that it didn't expect.
fn found_name(item: &Item) -> String {
    match &item.content {
        Content::Leaf(toml::Value::String(text)) => format!("string {text:?}"),
        Content::Leaf(toml::Value::Integer(number)) => format!("integer `{number}`"),
        Content::Leaf(toml::Value::Float(number)) => format!("floating point `{number:?}`"),
        Content::Leaf(toml::Value::Boolean(flag)) => format!("boolean `{flag}`"),
        Content::Array(_) => "sequence".to_owned(),
        Content::Leaf(_) => DATE.to_owned(),
        Content::Table(_) => "map".to_owned(),
    }
}

fn type_name(item: &Item) -> &'static str {
    match &item.content {
        Content::Leaf(toml::Value::String(_)) => "a string",
        Content::Leaf(toml::Value::Integer(_)) => "a whole number",
        Content::Leaf(toml::Value::Float(_)) => "a number",
        Content::Leaf(toml::Value::Boolean(_)) => "a boolean",
        Content::Leaf(_) => DATE,
        Content::Array(_) => "an array",
        Content::Table(_) => "a table",
    }
}

/// `, such as 45000 or 45001` where a number has a fraction and mustn't.
fn neighbours(found: &str, expected: &str) -> String {
    let number =
        found.strip_prefix("floating point `").and_then(|text| text.trim_end_matches('`').parse().ok());
    let is_whole = matches!(expected, "u8" | "u16" | "u32" | "u64" | "usize" | "i32" | "i64" | "isize");
    match number.map(|number: f64| (number.floor(), number.ceil())) {
        Some((below, above)) if is_whole && below == above => format!(", such as {below}"),
        Some((below, above)) if is_whole && below.is_finite() => format!(", such as {below} or {above}"),
        _ => String::new(),
    }
}

/// What serde expected, in words, with the unit of numbers.
fn phrase(expected: &str, unit: &str) -> String {
    let most = match expected {
        "u8" => Some(u64::from(u8::MAX)),
        "u16" => Some(u64::from(u16::MAX)),
        "u32" => Some(u64::from(u32::MAX)),
        _ => None,
    };
    match (expected, most) {
        (_, Some(most)) => format!("a whole number{unit} from 0 to {most}"),
        ("u64" | "usize", _) => format!("a whole number{unit}, 0 or more"),
        ("i32" | "i64" | "isize", _) => format!("a whole number{unit}"),
        ("f32" | "f64", _) => format!("a number{unit}"),
        ("a sequence", _) if unit.is_empty() => "an array".to_owned(),
        ("a sequence", _) => format!("an array of whole numbers{unit}, such as [45000]"),
        _ if expected.starts_with("struct ") => "a table".to_owned(),
        _ if expected.starts_with("enum ") || expected == "string only" || expected.contains("string or") => {
            "a word, as a string".to_owned()
        }
        _ => expected.replace(['\n', '\r'], " "),
    }
}
