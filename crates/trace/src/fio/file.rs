//! Sections and lines of a job file.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use super::given::{Given, Reasons};

/// Files that include one another, at most.
const MAX_DEPTH: usize = 16;

/// Files that are included, at most, each as often as it is.
const MAX_INCLUDED: usize = 1000;

/// Where a setting stands that was given beside the file.
const OPTION: &str = "--fio";

/// Where something stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// In a line of the job file, or of one that it includes.
    Line {
        /// The one that is included.
        file: Option<String>,
        line: usize,
    },
    /// In what was given beside the file.
    Option,
}

impl At {
    /// The file, where it isn't the job file itself, or the option; and the line of a file.
    pub(super) fn parts(&self) -> (Option<String>, Option<usize>) {
        match self {
            Self::Line { file, line } => (file.clone(), Some(*line)),
            Self::Option => (Some(OPTION.to_owned()), None),
        }
    }
}

impl fmt::Display for At {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { file: Some(file), line } => write!(out, "{file}: line {line}"),
            Self::Line { file: None, line } => write!(out, "line {line}"),
            Self::Option => out.write_str(OPTION),
        }
    }
}

/// A key with its value, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    pub key: String,
    /// `None`: the key stands alone.
    pub value: Option<String>,
    pub at: At,
    /// A variable in its value that nothing is known of.
    pub unknown: Option<String>,
}

/// A job: its name and settings, those of `[global]` sections above it first.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub name: String,
    pub line: usize,
    pub settings: Vec<Setting>,
}

/// What a file holds.
pub(super) struct Contents {
    pub sections: Vec<Section>,
    /// Variables that were put in.
    pub variables: BTreeSet<String>,
}

/// The jobs of a file, those that are asked for.
pub(super) fn sections(text: &str, given: &Given, reasons: &mut Reasons) -> Contents {
    let mut reader = Reader {
        given,
        reasons,
        global: Vec::new(),
        jobs: Vec::new(),
        in_global: None,
        included: 0,
        variables: BTreeSet::new(),
    };
    reader.lines(text, None, given.folder.as_deref(), 0);
    reader.given_settings();
    let Reader { mut jobs, variables, .. } = reader;
    if jobs.is_empty() {
        reasons.add("no section describes a job".into());
    }
    let known: Vec<String> = jobs.iter().map(|job| format!("[{}]", job.name)).collect();
    for name in given.sections.iter().filter(|name| jobs.iter().all(|job| job.name != **name)) {
        reasons.add(format!("section = {name:?}: allowed: {}", known.join(", ")));
    }
    jobs.retain(|job| given.sections.is_empty() || given.sections.contains(&job.name));
    Contents { sections: jobs, variables }
}

struct Reader<'a> {
    given: &'a Given,
    reasons: &'a mut Reasons,
    global: Vec<Setting>,
    jobs: Vec<Section>,
    in_global: Option<bool>,
    included: usize,
    variables: BTreeSet<String>,
}

