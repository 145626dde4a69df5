//! The ideal second server: a die's number for reads of the host, beyond those of the real dies, and likewise for
//! channels. Data lies on the real dies; only who serves a read, and what it waits for, is ideal.

use crate::device::Device;
use crate::stats::report::{ChannelReport, DieReport, PlaneReport, SecondServerReport};
use wordline_base::class::Class;
use wordline_base::ids::DieId;
use wordline_base::time::Ns;

impl Device {
    /// Adds what second servers did to the reports of their dies and channels.
    pub(in crate::device) fn report_second_servers(
        &self,
        end: Ns,
        mut dies: Vec<DieReport>,
        mut channels: Vec<ChannelReport>,
    ) -> (Vec<DieReport>, Vec<ChannelReport>) {
        if !self.flash.servers().are_ideal() {
            return (dies, channels);
        }
        let (clocks, recorder) = (self.flash.die_clocks(end), &self.observers.recorder);
        let busy = |server: usize| {
            let busy = |class| recorder.die_busy(server, &clocks[server], class);
            busy(Class::HostRead) + busy(Class::MapRead)
        };
        for (number, die) in (0..).zip(&mut dies) {
            let servers = || self.flash.servers().ideals_of(DieId(number)).map(DieId::index);
            die.second_server = Some(SecondServerReport {
                busy_ns: servers().map(busy).sum(),
                array_ns: Some(servers().filter_map(|server| recorder.array_ns.get(server)).sum()),
            });
        }
        let seconds = channels.split_off(self.geometry.channels as usize);
        for (channel, second) in channels.iter_mut().zip(seconds) {
            channel.second_server =
                Some(SecondServerReport { busy_ns: second.busy_ns.values().sum(), array_ns: None });
        }
        (dies, channels)
    }

    /// Adds what planes did by themselves to the reports of their dies.
    pub(in crate::device) fn report_planes(&self, end: Ns, mut dies: Vec<DieReport>) -> Vec<DieReport> {
        let clocks = self.flash.die_clocks(end);
        for (number, die) in (0..).zip(&mut dies) {
            let report = |server: DieId| PlaneReport {
                busy_ns: self.observers.recorder.server_busy(server.index(), &clocks[server.index()]),
                array_ns: self.observers.recorder.array_ns.get(server.index()).copied().unwrap_or(0),
            };
            die.planes = self.flash.servers().planes_of(DieId(number)).map(report).collect();
        }
        dies
    }
}
