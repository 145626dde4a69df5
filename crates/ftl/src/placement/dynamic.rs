//! Dynamic placement: round robin over idle resources, level by level (Tavakkol et al., "Performance Evaluation of
//! Dynamic Page Allocation Strategies in SSDs", ACM TOMPECS 2016).

use serde::{Deserialize, Serialize};

use super::{Placement, PlacementView, PlaneSets, ProgramIntent};
use crate::replicate::Reserved;
use std::sync::Arc;
use wordline_base::ids::PlaneId;
use wordline_base::snapshot::Stored;
use wordline_config::scheme::{Level, PlacementOrder};
use wordline_flash::nand::Geometry;

/// Walks the levels in their order. At each it takes, from where it stopped last *below the same parent*, the first
/// resource that is idle; if none is idle, the one with the fewest outstanding commands. Planes of a die can't be told
/// apart by load and go round robin.
///
/// Planes without room are left out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DynamicPlacement {
    levels: [LevelState; 4],
    /// Channel, way and die-of-chip number of every die.
    #[serde(skip)]
    dies: Vec<[u32; 3]>,
    #[serde(skip)]
    candidates: Vec<u32>,
    /// By die; empty while none is reserved.
    reserved: Vec<bool>,
    /// Sets of planes, each of which has round robins of its own.
    #[serde(skip)]
    sets: Option<Arc<PlaneSets>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct LevelState {
    level: Level,
    count: u32,
    /// Combinations of the levels decided before.
    #[serde(skip)]
    parents: u32,
    /// Where the round robin goes on, below each of those; those of each set of planes behind one another.
    next: Vec<u32>,
    #[serde(skip)]
    load: Vec<Option<u32>>,
}

impl LevelState {
    /// From `start` on, around: the first idle resource, else the least loaded. `None` if no resource is left.
    fn choose(&self, start: u32) -> Option<u32> {
        (0..self.count)
            .map(|step| (start + step) % self.count)
            .filter_map(|number| self.load.get(number as usize).copied().flatten().map(|load| (load, number)))
            // `min_by_key` keeps the first of equals, which is the round robin.
            .min_by_key(|&(load, _)| load)
            .map(|(_, number)| number)
    }
}

impl DynamicPlacement {
    /// For a drive and an order of levels, the one that is decided first in front.
    pub fn new(geometry: &Geometry, order: PlacementOrder) -> Self {
        let count = |level| match level {
            Level::Channel => geometry.channels,
            Level::Way => geometry.ways,
            Level::Die => geometry.dies_per_chip,
            Level::Plane => geometry.planes_per_die,
        };
        let mut parents = 1;
        let levels = order.0.map(|level| {
            let before = parents;
            parents *= count(level);
            LevelState {
                level,
                count: count(level),
                parents: before,
                next: vec![0; before as usize],
                load: vec![None; count(level) as usize],
            }
        });
        let chips = geometry.dies_per_chip;
        let dies = (0..geometry.dies())
            .map(|die| [die / chips / geometry.ways, die / chips % geometry.ways, die % chips])
            .collect();
        Self { levels, dies, candidates: Vec::new(), reserved: Vec::new(), sets: None }
    }

    /// Goes round the planes of each set on their own.
    pub fn keep_to(&mut self, sets: &Arc<PlaneSets>) {
        for state in &mut self.levels {
            state.next = vec![0; state.parents as usize * sets.len()];
        }
        self.sets = Some(Arc::clone(sets));
    }

    /// Passes the reserved dies over.
    pub fn leave_out(&mut self, reserved: &Reserved) {
        let planes = self.planes_of_die();
        self.reserved = (0..self.dies.len() as u32).map(|die| reserved.has(PlaneId(die * planes))).collect();
    }

    fn planes_of_die(&self) -> u32 {
        self.levels.iter().find(|state| state.level == Level::Plane).map_or(1, |state| state.count)
    }

    /// Number of a die's resource at a level above the plane.
    fn number(dies: &[[u32; 3]], die: u32, level: Level) -> u32 {
        let [channel, way, chip_die] = dies[die as usize];
        match level {
            Level::Channel => channel,
            Level::Way => way,
            Level::Die | Level::Plane => chip_die,
        }
    }

    /// The plane whose domain holds least, for a drive on which too much is on its way.
    fn emptiest(view: &PlacementView<'_>) -> PlaneId {
        let allowed = (0..view.geometry.planes()).map(PlaneId).filter(|&plane| view.allows(plane));
        allowed.min_by_key(|&plane| (view.held)(plane)).unwrap_or(PlaneId(0))
    }

