//! Who serves what, by number: the real dies first, which serve everything on most drives. Beside them there may be a server for
//! the reads of each plane, where planes read apart; ideal second servers, for reads of the host, and likewise for channels; or
//! servers of planes that collect by themselves. Data lies on the real dies; only who serves a command, and what that waits
//! for, differs.

use crate::nand::Geometry;
use wordline_base::ids::{DieId, PlaneId};
use wordline_config::DeviceConfig;
use wordline_config::device::IndependentPlanes;
use wordline_config::ideal::SecondServer;

/// Whose a server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Server {
    /// Its number.
    pub number: u32,
    /// The die where what it serves lies.
    pub die: u32,
    /// The plane of that die, where it serves one plane only.
    pub plane: Option<u32>,
    /// Whether it is an ideal one.
    pub ideal: bool,
}

/// Numbers of the servers for reads.
#[derive(Clone, Debug)]
pub struct Servers {
    dies: u32,
    planes_per_die: u32,
    /// The first one of a plane's reads; 0 where planes don't read apart.
    reads: u32,
    /// The first ideal one, of a die, or of a plane where planes read apart; 0 where there is none.
    ideal: u32,
}

impl Servers {
    pub(crate) fn new(device: &DeviceConfig, second: SecondServer, geometry: &Geometry) -> Self {
        let (dies, planes) = (geometry.dies(), geometry.planes());
        let apart = device.die.independent_planes == IndependentPlanes::Reads;
        let reads = if apart { dies } else { 0 };
        let behind = if apart { dies + planes } else { dies };
        let ideal = if second == SecondServer::None { 0 } else { behind };
        Self { dies, planes_per_die: geometry.planes_per_die, reads, ideal }
    }

    /// Whether planes have servers for their reads.
    #[inline(always)]
    pub(crate) fn read_apart(&self) -> bool {
        self.reads > 0
    }

    /// Whether reads of the host have ideal servers of their own.
    #[inline(always)]
    pub(crate) fn are_ideal(&self) -> bool {
        self.ideal > 0
    }

    /// Whether a server is an ideal one.
    #[inline]
    pub(crate) fn is_ideal(&self, server: DieId) -> bool {
        self.are_ideal() && server.0 >= self.ideal
    }

    /// Ideal server for a plane of a die.
    #[inline]
    pub(crate) fn ideal(&self, die: DieId, plane: u32) -> DieId {
        let of_die = if self.read_apart() { die.0 * self.planes_per_die + plane } else { die.0 };
        DieId(self.ideal + of_die)
    }

    /// Server for the reads of a plane of a die, where planes read apart.
    #[inline]
    pub(crate) fn reads(&self, die: DieId, plane: u32) -> DieId {
        DieId(self.reads + die.0 * self.planes_per_die + plane)
    }

    /// The die of a server of a plane's reads; `None` for any other server.
    #[inline]
    pub(crate) fn die_of_reads(&self, server: DieId) -> Option<DieId> {
        let plane = server.0.checked_sub(self.reads).filter(|_| self.read_apart())?;
        (plane < self.dies * self.planes_per_die).then(|| DieId(plane / self.planes_per_die.max(1)))
    }

    /// The real die of one of these servers.
    pub(crate) fn die(&self, server: DieId) -> DieId {
        if server.0 < self.dies {
            return server;
        }
        let ideal = server.0.wrapping_sub(self.ideal);
        let of_ideal = if self.read_apart() { ideal / self.planes_per_die.max(1) } else { ideal };
        self.die_of_reads(server).unwrap_or(DieId(of_ideal))
    }

    /// Whose one of these servers is.
    pub(crate) fn describe(&self, server: DieId) -> Server {
        let (die, ideal) = (self.die(server).0, self.is_ideal(server));
        let of_plane = self.read_apart() && server.0 >= self.dies;
        let first = if ideal { self.ideal } else { self.reads };
        let plane = of_plane.then(|| server.0.wrapping_sub(first) % self.planes_per_die.max(1));
        Server { number: server.0, die, plane, ideal }
    }

    /// Servers of the reads of a die's planes; none where planes don't read apart.
    #[inline]
    pub fn planes_of(&self, die: DieId) -> impl Iterator<Item = DieId> + use<> {
        let (first, planes) = (self.reads(die, 0).0, if self.read_apart() { self.planes_per_die } else { 0 });
        (first..first + planes).map(DieId)
    }

    /// The ideal servers of a die.
    pub fn ideals_of(&self, die: DieId) -> impl Iterator<Item = DieId> + use<> {
        let each = if self.read_apart() { self.planes_per_die } else { 1 };
        let first = self.ideal(die, 0).0;
        (first..first + if self.are_ideal() { each } else { 0 }).map(DieId)
    }
}

/// How many servers of dies and channels a drive has, and the channel of each server of a die. Where planes `collect` by
/// themselves their servers come behind.
pub(crate) fn servers(
    geometry: &Geometry,
    numbers: &Servers,
    second: SecondServer,
    collect: bool,
) -> (usize, usize, Vec<u32>) {
    let channels = geometry.channels;
    let of_dies = || (0..geometry.dies()).map(|die| geometry.channel_of(DieId(die)));
    let of_planes =
        || (0..geometry.planes()).map(|plane| geometry.channel_of(geometry.die_of(PlaneId(plane)).0));
    let mut channel_of: Vec<u32> = of_dies().collect();
    if collect || numbers.read_apart() {
        channel_of.extend(of_planes());
    }
    let own = if second == SecondServer::DieAndChannel { channels } else { 0 };
    if numbers.are_ideal() && numbers.read_apart() {
        channel_of.extend(of_planes().map(|channel| own + channel));
    } else if numbers.are_ideal() {
        channel_of.extend(of_dies().map(|channel| own + channel));
    }
    (channel_of.len(), (channels + own) as usize, channel_of)
}
