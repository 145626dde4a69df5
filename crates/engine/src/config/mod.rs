//! Descriptions of drives and schemes: plain data, validated once, printed whole in every result.

pub mod device;
pub mod error;
pub mod run;
pub mod scheme;

pub use device::DeviceConfig;
pub use error::{ConfigError, Origin};
pub use run::{HostConfig, StartConfig, WindowConfig};
pub use scheme::SchemeConfig;
