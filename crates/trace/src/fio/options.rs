//! Access to the settings of one job: each key is taken once, and what nobody took is refused.

use super::file::{Section, Setting};
use super::keys::without_effect;

/// Other names of keys.
const ALIASES: &[(&str, &str)] = &[
    ("readwrite", "rw"),
    ("blocksize", "bs"),
    ("blocksize_range", "bsrange"),
    ("blockalign", "ba"),
    ("io_limit", "io_size"),
    ("fileoffset", "offset"),
    ("io_depth", "iodepth"),
    ("bs_unaligned", "blocksize_unaligned"),
];

/// The settings of a job that were not asked for yet.
pub(super) struct Settings<'a> {
    pub job: &'a str,
    left: Vec<&'a Setting>,
}

impl<'a> Settings<'a> {
    /// The settings of a section; of a key that comes twice the last holds.
    pub(super) fn of(section: &'a Section) -> Self {
        let mut left: Vec<&Setting> = Vec::new();
        for setting in &section.settings {
            let name = canonical(&setting.key);
            left.retain(|known| canonical(&known.key) != name);
            left.push(setting);
        }
        Self { job: &section.name, left }
    }

    /// The value of a key, read; `None` when it isn't there.
    pub(super) fn take<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(Option<&str>) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        let Some(place) = self.left.iter().position(|setting| canonical(&setting.key) == key) else {
            return Ok(None);
        };
        let setting = self.left.remove(place);
        read(setting.value.as_deref()).map(Some).map_err(|allowed| wrong(setting, &allowed))
    }

    /// The same for a key that must have a value.
    pub(super) fn take_value<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        self.take(key, |value| read(value.ok_or("a value")?))
    }

    /// Refuses a key that would change the load, where it isn't at a value that leaves it as it is.
    pub(super) fn refuse(&mut self, key: &str, harmless: &[&str], why: &str) -> Result<(), String> {
        self.take(key, |value| {
            let value = value.unwrap_or("1");
            if harmless.contains(&value) { Ok(()) } else { Err(why.to_owned()) }
        })
        .map(|_| ())
    }

    /// Refuses what is left, but for keys without effect: their names are returned.
    pub(super) fn finish(self) -> Result<Vec<String>, String> {
        let mut ignored = Vec::new();
        for setting in self.left {
            if !without_effect(&setting.key) {
                return Err(wrong(
                    setting,
                    "a key of fio that is modelled: this one isn't, or fio has none of this name",
                ));
            }
            ignored.push(setting.key.clone());
        }
        Ok(ignored)
    }
}

/// The name of a key that has several.
pub(super) fn canonical(key: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == key).map_or(key, |(_, name)| name)
}

fn wrong(setting: &Setting, allowed: &str) -> String {
    let text = match &setting.value {
        Some(value) => format!("{}={value}", setting.key),
        None => setting.key.clone(),
    };
    format!("line {}: `{text}`: allowed: {allowed}", setting.line)
}