impl Reader<'_> {
    fn lines(&mut self, text: &str, file: Option<&str>, folder: Option<&Path>, depth: usize) {
        for (index, raw) in text.lines().enumerate() {
            let line = index + 1;
            let at = At::Line { file: file.map(str::to_owned), line };
            let trimmed = raw.trim_start_matches('\u{feff}').trim();
            if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
                continue;
            }
            match trimmed.strip_prefix('[') {
                Some(_) if depth > 0 => {
                    self.reasons
                        .add(format!("{at}: `{trimmed}`: allowed: no section in a file that is included"));
                }
                Some(rest) => self.section(trimmed, rest, line),
                None => match trimmed.strip_prefix("include").filter(|rest| rest.starts_with([' ', '\t'])) {
                    Some(name) => self.include(name.trim(), &at, folder, depth),
                    None => self.setting(trimmed, at),
                },
            }
        }
    }

    fn section(&mut self, trimmed: &str, rest: &str, line: usize) {
        let Some((name, _)) = rest.split_once(']') else {
            return self.reasons.add(format!("line {line}: `{trimmed}`: no `]`"));
        };
        self.in_global = Some(name == "global");
        if name != "global" {
            self.jobs.push(Section { name: name.to_owned(), line, settings: self.global.clone() });
        }
    }

    fn include(&mut self, name: &str, at: &At, folder: Option<&Path>, depth: usize) {
        let Some(folder) = folder else {
            let what = format!("{at}: `include {name}`: the file's folder isn't known: put its lines here");
            return self.reasons.add(what);
        };
        if depth >= MAX_DEPTH {
            let what = format!("{at}: `include {name}`: allowed: {MAX_DEPTH} files that include one another");
            return self.reasons.add(what);
        }
        self.included += 1;
        if self.included > MAX_INCLUDED {
            return self.reasons.add(format!("more than {MAX_INCLUDED} files are included"));
        }
        let path: PathBuf = folder.join(name);
        if path.exists() && !path.is_file() {
            let what = format!("{at}: `include {name}`: {}: allowed: an ordinary file", path.display());
            return self.reasons.add(what);
        }
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                let label = path.display().to_string();
                self.lines(&text, Some(&label), path.parent(), depth + 1);
            }
            Err(error) => self.reasons.add(format!("{at}: `include {name}`: {}: {error}", path.display())),
        }
    }

    fn setting(&mut self, text: &str, at: At) {
        // A comment may follow the value.
        let marks = [" ;", " #", "\t;", "\t#"];
        let text = marks.iter().fold(text, |text, mark| text.split(mark).next().unwrap_or(text));
        let Some(setting) = self.read(text, at) else { return };
        match (self.in_global, self.jobs.last_mut()) {
            (Some(true), _) => self.global.push(setting),
            (Some(false), Some(job)) => job.settings.push(setting),
            _ => self.reasons.add(format!("{}: `{text}`: stands before the first section", setting.at)),
        }
    }

    /// What was given beside the file stands behind all lines of each job.
    fn given_settings(&mut self) {
        for text in &self.given.settings {
            let Some(setting) = self.read(text, At::Option) else { continue };
            self.jobs.iter_mut().for_each(|job| job.settings.push(setting.clone()));
        }
    }

    /// `key` or `key=value`.
    fn read(&mut self, text: &str, at: At) -> Option<Setting> {
        let (key, value) = match text.split_once('=') {
            Some((key, value)) => (key.trim(), Some(value.trim())),
            None => (text.trim(), None),
        };
        let known = |character: char| character.is_ascii_alphanumeric() || "_-".contains(character);
        if key.is_empty() || !key.chars().all(known) {
            self.reasons.add(format!("{at}: `{text}`: allowed: key or key=value"));
            return None;
        }
        let (value, unknown) = match value {
            Some(value) => {
                let (value, unknown) = self.filled_in(value);
                (Some(value), unknown)
            }
            None => (None, None),
        };
        Some(Setting { key: key.to_ascii_lowercase(), value, at, unknown })
    }

    /// A value with the values of its variables, and the first of these that has none.
    fn filled_in(&mut self, value: &str) -> (String, Option<String>) {
        let (mut out, mut rest, mut unknown) = (String::new(), value, None);
        while let Some((before, behind)) = rest.split_once("${") {
            let Some((name, behind)) = behind.split_once('}') else { break };
            out.push_str(before);
            match self.given.environment.get(name).filter(|value| !value.is_empty()) {
                Some(value) => {
                    self.variables.insert(format!("{name}={value}"));
                    out.push_str(value);
                }
                None => {
                    out.push_str(&format!("${{{name}}}"));
                    unknown = unknown.or_else(|| Some(name.to_owned()));
                }
            }
            rest = behind;
        }
        out.push_str(rest);
        (out, unknown)
    }
}
