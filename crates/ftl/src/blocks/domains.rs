//! Domains: groups of planes whose blocks of one number form a superblock.

use wordline_base::ids::{DomainId, PlaneId};
use wordline_config::scheme::SuperblockSpan;
use wordline_flash::nand::Geometry;

/// Which plane belongs to which domain.
#[derive(Clone, Debug)]
pub struct Domains {
    /// Planes of all domains, domain by domain; within one, in the order in which a superpage is filled.
    planes: Vec<PlaneId>,
    domain_of: Vec<u32>,
    width: u32,
}

impl Domains {
    /// Groups the planes of the drive; `plane_at` is the order of placement.
    pub fn new(geometry: &Geometry, span: SuperblockSpan, plane_at: &[PlaneId]) -> Self {
        let dies = geometry.dies_per_chip;
        let key = |plane: PlaneId| {
            let die = geometry.die_of(plane).0.0;
            match span {
                SuperblockSpan::None => plane.0,
                SuperblockSpan::Die => die,
                SuperblockSpan::Chip => die / dies,
                SuperblockSpan::Channels => die % (geometry.ways * dies),
                SuperblockSpan::Drive => 0,
            }
        };
        let mut planes = plane_at.to_vec();
        planes.sort_by_key(|&plane| key(plane));
        let mut domain_of = vec![0; planes.len()];
        for &plane in &planes {
            domain_of[plane.index()] = key(plane);
        }
        let count = domain_of.iter().max().map_or(1, |&last| last + 1);
        Self { width: planes.len() as u32 / count, planes, domain_of }
    }

    /// Number of domains.
    pub fn len(&self) -> usize {
        self.planes.len() / self.width as usize
    }

    /// Whether there is none; never for a drive.
    pub fn is_empty(&self) -> bool {
        self.planes.is_empty()
    }

    /// Planes in each domain.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Domain of a plane.
    #[inline]
    pub fn of(&self, plane: PlaneId) -> DomainId {
        DomainId(self.domain_of[plane.index()])
    }

    /// Planes of a domain, in the order in which a superpage is filled.
    #[inline(always)]
    pub fn planes(&self, domain: DomainId) -> &[PlaneId] {
        let width = self.width as usize;
        &self.planes[domain.index() * width..][..width]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_config::device::GeometryConfig;

    #[test]
    fn every_span_groups_the_planes_it_names() {
        let geometry = Geometry::new(&GeometryConfig {
            channels: 2,
            ways: 3,
            dies: 2,
            planes: 2,
            blocks: 4,
            pages: 4,
            page_bytes: 4096,
            spare_bytes: 0,
            mapping_unit_bytes: 4096,
            pages_per_program: 1,
        });
        let order: Vec<_> = (0..24).rev().map(PlaneId).collect();
        let widths = [
            (SuperblockSpan::None, 1),
            (SuperblockSpan::Die, 2),
            (SuperblockSpan::Chip, 4),
            (SuperblockSpan::Channels, 4),
            (SuperblockSpan::Drive, 24),
        ];
        for (span, width) in widths {
            let domains = Domains::new(&geometry, span, &order);
            assert_eq!((domains.width(), domains.len()), (width, 24 / width as usize));
            for domain in (0..domains.len() as u32).map(DomainId) {
                assert!(domains.planes(domain).iter().all(|&plane| domains.of(plane) == domain));
                assert!(
                    domains.planes(domain).windows(2).all(|pair| pair[0] > pair[1]),
                    "order of placement kept"
                );
            }
        }
        let striped = Domains::new(&geometry, SuperblockSpan::Channels, &order);
        let channels: Vec<_> = striped.planes(DomainId(0)).iter().map(|plane| plane.0 / 12).collect();
        assert_eq!(channels, [1, 1, 0, 0]);
    }
}
