//! The ideal second server: a die's number for reads of the host, beyond those of the real dies, and likewise for
//! channels. Data lies on the real dies; only who serves a read, and what it waits for, is ideal.

use super::Device;
use super::flash::Flash;
use crate::nand::Geometry;
use crate::sched::queue::{Op, OpId};
use crate::stats::report::{ChannelReport, DieReport, SecondServerReport};
use wordline_base::class::Class;
use wordline_base::ids::{DieId, PlaneId, Ppa};
use wordline_base::time::Ns;
use wordline_config::ideal::SecondServer;

/// How many servers of dies and channels a drive has, and the channel of each server of a die. Where `planes` are servers beside
/// their dies these come behind.
pub(super) fn servers(geometry: &Geometry, second: SecondServer, planes: bool) -> (usize, usize, Vec<u32>) {
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

impl Flash {
    /// The real die of a server.
    #[inline(always)]
    pub(super) fn real_die(&self, server: DieId) -> usize {
        let dies = self.outstanding.len();
        if server.index() < dies {
            return server.index();
        }
        match &self.plane_collection {
            Some(collection) => collection.die(server).index(),
            None => server.index() - dies,
        }
    }
}

impl Device {
    /// Whether an operation goes to the second server of its die, if there is one: a read for a read request, or of a
    /// translation page, for which such reads may wait. The reads of read-modify-writes are work of writes.
    #[inline(always)]
    fn is_ideal(&self, unit: OpId) -> bool {
        let Op { class, for_write, .. } = self.flash.pool[unit];
        self.flash.second_server > 0 && matches!(class, Class::HostRead | Class::MapRead) && !for_write
    }

    /// Who serves an operation at `ppa`: its die, or the second server of its die.
    #[inline(always)]
    pub(super) fn server_of(&self, unit: OpId, ppa: Ppa) -> DieId {
        let die = self.geometry.die_at(ppa).0;
        // Most drives have none, and their operations need not be looked at.
        if self.flash.second_server > 0 && self.is_ideal(unit) {
            return DieId(die.0 + self.flash.second_server);
        }
        if self.flash.plane_collection.is_some() {
            return self.flash.plane_server(self.flash.pool[unit].class, ppa).unwrap_or(die);
        }
        die
    }

    /// Checked mode: whether a read finds the newest version that flash has. On a second server a page counts as programmed as soon
    /// as its program has begun: its data is in the controller still.
    pub(super) fn finds_newest(&self, unit: OpId) -> bool {
        let (lpa, ppa) = (self.ftl.purposes[unit].lpa, self.flash.pool[unit].ppa);
        self.ftl.versions.as_ref().is_none_or(|versions| {
            let newest = self.version_in_flash(lpa);
            versions.holds(ppa, newest) || (self.is_ideal(unit) && versions.stored(ppa) == newest)
        })
    }

    /// Adds what second servers did to the reports of their dies and channels.
    pub(super) fn report_second_servers(
        &self,
        end: Ns,
        mut dies: Vec<DieReport>,
        mut channels: Vec<ChannelReport>,
    ) -> (Vec<DieReport>, Vec<ChannelReport>) {
        if self.flash.second_server == 0 {
            return (dies, channels);
        }
        let real = dies.len();
        for (number, (clock, die)) in self.flash.die_clocks(end).iter().skip(real).zip(&mut dies).enumerate()
        {
            die.second_server = Some(SecondServerReport {
                busy_ns: [Class::HostRead, Class::MapRead]
                    .map(|class| self.observers.recorder.die_busy(real + number, clock, class))
                    .iter()
                    .sum(),
                array_ns: self.observers.recorder.array_ns.get(real + number).copied(),
            });
        }
        let seconds = channels.split_off(self.geometry.channels as usize);
        for (channel, second) in channels.iter_mut().zip(seconds) {
            channel.second_server =
                Some(SecondServerReport { busy_ns: second.busy_ns.values().sum(), array_ns: None });
        }
        (dies, channels)
    }
}
