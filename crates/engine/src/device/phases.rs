//! A drive begins in the middle of its life: what is open in each domain and what is being collected, as the phases of the
//! steady state have it ([`crate::blocks::steady`]).

use super::{Device, DomainState};
use crate::blocks::BlockState;
use crate::blocks::steady::{Collection, Plan, seed_of};
use crate::ids::DomainId;
use crate::sched::class::Cause;

impl Device {
    /// What the phases of the domains are drawn from, in a run with this seed. `at_once`: the run begins with them, and not
    /// with overwrites without simulated time, which know nothing of a collection under way.
    pub(crate) fn steady_plan(&self, collection: Collection, seed: u64, at_once: bool) -> Plan {
        let domains = (0..self.domains.len() as u32).map(DomainId);
        let superblocks = domains.map(|domain| self.superblocks_in_use(domain)).min().unwrap_or(0);
        let apart = self.set_apart(DomainId(0));
        // The map's own pages are written behind the layout, out of what is free.
        let of_map = u64::from(self.all_units() - self.logical_units) / self.domain.len().max(1) as u64;
        let paced = self.paced_target(DomainId(0)).filter(|_| at_once).map(|units| (units + of_map) as u32);
        Plan {
            superblocks,
            free: [self.thresholds.trigger, self.thresholds.stop].map(|free| free + apart),
            paced,
            phased: self.redundancy.is_none(),
            rows_at_once: self.geometry.pages_per_program,
            collection,
            seed: seed_of(seed),
        }
    }

    /// Opens what the layout has open in a domain, and goes on with its victim.
    pub(super) fn resume_phase(&mut self, domain: DomainId, state: &mut DomainState) {
        let Some(phase) = self.layout.phase(domain) else { return };
        let (host, moves, victim) = (phase.host, phase.moves, phase.victim);
        let numbers = [(host, 0), (moves, self.points.of(Cause::Gc))];
        for (open, number) in numbers.into_iter().filter_map(|(open, number)| Some((open?, number))) {
            let superblock = self.blocks.at(domain, open.block);
            let point = &mut state.points[usize::from(number)];
            let rows = self.blocks.open(superblock, point.mode);
            point.open(superblock, open.block, rows, self.geometry.pages_at_once(point.mode));
            point.resume_at(open.rows);
        }
        if let Some(victim) = victim {
            let superblock = self.blocks.at(domain, victim.block);
            self.blocks.set_state(superblock, BlockState::Collecting);
            let collector = &mut state.collector;
            (collector.active, collector.victim) = (true, superblock);
            (collector.row, collector.column) = (victim.first, 0);
            collector.victims.push((superblock, Cause::Gc));
            // What it held when it was chosen: its rows are alike.
            let rows = u64::from(victim.first + victim.rows);
            let start = u64::from(self.blocks.valid(superblock)) * rows / u64::from(victim.rows.max(1));
            state.pace.begin(superblock, start as u32);
        }
    }
}
