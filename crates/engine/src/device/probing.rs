//! What probes are told of dies and channels.

use super::Device;
use crate::nand::die::Phase;
use crate::probe::DieCommand;
use crate::sched::queue::NONE;
use wordline_base::class::Class;
use wordline_base::ids::DieId;
use wordline_base::time::Ns;

impl Device {
    /// The die begins its command, goes on with it, or is free.
    #[inline(always)]
    pub(super) fn tell_die(&mut self, die: DieId, class: Option<Class>) {
        if self.observers.probe.is_some() {
            self.tell_probe_of_die(die, class);
        }
    }

    #[cold]
    fn tell_probe_of_die(&mut self, die: DieId, class: Option<Class>) {
        let command = class.map(|class| self.command_for_probe(die, class));
        let server = self.flash.servers().describe(die);
        let waiting = self.flash.loads().get(server.die as usize).copied().unwrap_or(0);
        if let Some(probe) = &mut self.observers.probe {
            probe.die_taken(server, command, waiting, self.flash.now());
        }
    }

    fn command_for_probe(&self, die: DieId, class: Class) -> DieCommand {
        let command = &self.flash.die(die).command;
        let mut requests = Vec::new();
        let mut head = command.head;
        while head != NONE {
            for unit in self.flash.pool.units(head) {
                if let Some(request) = self.ftl.purposes()[unit].whose.host() {
                    let id = self.front.request_id(request);
                    if id != u64::MAX && !requests.contains(&id) {
                        requests.push(id);
                    }
                }
            }
            head = self.flash.pool[head].next;
        }
        // A command that begins has yet to get its channel.
        let resumed = self.flash.die(die).phase == Phase::Array;
        DieCommand { class, planes: command.planes, resumed, requests }
    }

    /// The channel is the die's from now on until `end`.
    #[inline(always)]
    pub(super) fn tell_channel(&mut self, die: DieId, end: Ns) {
        if self.observers.probe.is_some() {
            self.tell_probe_of_channel(die, end);
        }
    }

    #[cold]
    fn tell_probe_of_channel(&mut self, die: DieId, end: Ns) {
        if let Some(probe) = &mut self.observers.probe {
            let class = self.flash.die(die).command.class;
            let (channel, server) = (self.flash.channel_of(die), self.flash.servers().describe(die));
            probe.channel_taken(channel, server, class, self.flash.now(), end);
        }
    }
}
