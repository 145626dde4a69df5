//! Descriptions of drives and schemes: plain data, validated once, printed whole in every result.

pub mod array;
pub mod background;
pub mod bad_blocks;
pub mod cache;
pub mod device;
pub mod energy;
pub mod error;
pub mod errors;
mod explain;
pub mod firmware;
pub mod host;
pub mod ideal;
pub mod layers;
pub mod mapping;
pub mod measure;
pub mod nand_modes;
mod parse;
pub mod reclaim;
pub mod redundancy;
pub mod resolve;
pub mod run;
pub mod scheme;
pub mod separation;
pub mod suggest;
mod tree;
pub mod wear;

pub use device::DeviceConfig;
pub use energy::EnergyConfig;
pub use error::{ConfigError, Origin};
pub use layers::{Layer, Layers};
pub use measure::MeasureConfig;
pub use resolve::{resolve_run, to_toml};
pub use run::{HostConfig, StartConfig, WindowConfig};
pub use scheme::SchemeConfig;
