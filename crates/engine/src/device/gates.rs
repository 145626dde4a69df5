//! Gates at work: what a die may begin now, and when it looks again.

use super::Device;
use super::flash::Flash;
use crate::sched::gates::ClassSet;
use wordline_base::ids::DieId;
use wordline_base::time::Ns;

impl Flash {
    /// The die whose gates a server obeys.
    fn gate_of(&self, server: DieId) -> DieId {
        match &self.plane_collection {
            Some(collection) => collection.die(server),
            None => server,
        }
    }

    /// Classes of which something waits that the die may begin now, one bit each.
    #[inline(always)]
    pub(super) fn open_work(&self, die: DieId) -> u32 {
        let waiting = self.dies[die.index()].waiting();
        if self.gates.are_used() {
            waiting & !self.gates.closed(self.gate_of(die), self.now)
        } else {
            waiting
        }
    }

    /// A die rests: if something waits behind a gate, it looks again when the gate opens.
    #[inline(always)]
    pub(super) fn rest_behind_gates(&mut self, die: DieId) {
        if !self.gates.are_used() {
            return;
        }
        let waiting = self.dies[die.index()].waiting();
        if let Some(opening) = self.gates.next_opening(self.gate_of(die), waiting, self.now) {
            self.events.set(Device::die_resource(die), opening);
        }
    }
}

impl Device {
    /// A system closes gates on dies. It names the time at which they open again: there is no gate without an end.
    pub(super) fn close_gates(&mut self, system: usize, dies: &[DieId], classes: ClassSet, until: Ns) {
        let real = self.flash.outstanding.len();
        if let Some(die) = dies.iter().find(|die| die.index() >= real) {
            let name = self.systems.system_name(system);
            return self
                .fail(format!("the system {name} closed a gate on {die:?} of a drive of {real} dies"));
        }
        if until == Ns::NEVER {
            let name = self.systems.system_name(system);
            return self.fail(format!("the system {name} closed a gate that never opens"));
        }
        for &die in dies {
            self.flash.gates.close(die, system as u32, classes, until);
            // A gate that is replaced may have opened.
            self.flash.touched.push(die);
            self.flash.touch_planes(die);
        }
    }

    /// From `now` until `until` no die begins a command of these classes, by order of whoever put several drives together.
    /// Without an end nothing happens.
    pub fn hold_back(&mut self, classes: ClassSet, until: Ns, now: Ns) {
        if until == Ns::NEVER {
            return;
        }
        self.flash.now = now;
        self.flash.gates.close_all(classes, until);
        // The gate that this replaces may have opened. Dies that have nothing to do need not hear of it, but for those that
        // ask for the turn of their chip.
        let all = self.flash.chips.is_some();
        for die in 0..self.flash.outstanding.len() {
            if all || self.flash.outstanding[die] > 0 {
                self.flash.touched.push(DieId(die as u32));
                self.flash.touch_planes(DieId(die as u32));
            }
        }
        self.finish_event();
    }
}
