//! The drive's state at the start and the measured window.
//! A workload description (crate `wordline-trace`) holds these tables beside its source of requests and [the host](super::host).

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};

/// State of the drive before the first request. Takes no simulated time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartConfig {
    /// Which logical pages hold data: `"all"`, `"none"`, `"footprint"` (the pages that the
    /// workload touches), `"span"` (every page up to the last of those), or a share of the logical space such as `0.75`, from its start.
    #[serde(default)]
    pub occupancy: Occupancy,
    /// The same for sets of planes (`scheme.nvm_set`) by name: `"all"`, `"none"`, or a share of the set's logical pages, from its start. For sets
    /// that are left out, `occupancy` holds.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub set_occupancy: BTreeMap<String, Occupancy>,
    /// How they lie: `"in_order"`, as written once one after the other, `"steady"`, as the workload's overwrites leave
    /// them when they have gone on for long, in the middle of things, or `"at_trigger"`, as uniform ones leave them, with
    /// nothing open and each domain about to collect (MQSim's preconditioning). Takes no simulated time.
    #[serde(default)]
    pub layout: StartLayout,
    /// Requests like the workload's own that come before it and aren't measured, until queues, buffers and collections under
    /// way are as they stay. Left out: with `"steady"` as many as the drive needs for that, else none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settle_requests: Option<u64>,
    /// What a cache of the map (`scheme.mapping`) holds: `"used"`, what requests like the workload's own leave in it when they have
    /// gone on for long, where their law is known; or `"empty"`: nothing.
    #[serde(default, skip_serializing_if = "MapCacheStart::is_used")]
    pub map_cache: MapCacheStart,
    /// Random overwrites of occupied pages before the first request, carried out one by one, in multiples of their number.
    #[serde(default)]
    pub overwrite: f64,
}

/// What a cache of the map holds at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MapCacheStart {
    /// What requests like the workload's own leave in it.
    #[default]
    Used,
    /// Nothing.
    Empty,
}

impl MapCacheStart {
    /// Whether it has been in use.
    pub fn is_used(&self) -> bool {
        *self == Self::Used
    }
}

/// How the logical pages lie that hold data at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StartLayout {
    /// As written once in order.
    #[default]
    InOrder,
    /// As in the steady state of the workload's overwrites.
    Steady,
    /// As in the steady state of uniformly random overwrites, at the moment when every domain is about to collect.
    AtTrigger,
}

impl StartLayout {
    /// Whether pages lie as overwrites leave them.
    pub fn is_scattered(self) -> bool {
        self != Self::InOrder
    }

    /// Its name as TOML has it.
    pub fn quoted(self) -> &'static str {
        match self {
            Self::InOrder => "\"in_order\"",
            Self::Steady => "\"steady\"",
            Self::AtTrigger => "\"at_trigger\"",
        }
    }
}

/// Which logical pages hold data at the start: a word or a number in TOML.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "OccupancyForm", into = "OccupancyForm")]
pub enum Occupancy {
    /// Every page of the logical space.
    #[default]
    All,
    /// No page.
    None,
    /// The pages that the workload touches.
    Footprint,
    /// Every page up to the last that the workload touches, so that pages which it passes over take their places.
    Span,
    /// This share of the logical space, from its start.
    Share(f64),
}

impl Display for Occupancy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match OccupancyForm::from(*self) {
            OccupancyForm::Share(share) => write!(f, "{share}"),
            OccupancyForm::Word(word) => write!(f, "{word:?}"),
        }
    }
}

impl Occupancy {
    /// Whether it takes the requests to know it.
    pub fn follows_requests(self) -> bool {
        matches!(self, Self::Footprint | Self::Span)
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum OccupancyForm {
    Share(f64),
    Word(String),
}

impl From<Occupancy> for OccupancyForm {
    fn from(occupancy: Occupancy) -> Self {
        match occupancy {
            Occupancy::All => Self::Word("all".into()),
            Occupancy::None => Self::Word("none".into()),
            Occupancy::Footprint => Self::Word("footprint".into()),
            Occupancy::Span => Self::Word("span".into()),
            Occupancy::Share(share) => Self::Share(share),
        }
    }
}

impl TryFrom<OccupancyForm> for Occupancy {
    type Error = String;

    fn try_from(form: OccupancyForm) -> Result<Self, String> {
        let refused = |value: &dyn Display| {
            Err(format!("`{value}`: allowed: all, none, footprint, span, or a share from 0 to 1"))
        };
        match form {
            OccupancyForm::Share(share) if (0.0..=1.0).contains(&share) => Ok(Self::Share(share)),
            OccupancyForm::Word(word) if word == "all" => Ok(Self::All),
            OccupancyForm::Word(word) if word == "none" => Ok(Self::None),
            OccupancyForm::Word(word) if word == "footprint" => Ok(Self::Footprint),
            OccupancyForm::Word(word) if word == "span" => Ok(Self::Span),
            OccupancyForm::Share(share) => refused(&share),
            OccupancyForm::Word(word) => refused(&word),
        }
    }
}

/// What is measured. Warm-up ends when *all* of the given bounds are passed; requests that arrive later count.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowConfig {
    /// Simulated time of the warm-up, ns.
    #[serde(default)]
    pub warmup_ns: u64,
    /// Requests of the warm-up.
    #[serde(default)]
    pub warmup_requests: u64,
    /// Host writes of the warm-up, in multiples of the drive's logical size.
    #[serde(default)]
    pub warmup_drive_writes: f64,
}

impl StartConfig {
    /// Refuses what can't be prepared.
    pub fn validate(&self) -> Result<(), ConfigError> {
        if let Occupancy::Share(share) = self.occupancy {
            check_range("occupancy", share, 0.0, 1.0)?;
        }
        for (name, occupancy) in &self.set_occupancy {
            if occupancy.follows_requests() {
                let allowed = "all, none, or a share from 0 to 1";
                return Err(ConfigError::new(&format!("set_occupancy.{name}"), occupancy, allowed));
            }
            if self.occupancy.follows_requests() {
                let allowed = "left out beside occupancy = \"footprint\" or \"span\"";
                return Err(ConfigError::new(&format!("set_occupancy.{name}"), occupancy, allowed));
            }
        }
        if self.layout.is_scattered() && self.occupancy.follows_requests() {
            return Err(ConfigError::new(
                "layout",
                self.layout.quoted(),
                "\"in_order\" beside occupancy = \"footprint\" or \"span\"",
            ));
        }
        check_range("settle_requests", self.settle_requests.unwrap_or(0), 0, 1 << 48)?;
        check_range("overwrite", self.overwrite, 0.0, 1000.0)
    }
}

impl WindowConfig {
    /// Refuses what can't be measured.
    pub fn validate(&self) -> Result<(), ConfigError> {
        check_range("warmup_drive_writes", self.warmup_drive_writes, 0.0, 1e6)
    }
}
