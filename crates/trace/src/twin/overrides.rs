//! What a source has in the place of its profile's values.

use wordline_config::error::ConfigError;

use super::model::Walk;
use super::profile::Profile;
use crate::config::TwinConfig;

/// Puts the source's values in the place of the profile's.
///
/// # Errors
/// A value that the profile has no place for, or that is too large for it.
pub(super) fn set(profile: &mut Profile, config: &TwinConfig) -> Result<(), ConfigError> {
    set_skew(profile, config)?;
    set_theta(profile, config)
}

fn set_skew(profile: &mut Profile, config: &TwinConfig) -> Result<(), ConfigError> {
    let given = [
        config.skew.map(|excess| ("source.skew", excess)),
        config.skew_pieces.map(|pieces| ("source.skew_pieces", pieces as f64)),
    ];
    let skew = profile.model.as_mut().and_then(|model| model.skew.as_mut());
    let Some(skew) = skew else {
        return match given.into_iter().flatten().next() {
            Some((name, value)) => Err(ConfigError::new(name, value, "with a profile that has model.skew")),
            None => Ok(()),
        };
    };
    if let Some(pieces) = config.skew_pieces {
        if pieces >= skew.of {
            let allowed = format!("1 to {}", skew.of - 1);
            return Err(ConfigError::new("source.skew_pieces", pieces, allowed));
        }
        skew.pieces = pieces;
    }
    if let Some(excess) = config.skew {
        skew.excess = excess;
    }
    if skew.excess > skew.most() {
        return Err(ConfigError::new("source.skew", skew.excess, format!("0 to {}", skew.most())));
    }
    Ok(())
}

fn set_theta(profile: &mut Profile, config: &TwinConfig) -> Result<(), ConfigError> {
    let Some(theta) = config.theta else { return Ok(()) };
    let classes = profile.model.iter_mut().flat_map(|model| &mut model.class);
    let mut zipf = classes.filter(|class| class.walk == Walk::Zipf).peekable();
    if zipf.peek().is_none() {
        let allowed = "with a profile that has classes walked by zipf";
        return Err(ConfigError::new("source.theta", theta, allowed));
    }
    zipf.for_each(|class| class.theta = Some(theta));
    Ok(())
}
