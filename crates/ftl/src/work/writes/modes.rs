//! Cell modes of blocks: the mode of a page, and the mode in which a write point opens its superblocks.

use crate::work::ftl::Ftl;
use wordline_base::ids::{DomainId, Ppa};
use wordline_flash::nand::CellMode;

impl Ftl {
    /// Mode of the block in which a page lies. Every time of the cell array is taken by this mode.
    #[inline]
    pub fn cell_mode(&self, ppa: Ppa) -> CellMode {
        if !self.blocks.has_modes() {
            return CellMode::Native;
        }
        self.blocks.mode(self.blocks.of(&self.geometry, ppa))
    }
}

impl Ftl {
    /// The mode in which the host's write points of a domain open their superblocks from now on; one that is open keeps
    /// its own. Garbage collection always opens in native mode, so that a victim in SLC mode is folded. Returns
    /// whether the device has that mode, no SLC cache rules it, and the domain exists; otherwise nothing changes.
    pub fn open_for_host_in(&mut self, domain: DomainId, mode: CellMode) -> bool {
        let has_mode = mode == CellMode::Native || (self.blocks.has_modes() && self.slc.is_none());
        let ftl = self;
        match ftl.domain.get_mut(domain.index()) {
            Some(state) if has_mode => {
                for number in 0..ftl.points.host() {
                    if let Some(point) = state.points.get_mut(usize::from(number)) {
                        point.mode = mode;
                    }
                }
                true
            }
            _ => false,
        }
    }

    /// Mode of the block in which a logical page lies now; `None` for a page without data.
    pub fn mode_of_logical_page(&self, lpa: wordline_base::ids::Lpa) -> Option<CellMode> {
        let ppa = if lpa.0 < self.logical_units { self.lookup(lpa) } else { Ppa::NONE };
        ppa.is_some().then(|| self.cell_mode(ppa))
    }
}
