//! A cache made of free space: it shrinks as the drive fills.

use super::{CacheView, SlcCache};

/// A share of the native superblocks that the host has not filled yet:
///
/// size = ⌊share × (logical − live) ÷ capacity⌋
///
/// each of which holds capacity ÷ bits units in SLC mode.
#[derive(Clone, Copy, Debug)]
pub struct Dynamic {
    /// The share, 0 to 1.
    pub share: f64,
}

impl SlcCache for Dynamic {
    fn size(&self, view: &CacheView<'_>) -> u32 {
        let free = f64::from(view.logical.saturating_sub(view.live));
        (self.share * free / f64::from(view.capacity)).floor() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::BlockTable;
    use wordline_base::ids::DomainId;
    use wordline_config::device::GeometryConfig;
    use wordline_flash::nand::Geometry;

    #[test]
    fn the_size_is_the_share_of_what_is_not_filled() {
        let geometry = Geometry::new(&GeometryConfig {
            channels: 1,
            ways: 1,
            dies: 1,
            planes: 1,
            blocks: 40,
            pages: 10,
            page_bytes: 4096,
            spare_bytes: 0,
            mapping_unit_bytes: 4096,
            pages_per_program: 1,
        });
        let blocks = BlockTable::new(&geometry, 1, 1, |_| DomainId(0));
        let size = |share, live| {
            let (domain, capacity, logical) = (DomainId(0), 10, 300);
            Dynamic { share }.size(&CacheView { domain, used: &[], blocks: &blocks, capacity, logical, live })
        };
        assert_eq!([0, 100, 199, 299, 300, 400].map(|live| size(1.0, live)), [30, 20, 10, 0, 0, 0]);
        assert_eq!([0, 100, 200].map(|live| size(0.5, live)), [15, 10, 5]);
    }
}
