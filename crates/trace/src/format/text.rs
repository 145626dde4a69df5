//! What the first lines of a text settle before it is read.

use super::contradiction::contradicts;
use super::detected::{Detected, How};
use super::evidence::Evidence;
use super::head::lines_of_head;
use super::{Form, Rules, header, units};
use crate::config::TraceConfig;

/// How a text is to be read.
pub(crate) struct Text {
    /// The description with the units that its numbers are taken for.
    pub config: TraceConfig,
    /// Whether the first line holds names that the form doesn't know.
    pub headed: bool,
    /// What is to be said of it.
    pub notes: Vec<String>,
}

/// Looks at the first lines. An error is the line that names columns of another form than the description gives.
pub(crate) fn look_at<'a>(
    head: &'a [u8],
    complete: bool,
    detected: Detected,
    config: &TraceConfig,
) -> Result<Text, &'a [u8]> {
    let Detected { form, how } = detected;
    let names = header::of_text(lines_of_head(head, complete));
    let own = names.is_some_and(|names| super::plain::is_header(form, names));
    let headed = Form::PLAIN.contains(&form) && names.is_some() && !own;
    if headed
        && names
            .is_some_and(|names| contradicts(names, &Rules::configured(form, config), config.sector_bytes))
    {
        return Err(names.unwrap_or_default());
    }
    let mut config = config.clone();
    let evidence = Evidence::of(form, head, complete, &config);
    let mut notes = units::settle(form, how, &mut config, &evidence);
    if headed && how == How::Named {
        notes.push(format!(
            "the first line is passed over: its names say nothing else than the form `{}`",
            form.name()
        ));
    }
    Ok(Text { config, headed: headed && how == How::Named, notes })
}
