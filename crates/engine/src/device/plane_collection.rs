//! Planes that collect beside what their die does for everybody else: where the device says that a copyback blocks its plane
//! only, each plane has a server of its own for the commands that move pages and for the erases behind them, beside that of
//! its die. A plane works for one of the two at a time; the channel is shared.
//!
//! While a plane collects, what its die would do on it is set aside, and the die goes on with what comes behind. When the
//! plane's command has ended the die has its turn there: the two take turns by commands as long as both want the plane.

use super::flash::Flash;
use serde::{Deserialize, Serialize};

use super::Device;
use crate::nand::Geometry;
use crate::nand::die::Phase;
use crate::sched::queue::{NONE, OpId};
use crate::stats::report::{DieReport, PlaneReport};
use wordline_base::class::Class;
use wordline_base::ids::{DieId, PlaneId, Ppa};
use wordline_base::time::Ns;
use wordline_config::SchemeConfig;
use wordline_config::device::DeviceConfig;
use wordline_config::nand_modes::CopybackBlocks;

/// The servers of the planes, behind those of the dies.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PlaneCollection {
    /// Number of the first plane's server.
    first: u32,
    planes_per_die: u32,
    planes: Vec<Plane>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Plane {
    /// Commands of the die that came to their turn while the plane collected.
    aside: Vec<OpId>,
    /// The die's next command comes before the plane goes on.
    die_is_next: bool,
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
    fn server(&self, plane: PlaneId) -> DieId {
        DieId(self.first + plane.0)
    }

    /// The plane whose server this is; `None` for that of a die.
    fn plane(&self, server: DieId) -> Option<PlaneId> {
        server.0.checked_sub(self.first).map(PlaneId)
    }

    /// The die of a plane's server.
    pub fn die(&self, server: DieId) -> DieId {
        self.plane(server).map_or(server, |plane| DieId(plane.0 / self.planes_per_die.max(1)))
    }

    /// The planes of a die.
    fn planes_of(&self, die: DieId) -> impl Iterator<Item = PlaneId> + use<> {
        let first = die.0 * self.planes_per_die;
        (first..first + self.planes_per_die).map(PlaneId)
    }

    /// Servers of the planes of a die.
    pub fn servers_of(&self, die: DieId) -> impl Iterator<Item = DieId> + use<> {
        let first = self.first;
        self.planes_of(die).map(move |plane| DieId(first + plane.0))
    }
}

impl Flash {
    /// Who serves a command of this class at a page, where planes collect by themselves: `None` for its die.
    #[inline]
    pub(super) fn plane_server(&self, class: Class, ppa: Ppa) -> Option<DieId> {
        let collection = self.plane_collection.as_ref().filter(|_| class.is_move())?;
        Some(collection.server(self.geometry.plane_of(ppa).0))
    }

    /// Whether a server is that of a plane.
    pub(super) fn is_plane(&self, server: DieId) -> bool {
        self.plane_collection.as_ref().is_some_and(|collection| collection.plane(server).is_some())
    }

    /// Whether a plane collects now.
    pub(super) fn plane_collects(&self, plane: PlaneId) -> bool {
        let server = self.plane_collection.as_ref().map(|collection| collection.server(plane));
        server.is_some_and(|server| self.dies[server.index()].phase != Phase::Idle)
    }

    /// The planes of a die that collect now, one bit each.
    pub(super) fn collecting_planes(&self, die: DieId) -> u32 {
        let Some(collection) = &self.plane_collection else { return 0 };
        if collection.plane(die).is_some() {
            return 0;
        }
        let collects = |&(_, plane): &(u32, PlaneId)| self.plane_collects(plane);
        (0..).zip(collection.planes_of(die)).filter(collects).fold(0, |planes, (bit, _)| planes | 1 << bit)
    }

    /// The planes that a die works on or has interrupted its work on, one bit each.
    fn planes_in_use(&self, die: DieId) -> u32 {
        let state = &self.dies[die.index()];
        let running = if state.phase == Phase::Idle { NONE } else { state.command.head };
        let suspended = state.suspended.as_ref().map_or(NONE, |suspended| suspended.command.head);
        let mut planes = 0;
        for mut head in [running, suspended] {
            while head != NONE {
                planes |= 1 << self.geometry.die_at(self.pool[head].ppa).1;
                head = self.pool[head].next;
            }
        }
        planes
    }

    /// Gates of a die opened: its planes look again, too.
    pub(super) fn touch_planes(&mut self, die: DieId) {
        if let Some(collection) = &self.plane_collection {
            self.touched.extend(collection.servers_of(die));
        }
    }

    /// Checked mode: nothing is left aside when the drive is at rest.
    pub(super) fn audit_planes(&self) -> Result<(), String> {
        let planes = self.plane_collection.iter().flat_map(|collection| &collection.planes);
        match planes.map(|plane| plane.aside.len()).sum() {
            0 => Ok(()),
            left => Err(format!("{left} commands are set aside although the drive is at rest")),
        }
    }
}

impl Device {
    /// Where a waiting program waits that another unit is to join.
    pub(super) fn waits_at(&self, head: OpId) -> DieId {
        let ppa = self.flash.pool[head].ppa;
        let aside = self.flash.plane_collection.as_ref().and_then(|collection| {
            let plane = self.geometry.plane_of(ppa).0;
            collection.planes[plane.index()].aside.contains(&head).then(|| collection.server(plane))
        });
        aside.unwrap_or_else(|| self.server_of(head, ppa))
    }

