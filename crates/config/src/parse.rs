//! TOML text to a [tree](super::tree), each value with its line.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeFloat, DeInteger, DeTable, DeValue};

use super::error::{ConfigError, Origin};
use super::tree::{Content, Entries, Item, shortened};

/// Tells the origin of what stands at a range of bytes.
type Locate<'a> = dyn Fn(Range<usize>) -> Origin + 'a;

/// The keys of a TOML file.
pub(super) fn document(source: &str, text: &str) -> Result<Entries, ConfigError> {
    let lines = Lines::of(text);
    let parsed = DeTable::parse(text).map_err(|error| syntax_error(source, text, &lines, &error))?;
    let locate = |span: Range<usize>| Origin { source: source.to_owned(), line: Some(lines.at(span.start)) };
    table("", parsed.into_inner(), &locate)
}

/// The value of one override: TOML if it reads as TOML, else a string.
pub(super) fn value(path: &str, text: &str, origin: &Origin) -> Result<Item, ConfigError> {
    match DeValue::parse(text) {
        Ok(parsed) => item(path, parsed.into_inner(), origin.clone(), &|_| origin.clone()),
        Err(_) => {
            let content = Content::Leaf(toml::Value::String(text.to_owned()));
            Ok(Item { origin: origin.clone(), content })
        }
    }
}

fn table(path: &str, parsed: DeTable<'_>, locate: &Locate<'_>) -> Result<Entries, ConfigError> {
    let mut entries = Entries::new();
    for (key, value) in parsed {
        let origin = locate(key.span());
        let key = key.into_inner().into_owned();
        let below = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        entries.insert(key, item(&below, value.into_inner(), origin, locate)?);
    }
    Ok(entries)
}

fn item(path: &str, value: DeValue<'_>, origin: Origin, locate: &Locate<'_>) -> Result<Item, ConfigError> {
    let content = match value {
        DeValue::Table(entries) => Content::Table(table(path, entries, locate)?),
        DeValue::Array(items) => Content::Array(
            items
                .into_iter()
                .enumerate()
                .map(|(index, element)| element_of(path, index, element, locate))
                .collect::<Result<_, _>>()?,
        ),
        DeValue::Integer(number) => Content::Leaf(integer(path, &number, &origin)?),
        DeValue::Float(number) => Content::Leaf(float(path, &number, &origin)?),
        DeValue::String(text) => Content::Leaf(toml::Value::String(text.into_owned())),
        DeValue::Boolean(flag) => Content::Leaf(toml::Value::Boolean(flag)),
        DeValue::Datetime(moment) => Content::Leaf(toml::Value::Datetime(moment)),
    };
    Ok(Item { origin, content })
}

fn element_of(
    path: &str,
    index: usize,
    element: Spanned<DeValue<'_>>,
    locate: &Locate<'_>,
) -> Result<Item, ConfigError> {
    let origin = locate(element.span());
    item(&format!("{path}[{index}]"), element.into_inner(), origin, locate)
}

fn integer(path: &str, number: &DeInteger<'_>, origin: &Origin) -> Result<toml::Value, ConfigError> {
    i64::from_str_radix(number.as_str(), number.radix()).map(toml::Value::Integer).map_err(|_| {
        let allowed = format!("whole numbers from {} to {}", i64::MIN, i64::MAX);
        out_of_range(path, &number.to_string(), allowed, origin)
    })
}

fn float(path: &str, number: &DeFloat<'_>, origin: &Origin) -> Result<toml::Value, ConfigError> {
    match number.as_str().parse::<f64>() {
        Ok(value) if value.is_finite() || number.as_str().contains(['i', 'n']) => {
            Ok(toml::Value::Float(value))
        }
        _ => {
            let allowed = format!("numbers up to {:e}", f64::MAX);
            Err(out_of_range(path, number.as_str(), allowed, origin))
        }
    }
}

fn out_of_range(path: &str, value: &str, allowed: String, origin: &Origin) -> ConfigError {
    ConfigError { origin: origin.known(), ..ConfigError::new(path, shortened(value), allowed) }
}

fn syntax_error(source: &str, text: &str, lines: &Lines, error: &toml::de::Error) -> ConfigError {
    let line = lines.at(error.span().map_or(0, |span| span.start));
    let wrong = text.lines().nth(line - 1).unwrap_or_default().trim();
    let reason = error.message().replace(['\n', '\r'], " ");
    let allowed = if reason.contains("duplicate key") {
        "each key once".to_owned()
    } else {
        format!("TOML ({reason})")
    };
    ConfigError {
        origin: Some(Origin { source: source.to_owned(), line: Some(line) }),
        ..ConfigError::new("text", format!("`{}`", shortened(wrong)), allowed)
    }
}

/// Where each line of a text starts.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    /// The line, from 1, that holds a byte.
    fn at(&self, byte: usize) -> usize {
        self.0.partition_point(|&start| start <= byte).max(1)
    }
}
