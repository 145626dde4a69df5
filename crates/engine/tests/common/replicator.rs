//! A small system that makes copies of pages, and checks what it is told of them against a record of its own.
#![allow(clippy::unwrap_used, reason = "only tests call it")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use wordline_engine::blocks::BlockState;
use wordline_engine::ids::{DieId, DomainId, Lpa, PlaneId, Ppa, SuperblockId};
use wordline_engine::replicate::{CopyBudget, CopyLoss, CopyTarget, Reservation, Serving};
use wordline_engine::sched::class::Cause;
use wordline_engine::systems::{
    Action, DriveView, Event, Pin, Plan, ReadEvent, Step, System, SystemPolicy, Watches,
};
use wordline_engine::time::Ns;

/// Where copies go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum To {
    /// The die with the fewest outstanding commands that isn't reserved and isn't that of the primary.
    LeastBusy,
    /// Planes in turn.
    EveryPlane,
    Reserved,
}

/// What it does, and what it was told of.
#[derive(Clone, Debug)]
pub struct Replicator {
    pub name: &'static str,
    /// Copies the page of every so-manieth read; 0: none.
    pub every: u64,
    pub to: To,
    pub budget: u32,
    pub reservation: Reservation,
    /// Every so many reads: drops its oldest copy, makes its oldest copy the primary and drops the former, moves a whole
    /// superblock, copies a page that isn't being read; 0: never.
    pub drop_every: u64,
    pub promote_every: u64,
    pub plan_every: u64,
    pub extra_every: u64,
    pub log: Arc<Mutex<Log>>,
    pub count: u64,
    pub next: u32,
    pub planning: bool,
    pub copies: Vec<(Lpa, Ppa)>,
}

#[derive(Clone, Debug, Default)]
pub struct Log {
    pub asked: u64,
    pub copied: Vec<(Lpa, Ppa, u64)>,
    pub moved: u64,
    pub promoted: u64,
    pub dropped: BTreeMap<CopyLoss, u64>,
    pub given_up: BTreeMap<CopyLoss, u64>,
    pub served: u64,
    pub plans: u64,
    /// Die of every read that went to one, and when.
    pub reads: Vec<(Lpa, DieId, u64)>,
}

pub fn replicator(every: u64, to: To, budget: u32) -> Replicator {
    Replicator {
        name: "replicator",
        every,
        to,
        budget,
        reservation: Reservation::default(),
        drop_every: 0,
        promote_every: 0,
        plan_every: 0,
        extra_every: 0,
        log: Arc::default(),
        count: 0,
        next: 0,
        planning: false,
        copies: Vec::new(),
    }
}

impl Replicator {
    pub fn policy(&self) -> SystemPolicy {
        SystemPolicy::Custom(Box::new(self.clone()))
    }

    fn target(&mut self, lpa: Lpa, drive: &DriveView<'_>) -> CopyTarget {
        match self.to {
            To::Reserved => CopyTarget::Reserved,
            To::EveryPlane => {
                self.next = (self.next + 1) % drive.geometry().planes();
                CopyTarget::Plane(PlaneId(self.next))
            }
            To::LeastBusy => {
                let home = drive.die_of(drive.find(lpa));
                let free = |die: &DieId| *die != home && !drive.is_reserved(*die);
                let dies = (0..drive.geometry().dies()).map(DieId).filter(free);
                CopyTarget::Die(dies.min_by_key(|die| drive.outstanding()[die.index()]).unwrap_or(home))
            }
        }
    }

    /// Moves a full superblock away, or asks for a full one to be emptied.
    fn plan(&mut self, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        let domain = DomainId(self.next % drive.domains().len() as u32);
        self.next += 1;
        let blocks = drive.blocks(domain);
        let Some(full) = blocks.state.iter().position(|&state| state == BlockState::Full) else { return };
        let source = SuperblockId(blocks.first.0 + full as u32);
        if self.next.is_multiple_of(2) {
            return actions.push(Action::Empty(source, Cause::ReadReclaim));
        }
        let valid = |ppa: &Ppa| drive.valid_lpa(*ppa).is_some();
        let pages = (0..blocks.capacity).map(|unit| drive.unit_at(source, unit)).filter(valid).collect();
        let steps = vec![Step { pages, pin: Pin::Any }];
        self.planning = true;
        actions.push(Action::Plan(Plan {
            cause: Cause::Migration,
            destinations: vec![],
            steps,
            erase: vec![source],
        }));
    }
}

fn is_due(every: u64, reads: u64) -> bool {
    every > 0 && reads.is_multiple_of(every)
}

impl System for Replicator {
    fn name(&self) -> &str {
        self.name
    }

    fn watches(&self) -> Watches {
        Watches::READ.and(Watches::READ_DONE)
    }

    fn copies(&self) -> CopyBudget {
        if self.budget == 0 { CopyBudget::None } else { CopyBudget::Units(self.budget) }
    }

    fn reservation(&self) -> Reservation {
        self.reservation.clone()
    }

