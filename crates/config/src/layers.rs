//! Descriptions in layers: presets, files and overrides, each laid over the ones before it.
//!
//! Every value keeps the place it came from, so that an error can name file and line, or the option of a command,
//! however many layers took part. An override of a program has no other place than its key, which every error names.

use serde::de::DeserializeOwned;

use super::error::{ConfigError, NOWHERE, Origin};
use super::explain;
use super::parse;
use super::source::Source;
use super::suggest::did_you_mean;
use super::tree::{Content, Entries, Item, merge_entries, shortened};

/// What an override may begin with.
pub const ROOTS: [&str; 3] = ["device", "scheme", "workload"];

/// One source of values: a file, or all overrides.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    /// The file's name; `None` for overrides.
    file: Option<String>,
    entries: Entries,
}

impl Layer {
    /// Reads a TOML text. `source_name` is what errors call it: a path, or a preset's name.
    pub fn from_toml(source_name: &str, text: &str) -> Result<Self, ConfigError> {
        Ok(Self { file: Some(source_name.to_owned()), entries: parse::document(source_name, text)? })
    }

    /// Reads overrides as pairs of path and value; of two with the same path the later one holds. A value is TOML if it
    /// reads as TOML (`8`, `0.5`, `[1, 2]`, `"8"`), else a string (`fifo`). Paths begin with one of [`ROOTS`].
    pub fn from_overrides<P: AsRef<str>, V: AsRef<str>>(overrides: &[(P, V)]) -> Result<Self, ConfigError> {
        Self::given(overrides, |_, _| NOWHERE)
    }

    /// The same of a command's option, such as `--set PATH=VALUE`, which errors name.
    pub fn from_options<P: AsRef<str>, V: AsRef<str>>(
        option: &str,
        overrides: &[(P, V)],
    ) -> Result<Self, ConfigError> {
        Self::given(overrides, |path, text| Origin {
            source: format!("{option} {}={}", shortened(path), shortened(text)),
            line: None,
        })
    }

    fn given<P: AsRef<str>, V: AsRef<str>>(
        overrides: &[(P, V)],
        origin: impl Fn(&str, &str) -> Origin,
    ) -> Result<Self, ConfigError> {
        let mut layer = Self::default();
        for (path, value) in overrides {
            let (path, text) = (path.as_ref().trim(), value.as_ref().trim());
            layer.set(path, text, origin(path, text))?;
        }
        Ok(layer)
    }

    fn set(&mut self, path: &str, text: &str, origin: Origin) -> Result<(), ConfigError> {
        let keys: Vec<&str> = path.split('.').map(str::trim).collect();
        check_keys(path, text, &keys, &origin)?;
        let mut item = parse::value(path, text, &origin)?;
        for key in keys.iter().rev() {
            let entries = Entries::from([((*key).to_owned(), item)]);
            item = Item { origin: origin.clone(), content: Content::Table(entries) };
        }
        if let Content::Table(entries) = item.content {
            merge_entries(&mut self.entries, entries);
        }
        Ok(())
    }

    /// The same values below a key: a device file becomes the table `device`.
    #[must_use]
    pub fn under(self, root: &str) -> Self {
        let origin = self.file.clone().map_or(NOWHERE, |source| Origin { source, line: None });
        let table = Item { origin, content: Content::Table(self.entries) };
        Self { file: self.file, entries: Entries::from([(root.to_owned(), table)]) }
    }

    /// Takes one top-level key out: this layer without the key, and a layer that holds nothing else.
    #[must_use]
    pub fn split(mut self, key: &str) -> (Self, Self) {
        let taken = self.entries.remove_entry(key).into_iter().collect();
        let other = Self { file: self.file.clone(), entries: taken };
        (self, other)
    }
}

/// Refuses paths that name no value.
fn check_keys(path: &str, text: &str, keys: &[&str], origin: &Origin) -> Result<(), ConfigError> {
    let refuse = |allowed: String| {
        let error = ConfigError::new(&shortened(path), shortened(text), allowed);
        Err(ConfigError { origin: origin.known(), ..error })
    };
    if keys.len() > 32 || keys.iter().any(|key| key.is_empty()) {
        return refuse("a path of keys joined by dots, such as scheme.gc.trigger".to_owned());
    }
    match keys.first() {
        Some(root) if ROOTS.contains(root) => Ok(()),
        root => refuse(format!(
            "a path that begins with device, scheme or workload{}",
            did_you_mean(root.unwrap_or(&""), &ROOTS)
        )),
    }
}

/// Layers in order, merged: tables merge key by key, everything else (arrays too) is replaced by the later
/// layer. Where a table's `kind` differs from the earlier layer's, the later table replaces it whole; where its `policy` does, or
/// whether it is on, what the earlier layers say stays as far as the new one reads it ([`super::owned`]).
#[derive(Clone, Debug, Default)]
pub struct Layers {
    merged: Entries,
    /// Which files gave something to which root, in order.
    files: Vec<(String, String)>,
}

impl Layers {
    /// No layers yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lays a layer over those before it.
    pub fn push(&mut self, layer: Layer) {
        if let Some(file) = &layer.file {
            self.files.extend(layer.entries.keys().map(|root| (root.clone(), file.clone())));
        }
        chosen::leave_out_unread(&mut self.merged, &layer.entries);
        merge_entries(&mut self.merged, layer.entries);
    }

    /// [`Layers::push`], for chains.
    #[must_use]
    pub fn with(mut self, layer: Layer) -> Self {
        self.push(layer);
        self
    }

    /// Reads what the layers say under `root`. Nothing there counts as an empty table. Errors name the full path,
    /// the value found, what is allowed, and file and line or the override.
    pub fn resolve<T: DeserializeOwned>(&self, root: &str) -> Result<T, ConfigError> {
        let tree = self.merged.get(root).cloned().unwrap_or_else(|| Item {
            origin: self.last_file(root).unwrap_or(NOWHERE),
            content: Content::Table(Entries::new()),
        });
        T::deserialize(Source(&tree))
            .map_err(|refused| explain::explain(root, &tree, self.last_file(root), &refused))
    }

    /// Adds to a validation error where its value stands: the place of the key itself, else of the innermost
    /// table around it that some layer gave. The error's path begins with its root.
    #[must_use]
    pub fn attach_origin(&self, error: ConfigError) -> ConfigError {
        if error.origin.is_some() {
            return error;
        }
        let everything = Item { origin: NOWHERE, content: Content::Table(self.merged.clone()) };
        ConfigError { origin: everything.find(&error.path).0.known_origin(), ..error }
    }

    /// What the layers give for a key, as a message quotes it, and where they do; `None` if none gives it.
    pub fn given(&self, path: &str) -> Option<(String, Origin)> {
        let everything = Item { origin: NOWHERE, content: Content::Table(self.merged.clone()) };
        let (item, left) = everything.find(path);
        left.is_empty().then(|| (item.quoted(), item.origin.clone()))
    }

    /// The same layers as if none gave this key, whose path is one of keys alone.
    #[must_use]
    pub fn without(&self, path: &str) -> Self {
        let mut others = self.clone();
        let (tables, key) = path.rsplit_once('.').unwrap_or(("", path));
        if let Some(table) = chosen::below_mut(&mut others.merged, tables.split('.')) {
            table.remove(key);
        }
        others
    }

    fn last_file(&self, root: &str) -> Option<Origin> {
        let (_, file) = self.files.iter().rev().find(|(key, _)| key == root)?;
        Some(Origin { source: file.clone(), line: None })
    }
}

mod chosen;
#[cfg(test)]
mod tests;
