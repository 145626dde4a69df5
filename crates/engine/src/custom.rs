//! Policies of a user's own that schemes name: a program that links the engine registers them, once.
//!
//! A policy that is only handed to a [`Device`] needs none of this. One that is registered is part of the configuration:
//! `scheme.custom.NAME` switches it on and holds its parameters, which are checked like every other key, stand in the
//! result, and take part in snapshots. It takes the slot whatever the scheme names there.

use std::sync::OnceLock;

use serde::de::DeserializeOwned;

use crate::blocks::separation::Separation;
use crate::device::{Device, OwnMemory};
use crate::gc::VictimPolicy;
use crate::mapping::Mapping;
use crate::placement::Placement;
use crate::reclaim::ReadReclaim;
use crate::redundancy::Redundancy;
use crate::sched::Scheduler;
use crate::systems::{System, SystemPolicy};
use wordline_config::combine::{PARTS, Part, Slot};
use wordline_config::custom::{CustomConfig, NO_POLICIES, check_with, shown};
use wordline_config::suggest::did_you_mean;
use wordline_config::{ConfigError, Layer, Layers, to_toml};

/// A policy, ready for a drive.
enum Made {
    Victims(Box<dyn VictimPolicy + Send>),
    Placement(Box<dyn Placement + Send>),
    Mapping(Box<dyn Mapping + Send>),
    Scheduler(Box<dyn Scheduler + Send>),
    Separation(Box<dyn Separation + Send>),
    Redundancy(Box<dyn Redundancy + Send>),
    Reclaim(Box<dyn ReadReclaim + Send>),
    System(Box<dyn System + Send>),
}

type Make = dyn Fn(&toml::Table, u64) -> Result<Made, ConfigError> + Send + Sync;

/// A policy that schemes may name.
pub struct CustomPolicy {
    name: String,
    slots: Vec<Slot>,
    is_system: bool,
    /// Its key, TOML relative to a scheme.
    keys: String,
    make: Box<Make>,
}

