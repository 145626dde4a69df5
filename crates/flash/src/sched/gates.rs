//! Gates: dies that may not begin commands of some classes until a time. A system closes them
//! (`Action::Gate` of systems), for example to keep half of an array for reads and the other half for writes in turn
//! (Skourtis et al., "Flash on Rails", USENIX ATC 2014).

use serde::{Deserialize, Serialize};

use wordline_base::class::{CLASSES, Class, FlashOp};
use wordline_base::ids::DieId;
use wordline_base::time::Ns;

/// A set of classes, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassSet(u32);

impl ClassSet {
    /// No class.
    pub const NONE: Self = Self(0);
    /// Every class.
    pub const ALL: Self = Self((1 << CLASSES) - 1);

    /// Of these classes.
    pub fn of(classes: &[Class]) -> Self {
        classes.iter().fold(Self::NONE, |set, class| Self(set.0 | 1 << class.index()))
    }

    /// Every class that does this, whatever its cause.
    pub fn doing(op: FlashOp) -> Self {
        let bit = |class: &Class| if class.op() == op { 1 << class.index() } else { 0 };
        Self(Class::ALL.iter().fold(0, |set, class| set | bit(class)))
    }

    /// Both sets.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether a class is in it.
    pub fn has(self, class: Class) -> bool {
        self.0 & (1 << class.index()) != 0
    }

    /// One bit for each class.
    pub const fn bits(self) -> u32 {
        self.0
    }
}

/// A closed gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Gate {
    /// Who closed it.
    system: u32,
    classes: ClassSet,
    until: Ns,
}

/// The gates of all dies. Nothing is kept while no gate was ever closed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Gates {
    used: bool,
    /// Those that systems closed.
    by_die: Vec<Vec<Gate>>,
    /// The one of every die at once, and until when it is closed.
    all: (ClassSet, Ns),
}

impl Gates {
    /// Whether a gate was ever closed.
    #[inline]
    pub fn are_used(&self) -> bool {
        self.used
    }

    /// From now on no die begins anything of these classes before `until`. Replaces what was asked for all dies before.
    pub fn close_all(&mut self, classes: ClassSet, until: Ns) {
        self.used = true;
        self.all = (classes, until);
    }

    /// From now on the die begins nothing of these classes before `until`. Replaces what the same system asked for that
    /// die before; what other systems closed stays closed.
    pub fn close(&mut self, die: DieId, system: u32, classes: ClassSet, until: Ns) {
        self.used = true;
        if self.by_die.len() <= die.index() {
            self.by_die.resize_with(die.index() + 1, Vec::new);
        }
        let gates = &mut self.by_die[die.index()];
        gates.retain(|gate| gate.system != system);
        gates.push(Gate { system, classes, until });
    }

    /// Classes that the die may not begin now, one bit each.
    #[inline]
    pub fn closed(&self, die: DieId, now: Ns) -> u32 {
        let (classes, until) = self.all;
        let of_all = if now < until { classes.bits() } else { 0 };
        self.by_die.get(die.index()).map_or(of_all, |gates| {
            gates
                .iter()
                .filter(|gate| now < gate.until)
                .fold(of_all, |closed, gate| closed | gate.classes.bits())
        })
    }

    /// When the next gate opens behind which some of these classes wait; `None` if none is closed for them.
    pub fn next_opening(&self, die: DieId, waiting: u32, now: Ns) -> Option<Ns> {
        let gates = self.by_die.get(die.index()).map_or(&[][..], Vec::as_slice);
        let of_die = gates.iter().map(|gate| (gate.classes, gate.until));
        let holds = |&(classes, until): &(ClassSet, Ns)| now < until && classes.bits() & waiting != 0;
        of_die.chain([self.all]).filter(holds).map(|(_, until)| until).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_what_they_are_made_of() {
        let programs = ClassSet::doing(FlashOp::Program);
        assert!(programs.has(Class::HostProgram) && programs.has(Class::ParityProgram));
        assert!(!programs.has(Class::HostRead) && !programs.has(Class::GcErase));
        let all = programs.and(ClassSet::doing(FlashOp::Read)).and(ClassSet::doing(FlashOp::Erase));
        assert_eq!(all, ClassSet::ALL);
        assert_eq!(ClassSet::of(&[]), ClassSet::NONE);
    }

    #[test]
    fn a_gate_is_closed_before_its_end_and_each_system_has_one_on_a_die() {
        let (reads, erases) = (ClassSet::of(&[Class::HostRead]), ClassSet::of(&[Class::GcErase]));
        let mut gates = Gates::default();
        assert!(!gates.are_used());
        gates.close(DieId(2), 0, reads, Ns(10));
        gates.close(DieId(2), 1, erases, Ns(20));
        let closed = |gates: &Gates, now| gates.closed(DieId(2), Ns(now));
        assert_eq!(closed(&gates, 9), reads.and(erases).bits());
        assert_eq!(closed(&gates, 10), erases.bits());
        assert_eq!(closed(&gates, 20), 0);
        assert_eq!(gates.closed(DieId(0), Ns(5)) + gates.closed(DieId(7), Ns(5)), 0);
        assert_eq!(gates.next_opening(DieId(2), u32::MAX, Ns(0)), Some(Ns(10)));
        assert_eq!(gates.next_opening(DieId(2), erases.bits(), Ns(0)), Some(Ns(20)));
        assert_eq!(gates.next_opening(DieId(2), erases.bits(), Ns(20)), None);
        gates.close(DieId(2), 0, erases, Ns(30));
        assert_eq!(closed(&gates, 9), erases.bits());
        assert_eq!(closed(&gates, 29), erases.bits());
    }

    #[test]
    fn a_gate_of_all_dies_is_closed_beside_those_of_each_and_replaces_the_one_before() {
        let (reads, erases) = (ClassSet::of(&[Class::HostRead]), ClassSet::of(&[Class::GcErase]));
        let mut gates = Gates::default();
        gates.close_all(erases, Ns(20));
        assert!(gates.are_used());
        gates.close(DieId(1), 0, reads, Ns(10));
        assert_eq!(gates.closed(DieId(0), Ns(5)), erases.bits());
        assert_eq!(gates.closed(DieId(1), Ns(5)), reads.and(erases).bits());
        assert_eq!(gates.closed(DieId(1), Ns(10)), erases.bits());
        assert_eq!(gates.next_opening(DieId(1), u32::MAX, Ns(0)), Some(Ns(10)));
        assert_eq!(gates.next_opening(DieId(0), u32::MAX, Ns(0)), Some(Ns(20)));
        assert_eq!(gates.next_opening(DieId(0), reads.bits(), Ns(0)), None);
        gates.close_all(reads, Ns(30));
        assert_eq!(gates.closed(DieId(0), Ns(5)), reads.bits());
        assert_eq!(gates.closed(DieId(0), Ns(30)), 0);
    }
}