    /// Walks the levels over the planes that `usable` lets pass, by the round robins of a set.
    fn walk(
        &mut self,
        set: u32,
        view: &PlacementView<'_>,
        usable: &dyn Fn(u32, u32) -> bool,
    ) -> Option<PlaneId> {
        let planes = view.geometry.planes_per_die;
        self.candidates.clear();
        self.candidates
            .extend((0..self.dies.len() as u32).filter(|&die| (0..planes).any(|plane| usable(die, plane))));
        if !self.reserved.is_empty() {
            let reserved = &self.reserved;
            self.candidates.retain(|&die| !reserved[die as usize]);
        }
        let (mut parent, mut plane) = (0, None);
        for state in &mut self.levels {
            state.load.fill(None);
            for &die in &self.candidates {
                if state.level == Level::Plane {
                    (0..planes)
                        .filter(|&plane| usable(die, plane))
                        .for_each(|plane| state.load[plane as usize] = Some(0));
                } else {
                    let number = Self::number(&self.dies, die, state.level);
                    *state.load[number as usize].get_or_insert(0) += view.outstanding[die as usize];
                }
            }
            let below = (set * state.parents + parent) as usize;
            let chosen = state.choose(state.next[below])?;
            state.next[below] = (chosen + 1) % state.count;
            parent = parent * state.count + chosen;
            let level = state.level;
            if level == Level::Plane {
                plane = Some(chosen);
                self.candidates.retain(|&die| usable(die, chosen));
            } else {
                let dies = &self.dies;
                self.candidates.retain(|&die| Self::number(dies, die, level) == chosen);
            }
        }
        let die = self.candidates.first()?;
        plane.map(|plane| PlaneId(die * planes + plane))
    }
}

impl Stored for DynamicPlacement {
    fn take_up(&mut self, saved: Self) -> Option<()> {
        for (state, saved) in self.levels.iter_mut().zip(saved.levels) {
            if saved.next.len() != state.next.len() || saved.next.iter().any(|&next| next >= state.count) {
                return None;
            }
            state.next = saved.next;
        }
        Some(())
    }
}

impl Placement for DynamicPlacement {
    fn place(&mut self, program: &ProgramIntent, view: &PlacementView<'_>) -> PlaneId {
        let planes = view.geometry.planes_per_die;
        let set = self.sets.as_ref().map_or(0, |sets| sets.of(program.lpa) as u32);
        // Nearly always every plane has room, and the first walk need not ask.
        let first = match view.among {
            None => self.walk(set, view, &|_, _| true),
            Some(among) => self.walk(set, view, &|die, plane| among.has(PlaneId(die * planes + plane))),
        };
        if let Some(plane) = first.filter(|&plane| (view.has_room)(plane)) {
            return plane;
        }
        self.walk(set, view, &|die, plane| (view.has_room)(PlaneId(die * planes + plane)))
            .unwrap_or_else(|| Self::emptiest(view))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_base::class::Cause;
    use wordline_base::ids::{Lpa, Ppa};
    use wordline_config::device::GeometryConfig;

    fn geometry() -> Geometry {
        Geometry::new(&GeometryConfig {
            channels: 2,
            ways: 2,
            dies: 1,
            planes: 2,
            blocks: 4,
            pages: 4,
            page_bytes: 4096,
            spare_bytes: 0,
            mapping_unit_bytes: 4096,
            pages_per_program: 1,
        })
    }

    fn policy(geometry: &Geometry) -> DynamicPlacement {
        DynamicPlacement::new(geometry, PlacementOrder::default())
    }

    const WRITE: ProgramIntent =
        ProgramIntent { lpa: Lpa(0), cause: Cause::Host, source: Ppa::NONE, stream: 0, first_read: false };

    #[test]
    fn on_an_idle_drive_it_visits_every_plane_before_any_twice() {
        let geometry = geometry();
        let mut policy = policy(&geometry);
        let view = PlacementView {
            geometry: &geometry,
            outstanding: &[0; 4],
            among: None,
            has_room: &|_| true,
            held: &|_| 0,
        };
        let mut seen: Vec<_> = (0..8).map(|_| policy.place(&WRITE, &view).0).collect();
        assert_eq!(seen[..2], [0, 4], "channels alternate first");
        seen.sort_unstable();
        assert_eq!(seen, [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn busy_channels_are_passed_over_and_then_busy_chips() {
        let geometry = geometry();
        let mut policy = policy(&geometry);
        let view = PlacementView {
            geometry: &geometry,
            outstanding: &[1, 1, 1, 0],
            among: None,
            has_room: &|_| true,
            held: &|_| 0,
        };
        for _ in 0..4 {
            assert_eq!(policy.place(&WRITE, &view).0 / 2, 3);
        }
    }

    #[test]
    fn planes_without_room_are_left_out() {
        let geometry = geometry();
        let mut policy = policy(&geometry);
        let view = PlacementView {
            geometry: &geometry,
            outstanding: &[0; 4],
            among: None,
            has_room: &|plane| plane.0 == 5,
            held: &|_| 0,
        };
        assert_eq!(policy.place(&WRITE, &view), PlaneId(5));
    }

    #[test]
    fn it_goes_round_the_planes_that_it_is_left_and_no_others() {
        let geometry = geometry();
        let mut policy = policy(&geometry);
        let mut among = super::super::PlaneSet::default();
        [1, 2, 3].map(PlaneId).into_iter().for_each(|plane| among.insert(plane));
        let place = |policy: &mut DynamicPlacement, full: u32| {
            let has_room = |plane: PlaneId| among.has(plane) && plane.0 != full;
            let view = PlacementView {
                geometry: &geometry,
                // Everything else is idle.
                outstanding: &[9, 9, 0, 0],
                among: Some(&among),
                has_room: &has_room,
                held: &|_| 0,
            };
            policy.place(&WRITE, &view).0
        };
        let mut seen: Vec<_> = (0..4).map(|_| place(&mut policy, 9)).collect();
        seen.sort_unstable();
        assert_eq!(seen, [1, 1, 2, 3]);
        assert!((0..6).all(|_| [1, 3].contains(&place(&mut policy, 2))));
    }
}
