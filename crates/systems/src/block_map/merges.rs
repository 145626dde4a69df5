//! Merges: what log blocks hold comes together in data blocks again.

use super::BlockMap;
use super::logs::{Log, Logs, Work};
use crate::action::Action;
use crate::plan::{Pin, Place, Plan, Step};
use crate::view::DriveView;
use wordline_base::class::Cause;
use wordline_base::ids::{DomainId, Ppa, SuperblockId};

impl BlockMap {
    /// The pages of a logical block that lie elsewhere than in `but`, from one of its units up to before another.
    pub(super) fn pages(
        block: u32,
        from: u32,
        to: u32,
        but: SuperblockId,
        drive: &DriveView<'_>,
    ) -> Vec<(u32, Ppa)> {
        let found = |unit| {
            let ppa = drive.find(drive.at_home(SuperblockId(block), unit)?);
            (ppa.is_some() && drive.superblock_of(ppa) != but).then_some((unit, ppa))
        };
        (from..to).filter_map(found).collect()
    }

    /// Asks for a plan of garbage collection's.
    pub(super) fn ask(&mut self, domain: DomainId, fresh: bool, steps: Vec<Step>, actions: &mut Vec<Action>) {
        self.counters.copied += steps.len() as u64;
        self.plans.insert(self.asked, domain.0);
        self.asked += 1;
        let destinations = if fresh { vec![domain] } else { vec![] };
        actions.push(Action::Plan(Plan { cause: Cause::Gc, destinations, steps, erase: vec![] }));
    }

    /// Copies pages into a log block, each to its unit.
    pub(super) fn copy_into(
        &mut self,
        log: SuperblockId,
        pages: &[(u32, Ppa)],
        drive: &DriveView<'_>,
        actions: &mut Vec<Action>,
    ) {
        let step =
            |&(unit, ppa): &(u32, Ppa)| Step { pages: vec![ppa], pin: Pin::In { superblock: log, unit } };
        let steps = pages.iter().map(step).collect();
        self.ask(drive.split(log).0, false, steps, actions);
    }

    /// Merges a log block, as soon as its programs have ended.
    pub(super) fn merge(&mut self, log: SuperblockId, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        let (domain, _) = drive.split(log);
        if !drive.has_no_program_under_way(log) {
            if let Some(logs) = self.logs(domain) {
                logs.work = Some(Work::Settle(log));
            }
            return;
        }
        let Some(entry) = self.logs(domain).and_then(|logs| {
            logs.work = None;
            logs.at(log).copied()
        }) else {
            return;
        };
        if drive.valid(log) == 0 {
            // One that is closed is being erased.
            if !entry.closed {
                actions.push(Action::Close(log));
            }
            self.counters.dropped += 1;
            return self.merged(domain, log, actions);
        }
        match entry.owner {
            Some(block) if entry.in_order => self.complete(log, block, drive, actions),
            Some(block) => {
                actions.push(Action::Close(log));
                self.put_together(log, block, drive, actions);
            }
            None => self.put_together_next(log, drive, actions),
        }
    }

    /// A log block is none any more.
    fn merged(&mut self, domain: DomainId, log: SuperblockId, actions: &mut Vec<Action>) {
        if let Some(logs) = self.logs(domain) {
            logs.work = None;
            logs.remove(log);
        }
        actions.push(Action::AskAgain);
    }

    /// Switch merge or partial merge: a log block in order becomes the data block, with what it lacks.
    fn complete(&mut self, log: SuperblockId, block: u32, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        let capacity = Self::capacity(drive);
        let from = drive.next_unit(log).unwrap_or(capacity);
        if self.misses_any(log, block, from, drive) {
            actions.push(Action::Close(log));
            return self.put_together(log, block, drive, actions);
        }
        let rest = Self::pages(block, from, capacity, log, drive);
        if rest.is_empty() {
            self.counters.switch += 1;
            return self.becomes_data(log, block, drive, actions);
        }
        self.counters.partial += 1;
        if let Some(logs) = self.logs(drive.split(log).0) {
            logs.work = Some(Work::Partial(log));
        }
        self.copy_into(log, &rest, drive, actions);
    }

    /// Whether a full merge of this logical block is under way.
    fn is_put_together(&self, domain: DomainId, block: u32) -> bool {
        let work = self.domains.get(domain.index()).and_then(|logs| logs.work);
        matches!(work, Some(Work::Full { block: other, .. }) if other == block)
    }

