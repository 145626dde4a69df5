//! Who serves what. Beside the real dies a drive may have ideal second servers, for reads of the host, and likewise for channels:
//! data lies on the real dies; only who serves a read, and what it waits for, is ideal. Or it has servers of planes.

use crate::nand::Geometry;
use wordline_base::ids::{DieId, PlaneId};
use wordline_config::ideal::SecondServer;

/// How many servers of dies and channels a drive has, and the channel of each server of a die. Where `planes` are servers beside
/// their dies these come behind.
pub(crate) fn servers(geometry: &Geometry, second: SecondServer, planes: bool) -> (usize, usize, Vec<u32>) {
    let (dies, channels) = (geometry.dies(), geometry.channels);
    let own = (0..dies).map(|die| geometry.channel_of(DieId(die)));
    match second {
        SecondServer::None if planes => {
            let planes =
                (0..geometry.planes()).map(|plane| geometry.channel_of(geometry.die_of(PlaneId(plane)).0));
            ((dies + geometry.planes()) as usize, channels as usize, own.chain(planes).collect())
        }
        SecondServer::None => (dies as usize, channels as usize, own.collect()),
        SecondServer::Die => (2 * dies as usize, channels as usize, own.clone().chain(own).collect()),
        SecondServer::DieAndChannel => {
            let seconds = own.clone().map(|channel| channels + channel);
            (2 * dies as usize, 2 * channels as usize, own.chain(seconds).collect())
        }
    }
}
