//! Sections and lines of a job file.

/// A key with its value, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    pub key: String,
    /// `None`: the key stands alone.
    pub value: Option<String>,
    pub line: usize,
}

/// A job: its name and settings, those of `[global]` sections above it first.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub name: String,
    pub line: usize,
    pub settings: Vec<Setting>,
}

/// The jobs of a file. Errors begin with the line.
pub(super) fn sections(text: &str) -> Result<Vec<Section>, String> {
    let mut global: Vec<Setting> = Vec::new();
    let mut jobs: Vec<Section> = Vec::new();
    let mut in_global = None;
    for (index, raw) in text.lines().enumerate() {
        let line = index + 1;
        let trimmed = raw.trim_start_matches('\u{feff}').trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        if let Some(rest) = trimmed.strip_prefix('[') {
            let (name, _) =
                rest.split_once(']').ok_or_else(|| format!("line {line}: `{trimmed}`: no `]`"))?;
            in_global = Some(name == "global");
            if name != "global" {
                jobs.push(Section { name: name.to_owned(), line, settings: global.clone() });
            }
            continue;
        }
        if trimmed.split_whitespace().next() == Some("include") {
            return Err(format!("line {line}: `{trimmed}`: files aren't included: put their lines here"));
        }
        let setting = setting(trimmed, line)?;
        match (in_global, jobs.last_mut()) {
            (Some(true), _) => global.push(setting),
            (Some(false), Some(job)) => job.settings.push(setting),
            _ => return Err(format!("line {line}: `{trimmed}`: stands before the first section")),
        }
    }
    if jobs.is_empty() {
        return Err("no section describes a job".into());
    }
    Ok(jobs)
}

fn setting(text: &str, line: usize) -> Result<Setting, String> {
    // A comment may follow the value.
    let text =
        [" ;", " #", "\t;", "\t#"].iter().fold(text, |text, mark| text.split(mark).next().unwrap_or(text));
    let (key, value) = match text.split_once('=') {
        Some((key, value)) => (key.trim(), Some(value.trim().to_owned())),
        None => (text.trim(), None),
    };
    let known = |character: char| character.is_ascii_alphanumeric() || character == '_';
    if key.is_empty() || !key.chars().all(known) {
        return Err(format!("line {line}: `{text}`: allowed: key or key=value"));
    }
    Ok(Setting { key: key.to_ascii_lowercase(), value, line })
}
