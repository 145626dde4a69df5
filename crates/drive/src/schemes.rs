//! Schemes by a name that joins several with `+`, where their slots allow it.

mod leaves;
mod slots;

use wordline_config::{ConfigError, Layer, Layers};

use crate::presets::{Kind, Text, preset};
use leaves::{Leaves, leaves_of};

/// Joins the parts of a scheme's name.
const JOIN: char = '+';

/// A part of a scheme's name.
struct Part {
    name: String,
    text: Text,
    leaves: Leaves,
    /// Whether it sets one key: those stand behind what presets and files have for it.
    sets_a_key: bool,
}

/// The scheme that a text names: a preset, `key=value`, or several of these joined by `+`.
///
/// # Errors
/// As [`combined`]; a preset that there is not.
pub fn scheme(text: &str) -> Result<Text, ConfigError> {
    if !text.contains([JOIN, '=']) {
        return preset(Kind::Scheme, text);
    }
    let parts = text.split(JOIN).map(|part| {
        let part = part.trim();
        let known =
            if part.contains('=') || part.is_empty() { None } else { Some(preset(Kind::Scheme, part)?) };
        Ok((part.to_owned(), known))
    });
    combined(text, parts.collect::<Result<_, ConfigError>>()?)
}

/// The scheme of several parts under this name. A part is called as in the name, and has a text of its own unless it is `key=value`,
/// which takes the place of what the texts have for its key.
///
/// # Errors
/// An empty part; a part that can't be; two parts that fill the same slot differently; two texts, or two `key=value`, that set one key to
/// different values. The message names slot or key.
pub fn combined(name: &str, parts: Vec<(String, Option<Text>)>) -> Result<Text, ConfigError> {
    if parts.iter().any(|(part, _)| part.is_empty()) {
        let allowed = "names joined by +, such as baseline+scheduler.policy=fifo";
        return Err(ConfigError::new("scheme", name, allowed));
    }
    let (mut known, mut slip) = (Vec::new(), None);
    for (part, text) in parts {
        let sets_a_key = text.is_none();
        let text = text.unwrap_or_else(|| one_key(&part));
        // Each on its own first: a slip there is told with its own file and line. A key may need what another part sets.
        match resolved(&text) {
            Err(error) if sets_a_key => slip = slip.or(Some(error)),
            result => result?,
        }
        let leaves = leaves_of(&text)?;
        known.push(Part { name: part, text, leaves, sets_a_key });
    }
    if let [Part { text, .. }] = known.as_slice() {
        return slip.map_or(Ok(text.clone()), Err);
    }
    for (number, first) in known.iter().enumerate() {
        for second in known.iter().skip(number + 1) {
            slots::check(name, first, second)?;
            check_values(name, first, second)?;
        }
    }
    let joined = joined(name, &known);
    match slip {
        Some(slip) if resolved(&joined).is_err() => Err(slip),
        _ => Ok(joined),
    }
}

/// Refuses what can't be a scheme.
fn resolved(text: &Text) -> Result<(), ConfigError> {
    let layers = Layers::new().with(Layer::from_toml(&text.label, &text.toml)?.under("scheme"));
    let scheme = layers.scheme()?;
    scheme.validate_values().map_err(|error| layers.attach_origin(error.under("scheme")))
}

/// The scheme that sets one key: a value is a TOML value where it reads as one, else a string, so that `fifo` means `"fifo"`.
fn one_key(part: &str) -> Text {
    let (key, value) = part.split_once('=').unwrap_or((part, ""));
    let (key, value) = (key.trim().trim_start_matches("scheme."), value.trim());
    let string = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let reads = Layer::from_toml(part, &format!("x = {value}")).is_ok();
    let value = if reads { value.to_owned() } else { string(value) };
    Text::new(part, format!("name = {}\n{key} = {value}\n", string(part)))
}

fn check_values(name: &str, first: &Part, second: &Part) -> Result<(), ConfigError> {
    if first.sets_a_key != second.sets_a_key {
        return Ok(());
    }
    for (key, a) in first.leaves.iter().filter(|(key, _)| !is_title(key)) {
        if let Some(b) = second.leaves.get(key).filter(|&b| b != a) {
            let path = key.join(".");
            let found = format!("{name}: scheme.{path} is {a} in {} and {b} in {}", first.name, second.name);
            return Err(ConfigError::new("scheme", found, "one value"));
        }
    }
    Ok(())
}

/// Whether a key only says what the scheme is.
fn is_title(key: &[String]) -> bool {
    matches!(key, [one] if one == "name" || one == "description")
}

fn joined(name: &str, parts: &[Part]) -> Text {
    let mut merged = Leaves::new();
    for sets_a_key in [false, true] {
        for part in parts.iter().filter(|part| part.sets_a_key == sets_a_key) {
            merged.extend(part.leaves.iter().map(|(key, value)| (key.clone(), value.clone())));
        }
    }
    merged.retain(|key, _| !is_title(key));
    let mut toml = format!("name = {}\n", toml::Value::String(name.to_owned()));
    for (key, value) in &merged {
        toml.push_str(&format!("{} = {value}\n", leaves::dotted(key)));
    }
    Text::new(name, toml)
}

#[cfg(test)]
mod tests;
