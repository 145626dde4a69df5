//! Where the jobs of a file stand.

use std::collections::BTreeMap;

use super::file::Section;
use super::keys::canonical;
use crate::config::{JobPlace, JobSetting};

/// Where a job stands, with the settings that its load comes from.
pub(super) fn of_section(file: &str, section: &Section) -> JobPlace {
    let mut settings = BTreeMap::new();
    for setting in &section.settings {
        let key = canonical(&setting.key);
        if JobPlace::keeps(key) {
            let value = setting.value.clone().unwrap_or_default();
            let (file, line) = setting.at.parts();
            settings.insert(key.to_owned(), JobSetting { file, line, value });
        }
    }
    JobPlace { file: file.to_owned(), section: section.name.clone(), line: section.line, settings }
}
