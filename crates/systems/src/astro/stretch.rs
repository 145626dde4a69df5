//! Where ordered regions lie: *stretches*, groups of superblocks that are opened together, in which regions follow each other.
//!
//! Consecutive pages go round the domains of a stretch, a superpage to each. A region that is larger than one superblock
//! of each domain takes several of each; of smaller ones several lie in one stretch, which is filled by plan after plan.

use serde::{Deserialize, Serialize};

use wordline_base::ids::{DomainId, SuperblockId};

/// Most superblocks of a stretch: as many as a plan may open.
const MOST_SUPERBLOCKS: u32 = 64;

/// How regions lie in stretches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// Domains of a stretch.
    pub width: u32,
    /// Superblocks that it takes of each.
    pub rounds: u32,
    /// Regions that lie in it.
    pub regions: u32,
    /// Mapping units of a superblock, and of a superpage.
    capacity: u32,
    superpage: u32,
    /// Units of each superblock that a region takes, where several lie in one stretch.
    share: u32,
}

impl Shape {
    /// For regions of so many pages over so many domains (0 = all); `None` if a region takes more superblocks than a plan may
    /// open.
    pub fn new(region_pages: u32, planes: u32, domains: u32, capacity: u32, superpage: u32) -> Option<Self> {
        let (superpage, capacity) = (superpage.max(1), capacity.max(1));
        let width = if planes == 0 { domains } else { planes.min(domains) }.clamp(1, MOST_SUPERBLOCKS);
        let share = region_pages.max(1).div_ceil(width).next_multiple_of(superpage);
        let rounds = share.div_ceil(capacity);
        let regions = if rounds == 1 { capacity / share } else { 1 };
        let shape = Self { width, rounds, regions, capacity, superpage, share };
        (width.checked_mul(rounds)? <= MOST_SUPERBLOCKS).then_some(shape)
    }

    /// Positions of a stretch.
    pub fn positions(&self) -> u32 {
        self.width * self.rounds * self.capacity
    }

    /// Position of the first page of the region in this place of a stretch.
    pub fn base(&self, region: u32) -> u32 {
        region * self.share * self.width
    }

    /// The superblock of a position, counted as they were opened, and its unit there.
    pub fn place(&self, position: u32) -> (usize, u32) {
        let in_round = self.width * self.capacity;
        let (round, rest) = (position / in_round, position % in_round);
        let (chunk, unit) = (rest / self.superpage, rest % self.superpage);
        let index = round * self.width + chunk % self.width;
        (index as usize, chunk / self.width * self.superpage + unit)
    }
}

/// Superblocks in which regions lie in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    /// Those that were opened for it; none before its first plan began.
    pub superblocks: Vec<SuperblockId>,
    /// Their domains.
    pub domains: Vec<DomainId>,
    /// Regions that lie in it, or are on their way.
    pub users: u32,
    /// Places that were given out.
    pub taken: u32,
    /// Whether its superblocks are open still.
    pub open: bool,
    /// Whether a plan fills it.
    pub busy: bool,
    /// Whether no further region is put in it.
    ended: bool,
}

impl Stretch {
    /// Whether it takes no more of the regions that one holds.
    pub fn is_over(&self, regions: u32) -> bool {
        self.ended || self.taken >= regions
    }
}

/// All of them, by number.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Stretches(Vec<Option<Stretch>>);

impl Stretches {
    /// One of this number.
    pub fn get(&self, number: u32) -> Option<&Stretch> {
        self.0.get(number as usize)?.as_ref()
    }

    /// The same, to change it.
    pub fn get_mut(&mut self, number: u32) -> Option<&mut Stretch> {
        self.0.get_mut(number as usize)?.as_mut()
    }

    /// A new one over these domains, in which one region is on its way.
    pub fn begin(&mut self, domains: Vec<DomainId>) -> u32 {
        let stretch = Stretch {
            superblocks: vec![],
            domains,
            users: 1,
            taken: 1,
            open: false,
            busy: true,
            ended: false,
        };
        match self.0.iter().position(Option::is_none) {
            Some(number) => {
                self.0[number] = Some(stretch);
                number as u32
            }
            None => {
                self.0.push(Some(stretch));
                (self.0.len() - 1) as u32
            }
        }
    }

    /// An open one with room for a further region.
    pub fn with_room(&self, regions: u32) -> Option<u32> {
        let has_room = |stretch: &Stretch| stretch.open && !stretch.busy && !stretch.is_over(regions);
        self.numbered().find(|(_, stretch)| has_room(stretch)).map(|(number, _)| number)
    }

