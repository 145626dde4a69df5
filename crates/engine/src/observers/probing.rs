//! What probes are told of dies and channels.

use super::state::Observers;
use crate::front::Front;
use crate::nand::die::Phase;
use crate::probe::DieCommand;
use crate::sched::queue::NONE;
use wordline_base::class::Class;
use wordline_base::ids::DieId;
use wordline_base::time::Ns;
use wordline_flash::Flash;
use wordline_ftl::work::Ftl;

impl Observers {
    /// The die begins its command, goes on with it, or is free.
    #[inline(always)]
    pub fn tell_die(&mut self, parts: (&Flash, &Ftl, &Front), die: DieId, class: Option<Class>) {
        if self.probe.is_some() {
            self.tell_probe_of_die(parts, die, class);
        }
    }

    #[cold]
    fn tell_probe_of_die(&mut self, parts: (&Flash, &Ftl, &Front), die: DieId, class: Option<Class>) {
        let (flash, command) = (parts.0, class.map(|class| command_for_probe(parts, die, class)));
        let server = flash.servers().describe(die);
        let waiting = flash.loads().get(server.die as usize).copied().unwrap_or(0);
        if let Some(probe) = &mut self.probe {
            probe.die_taken(server, command, waiting, flash.now());
        }
    }

    /// The channel is the die's from now on until `end`.
    #[inline(always)]
    pub fn tell_channel(&mut self, flash: &Flash, die: DieId, end: Ns) {
        if self.probe.is_some() {
            self.tell_probe_of_channel(flash, die, end);
        }
    }

    #[cold]
    fn tell_probe_of_channel(&mut self, flash: &Flash, die: DieId, end: Ns) {
        if let Some(probe) = &mut self.probe {
            let class = flash.die(die).command.class;
            let (channel, server) = (flash.channel_of(die), flash.servers().describe(die));
            probe.channel_taken(channel, server, class, flash.now(), end);
        }
    }
}

fn command_for_probe((flash, ftl, front): (&Flash, &Ftl, &Front), die: DieId, class: Class) -> DieCommand {
    let command = &flash.die(die).command;
    let mut requests = Vec::new();
    let mut head = command.head;
    while head != NONE {
        for unit in flash.pool.units(head) {
            if let Some(request) = ftl.purposes()[unit].whose.host() {
                let id = front.request_id(request);
                if id != u64::MAX && !requests.contains(&id) {
                    requests.push(id);
                }
            }
        }
        head = flash.pool[head].next;
    }
    // A command that begins has yet to get its channel.
    let resumed = flash.die(die).phase == Phase::Array;
    DieCommand { class, planes: command.planes, resumed, requests }
}
