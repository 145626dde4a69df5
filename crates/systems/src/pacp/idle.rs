//! Migration while the drive is idle (§3.3, GC-aware migration): pages that are to be read leave the full block of the write
//! channels that has the most invalid pages.

use super::channels::Kind;
use super::history::Majority;
use super::{Action, DriveView, Partition};
use crate::plan::{Pin, Plan, Step};
use wordline_base::class::Cause;
use wordline_base::ids::{DomainId, Ppa, SuperblockId};

impl Partition {
    /// Asks for the next plan, if there is one and the drive is idle.
    pub(super) fn migrate(&mut self, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        if self.migrating || !self.config.migrate_at_idle || !drive.is_idle() {
            return;
        }
        self.look_at(drive);
        let most = self.most_pages();
        if most == 0 {
            return;
        }
        while let Some(superblock) = self.next_to_relieve(drive) {
            let mut pages = self.misplaced_pages(superblock, drive);
            if pages.is_empty() {
                // Further copies lie there, or the like.
                if let Some(count) = self.to_be_read.get_mut(superblock.index()) {
                    *count = 0;
                }
                continue;
            }
            pages.truncate(most);
            self.migrating = true;
            self.counters.idle_plans += 1;
            let steps = vec![Step { pages, pin: Pin::Any }];
            actions.push(Action::PlanWhileIdle(Plan {
                cause: Cause::Migration,
                destinations: Vec::new(),
                steps,
                erase: Vec::new(),
            }));
            return;
        }
    }

    /// Pages that may be moved so that these programs make up no more than their share of all.
    fn most_pages(&self) -> usize {
        let (share, [all, at_idle]) = (self.config.idle_share, self.programs);
        if share < 1.0 {
            ((all as f64 * share - at_idle as f64) / (1.0 - share)).max(0.0) as usize
        } else {
            usize::MAX
        }
    }

    /// The full block of the write channels with the most invalid pages that holds any to be read; of equals the first. None,
    /// while the read channels have no room.
    fn next_to_relieve(&self, drive: &DriveView<'_>) -> Option<SuperblockId> {
        if self.channels.pages_of(Kind::Write, Kind::Read) == 0 || self.is_full(Kind::Read, drive) {
            return None;
        }
        let domains = (0..drive.domains().len() as u32).map(DomainId);
        let of_write_channels = domains.filter(|&domain| self.is_of_write_channel(domain, drive));
        let fullest = of_write_channels.filter_map(|domain| {
            let blocks = drive.blocks(domain);
            let first = blocks.first.index();
            let counts = self.to_be_read.get(first..first + blocks.valid.len())?;
            let numbered = (blocks.first.0..).zip(blocks.valid.iter().zip(counts));
            numbered
                .filter(|(_, (valid, count))| **valid <= blocks.capacity && **count > 0)
                .map(|(number, (valid, _))| (*valid, SuperblockId(number)))
                .min()
        });
        fullest.min().map(|(_, superblock)| superblock)
    }

    fn is_of_write_channel(&self, domain: DomainId, drive: &DriveView<'_>) -> bool {
        let planes = self.channels.planes(Kind::Write);
        drive.planes(domain).first().is_some_and(|&plane| planes.has(plane))
    }

    /// Pages of a superblock that are to be read, primary copies.
    fn misplaced_pages(&self, superblock: SuperblockId, drive: &DriveView<'_>) -> Vec<Ppa> {
        let capacity = drive.blocks(drive.split(superblock).0).capacity;
        let is_to_be_read = |&ppa: &Ppa| {
            drive.valid_lpa(ppa).is_some_and(|lpa| {
                drive.find(lpa) == ppa && self.history.of(lpa).majority() == Majority::Read
            })
        };
        (0..capacity).map(|unit| drive.unit_at(superblock, unit)).filter(is_to_be_read).collect()
    }
}
