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

/// What planes have servers of their own for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlanesServe {
    Nothing,
    Reads,
    Collection,
}

/// The numbers of all servers: of the dies, then of the planes that work by themselves, then the ideal ones.
#[derive(Clone, Debug)]
pub struct Servers {
    dies: u32,
    planes_per_die: u32,
    planes: PlanesServe,
    /// The first ideal one, of a die, or of a plane where planes read apart; 0 where there is none.
    ideal: u32,
}

impl Servers {
    /// Planes that `collect` by themselves don't read apart.
    pub(crate) fn new(
        device: &DeviceConfig,
        second: SecondServer,
        geometry: &Geometry,
        collect: bool,
    ) -> Self {
        let planes = match device.die.independent_planes {
            IndependentPlanes::Reads => PlanesServe::Reads,
            IndependentPlanes::None if collect => PlanesServe::Collection,
            IndependentPlanes::None => PlanesServe::Nothing,
        };
        let mut this =
            Self { dies: geometry.dies(), planes_per_die: geometry.planes_per_die, planes, ideal: 0 };
        if second != SecondServer::None {
            this.ideal = this.dies + if this.have_planes() { geometry.planes() } else { 0 };
        }
        this
    }

    #[inline]
    fn have_planes(&self) -> bool {
        self.planes != PlanesServe::Nothing
    }

    /// Whether planes have servers for their reads.
    #[inline(always)]
    pub(crate) fn read_apart(&self) -> bool {
        self.planes == PlanesServe::Reads
    }

    /// Whether reads of the host have ideal servers of their own.
    #[inline(always)]
    pub fn are_ideal(&self) -> bool {
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

    /// Server of a plane that works by itself.
    #[inline]
    pub(crate) fn of_plane(&self, plane: PlaneId) -> DieId {
        DieId(self.dies + plane.0)
    }

    /// The plane whose server this is; `None` for any other server.
    #[inline]
    pub(crate) fn plane(&self, server: DieId) -> Option<PlaneId> {
        let plane = server.0.checked_sub(self.dies).filter(|_| self.have_planes())?;
        (plane < self.dies * self.planes_per_die).then_some(PlaneId(plane))
    }

    /// The die of a plane's server; `None` for any other server.
    #[inline]
    pub(crate) fn die_of_plane(&self, server: DieId) -> Option<DieId> {
        self.plane(server).map(|plane| DieId(plane.0 / self.planes_per_die.max(1)))
    }

    /// The die of a server of a plane's reads; `None` for any other server.
    #[inline]
    pub(crate) fn die_of_reads(&self, server: DieId) -> Option<DieId> {
        if self.read_apart() { self.die_of_plane(server) } else { None }
    }

    /// Whose a server is.
    pub fn describe(&self, server: DieId) -> Server {
        let ideal = self.is_ideal(server);
        // The planes of ideal servers are numbered as those behind the dies.
        let (first, of_planes) = match ideal {
            true => (self.ideal, self.read_apart()),
            false => (self.dies, server.0 >= self.dies),
        };
        let number = server.0.checked_sub(first).unwrap_or(server.0);
        let planes = self.planes_per_die.max(1);
        match of_planes {
            true => Server { number: server.0, die: number / planes, plane: Some(number % planes), ideal },
            false => Server { number: server.0, die: number, plane: None, ideal },
        }
    }

    /// The planes of a die.
    #[inline]
    pub(crate) fn planes_in(&self, die: DieId) -> impl Iterator<Item = PlaneId> + use<> {
        let first = die.0 * self.planes_per_die;
        (first..first + self.planes_per_die).map(PlaneId)
    }

    /// Servers of the planes of a die; none where planes do nothing by themselves.
    #[inline]
    pub fn planes_of(&self, die: DieId) -> impl Iterator<Item = DieId> + use<> {
        let first = self.dies + die.0 * self.planes_per_die;
        (first..first + if self.have_planes() { self.planes_per_die } else { 0 }).map(DieId)
    }

    /// The ideal servers of a die.
    pub fn ideals_of(&self, die: DieId) -> impl Iterator<Item = DieId> + use<> {
        let each = if self.read_apart() { self.planes_per_die } else { 1 };
        let first = self.ideal(die, 0).0;
        (first..first + if self.are_ideal() { each } else { 0 }).map(DieId)
    }

    /// All that serve what lies on a die: the die first.
    pub fn of_die(&self, die: DieId) -> impl Iterator<Item = DieId> + use<> {
        [die].into_iter().chain(self.planes_of(die)).chain(self.ideals_of(die))
    }

    /// How many channels there are, ideal ones included, and the channel of each server.
    pub(crate) fn channels(&self, geometry: &Geometry, second: SecondServer) -> (usize, Vec<u32>) {
        let own = if second == SecondServer::DieAndChannel { geometry.channels } else { 0 };
        let of_dies = || (0..self.dies).map(|die| geometry.channel_of(DieId(die)));
        let of_planes =
            || (0..geometry.planes()).map(|plane| geometry.channel_of(geometry.die_of(PlaneId(plane)).0));
        let mut channel_of: Vec<u32> = of_dies().collect();
        if self.have_planes() {
            channel_of.extend(of_planes());
        }
        if self.are_ideal() && self.read_apart() {
            channel_of.extend(of_planes().map(|channel| own + channel));
        } else if self.are_ideal() {
            channel_of.extend(of_dies().map(|channel| own + channel));
        }
        ((geometry.channels + own) as usize, channel_of)
    }
}