    /// Whether a page that should be among the first units of this log block is in the data block still: its place stayed unused,
    /// since what was written there came to nothing.
    fn misses_any(&self, log: SuperblockId, block: u32, until: u32, drive: &DriveView<'_>) -> bool {
        let logs = self.domains.get(drive.split(log).0.index());
        let is_log = |superblock| logs.is_some_and(|logs| logs.at(superblock).is_some());
        let pages = Self::pages(block, 0, until, log, drive);
        pages.iter().any(|&(_, ppa)| !is_log(drive.superblock_of(ppa)))
    }

    fn becomes_data(
        &mut self,
        log: SuperblockId,
        block: u32,
        drive: &DriveView<'_>,
        actions: &mut Vec<Action>,
    ) {
        self.set_data(block, log);
        actions.push(Action::Close(log));
        self.merged(drive.split(log).0, log, actions);
    }

    /// Full merge: the pages of a logical block go to a fresh block. What is in its own log block, where `log` is another,
    /// stays there.
    fn put_together(
        &mut self,
        log: SuperblockId,
        block: u32,
        drive: &DriveView<'_>,
        actions: &mut Vec<Action>,
    ) {
        let (domain, _) = drive.split(log);
        let Some(logs) = self.logs(domain) else { return };
        let own = logs.of(block).map(|own| own.superblock).filter(|&own| own != log);
        logs.work = Some(Work::Full { log, block, fresh: SuperblockId::NONE });
        let pages = Self::pages(block, 0, Self::capacity(drive), own.unwrap_or(SuperblockId::NONE), drive);
        let step = |&(unit, ppa): &(u32, Ppa)| Step {
            pages: vec![ppa],
            pin: Pin::Exact(Place { destination: 0, unit }),
        };
        self.counters.full += 1;
        self.ask(domain, true, pages.iter().map(step).collect(), actions);
    }

    /// The next full merge that a shared log block needs; without any it is done with.
    fn put_together_next(&mut self, log: SuperblockId, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        let units = 0..Self::capacity(drive);
        let block = |unit| drive.valid_lpa(drive.unit_at(log, unit)).map(|lpa| drive.home(lpa).0);
        match { units }.find_map(block) {
            Some(block) => self.put_together(log, block.0, drive, actions),
            None => self.merged(drive.split(log).0, log, actions),
        }
    }

    /// A log block gave all its units away and all its programs have ended.
    pub(super) fn is_full(&mut self, log: Log, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        let (domain, _) = drive.split(log.superblock);
        match log.owner {
            // Nothing has to be copied: it needn't wait for what is under way elsewhere in the domain.
            Some(block)
                if log.in_order
                    && !self.is_put_together(domain, block)
                    && drive.valid(log.superblock) > 0
                    && !self.misses_any(log.superblock, block, Self::capacity(drive), drive) =>
            {
                self.counters.switch += 1;
                self.set_data(block, log.superblock);
                actions.push(Action::Close(log.superblock));
                if let Some(logs) = self.logs(domain) {
                    logs.remove(log.superblock);
                }
                actions.push(Action::AskAgain);
            }
            Some(_) => {}
            None => {
                if let Some(log) = self.logs(domain).and_then(|logs| logs.at_mut(log.superblock)) {
                    log.closed = true;
                }
                actions.push(Action::Close(log.superblock));
            }
        }
    }

    /// What was copied for a domain's merge, or to fill a log block, is in its place.
    pub(super) fn plan_ended(&mut self, domain: DomainId, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        let Some(logs) = self.logs(domain) else { return };
        match logs.work.take() {
            Some(Work::Partial(log)) => {
                if let Some(block) = logs.at(log).and_then(|log| log.owner) {
                    self.becomes_data(log, block, drive, actions);
                }
            }
            Some(Work::Full { log, block, fresh }) => {
                // Nothing may have been left to be copied.
                if fresh.is_some() && drive.valid(fresh) > 0 {
                    self.set_data(block, fresh);
                }
                let log_of = |logs: &mut Logs| logs.at(log).copied();
                let shared = self.logs(domain).and_then(log_of).is_some_and(|log| log.owner.is_none());
                if shared {
                    self.put_together_next(log, drive, actions);
                } else {
                    self.merged(domain, log, actions);
                }
            }
            Some(Work::Open(_) | Work::Fill(_) | Work::Settle(_)) | None => actions.push(Action::AskAgain),
        }
    }
}
