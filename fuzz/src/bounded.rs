//! Runs that a fuzzer may start: small drives, few requests.

use wordline_engine::{RunError, Setup};

/// Physical pages of a drive that is prepared.
const PAGES: u128 = 1 << 15;

/// Whether preparing it takes a moment only.
pub fn is_small(setup: &Setup) -> bool {
    let geometry = &setup.device.geometry;
    let counts = [geometry.channels, geometry.ways, geometry.dies, geometry.planes, geometry.blocks];
    let blocks: u128 = counts.into_iter().map(u128::from).product();
    blocks <= 1 << 13 && geometry.physical_units() <= PAGES && setup.start.overwrite <= 3.0
}

/// A description or a workload may be refused; a drive that contradicts itself is a fault.
///
/// # Panics
/// With the fault.
pub fn refused(error: &RunError) {
    let told = error.to_string();
    assert!(!told.contains('\n') && told.len() < 4000, "{told}");
    match error {
        RunError::Config(error) => assert!(!error.allowed.is_empty(), "{told}"),
        RunError::Source(_) | RunError::NothingMeasured { .. } | RunError::OutOfRange { .. } => {}
        other => panic!("{other}"),
    }
}
