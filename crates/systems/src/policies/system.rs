//! The systems that there are, as one type: dispatched without a table, and kept in snapshots.

use crate::astro::Astro;
use crate::block_map::BlockMap;
use crate::collision::Collision;
use crate::hotr::Hotr;
use crate::pacp::Partition;
use crate::system::System;
use wordline_base::ids::Lpa;
use wordline_base::policies;
use wordline_config::{DeviceConfig, SchemeConfig};

/// The built-in systems, and a user's own.
pub enum SystemPolicy {
    /// Replication of pages that keep colliding.
    Collision(Box<Collision>),
    /// Copies of hot read pages in a staging space.
    Hotr(Box<Hotr>),
    /// Reads and writes on channels of their own.
    Partition(Box<Partition>),
    /// Regions in order, whose translation is guessed.
    Astro(Box<Astro>),
    /// A map of blocks, and of pages in log blocks.
    BlockMap(Box<BlockMap>),
    /// A user's own.
    Custom(Box<dyn System + Send>),
}

impl SystemPolicy {
    /// Through the trait.
    #[inline]
    pub fn get(&self) -> &dyn System {
        match self {
            Self::Collision(system) => &**system,
            Self::Hotr(system) => &**system,
            Self::Partition(system) => &**system,
            Self::Astro(system) => &**system,
            Self::BlockMap(system) => &**system,
            Self::Custom(system) => &**system,
        }
    }

    /// [`System::awaits`], which is asked for every read.
    #[inline]
    pub fn awaits(&self, lpa: Lpa) -> bool {
        match self {
            Self::Collision(system) => system.awaits(lpa),
            Self::Hotr(system) => system.awaits(lpa),
            Self::Partition(system) => system.awaits(lpa),
            Self::Astro(system) => system.awaits(lpa),
            Self::BlockMap(system) => system.awaits(lpa),
            Self::Custom(system) => system.awaits(lpa),
        }
    }

    /// The same, to change it.
    #[inline]
    pub fn get_mut(&mut self) -> &mut dyn System {
        match self {
            Self::Collision(system) => &mut **system,
            Self::Hotr(system) => &mut **system,
            Self::Partition(system) => &mut **system,
            Self::Astro(system) => &mut **system,
            Self::BlockMap(system) => &mut **system,
            Self::Custom(system) => &mut **system,
        }
    }
}

policies!(SystemPolicy, "system", rebuilt: [], stored: [Collision, Hotr, Partition, Astro, BlockMap]);

/// The built-in systems that a scheme names, in a fixed order.
pub fn of_scheme(scheme: &SchemeConfig, device: &DeviceConfig) -> Vec<SystemPolicy> {
    let collision = &scheme.collision;
    let collision =
        collision.enabled.then(|| SystemPolicy::Collision(Box::new(Collision::new(collision, device))));
    let hotr = scheme.hotr.enabled.then(|| SystemPolicy::Hotr(Box::new(Hotr::new(&scheme.hotr, device))));
    let partition = &scheme.partition;
    let partition =
        partition.enabled.then(|| SystemPolicy::Partition(Box::new(Partition::new(partition, device))));
    let astro =
        scheme.astro.enabled.then(|| SystemPolicy::Astro(Box::new(Astro::new(&scheme.astro, device))));
    let block_map =
        BlockMap::of_scheme(scheme, device).map(|system| SystemPolicy::BlockMap(Box::new(system)));
    collision.into_iter().chain(hotr).chain(partition).chain(astro).chain(block_map).collect()
}
