//! A plan that is asked for: checked, and laid out as programs, page by page.

use super::{NO_SYSTEM, Program, Run, Target, continued_by};
use crate::plan::{self, Pin, Plan};
use crate::work::above::AboveFtl;
use crate::work::ftl::Ftl;
use crate::work::plans::try_to_start;
use wordline_base::class::Cause;
use wordline_base::ids::{Ppa, SuperblockId};
use wordline_flash::nand::geometry::Place;
use wordline_flash::sched::queue::NONE;

impl Ftl {
    /// Mapping unit `unit` of a superblock, in the order in which it is filled.
    pub fn unit_at(&self, superblock: SuperblockId, unit: u32) -> Ppa {
        let (domain, block) = self.blocks.split(superblock);
        let (size, width) = (self.geometry.units_per_program(), self.data_planes());
        let (program, rest) = (unit / size, unit % size);
        let page = program / width * self.geometry.pages_per_program;
        let plane = self.domains.planes(domain)[self.data_column(page, program % width) as usize];
        Ppa(self.geometry.first_unit(plane, block, page).0 + rest)
    }

    /// The inverse of [`Self::unit_at`], where no row holds parity.
    pub(crate) fn unit_of(&self, ppa: Ppa) -> u32 {
        let Place { plane, page, unit, .. } = self.geometry.place(ppa);
        let planes = self.domains.planes(self.domains.of(plane));
        let column = planes.iter().position(|&other| other == plane).unwrap_or_default() as u32;
        let (together, size) = (self.geometry.pages_per_program, self.geometry.units_per_program());
        let program = page / together * self.domains.width() + column;
        program * size + page % together * self.geometry.units_per_page() + unit
    }

    fn prepare_plan(&self, system: usize, number: u64, plan: Plan, while_idle: bool) -> Result<Run, String> {
        let causes = [Cause::Gc, Cause::ReadReclaim, Cause::WearLevelling, Cause::Migration];
        if !causes.contains(&plan.cause) {
            return Err(format!("its cause is {:?}: allowed: {causes:?}", plan.cause));
        }
        let destinations = plan.destinations.len() + continued_by(&plan).len();
        if destinations > 64 {
            return Err(format!("it has {destinations} destinations: allowed: at most 64"));
        }
        if let Some(domain) = plan.destinations.iter().find(|domain| domain.index() >= self.domain.len()) {
            return Err(format!("its destination {domain:?} is none of the {} domains", self.domain.len()));
        }
        if let Some(source) = plan.erase.iter().find(|source| source.index() >= self.blocks.len()) {
            return Err(format!("{source:?} is none of the {} superblocks", self.blocks.len()));
        }
        if while_idle && !(plan.destinations.is_empty() && plan.erase.is_empty()) {
            return Err(
                "it ends when a request comes: allowed: neither destinations nor superblocks to erase"
                    .to_owned(),
            );
        }
        let mut run = Run {
            while_idle,
            stopped: false,
            system,
            number,
            cause: plan.cause,
            targets: Vec::new(),
            programs: Vec::new(),
            destinations: Vec::new(),
            continued: continued_by(&plan),
            ends: Vec::new(),
            filled: 0,
            started: false,
            next_target: 0,
            next_program: 0,
            reading: 0,
            in_flight: 0,
            held: 0,
            plan,
        };
        self.expand(&mut run)?;
        Ok(run)
    }

    /// Steps to single pages, and pinned pages to programs.
    fn expand(&self, run: &mut Run) -> Result<(), String> {
        let superpage = self.geometry.units_per_program() * self.data_planes();
        // Of each destination: the unit behind the last one used, and its last program.
        let fresh = run.plan.destinations.len();
        let mut filled = vec![(0u32, usize::MAX); fresh];
        // A row that was begun is over where it got its parity.
        let step = if self.redundancy.is_some() { superpage } else { self.geometry.units_per_program() };
        for &superblock in &run.continued {
            filled.push((self.plans.system_superblocks.next_of(superblock, run.system, step)?, usize::MAX));
        }
        for step in &run.plan.steps {
            let (mut next, holes): (Option<plan::Place>, &[u32]) = match &step.pin {
                Pin::Any => (None, &[]),
                Pin::Exact(place) => (Some(*place), &[]),
                Pin::In { superblock, unit } => {
                    let index =
                        run.continued.iter().position(|other| other == superblock).unwrap_or_default();
                    (Some(plan::Place { destination: fresh + index, unit: *unit }), &[])
                }
                Pin::Span { first, holes } => (Some(*first), holes),
            };
            for &source in &step.pages {
                if source.0 >= self.geometry.physical_units() {
                    return Err(format!(
                        "{source:?} is none of the {} physical pages",
                        self.geometry.physical_units()
                    ));
                }
                let Some(place) = &mut next else {
                    run.targets.push(Target { source, place: None, program: usize::MAX });
                    continue;
                };
                while holes.binary_search(&place.unit).is_ok() {
                    place.unit += 1;
                }
                let Some((from, program)) = filled.get_mut(place.destination) else {
                    return Err(format!("it has no destination {}", place.destination));
                };
                if place.unit < *from || place.unit >= self.blocks.capacity() {
                    return Err(format!(
                        "unit {} of destination {}: allowed: {from} (behind the last one used) to {}",
                        place.unit,
                        place.destination,
                        self.blocks.capacity() - 1
                    ));
                }
                let size = self.geometry.units_per_program();
                if *program == usize::MAX || (*from - 1) / size != place.unit / size {
                    // Programs of other destinations in between are a superpage of their own.
                    let goes_on = *program != usize::MAX
                        && *program + 1 == run.programs.len()
                        && (*from - 1) / superpage == place.unit / superpage;
                    if let Some(last) = run.programs.last_mut() {
                        last.ends_superpage = !goes_on;
                    }
                    *program = run.programs.len();
                    run.programs.push(Program { left: 0, head: NONE, units: 0, ends_superpage: true });
                }
                run.programs[*program].left += 1;
                *from = place.unit + 1;
                run.targets.push(Target { source, place: Some(*place), program: *program });
                place.unit += 1;
            }
        }
        run.ends = filled.into_iter().map(|(end, _)| end).collect();
        Ok(())
    }
}