    /// No further region is put in the open stretch of this superblock. Whether one was to be.
    pub fn end(&mut self, superblock: SuperblockId) -> bool {
        let holds = |stretch: &&mut Stretch| stretch.open && stretch.superblocks.contains(&superblock);
        let open = self.0.iter_mut().flatten().find(holds);
        open.is_some_and(|stretch| !std::mem::replace(&mut stretch.ended, true))
    }

    /// All of them.
    pub fn numbered(&self) -> impl Iterator<Item = (u32, &Stretch)> {
        self.0
            .iter()
            .zip(0..)
            .filter_map(|(stretch, number)| stretch.as_ref().map(|stretch| (number, stretch)))
    }

    /// A region no longer lies there.
    pub fn leave(&mut self, number: u32) {
        let Some(stretch) = self.get_mut(number) else { return };
        stretch.users = stretch.users.saturating_sub(1);
        self.drop_if_unused(number);
    }

    /// Forgets one in which nothing lies and which is not open.
    pub fn drop_if_unused(&mut self, number: u32) {
        let unused = |stretch: &Stretch| stretch.users == 0 && !stretch.open && !stretch.busy;
        if self.get(number).is_some_and(unused)
            && let Some(place) = self.0.get_mut(number as usize)
        {
            *place = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_of_four_blocks_takes_them_in_one_plane_in_four_or_a_part_of_all_planes() {
        let shape = |planes| Shape::new(4096, planes, 64, 1024, 1).unwrap();
        let one = shape(1);
        assert_eq!((one.width, one.rounds, one.regions), (1, 4, 1));
        assert_eq!([0, 1023, 1024, 4095].map(|at| one.place(at)), [(0, 0), (0, 1023), (1, 0), (3, 1023)]);
        let four = shape(4);
        assert_eq!((four.width, four.rounds, four.regions), (4, 1, 1));
        assert_eq!([0, 1, 4, 4095].map(|at| four.place(at)), [(0, 0), (1, 0), (0, 1), (3, 1023)]);
        let all = shape(0);
        assert_eq!((all.width, all.rounds, all.regions), (64, 1, 16));
        assert_eq!((all.base(1), all.place(all.base(1))), (4096, (0, 64)));
        assert_eq!(all.place(all.base(15) + 4095), (63, 1023));
    }

    #[test]
    fn superpages_stay_whole_and_belong_to_one_region() {
        // 100 pages over three domains with superpages of eight: five units of each domain.
        let shape = Shape::new(100, 3, 7, 96, 8).unwrap();
        assert_eq!((shape.rounds, shape.regions, shape.share), (1, 2, 40));
        assert_eq!([0, 7, 8, 16, 24].map(|at| shape.place(at)), [(0, 0), (0, 7), (1, 0), (2, 0), (0, 8)]);
        assert_eq!(shape.place(shape.base(1)), (0, 40));
    }

    #[test]
    fn what_a_plan_cannot_open_is_refused() {
        assert_eq!(Shape::new(4096, 1, 4, 8, 1), None);
        assert_eq!(Shape::new(4096, 0, 200, 1024, 1).map(|shape| shape.width), Some(64));
    }

    #[test]
    fn an_open_stretch_that_is_ended_takes_no_more_regions() {
        let mut stretches = Stretches::default();
        let number = stretches.begin(vec![DomainId(0)]);
        let stretch = stretches.get_mut(number).unwrap();
        stretch.superblocks = vec![SuperblockId(7)];
        assert!(!stretches.end(SuperblockId(7)), "not open yet");
        let stretch = stretches.get_mut(number).unwrap();
        (stretch.open, stretch.busy) = (true, false);
        assert_eq!(stretches.with_room(4), Some(number));
        assert!(!stretches.end(SuperblockId(6)), "another's");
        assert!(stretches.end(SuperblockId(7)) && !stretches.end(SuperblockId(7)), "once");
        assert_eq!(stretches.with_room(4), None);
        assert!(stretches.get(number).unwrap().is_over(4));
    }

    #[test]
    fn a_stretch_is_forgotten_when_nothing_lies_in_it_and_its_number_is_used_again() {
        let mut stretches = Stretches::default();
        let first = stretches.begin(vec![DomainId(0)]);
        let second = stretches.begin(vec![DomainId(1)]);
        stretches.get_mut(first).unwrap().busy = false;
        assert_eq!(stretches.with_room(2), None, "not open yet");
        stretches.get_mut(first).unwrap().open = true;
        assert_eq!(stretches.with_room(2), Some(first));
        assert_eq!(stretches.with_room(1), None, "full");
        stretches.leave(first);
        assert!(stretches.get(first).is_some(), "open still");
        stretches.get_mut(first).unwrap().open = false;
        stretches.drop_if_unused(first);
        assert!(stretches.get(first).is_none() && stretches.get(second).is_some());
        assert_eq!(stretches.begin(vec![]), first);
    }
}