    /// Before a free server takes the first command of a class: whether it may. A die sets aside what its planes aren't free for,
    /// and chooses again; a plane that its die uses, or has its turn at, rests.
    pub(super) fn may_take(&mut self, server: DieId, class: Class) -> Option<bool> {
        let Some(collection) = &self.flash.plane_collection else { return Some(true) };
        match collection.plane(server) {
            None => (!self.set_aside(server, class)).then_some(true),
            Some(plane) => {
                let in_use =
                    self.flash.planes_in_use(collection.die(server)) & 1 << self.geometry.die_of(plane).1;
                Some(in_use == 0 && !collection.planes[plane.index()].die_is_next)
            }
        }
    }

    /// Sets aside the first commands of a class at a die, as long as their planes collect. Returns whether there were any.
    pub(super) fn set_aside(&mut self, die: DieId, class: Class) -> bool {
        let mut any = false;
        loop {
            let head = self.flash.dies[die.index()].first(class);
            if head == NONE || self.flash.plane_collection.as_ref().is_none_or(|own| own.plane(die).is_some())
            {
                return any;
            }
            let plane = self.geometry.plane_of(self.flash.pool[head].ppa).0;
            if !self.flash.plane_collects(plane) {
                return any;
            }
            any = true;
            self.observers.monitor.reads_change(die.index());
            self.flash.dies[die.index()].pop(&mut self.flash.pool, class);
            let head = self.rebuild_instead(die, head);
            if head == NONE {
                continue;
            }
            let Some(collection) = &mut self.flash.plane_collection else { return any };
            collection.planes[plane.index()].aside.push(head);
            let server = collection.server(plane);
            self.waits_elsewhere(head, die, server);
        }
    }

    /// The units of a command waited for one server until now, and wait for another from now on.
    fn waits_elsewhere(&mut self, head: OpId, before: DieId, now: DieId) {
        let mut unit = head;
        while unit != NONE {
            // The time of a guess is told otherwise, and that of the drive's own work not at all.
            if self.flash.pool[unit].waited_for && !self.flash.pool[unit].tentative {
                self.settle_wait(unit, before);
                self.flash.begin_wait(unit, now);
            }
            unit = self.flash.pool[unit].next_unit;
        }
    }

    /// A server has ended a command: of a plane, the die's turn comes; of a die, planes that waited for it go on.
    pub(super) fn plane_is_free(&mut self, server: DieId) {
        let Some(collection) = &mut self.flash.plane_collection else { return };
        let Some(plane) = collection.plane(server) else { return self.let_planes_begin(server) };
        let die = collection.die(server);
        let state = &mut collection.planes[plane.index()];
        if state.aside.is_empty() {
            return;
        }
        state.die_is_next = true;
        for head in std::mem::take(&mut state.aside) {
            self.waits_elsewhere(head, server, die);
            let class = self.flash.pool[head].class;
            self.flash.dies[die.index()].push_in_order(&mut self.flash.pool, class, head);
        }
        self.observers.monitor.reads_change(die.index());
        self.flash.touched.push(die);
    }

    /// A die has taken a command, or has none that it may take: its turn at its planes is over.
    pub(super) fn turn_is_over(&mut self, die: DieId) {
        let Some(collection) = &mut self.flash.plane_collection else { return };
        if collection.plane(die).is_some() {
            return;
        }
        for plane in collection.planes_of(die) {
            collection.planes[plane.index()].die_is_next = false;
        }
        self.let_planes_begin(die);
    }

    /// Planes of a die that rest although something waits look again.
    fn let_planes_begin(&mut self, die: DieId) {
        let Some(collection) = &self.flash.plane_collection else { return };
        for server in collection.servers_of(die) {
            let state = &self.flash.dies[server.index()];
            if state.phase == Phase::Idle && state.has_work() {
                self.start_next(server);
            }
        }
    }

    /// Checked mode: a command that begins works on no plane that the other server of that plane is working on.
    pub(super) fn verify_planes(&mut self, server: DieId) {
        let Some(collection) = self.flash.plane_collection.as_ref().filter(|_| self.ftl.versions.is_some())
        else {
            return;
        };
        let taken = match collection.plane(server) {
            None => self.flash.planes_in_use(server) & self.flash.collecting_planes(server),
            Some(_) => self.flash.planes_in_use(server) & self.flash.planes_in_use(collection.die(server)),
        };
        if taken != 0 {
            self.fail(format!(
                "a command began at {server:?} on planes {taken:#b}, which are at work already"
            ));
        }
    }

    /// Adds what planes did by themselves to the reports of their dies.
    pub(super) fn report_planes(&self, end: Ns, mut dies: Vec<DieReport>) -> Vec<DieReport> {
        let Some(collection) = &self.flash.plane_collection else { return dies };
        let clocks = self.flash.die_clocks(end);
        for (number, die) in (0..).zip(&mut dies) {
            let report = |server: DieId| PlaneReport {
                busy_ns: self.observers.recorder.server_busy(server.index(), &clocks[server.index()]),
                array_ns: self.observers.recorder.array_ns.get(server.index()).copied().unwrap_or(0),
            };
            die.planes = collection.servers_of(DieId(number)).map(report).collect();
        }
        dies
    }
}