/// A system asks for a plan. One that can't be carried out is a fault of the system.
pub fn ask_for_plan<A: AboveFtl>(above: &mut A, system: usize, plan: Plan) {
    ask_for_plan_of(above, system, plan, false);
}

/// The same, `while_idle`: for a plan that ends when a request comes.
pub fn ask_for_plan_of<A: AboveFtl>(above: &mut A, system: usize, plan: Plan, while_idle: bool) {
    if above.ftl().plans.asked.len() <= system {
        above.ftl_mut().plans.asked.resize(system + 1, 0);
    }
    let number = above.ftl().plans.asked[system];
    above.ftl_mut().plans.asked[system] += 1;
    match above.ftl().prepare_plan(system, number, plan, while_idle) {
        Ok(run) => accept_plan(above, run),
        Err(what) => {
            let name = above.system_name(system);
            above.fail(format!("plan {number} of the system {name}: {what}"));
        }
    }
}

/// A policy of a slot asks for a plan.
pub(crate) fn ask_for_own_plan<A: AboveFtl>(above: &mut A, plan: Plan) {
    match above.ftl().prepare_plan(NO_SYSTEM, 0, plan, false) {
        Ok(run) => accept_plan(above, run),
        Err(what) => above.fail(format!("a plan of the policy of read reclaim: {what}")),
    }
}

