//! The presets of drives and schemes, built in.

use wordline_config::ConfigError;
use wordline_config::suggest::did_you_mean;

include!(concat!(env!("OUT_DIR"), "/presets.rs"));

/// What there are presets of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Drives.
    Device,
    /// Firmware.
    Scheme,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Scheme => "scheme",
        }
    }

    fn table(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Device => &DEVICES,
            Self::Scheme => &SCHEMES,
        }
    }
}

/// A description that isn't read yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// What errors call it.
    pub label: String,
    /// TOML.
    pub toml: String,
}

impl Text {
    /// A TOML text, and what errors call it.
    pub fn new(label: impl Into<String>, toml: impl Into<String>) -> Self {
        Self { label: label.into(), toml: toml.into() }
    }
}

/// Names of the presets of one kind, sorted.
pub fn names(kind: Kind) -> impl Iterator<Item = &'static str> {
    kind.table().iter().map(|(name, _)| *name)
}

/// The preset with this name.
///
/// # Errors
/// There is none: the nearest name, or all.
pub fn preset(kind: Kind, name: &str) -> Result<Text, ConfigError> {
    let found = kind.table().iter().find(|(known, _)| *known == name);
    found.map(|(name, text)| Text::new(format!("{name}.toml"), *text)).ok_or_else(|| {
        let known: Vec<&str> = names(kind).collect();
        let allowed = format!("the name of a preset{}", did_you_mean(name, &known));
        ConfigError::new(kind.word(), format!("`{name}`"), allowed)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_have_names_in_order_and_a_slip_is_told_the_nearest() {
        let known: Vec<_> = names(Kind::Device).collect();
        assert!(known.is_sorted() && known.contains(&"enterprise-tlc"));
        assert!(preset(Kind::Scheme, "hotr").unwrap().toml.contains("hotr"));
        let slip = preset(Kind::Device, "enterprise-tcl").unwrap_err().to_string();
        assert_eq!(
            slip,
            "device = `enterprise-tcl`: allowed: the name of a preset; did you mean `enterprise-tlc`?"
        );
    }
}
