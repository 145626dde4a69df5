//! Gates at work: what a die may begin now, and when it looks again.

use super::Device;
use crate::sched::gates::ClassSet;
use wordline_base::ids::DieId;
use wordline_base::time::Ns;

impl Device {
    /// A system closes gates on dies. It names the time at which they open again: there is no gate without an end.
    pub(super) fn close_gates(&mut self, system: usize, dies: &[DieId], classes: ClassSet, until: Ns) {
        let real = self.flash.loads().len();
        if let Some(die) = dies.iter().find(|die| die.index() >= real) {
            let name = self.systems.name(system);
            return self
                .fail(format!("the system {name} closed a gate on {die:?} of a drive of {real} dies"));
        }
        if until == Ns::NEVER {
            let name = self.systems.name(system);
            return self.fail(format!("the system {name} closed a gate that never opens"));
        }
        for &die in dies {
            self.flash.close_gate(die, system as u32, classes, until);
        }
    }

    /// From `now` until `until` no die begins a command of these classes, by order of whoever put several drives together.
    /// Without an end nothing happens.
    pub fn hold_back(&mut self, classes: ClassSet, until: Ns, now: Ns) {
        if until == Ns::NEVER {
            return;
        }
        self.flash.set_now(now);
        self.flash.close_all_gates(classes, until);
        self.finish_event();
    }
}