/// One constructor for a slot: the policy from its parameters and the seed of the run.
macro_rules! constructor {
    ($(#[$doc:meta])* $function:ident, $variant:ident, $policy:path, $slot:expr) => {
        $(#[$doc])*
        ///
        /// `make` gets the parameters (a table without keys is given as the parameters' own defaults, where they have
        /// any) and the seed of the run, for named random streams ([`wordline_base::rng::stream`]). What it refuses is named
        /// relative to its own table.
        pub fn $function<P: DeserializeOwned>(
            name: &str,
            make: impl Fn(P, u64) -> Result<Box<dyn $policy + Send>, ConfigError> + Send + Sync + 'static,
        ) -> Self {
            Self::new(name, vec![$slot], move |parameters: P, seed| make(parameters, seed).map(Made::$variant))
        }
    };
}

impl CustomPolicy {
    constructor!(/// A choice of the victims of garbage collection.
        victims, Victims, VictimPolicy, Slot::Victims);
    constructor!(/// A choice of the planes of programs.
        placement, Placement, Placement, Slot::Placement);
    constructor!(/// Address translation.
        mapping, Mapping, Mapping, Slot::Mapping);
    constructor!(/// What a die does next.
        scheduler, Scheduler, Scheduler, Slot::Scheduler);
    constructor!(/// A choice of the host's write points.
        separation, Separation, Separation, Slot::WritePoints);
    constructor!(/// Which blocked reads are rebuilt from the parity of `scheme.redundancy`; without parity it has no effect.
        redundancy, Redundancy, Redundancy, Slot::Redundancy);
    constructor!(/// What becomes of blocks that were read too often; where `scheme.reclaim` reclaims none it has no effect.
        reclaim, Reclaim, ReadReclaim, Slot::Reclaim);

    /// A system, and the slots whose decisions it makes: other parts that make one of them exclude it.
    pub fn system<P: DeserializeOwned>(
        name: &str,
        slots: &[Slot],
        make: impl Fn(P, u64) -> Result<Box<dyn System + Send>, ConfigError> + Send + Sync + 'static,
    ) -> Self {
        let make = move |parameters: P, seed| make(parameters, seed).map(Made::System);
        Self { is_system: true, ..Self::new(name, slots.to_vec(), make) }
    }

    fn new<P: DeserializeOwned>(
        name: &str,
        slots: Vec<Slot>,
        make: impl Fn(P, u64) -> Result<Made, ConfigError> + Send + Sync + 'static,
    ) -> Self {
        let owned = name.to_owned();
        let make = move |table: &toml::Table, seed| {
            make(read(&owned, table)?, seed).map_err(|error| error.under(&owned))
        };
        let keys = format!("custom.{name} = {{}}");
        Self { name: name.to_owned(), slots, is_system: false, keys, make: Box::new(make) }
    }

    /// As a part of schemes, for the matrix of what goes together.
    pub fn part(&'static self) -> Part {
        Part { name: &self.name, slots: &self.slots, without: &[], keys: &self.keys }
    }
}

/// Parameters as the policy wants them. Paths of errors begin with its name.
fn read<P: DeserializeOwned>(name: &str, table: &toml::Table) -> Result<P, ConfigError> {
    let layer = Layer::from_toml(name, &to_toml(table))?.under(name);
    let read = Layers::new().with(layer).resolve(name);
    // Where it really stands is found by its path later.
    read.map_err(|error| ConfigError { origin: None, ..error })
}

static REGISTERED: OnceLock<Vec<CustomPolicy>> = OnceLock::new();

/// Makes these policies known to every scheme of this process. Once, before the first scheme is read. An error names a
/// policy whose name can't be a key, or is given twice, or says that there was a registration before.
pub fn register(policies: Vec<CustomPolicy>) -> Result<(), ConfigError> {
    for (number, policy) in policies.iter().enumerate() {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let is_first = !policies[..number].iter().any(|earlier| earlier.name == policy.name);
        if policy.name.is_empty() || !policy.name.chars().all(plain) || !is_first {
            let allowed = "lower-case letters, digits and _, and each name once";
            return Err(ConfigError::new("the name of a policy", format!("{:?}", policy.name), allowed));
        }
    }
    let count = policies.len();
    let registered = REGISTERED.set(policies).map_err(|_| {
        ConfigError::new("policies", count, "one registration for a process: there was one before")
    });
    check_with(validate);
    registered
}

/// What was registered, in that order.
pub fn registered() -> &'static [CustomPolicy] {
    REGISTERED.get().map_or(&[], Vec::as_slice)
}

/// Whether a policy of a user's own that the scheme names decides in this slot.
pub fn fills(config: &CustomConfig, slot: Slot) -> bool {
    registered().iter().any(|policy| config.contains_key(&policy.name) && policy.slots.contains(&slot))
}

/// The slots whose built-in policy one of a user's own replaces in this scheme. A system isn't among them: what it passes over is
/// left to the policy of the slot.
pub fn replaced(config: &CustomConfig) -> Vec<Slot> {
    let named = registered().iter().filter(|policy| !policy.is_system && config.contains_key(&policy.name));
    named.flat_map(|policy| policy.slots.iter().copied()).collect()
}

/// The built-in parts of schemes, and behind them the policies of a user's own.
pub fn parts() -> impl Iterator<Item = Part> {
    PARTS.iter().copied().chain(registered().iter().map(CustomPolicy::part))
}

/// Refuses names that nothing was registered for, parameters that the policy refuses, and two policies for one slot.
/// Paths are relative to `scheme.custom`.
fn validate(config: &CustomConfig) -> Result<(), ConfigError> {
    make_all(config, 0).map(|_| ())
}

fn make_all(config: &CustomConfig, seed: u64) -> Result<Vec<Made>, ConfigError> {
    let mut filled: Vec<(Slot, &str)> = Vec::new();
    // In the order of registration, which is that of systems on the drive.
    let wanted = registered().iter().filter_map(|policy| Some((policy, config.get(&policy.name)?)));
    let mut made = Vec::with_capacity(config.len());
    for (policy, table) in wanted {
        for &slot in &policy.slots {
            if let Some((_, other)) = filled.iter().find(|(taken, _)| *taken == slot) {
                let allowed = format!("one of it and {other}: both fill the slot {}", slot.name());
                return Err(ConfigError::new(&policy.name, shown(table), allowed));
            }
            filled.push((slot, &policy.name));
        }
        made.push((policy.make)(table, seed)?);
    }
    let known: Vec<&str> = registered().iter().map(|policy| policy.name.as_str()).collect();
    match config.iter().find(|(name, _)| !known.contains(&name.as_str())) {
        Some((name, table)) => Err(ConfigError::new(name, shown(table), allowed_names(name, &known))),
        None => Ok(made),
    }
}

fn allowed_names(name: &str, known: &[&str]) -> String {
    if known.is_empty() {
        return NO_POLICIES.to_owned();
    }
    format!("the policies of this build, {}{}", known.join(", "), did_you_mean(name, known))
}

/// The policies of a scheme's own, for one drive.
pub(crate) struct Custom {
    slots: Vec<Made>,
    /// To be laid out for, and added when the drive is prepared.
    pub systems: Vec<SystemPolicy>,
}

impl Custom {
    /// Those that a scheme names.
    pub fn new(config: &CustomConfig, seed: u64) -> Result<Self, ConfigError> {
        let mut this = Self { slots: Vec::new(), systems: Vec::new() };
        let made = make_all(config, seed).map_err(|error| error.under("custom").under("scheme"))?;
        for policy in made {
            match policy {
                Made::System(system) => this.systems.push(SystemPolicy::Custom(system)),
                policy => this.slots.push(policy),
            }
        }
        Ok(this)
    }

    /// Bytes of the controller's DRAM that the policies of single slots take.
    pub fn memory(&self) -> OwnMemory {
        let mut own = OwnMemory::default();
        for policy in &self.slots {
            match policy {
                Made::Mapping(policy) => own.mapping = Some(policy.bytes()),
                Made::Reclaim(policy) => own.reclaim = Some(policy.bytes()),
                _ => {}
            }
        }
        own
    }

    /// Puts the policies of single slots in their places.
    pub fn fill_slots(self, device: &mut Device) {
        for policy in self.slots {
            match policy {
                Made::Victims(policy) => device.set_gc(policy),
                Made::Placement(policy) => device.set_placement(policy),
                Made::Mapping(policy) => device.set_mapping(policy),
                Made::Scheduler(policy) => device.set_scheduler(policy),
                Made::Separation(policy) => device.set_separation(policy),
                Made::Redundancy(policy) => device.set_redundancy(policy),
                Made::Reclaim(policy) => device.set_reclaim(policy),
                Made::System(system) => device.add_system(SystemPolicy::Custom(system)),
            }
        }
    }
}
