//! Where regions are put: stretches that are opened, filled and closed.

use super::Astro;
use super::stretch::Shape;
use crate::action::Action;
use crate::view::DriveView;
use wordline_base::ids::{DomainId, Ppa};

impl Astro {
    /// How regions lie, once a domain was seen.
    pub(super) fn shape(&mut self, drive: &DriveView<'_>) -> Option<Shape> {
        if self.shape.is_none() {
            let capacity = drive.blocks(DomainId(0)).capacity;
            let superpage = drive.geometry().units_per_program() * drive.data_planes();
            let domains = drive.domains().len() as u32;
            self.shape =
                Shape::new(self.config.region_pages, self.config.planes, domains, capacity, superpage);
        }
        self.shape
    }

    /// The physical page of a position, if its superblock was opened.
    pub(super) fn page_at(&self, position: u32, drive: &DriveView<'_>) -> Option<Ppa> {
        let shape = self.shape?;
        let stretch = self.stretches.get(position / shape.positions())?;
        let (index, unit) = shape.place(position % shape.positions());
        Some(drive.unit_at(*stretch.superblocks.get(index)?, unit))
    }

    /// A place for a region: in a stretch that is open, or a new one; `None` without space to spare.
    pub(super) fn find_place(&mut self, drive: &DriveView<'_>) -> Option<(u32, u32)> {
        let shape = self.shape(drive)?;
        if let Some(number) = self.stretches.with_room(shape.regions) {
            let stretch = self.stretches.get_mut(number)?;
            let place = stretch.taken;
            (stretch.taken, stretch.users, stretch.busy) = (place + 1, stretch.users + 1, true);
            return Some((number, number * shape.positions() + shape.base(place)));
        }
        let count = drive.domains().len() as u32;
        let mut domains: Vec<DomainId> =
            (0..count).map(|index| DomainId((self.turn + index) % count.max(1))).collect();
        domains.sort_by_key(|&domain| std::cmp::Reverse(drive.free(domain)));
        domains.truncate(shape.width as usize);
        let needed = shape.rounds + self.config.spare_superblocks;
        if domains.iter().any(|&domain| drive.free(domain) < needed) {
            return None;
        }
        self.turn = (self.turn + shape.width) % count.max(1);
        let opened = (0..shape.rounds).flat_map(|_| domains.iter().copied()).collect();
        let number = self.stretches.begin(opened);
        Some((number, number * shape.positions()))
    }

    /// Closes what is open and not being filled, if it is over or space is lacking.
    pub(super) fn close(&mut self, lacking: Option<DomainId>, actions: &mut Vec<Action>) {
        let Some(shape) = self.shape else { return };
        let over = |number: &u32| {
            let Some(stretch) = self.stretches.get(*number) else { return false };
            let stands_in_the_way = lacking.is_some_and(|domain| stretch.domains.contains(&domain));
            stretch.open && !stretch.busy && (stretch.is_over(shape.regions) || stands_in_the_way)
        };
        let numbers: Vec<u32> = self.stretches.numbered().map(|(number, _)| number).filter(over).collect();
        for number in numbers {
            if let Some(stretch) = self.stretches.get_mut(number) {
                stretch.open = false;
                actions.extend(stretch.superblocks.iter().map(|&superblock| Action::Close(superblock)));
            }
            self.stretches.drop_if_unused(number);
        }
    }

    /// A superblock of the domain in which the host just wrote may be needed more than what is open.
    pub(super) fn spare_space(&mut self, at: Ppa, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        if self.stretches.numbered().any(|(_, stretch)| stretch.open && !stretch.busy) {
            let (domain, _) = drive.split(drive.superblock_of(at));
            if drive.free(domain) < self.config.spare_superblocks {
                self.close(Some(domain), actions);
            }
        }
    }
}
