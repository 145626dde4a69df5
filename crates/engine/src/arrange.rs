//! How a drive is arranged for its systems.

use crate::systems::SystemPolicy;
use wordline_config::ConfigError;
use wordline_config::device::DeviceConfig;
use wordline_config::scheme::SchemeConfig;
use wordline_ftl::arrangement::Needs;

pub use wordline_ftl::arrangement::Arrangement;

/// Asks every system what it needs, and refuses what doesn't fit. `blocks` superblocks of each domain are in use.
pub fn arrange(
    device: &DeviceConfig,
    scheme: &SchemeConfig,
    systems: &[SystemPolicy],
    blocks: u32,
) -> Result<Arrangement, ConfigError> {
    let all = || systems.iter().map(SystemPolicy::get);
    let needs: Vec<Needs> = all()
        .map(|system| Needs {
            name: system.name().to_owned(),
            reservation: system.reservation(),
            copies: system.copies(),
        })
        .collect();
    Arrangement::new(device, scheme, &needs, blocks, |geometry, domains, reserved| {
        all().try_for_each(|system| system.check(scheme, geometry, domains, reserved))
    })
}
