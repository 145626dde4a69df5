//! Access to the settings of one job: each key is taken once, and what nobody took is refused.

use super::file::{Section, Setting};
use super::given::Reasons;
use super::keys::{NOT_TAKEN_OVER, REFUSED, canonical, without_effect};

/// The settings of a job that were not asked for yet, and what is wrong with the others.
pub(super) struct Settings<'a> {
    pub job: &'a str,
    pub line: usize,
    left: Vec<&'a Setting>,
    reasons: &'a mut Reasons,
    /// Whether the job is refused as a whole: what else is wrong with it is of no use to its reader.
    is_refused: bool,
}

impl<'a> Settings<'a> {
    /// The settings of a section; of a key that comes twice the last holds.
    pub(super) fn of(section: &'a Section, reasons: &'a mut Reasons) -> Self {
        let mut left: Vec<&Setting> = Vec::new();
        for setting in &section.settings {
            let name = canonical(&setting.key);
            left.retain(|known| canonical(&known.key) != name);
            left.push(setting);
        }
        Self { job: &section.name, line: section.line, left, reasons, is_refused: false }
    }

    /// The value of a key, read; `None` when it isn't there, or is wrong.
    pub(super) fn take<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(Option<&str>) -> Result<T, String>,
    ) -> Option<T> {
        let place = self.left.iter().position(|setting| canonical(&setting.key) == key)?;
        let setting = self.left.remove(place);
        let value = match &setting.unknown {
            Some(name) => Err(format!("a value of the variable {name}, which has none: --env {name}=…")),
            None => read(setting.value.as_deref()),
        };
        value.map_err(|allowed| self.tell(wrong(setting, &allowed))).ok()
    }

    /// The text of a key that is taken later.
    pub(super) fn peek(&self, key: &str) -> Option<&str> {
        let setting = self.left.iter().find(|setting| canonical(&setting.key) == key)?;
        setting.value.as_deref()
    }

    /// Whether one key stands behind another, or without it: of two that say the same the last holds.
    pub(super) fn is_behind(&self, key: &str, other: &str) -> bool {
        let place = |key: &str| self.left.iter().position(|setting| canonical(&setting.key) == key);
        place(key) > place(other)
    }

    /// The value of a key that must have one.
    pub(super) fn take_value<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        self.take(key, |value| read(value.ok_or("a value")?))
    }

    /// A name, whatever it is.
    pub(super) fn take_name(&mut self, key: &str) -> Option<String> {
        self.take_value(key, |text| Ok(text.to_owned()))
    }

    /// Whether a switch is on.
    pub(super) fn is_on(&mut self, key: &str) -> bool {
        self.take(key, super::values::switch).unwrap_or(false)
    }

    /// Something is wrong with the job as a whole.
    pub(super) fn wrong(&mut self, what: &str) {
        self.tell(format!("line {}: job {}: {what}", self.line, self.job));
    }

    /// The job can't be had, whatever else it says.
    pub(super) fn refuse(&mut self, what: &str) {
        self.wrong(what);
        self.is_refused = true;
    }

    fn tell(&mut self, reason: String) {
        if !self.is_refused {
            self.reasons.add(reason);
        }
    }

    /// Refuses what is left, but for keys without effect: the names of those are returned, and a sentence for each key that has one
    /// in fio and none here.
    pub(super) fn finish(mut self) -> (Vec<String>, Vec<String>) {
        for (key, harmless, why) in REFUSED {
            self.take(key, |value| {
                if harmless.contains(&value.unwrap_or("1")) { Ok(()) } else { Err((*why).to_owned()) }
            });
        }
        let (mut ignored, mut notes) = (Vec::new(), Vec::new());
        for setting in std::mem::take(&mut self.left) {
            let key = canonical(&setting.key);
            let is_off = matches!(setting.value.as_deref(), Some("0" | "none"));
            match NOT_TAKEN_OVER.iter().find(|(keys, _)| keys.contains(&key)) {
                Some((keys, why)) if !is_off => {
                    notes.push(format!("{}: {why}", keys.first().copied().unwrap_or(key)))
                }
                Some(_) => {}
                None if without_effect(key) => ignored.push(setting.key.clone()),
                None => self.tell(wrong(
                    setting,
                    "a key of fio that is modelled: this one isn't, or fio has none of this name",
                )),
            }
        }
        (ignored, notes)
    }
}

fn wrong(setting: &Setting, allowed: &str) -> String {
    let text = match &setting.value {
        Some(value) => format!("{}={value}", setting.key),
        None => setting.key.clone(),
    };
    format!("{}: `{text}`: allowed: {allowed}", setting.at)
}
