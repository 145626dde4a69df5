//! Gates at work: what a die may begin now, and when it looks again.

use crate::Flash;
use crate::sched::gates::ClassSet;
use wordline_base::ids::DieId;
use wordline_base::time::Ns;

impl Flash {
    /// The die whose gates a server obeys.
    fn gate_of(&self, server: DieId) -> DieId {
        self.servers.die_of_plane(server).unwrap_or(server)
    }

    /// Classes of which something waits that the die may begin now, one bit each.
    #[inline(always)]
    pub(crate) fn open_work(&self, die: DieId) -> u32 {
        let waiting = self.waiting_with_planes(die);
        if self.gates.are_used() {
            waiting & !self.gates.closed(self.gate_of(die), self.now)
        } else {
            waiting
        }
    }

    /// A die rests: if something waits behind a gate, it looks again when the gate opens.
    #[inline(always)]
    pub(crate) fn rest_behind_gates(&mut self, die: DieId) {
        if !self.gates.are_used() {
            return;
        }
        let waiting = self.dies[die.index()].waiting();
        if let Some(opening) = self.gates.next_opening(self.gate_of(die), waiting, self.now) {
            self.events.set(die.index(), opening);
        }
    }

    /// From now on a die begins nothing of these classes before `until`, by order of `owner`; see [`crate::sched::gates`].
    pub fn close_gate(&mut self, die: DieId, owner: u32, classes: ClassSet, until: Ns) {
        self.gates.close(die, owner, classes, until);
        // A gate that is replaced may have opened.
        self.touched.push(die);
        self.touch_planes(die);
    }

    /// The same for all dies, in the place of what was asked for all of them before.
    pub fn close_all_gates(&mut self, classes: ClassSet, until: Ns) {
        self.gates.close_all(classes, until);
        // The gate that this replaces may have opened. Dies that have nothing to do need not hear of it, but for those that
        // ask for the turn of their chip.
        let all = self.chips.is_some();
        for die in 0..self.outstanding.len() {
            if all || self.outstanding[die] > 0 {
                self.touched.push(DieId(die as u32));
                self.touch_planes(DieId(die as u32));
            }
        }
    }
}