    fn told(&mut self, event: &Event, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        match *event {
            Event::Read(ref read) => self.read(read, drive),
            Event::ReadDone(ref read) => self.read_done(read, drive, actions),
            Event::Copied { lpa, ppa } => self.copied(lpa, ppa, drive),
            Event::CopyMoved { lpa, old, new } => self.copy_moved(lpa, old, new),
            Event::CopyDropped { lpa, ppa, why } => self.copy_dropped(lpa, ppa, why, drive),
            Event::PlanDone(_) => self.plan_done(),
            _ => {}
        }
    }

    fn serve(&mut self, read: &Serving<'_>, drive: &DriveView<'_>) -> Option<usize> {
        assert_eq!(read.candidates[0].ppa, drive.find(read.lpa));
        assert!(read.candidates.iter().skip(1).all(|candidate| candidate.owner.is_some()));
        assert_eq!(read.candidates.len(), drive.copies(read.lpa).len() + 1);
        self.log.lock().unwrap().served += 1;
        None
    }
}

impl Replicator {
    fn read(&mut self, read: &ReadEvent, drive: &DriveView<'_>) {
        self.log.lock().unwrap().reads.push((read.lpa, read.die, drive.now().0));
    }

    fn read_done(&mut self, read: &ReadEvent, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        self.count += 1;
        if is_due(self.every, self.count) {
            self.log.lock().unwrap().asked += 1;
            actions.push(Action::Copy { lpa: read.lpa, to: self.target(read.lpa, drive) });
        }
        if is_due(self.extra_every, self.count) {
            let lpa = Lpa((read.lpa.0 + 7) % drive.logical_units());
            self.log.lock().unwrap().asked += 1;
            actions.push(Action::Copy { lpa, to: self.target(lpa, drive) });
        }
        if is_due(self.plan_every, self.count) && !self.planning {
            self.plan(drive, actions);
        }
        let Some(&(lpa, ppa)) = self.copies.first() else { return };
        if is_due(self.promote_every, self.count) {
            let primary = drive.find(lpa);
            actions.push(Action::Promote { lpa, ppa });
            actions.push(Action::DropCopy { lpa, ppa: primary });
            self.log.lock().unwrap().promoted += 1;
        } else if is_due(self.drop_every, self.count) {
            actions.push(Action::DropCopy { lpa, ppa });
        }
    }

    fn copied(&mut self, lpa: Lpa, ppa: Ppa, drive: &DriveView<'_>) {
        assert!(drive.copies(lpa).iter().any(|copy| copy.ppa == ppa));
        assert_eq!(drive.valid_lpa(ppa), Some(lpa));
        self.copies.push((lpa, ppa));
        self.log.lock().unwrap().copied.push((lpa, ppa, drive.now().0));
    }

    fn copy_moved(&mut self, lpa: Lpa, old: Ppa, new: Ppa) {
        let copy = self.copies.iter_mut().find(|copy| **copy == (lpa, old)).unwrap();
        copy.1 = new;
        self.log.lock().unwrap().moved += 1;
    }

    fn copy_dropped(&mut self, lpa: Lpa, ppa: Ppa, why: CopyLoss, drive: &DriveView<'_>) {
        let mut log = self.log.lock().unwrap();
        if !ppa.is_some() {
            *log.given_up.entry(why).or_default() += 1;
            return;
        }
        assert!(drive.copies(lpa).iter().all(|copy| copy.ppa != ppa));
        let index = self.copies.iter().position(|&copy| copy == (lpa, ppa)).unwrap();
        self.copies.remove(index);
        *log.dropped.entry(why).or_default() += 1;
    }

    fn plan_done(&mut self) {
        self.planning = false;
        self.log.lock().unwrap().plans += 1;
    }
}

/// Asks for what the list says at its times.
pub struct Script {
    pub budget: u32,
    pub steps: Vec<(u64, Action)>,
}

impl System for Script {
    fn name(&self) -> &str {
        "script"
    }

    fn watches(&self) -> Watches {
        Watches::READ
    }

    fn copies(&self) -> CopyBudget {
        if self.budget == 0 { CopyBudget::None } else { CopyBudget::Units(self.budget) }
    }

    fn told(&mut self, event: &Event, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        match *event {
            Event::Read(_) => self.read(actions),
            Event::Woken => self.woken(drive, actions),
            _ => {}
        }
    }
}

impl Script {
    /// The first read winds the clock up.
    fn read(&mut self, actions: &mut Vec<Action>) {
        if let Some(&(time, _)) = self.steps.first() {
            actions.push(Action::WakeAt(Ns(time)));
        }
    }

    fn woken(&mut self, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        while self.steps.first().is_some_and(|step| step.0 <= drive.now().0) {
            actions.push(self.steps.remove(0).1);
        }
        if let Some(&(time, _)) = self.steps.first() {
            actions.push(Action::WakeAt(Ns(time)));
        }
    }
}
