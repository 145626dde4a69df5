//! The map as firmware finds it again after a loss of power: by reading the spare area of every page.

use super::blocks::DurableBlocks;
use super::oob::Oob;
use super::sequences::{Sequences, is_newer};
use crate::mapping::Layout;
use wordline_base::ids::{Lpa, Ppa};

/// All that is left when power is lost: recovery can look at nothing else.
#[derive(Clone, Copy, Debug)]
pub struct Durable<'a> {
    oob: &'a Oob,
    sequences: &'a Sequences,
    /// Of the pages that were laid out: it stands in the place of their OOB.
    layout: &'a Layout,
    /// Bad marks, cycles, modes.
    pub blocks: DurableBlocks<'a>,
}

/// What recovery finds.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// By logical page.
    found: Vec<Option<(Ppa, u32)>>,
    /// Physical units that hold something.
    pub units_read: u64,
}

impl<'a> Durable<'a> {
    /// `None` where no sequence numbers are kept: nothing says which data is newer.
    pub(crate) fn new(oob: &'a Oob, layout: &'a Layout, blocks: DurableBlocks<'a>) -> Option<Self> {
        Some(Self { oob, sequences: oob.sequences()?, layout, blocks })
    }

    /// Finds the newest data of each of the first so many logical pages. Of data of one number (copies, moves that were under way)
    /// the place that comes first is as good as any.
    pub fn recover(self, logical_units: u32) -> Recovered {
        let mut found: Vec<Option<(Ppa, u32)>> = vec![None; logical_units as usize];
        let mut units_read = 0;
        for ppa in self.blocks.all().flat_map(|block| block.places()) {
            let Some(number) = self.sequences.readable(ppa) else { continue };
            let lpa = self.oob.lpa(ppa, self.layout);
            units_read += u64::from(lpa.is_some());
            let Some(known) = found.get_mut(lpa.index()) else { continue };
            if known.is_none_or(|(_, other)| is_newer(number, other)) {
                *known = Some((ppa, number));
            }
        }
        Recovered { found, units_read }
    }
}

impl Recovered {
    /// Where the newest readable data of a page is, and its sequence number.
    pub fn of(&self, lpa: Lpa) -> Option<(Ppa, u32)> {
        self.found.get(lpa.index()).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::BlockTable;
    use wordline_base::ids::{DomainId, PlaneId};
    use wordline_config::device::GeometryConfig;
    use wordline_flash::nand::Geometry;

    #[test]
    fn the_newest_data_that_was_programmed_to_its_end_is_found() {
        let geometry = Geometry::new(&GeometryConfig {
            channels: 1,
            ways: 1,
            dies: 1,
            planes: 1,
            blocks: 8,
            pages: 8,
            page_bytes: 4096,
            spare_bytes: 0,
            mapping_unit_bytes: 4096,
            pages_per_program: 1,
        });
        let layout = Layout::new(&geometry, &[PlaneId(0)], 2);
        let mut oob = Oob::new(geometry.physical_units(), true);
        let [first, second] = [0, 1].map(|lpa| layout.ppa(Lpa(lpa)));
        let [once, twice, under_way] = [40, 41, 42].map(Ppa);
        let mut program = |ppa, lpa, number, ends| {
            oob.set(ppa, Lpa(lpa));
            let sequences = oob.sequences.as_mut().unwrap();
            sequences.begin(ppa, number);
            if ends {
                sequences.programmed(ppa);
            }
        };
        program(once, 0, 1, true);
        program(twice, 0, 2, true);
        program(under_way, 0, 3, false);
        let table = BlockTable::new(&geometry, 1, 1, |_| DomainId(0));
        let blocks = DurableBlocks::new(&geometry, &table, None);
        let found = Durable::new(&oob, &layout, blocks).unwrap().recover(3);
        assert_eq!((found.of(Lpa(0)), found.of(Lpa(1))), (Some((twice, 2)), Some((second, 0))));
        assert_eq!((found.of(Lpa(2)), found.of(Lpa(3)), found.units_read), (None, None, 4));
        // Where the block of the newest is erased, what is older comes up again.
        oob.sequences.as_mut().unwrap().erase(twice, 1);
        let found = Durable::new(&oob, &layout, blocks).unwrap().recover(1);
        assert_eq!((found.of(Lpa(0)), found.units_read), (Some((once, 1)), 3));
        oob.sequences.as_mut().unwrap().erase(once, 1);
        let found = Durable::new(&oob, &layout, blocks).unwrap().recover(1);
        assert_eq!(found.of(Lpa(0)), Some((first, 0)));
        assert!(Durable::new(&Oob::new(geometry.physical_units(), false), &layout, blocks).is_none());
    }
}
