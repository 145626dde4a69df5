//! Planes that collect beside what their die does for everybody else: where the device says that a copyback blocks its plane
//! only, each plane has a server of its own for the commands that move pages and for the erases behind them, beside that of
//! its die. A plane works for one of the two at a time; the channel is shared.
//!
//! While a plane collects, what its die would do on it is set aside, and the die goes on with what comes behind. When the
//! plane's command has ended the die has its turn there: the two take turns by commands as long as both want the plane.

use serde::{Deserialize, Serialize};

use crate::nand::Geometry;
use crate::sched::queue::OpId;
use crate::servers::Server;
use wordline_base::ids::{DieId, PlaneId};
use wordline_config::SchemeConfig;
use wordline_config::device::DeviceConfig;
use wordline_config::nand_modes::CopybackBlocks;

/// The servers of the planes, behind those of the dies.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlaneCollection {
    /// Number of the first plane's server.
    first: u32,
    planes_per_die: u32,
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
        apart.then(|| {
            Box::new(Self {
                first: geometry.dies(),
                planes_per_die: geometry.planes_per_die,
                planes: vec![Plane::default(); geometry.planes() as usize],
            })
        })
    }

    /// Server of a plane.
    pub(crate) fn server(&self, plane: PlaneId) -> DieId {
        DieId(self.first + plane.0)
    }

    /// The plane whose server this is; `None` for that of a die.
    pub(crate) fn plane(&self, server: DieId) -> Option<PlaneId> {
        server.0.checked_sub(self.first).map(PlaneId)
    }

    /// The die of a plane's server.
    pub fn die(&self, server: DieId) -> DieId {
        self.plane(server).map_or(server, |plane| DieId(plane.0 / self.planes_per_die.max(1)))
    }

    /// Whose a server is.
    pub(crate) fn describe(&self, server: DieId) -> Server {
        let plane = self.plane(server).map(|plane| plane.0 % self.planes_per_die.max(1));
        Server { number: server.0, die: self.die(server).0, plane, ideal: false }
    }

    /// The planes of a die.
    pub(crate) fn planes_of(&self, die: DieId) -> impl Iterator<Item = PlaneId> + use<> {
        let first = die.0 * self.planes_per_die;
        (first..first + self.planes_per_die).map(PlaneId)
    }

    /// Servers of the planes of a die.
    pub fn servers_of(&self, die: DieId) -> impl Iterator<Item = DieId> + use<> {
        let first = self.first;
        self.planes_of(die).map(move |plane| DieId(first + plane.0))
    }
}
