//! Space reserved before the drive is laid out.

use crate::blocks::Domains;
use wordline_base::ids::{DieId, DomainId, PlaneId};
use wordline_config::ConfigError;
use wordline_config::copies::CopiesConfig;
use wordline_flash::nand::Geometry;

/// What someone wants to be reserved.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reservation {
    /// Whole dies: no data of the host is placed there, and their capacity is not the host's.
    pub dies: Vec<DieId>,
    /// Share of the blocks of every other plane that must be spare beyond what the host's data needs.
    pub blocks: f64,
}

impl Reservation {
    /// What a scheme reserves for every system.
    pub fn of_scheme(config: &CopiesConfig) -> Self {
        Self {
            dies: config.reserved_dies.iter().copied().map(DieId).collect(),
            blocks: config.reserved_blocks,
        }
    }
}

/// One reservation and who has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Number of the system; `None` for the scheme, whose space every system may use.
    pub system: Option<usize>,
    /// Its name.
    pub name: String,
    /// What it has.
    pub reservation: Reservation,
}

/// All that is reserved.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reserved {
    parts: Vec<Part>,
    /// By plane; empty while no die is reserved.
    planes: Vec<bool>,
    planes_per_die: u32,
    count: u32,
    blocks: u32,
}

impl Reserved {
    /// Adds the reservations up. A die that does not exist or is reserved twice is refused, and so is a reservation of all.
    pub fn new(geometry: &Geometry, parts: Vec<Part>) -> Result<Self, ConfigError> {
        let parts: Vec<Part> =
            parts.into_iter().filter(|part| part.reservation != Reservation::default()).collect();
        let mut this =
            Self { planes: Vec::new(), planes_per_die: geometry.planes_per_die, count: 0, blocks: 0, parts };
        let mut share = 0.0;
        for part in &this.parts {
            let wrong = |what: &str, value: String, allowed: String| {
                let key = match part.system {
                    None => format!("scheme.copies.{what}"),
                    Some(_) => format!("{what} of the system {}", part.name),
                };
                Err(ConfigError::new(&key, value, allowed))
            };
            let blocks = part.reservation.blocks;
            if !(0.0..=0.9).contains(&blocks) {
                return wrong("reserved_blocks", blocks.to_string(), "0 to 0.9".into());
            }
            share += blocks;
            for die in &part.reservation.dies {
                let first = die.index() * geometry.planes_per_die as usize;
                if die.0 >= geometry.dies() {
                    let allowed = format!("dies 0 to {}", geometry.dies() - 1);
                    return wrong("reserved_dies", die.0.to_string(), allowed);
                }
                this.planes.resize(geometry.planes() as usize, false);
                if this.planes[first] {
                    return wrong("reserved_dies", die.0.to_string(), "each die once".into());
                }
                this.planes[first..first + geometry.planes_per_die as usize].fill(true);
                this.count += geometry.planes_per_die;
                if this.count == geometry.planes() {
                    return wrong("reserved_dies", die.0.to_string(), "not every die of the drive".into());
                }
            }
        }
        this.blocks = (share * f64::from(geometry.blocks_per_plane)).ceil() as u32;
        Ok(this)
    }

    /// Tells of superblocks of which only a part is reserved, if there are any: they must lie wholly on reserved dies or wholly on
    /// others.
    pub fn torn(&self, domains: &Domains) -> Option<String> {
        (0..domains.len() as u32).map(DomainId).find_map(|domain| {
            let planes = domains.planes(domain);
            let reserved = planes.iter().filter(|&&plane| self.has(plane)).count();
            (reserved != 0 && reserved != planes.len()).then(|| {
                let dies = self.parts.iter().flat_map(|part| &part.reservation.dies);
                let dies: Vec<u32> = dies.map(|die| die.0).collect();
                format!(
                    "no superblock may lie partly on reserved dies ({dies:?}): here on {reserved} of its {} planes",
                    planes.len()
                )
            })
        })
    }

    /// Whether a plane is reserved.
    #[inline]
    pub fn has(&self, plane: PlaneId) -> bool {
        self.planes.get(plane.index()).copied().unwrap_or(false)
    }

    /// Whether any die is.
    #[inline]
    pub fn has_dies(&self) -> bool {
        self.count > 0
    }

    /// Reserved planes.
    pub fn planes(&self) -> u32 {
        self.count
    }

    /// Blocks of each other plane that must be spare for what is reserved.
    pub fn blocks(&self) -> u32 {
        self.blocks
    }

    /// Who has what.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The reserved dies that a system may use.
    pub fn dies_for(&self, system: usize) -> impl Iterator<Item = DieId> {
        let usable = move |part: &&Part| part.system.is_none_or(|owner| owner == system);
        self.parts.iter().filter(usable).flat_map(|part| part.reservation.dies.iter().copied())
    }

    /// Whether a system may put copies on this plane.
    pub fn may_use(&self, system: usize, plane: PlaneId) -> bool {
        !self.has(plane) || self.dies_for(system).any(|die| die.0 == plane.0 / self.planes_per_die.max(1))
    }
}
