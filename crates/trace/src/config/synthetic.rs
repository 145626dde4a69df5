//! Description of a generator.

use std::fmt;

use serde::de::{Error, SeqAccess, Visitor, value::SeqAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize};
use wordline_config::error::{ConfigError, check_range};

use super::{InterarrivalConfig, PatternConfig};

/// Largest synthetic request, bytes.
const MAX_SIZE: u64 = 1 << 30;

/// A generator of requests.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SyntheticConfig {
    /// Number of requests.
    pub requests: u64,
    /// Share of requests that read; those that neither read nor trim write.
    pub read_share: f64,
    /// Share of requests that trim.
    pub trim_share: f64,
    /// Which addresses.
    pub pattern: PatternConfig,
    /// Part of the drive that is used; the whole drive when left out.
    pub region: RegionConfig,
    /// Length of requests: a number of bytes, or a list of `{ bytes, weight }`.
    pub sizes: Sizes,
    /// Offsets are multiples of this, bytes; the smallest of the sizes when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alignment_bytes: Option<u64>,
    /// When requests arrive; needed for open arrivals. Without it all arrive at 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interarrival: Option<InterarrivalConfig>,
}

/// A part of the drive. Shares are of the drive's size. The start is rounded up and the end down to the alignment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegionConfig {
    /// First byte, as a share of the drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_share: Option<f64>,
    /// First byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_bytes: Option<u64>,
    /// Length, as a share of the drive; up to the drive's end when both lengths are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// Length, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// Length of requests.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Sizes {
    /// Every request has this many bytes.
    Fixed(u64),
    /// Drawn at random for each request.
    Weighted(Vec<SizeWeight>),
}

/// One size of a list.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeWeight {
    /// Length of the request, bytes.
    pub bytes: u64,
    /// How often, relative to the other weights.
    pub weight: f64,
}

impl SizeWeight {
    /// Those of a list that are ever drawn, bytes.
    pub(crate) fn drawn(sizes: &[Self]) -> impl Iterator<Item = u64> {
        sizes.iter().filter(|size| size.weight > 0.0).map(|size| size.bytes)
    }

    /// The one that is always drawn, bytes, if there is but one.
    pub(crate) fn only(sizes: &[Self]) -> Option<u64> {
        let mut drawn = Self::drawn(sizes);
        let first = drawn.next()?;
        drawn.all(|bytes| bytes == first).then_some(first)
    }
}

impl SyntheticConfig {
    /// The alignment in force, bytes.
    pub fn alignment(&self) -> u64 {
        self.alignment_bytes.unwrap_or_else(|| self.sizes.smallest())
    }

    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        check_range("requests", self.requests, 1, 1 << 48)?;
        check_range("read_share", self.read_share, 0.0, 1.0)?;
        check_range("trim_share", self.trim_share, 0.0, 1.0)?;
        // A last bit of slack, for shares such as 0.7 + 0.3.
        if self.read_share + self.trim_share > 1.0 + f64::EPSILON {
            return Err(ConfigError::new("trim_share", self.trim_share, "at most 1 - read_share"));
        }
        self.pattern.validate().map_err(|error| error.under("pattern"))?;
        self.region.validate().map_err(|error| error.under("region"))?;
        self.sizes.validate()?;
        if let Some(bytes) = self.alignment_bytes {
            check_range("alignment_bytes", bytes, 1, MAX_SIZE)?;
        }
        match &self.interarrival {
            Some(interarrival) => interarrival.validate().map_err(|error| error.under("interarrival")),
            None => Ok(()),
        }
    }
}

impl RegionConfig {
    /// First byte on a drive of this size, and the byte behind the last.
    pub(crate) fn bounds(&self, drive_bytes: u64) -> Result<(u64, u64), ConfigError> {
        let of_drive = |share: f64| ((drive_bytes as f64 * share) as u64).min(drive_bytes);
        let start = self.start_share.map(of_drive).or(self.start_bytes).unwrap_or(0);
        if start >= drive_bytes {
            let allowed = format!("below the drive's {drive_bytes} bytes");
            return Err(ConfigError::new("start_bytes", start, allowed));
        }
        let room = drive_bytes - start;
        match self.bytes {
            Some(bytes) if bytes > room => {
                let allowed = format!("at most {room}, for the drive has {drive_bytes} bytes");
                Err(ConfigError::new("bytes", bytes, allowed))
            }
            Some(bytes) => Ok((start, start + bytes)),
            None => Ok((start, start + self.share.map_or(room, |share| of_drive(share).min(room)))),
        }
    }

    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        if let Some(share) = self.start_share {
            check_range("start_share", share, 0.0, 1.0)?;
        }
        if let Some(share) = self.share {
            check_range("share", share, 0.0, 1.0)?;
        }
        if let (Some(_), Some(bytes)) = (self.start_share, self.start_bytes) {
            return Err(ConfigError::new("start_bytes", bytes, "nothing beside start_share"));
        }
        if let (Some(_), Some(bytes)) = (self.share, self.bytes) {
            return Err(ConfigError::new("bytes", bytes, "nothing beside share"));
        }
        Ok(())
    }
}

impl Sizes {
    /// The smallest size, bytes.
    pub fn smallest(&self) -> u64 {
        match self {
            Self::Fixed(bytes) => *bytes,
            Self::Weighted(list) => list.iter().map(|size| size.bytes).min().unwrap_or(1),
        }
    }

    /// The largest size, bytes.
    pub fn largest(&self) -> u64 {
        match self {
            Self::Fixed(bytes) => *bytes,
            Self::Weighted(list) => list.iter().map(|size| size.bytes).max().unwrap_or(1),
        }
    }

    fn validate(&self) -> Result<(), ConfigError> {
        match self {
            Self::Fixed(bytes) => check_range("sizes", *bytes, 1, MAX_SIZE),
            Self::Weighted(list) => validate_weights(list),
        }
    }
}

fn validate_weights(list: &[SizeWeight]) -> Result<(), ConfigError> {
    check_range("sizes", list.len(), 1, 1 << 16)
        .map_err(|error| ConfigError { allowed: "a list of 1 to 65536 sizes".into(), ..error })?;
    for (index, size) in list.iter().enumerate() {
        check_range("bytes", size.bytes, 1, MAX_SIZE)
            .and_then(|()| check_range("weight", size.weight, 0.0, 1e12))
            .map_err(|error| error.under(&format!("sizes[{index}]")))?;
    }
    if list.iter().all(|size| size.weight == 0.0) {
        return Err(ConfigError::new("sizes", "weights of 0", "at least one weight above 0"));
    }
    Ok(())
}

// By hand, since an untagged enum forgets which value was wrong.
impl<'de> Deserialize<'de> for Sizes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SizesVisitor)
    }
}

struct SizesVisitor;

impl<'de> Visitor<'de> for SizesVisitor {
    type Value = Sizes;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a number of bytes, or a list of { bytes, weight }")
    }

    fn visit_u64<E: Error>(self, bytes: u64) -> Result<Sizes, E> {
        Ok(Sizes::Fixed(bytes))
    }

    fn visit_i64<E: Error>(self, bytes: i64) -> Result<Sizes, E> {
        u64::try_from(bytes)
            .map(Sizes::Fixed)
            .map_err(|_| E::custom(format!("`{bytes}`: allowed: 1 to {MAX_SIZE} bytes")))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Sizes, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(Sizes::Weighted)
    }
}