fn accept_plan<A: AboveFtl>(above: &mut A, run: Run) {
    for (&superblock, &end) in run.continued.iter().zip(run.ends.iter().skip(run.plan.destinations.len())) {
        above.ftl_mut().plans.system_superblocks.take(superblock, end);
    }
    let free =
        above.ftl().plans.runs.iter().position(Option::is_none).unwrap_or(above.ftl().plans.runs.len());
    if free == above.ftl().plans.runs.len() {
        above.ftl_mut().plans.runs.push(None);
    }
    above.ftl_mut().plans.runs[free] = Some(run);
    above.ftl_mut().plans.waiting += 1;
    try_to_start(above, free as u32);
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
mod tests {
    use super::*;
    use crate::plan::{Place, Step};
    use crate::work::tests::harness::Alone;
    use wordline_base::ids::{DomainId, PlaneId};

    const WIDE: (&str, &str) = ("scheme.blocks.superblock", "drive");

    fn exact(destination: usize, unit: u32, page: u32) -> Step {
        Step { pages: vec![Ppa(page)], pin: Pin::Exact(Place { destination, unit }) }
    }

    fn into(destinations: u32, steps: Vec<Step>) -> Plan {
        let destinations = (0..destinations).map(|_| DomainId(0)).collect();
        Plan { cause: Cause::Migration, destinations, steps, erase: vec![] }
    }

    #[test]
    fn units_of_a_superblock_are_filled_program_by_program_plane_by_plane() {
        // Four planes, programs of two pages of two units.
        let keys = [WIDE, ("device.geometry.page_bytes", "8192"), ("device.geometry.pages_per_program", "2")];
        let drive = Alone::new(&keys);
        let (superblock, geometry) = (drive.at(0, 3), drive.ftl.geometry());
        let planes = drive.ftl.domains().planes(DomainId(0));
        for (unit, column, page, rest) in [
            (0, 0, 0, 0),
            (1, 0, 0, 1),
            (2, 0, 1, 0),
            (3, 0, 1, 1),
            (4, 1, 0, 0),
            (15, 3, 1, 1),
            (16, 0, 2, 0),
        ] {
            let ppa = Ppa(geometry.first_unit(planes[column], 3, page).0 + rest);
            assert_eq!((drive.ftl.unit_at(superblock, unit), drive.ftl.unit_of(ppa)), (ppa, unit));
        }
        assert!((0..64).all(|unit| drive.ftl.unit_of(drive.ftl.unit_at(superblock, unit)) == unit));
    }

    #[test]
    fn rows_with_parity_are_filled_past_it() {
        let drive = Alone::new(&[WIDE, ("scheme.redundancy.policy", "parity_rows")]);
        let superblock = drive.at(0, 3);
        let of_row = |row: u32| {
            let plane = |unit| drive.ftl.geometry().plane_of(drive.ftl.unit_at(superblock, unit)).0;
            (3 * row..3 * row + 3).map(plane).collect::<Vec<PlaneId>>()
        };
        let left_out: Vec<Vec<u32>> = (0..4)
            .map(|row| (0..4).filter(|&plane| !of_row(row).contains(&PlaneId(plane))).collect())
            .collect();
        // One plane in each row, another one in each of four.
        let mut all = left_out.concat();
        all.sort_unstable();
        assert!(left_out.iter().all(|left| left.len() == 1) && all == [0, 1, 2, 3], "{left_out:?}");
    }

    #[test]
    fn pinned_pages_share_a_program_in_their_unit_and_are_sent_with_their_superpage() {
        let programs = |keys: &[(&str, &str)], destinations, units: &[(usize, u32)]| {
            let drive = Alone::new(keys);
            let steps = (0..).zip(units).map(|(page, &(destination, unit))| exact(destination, unit, page));
            let run = drive.ftl.prepare_plan(0, 0, into(destinations, steps.collect()), false).unwrap();
            let programs = run.programs.iter().map(|program| (program.left, program.ends_superpage));
            (programs.collect::<Vec<_>>(), run.ends)
        };
        // Superpages of four: units 0 to 2, then 5.
        let wide = programs(&[WIDE], 1, &[(0, 0), (0, 1), (0, 2), (0, 5)]);
        assert_eq!(wide, (vec![(1, false), (1, false), (1, true), (1, true)], vec![6]));
        // Two units in a page: 0 and 1, and 3; superpages of eight.
        let paged = [WIDE, ("device.geometry.page_bytes", "8192")];
        assert_eq!(programs(&paged, 1, &[(0, 0), (0, 1), (0, 3)]), (vec![(2, false), (1, true)], vec![4]));
        // What lies in two destinations in turn are superpages apart.
        let two = programs(&[WIDE], 2, &[(0, 0), (1, 0), (0, 1)]);
        assert_eq!(two, (vec![(1, true), (1, true), (1, true)], vec![2, 1]));
    }

    #[test]
    fn plans_that_cannot_be_carried_out_are_refused_with_what_is_allowed() {
        let drive = Alone::new(&[]);
        let plain = into(1, vec![exact(0, 0, 0)]);
        let with = |change: &dyn Fn(&mut Plan)| {
            let mut plan = plain.clone();
            change(&mut plan);
            plan
        };
        let kept = Pin::In { superblock: SuperblockId(3), unit: 0 };
        let table: [(Plan, bool, &str); 10] = [
            (
                with(&|plan| plan.cause = Cause::Host),
                false,
                "its cause is Host: allowed: [Gc, ReadReclaim, WearLevelling, Migration]",
            ),
            (into(65, vec![]), false, "it has 65 destinations: allowed: at most 64"),
            (
                with(&|plan| plan.destinations = vec![DomainId(4)]),
                false,
                "its destination DomainId(4) is none of the 4 domains",
            ),
            (
                with(&|plan| plan.erase = vec![SuperblockId(64)]),
                false,
                "SuperblockId(64) is none of the 64 superblocks",
            ),
            (
                plain.clone(),
                true,
                "it ends when a request comes: allowed: neither destinations nor superblocks to erase",
            ),
            (into(1, vec![exact(0, 0, 512)]), false, "Ppa(512) is none of the 512 physical pages"),
            (into(1, vec![exact(1, 0, 0)]), false, "it has no destination 1"),
            (
                into(1, vec![exact(0, 8, 0)]),
                false,
                "unit 8 of destination 0: allowed: 0 (behind the last one used) to 7",
            ),
            (
                into(1, vec![exact(0, 3, 0), exact(0, 2, 1)]),
                false,
                "unit 2 of destination 0: allowed: 4 (behind the last one used) to 7",
            ),
            (
                into(0, vec![Step { pages: vec![Ppa(0)], pin: kept }]),
                false,
                "SuperblockId(3): allowed: superblocks that the system keeps open",
            ),
        ];
        for (plan, while_idle, expected) in table {
            assert_eq!(drive.ftl.prepare_plan(0, 0, plan, while_idle).err().as_deref(), Some(expected));
        }
        assert!(drive.ftl.prepare_plan(0, 0, plain, false).is_ok());
    }
}
