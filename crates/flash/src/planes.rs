//! Planes that collect beside what their die does for everybody else: where the device says that a copyback blocks its plane
//! only, each plane has a server of its own for the commands that move pages and for the erases behind them, beside that of
//! its die. A plane works for one of the two at a time; the channel is shared.
//!
//! While a plane collects, what its die would do on it is set aside, and the die goes on with what comes behind. When the
//! plane's command has ended the die has its turn there: the two take turns by commands as long as both want the plane.

use serde::{Deserialize, Serialize};

use crate::nand::Geometry;
use crate::sched::queue::OpId;
use wordline_config::SchemeConfig;
use wordline_config::device::DeviceConfig;
use wordline_config::nand_modes::CopybackBlocks;

/// What waits for planes that collect, and whose turn it is there, by plane.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlaneCollection {
    pub(crate) planes: Vec<Plane>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Plane {
    /// Commands of the die that came to their turn while the plane collected.
    pub(crate) aside: Vec<OpId>,
    /// The die's next command comes before the plane goes on.
    pub(crate) die_is_next: bool,
}

impl PlaneCollection {
    /// Of a device whose copybacks block their plane only, for a scheme that moves pages by them; `None` for any other. Parity in
    /// rows needs the data that moves.
    pub fn new(device: &DeviceConfig, scheme: &SchemeConfig, geometry: &Geometry) -> Option<Box<Self>> {
        let by_copyback = device.copyback.supported && scheme.gc.copyback && !scheme.redundancy.in_rows();
        let apart = by_copyback && device.copyback.blocks == CopybackBlocks::Plane;
        apart.then(|| Box::new(Self { planes: vec![Plane::default(); geometry.planes() as usize] }))
    }
}
