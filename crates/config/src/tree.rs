//! A tree of TOML values that remembers where each value stands.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::error::{NOWHERE, Origin};

/// The keys of one table.
pub(super) type Entries = BTreeMap<String, Item>;

/// A value and the place that gave it.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Where the value stands; of a table: where it was first opened.
    pub origin: Origin,
    /// The value itself.
    pub content: Content,
}

/// What a key can hold.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// Further keys.
    Table(Entries),
    /// Values in order; never merged, always replaced whole.
    Array(Vec<Item>),
    /// A string, number, boolean or date.
    Leaf(toml::Value),
}

/// The key that says which kind of thing a table describes.
const KIND: &str = "kind";

/// Longest value quoted in a message, characters.
const QUOTED: usize = 60;

impl Item {
    /// A value that nobody wrote.
    pub fn of(value: toml::Value) -> Self {
        Self { origin: NOWHERE, content: Content::Leaf(value) }
    }

    /// A table of one key that nobody wrote.
    pub fn of_one(key: &str, item: Self) -> Self {
        Self { origin: NOWHERE, content: Content::Table(Entries::from([(key.to_owned(), item)])) }
    }

    /// Where the value stands, if that has a name.
    pub fn known_origin(&self) -> Option<Origin> {
        self.origin.known()
    }

    /// Lays a later layer's value over this one: tables merge, all else is replaced. A table of another `kind`
    /// replaces as well, since the keys of the earlier kind mean nothing to it.
    pub fn merge(&mut self, later: Self) {
        if !self.merges_with(&later) {
            *self = later;
            return;
        }
        if let (Content::Table(earlier), Content::Table(entries)) = (&mut self.content, later.content) {
            merge_entries(earlier, entries);
        }
    }

    fn merges_with(&self, later: &Self) -> bool {
        let (Content::Table(earlier), Content::Table(entries)) = (&self.content, &later.content) else {
            return false;
        };
        match (earlier.get(KIND), entries.get(KIND)) {
            (Some(before), Some(after)) => before.to_value() == after.to_value(),
            _ => true,
        }
    }

    /// The plain value, for serde.
    pub fn to_value(&self) -> toml::Value {
        match &self.content {
            Content::Table(entries) => {
                toml::Value::Table(entries.iter().map(|(key, item)| (key.clone(), item.to_value())).collect())
            }
            Content::Array(items) => toml::Value::Array(items.iter().map(Self::to_value).collect()),
            Content::Leaf(value) => value.clone(),
        }
    }

    /// The deepest value on the way to `path` (`gc.trigger`, `tiers[0][1]`), and what of the path is left.
    pub fn find<'a>(&self, path: &'a str) -> (&Self, &'a str) {
        let step = match &self.content {
            Content::Table(entries) => step_by_key(entries, path),
            Content::Array(items) => step_by_index(items, path),
            Content::Leaf(_) => None,
        };
        match step {
            Some((item, rest)) => item.find(rest),
            None => (self, path),
        }
    }

    /// The value as a message quotes it: on one line, and short.
    pub fn quoted(&self) -> String {
        match &self.content {
            Content::Table(_) => "a table".to_owned(),
            Content::Array(items) => {
                let inner: Vec<String> = items.iter().take(QUOTED / 4).map(Self::quoted).collect();
                shortened(&format!("[{}]", inner.join(", ")))
            }
            Content::Leaf(toml::Value::String(text)) => format!("\"{}\"", shortened(text)),
            Content::Leaf(toml::Value::Float(number)) => format!("{number:?}"),
            Content::Leaf(value) => value.to_string(),
        }
    }
}

/// Lays one table's keys over another's.
pub(super) fn merge_entries(earlier: &mut Entries, later: Entries) {
    for (key, item) in later {
        match earlier.entry(key) {
            Entry::Occupied(mut held) => held.get_mut().merge(item),
            Entry::Vacant(free) => {
                free.insert(item);
            }
        }
    }
}

/// Keys may contain dots, so the longest key that fits wins.
fn step_by_key<'e, 'a>(entries: &'e Entries, path: &'a str) -> Option<(&'e Item, &'a str)> {
    entries
        .iter()
        .filter_map(|(key, item)| Some((key, item, path.strip_prefix(key.as_str())?)))
        .filter(|(_, _, rest)| rest.is_empty() || rest.starts_with(['.', '[']))
        .max_by_key(|(key, _, _)| key.len())
        .filter(|_| !path.is_empty())
        .map(|(_, item, rest)| (item, rest.strip_prefix('.').unwrap_or(rest)))
}

fn step_by_index<'e, 'a>(items: &'e [Item], path: &'a str) -> Option<(&'e Item, &'a str)> {
    let (index, rest) = path.strip_prefix('[')?.split_once(']')?;
    let item = items.get(index.parse::<usize>().ok()?)?;
    Some((item, rest.strip_prefix('.').unwrap_or(rest)))
}

/// `text` on one line and at most [`QUOTED`] characters long.
pub(super) fn shortened(text: &str) -> String {
    let mut chars = text.chars();
    let mut short: String = chars.by_ref().take(QUOTED).flat_map(escaped).collect();
    if chars.next().is_some() {
        short.push('…');
    }
    short
}

/// Control characters, line separators among them, as escapes; all else as it is.
fn escaped(c: char) -> Vec<char> {
    if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
        c.escape_default().collect()
    } else {
        vec![c]
    }
}
