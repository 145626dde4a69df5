//! Which mapping units of a domain one request writes, where all requests write as many at multiples of their size: then these
//! units are written together, outdated together, and moved together.

use wordline_flash::nand::Geometry;

/// Mapping units of a domain that a request of `units` writes, where requests and superblocks are made up of such groups. The
/// flash pages go round over the domains `of_position`, in the order of placement; `rows_at_once` rows are programmed together.
pub fn group_of_domain(
    geometry: &Geometry,
    of_position: &[u32],
    units: u32,
    rows_at_once: u32,
) -> Option<u32> {
    let group = units_of_domain(geometry, of_position, units)?;
    let row = alike(of_position)? << geometry.unit_shift;
    fits_superblock(group, geometry.pages_per_block, row, rows_at_once).then_some(group)
}

/// The same where pages are dealt out in several orders of their own; `None` where they come to different groups.
pub fn group_of_all(
    geometry: &Geometry,
    orders: impl IntoIterator<Item = Vec<u32>>,
    units: u32,
    rows_at_once: u32,
) -> Option<u32> {
    let mut groups = orders.into_iter().map(|order| group_of_domain(geometry, &order, units, rows_at_once));
    let first = groups.next()??;
    groups.all(|group| group == Some(first)).then_some(first)
}

/// The same, whatever superblocks are made up of.
fn units_of_domain(geometry: &Geometry, of_position: &[u32], units: u32) -> Option<u32> {
    let page = geometry.units_per_page();
    if units <= page {
        return (units > 0 && page.is_multiple_of(units)).then_some(units);
    }
    let (pages, positions) = ((units / page) as usize, of_position.len());
    if !units.is_multiple_of(page) || positions == 0 {
        return None;
    }
    if pages.is_multiple_of(positions) {
        let turns = (pages / positions) as u32;
        return Some(turns * page * alike(of_position)?);
    }
    if !positions.is_multiple_of(pages) {
        return None;
    }
    let each: Option<Vec<u32>> = of_position.chunks(pages).map(alike).collect();
    let each = each?;
    let &first = each.first()?;
    each.iter().all(|&pages| pages == first).then_some(first * page)
}

/// How many of these positions each domain has that has any; `None` where they have not as many.
fn alike(of_position: &[u32]) -> Option<u32> {
    let mut sorted = of_position.to_vec();
    sorted.sort_unstable();
    let mut counts = sorted.chunk_by(|one, next| one == next).map(|equal| equal.len() as u32);
    let first = counts.next()?;
    counts.all(|count| count == first).then_some(first)
}

/// Whether a superblock of so many rows of `row` units each, `rows_at_once` of them programmed together, is made up of groups of
/// `group` units, and each row of program units too, or each group of such rows.
fn fits_superblock(group: u32, rows: u32, row: u32, rows_at_once: u32) -> bool {
    let of_programs = u64::from(row) * u64::from(rows_at_once.max(1));
    let (group, all) = (u64::from(group.max(1)), u64::from(rows) * u64::from(row));
    let nests = of_programs.is_multiple_of(group) || group.is_multiple_of(of_programs.max(1));
    all.is_multiple_of(group) && nests && group * 2 <= all.max(2)
}

/// Rows that end with a group and a row of program units: the fewest.
pub fn whole_rows(group: u32, row: u32, rows_at_once: u32) -> u32 {
    let together = rows_at_once.max(1);
    let of_programs = row * together;
    if of_programs.is_multiple_of(group.max(1)) { together } else { group / row.max(1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::Domains;
    use crate::placement::planes_in_order;
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use wordline_config::device::GeometryConfig;
    use wordline_config::scheme::{PlacementOrder, SuperblockSpan};

    fn geometry([channels, ways, dies, planes]: [u32; 4], unit_shift: u32) -> Geometry {
        Geometry::new(&GeometryConfig {
            channels,
            ways,
            dies,
            planes,
            blocks: 4,
            pages: 12,
            page_bytes: 4096 << unit_shift,
            spare_bytes: 0,
            mapping_unit_bytes: 4096,
            pages_per_program: 1,
        })
    }

    proptest! {
        /// Dealt out one by one: each request gives each domain nothing or as many units as are told.
        #[test]
        fn it_is_what_each_request_gives_each_domain_that_it_touches(
            counts in [1u32..4, 1u32..3, 1u32..3, 1u32..3], unit_shift in 0u32..3, span in 0usize..5, order in 0usize..24,
            units in 1u32..40,
        ) {
            let geometry = geometry(counts, unit_shift);
            let planes = planes_in_order(&geometry, PlacementOrder::all()[order]);
            let spans = [
                SuperblockSpan::None, SuperblockSpan::Die, SuperblockSpan::Chip, SuperblockSpan::Channels,
                SuperblockSpan::Drive,
            ];
            let domains = Domains::new(&geometry, spans[span], &planes);
            let of_position: Vec<u32> = planes.iter().map(|&plane| domains.of(plane).0).collect();
            let found = units_of_domain(&geometry, &of_position, units);
            let mut sizes = std::collections::BTreeSet::new();
            for request in 0..planes.len() as u32 * 4 {
                let mut given = BTreeMap::new();
                for unit in request * units..(request + 1) * units {
                    let page = unit >> unit_shift;
                    *given.entry(of_position[page as usize % planes.len()]).or_insert(0u32) += 1;
                }
                sizes.extend(given.into_values());
            }
            if let Some(group) = found {
                prop_assert_eq!(sizes.into_iter().collect::<Vec<_>>(), vec![group]);
            }
        }
    }

    #[test]
    fn what_goes_into_pages_or_rows_of_planes_evenly_has_a_group() {
        let geometry = geometry([4, 1, 1, 2], 2);
        let drive = [0; 8];
        let of = |units| units_of_domain(&geometry, &drive, units);
        assert_eq!([1, 2, 4, 16, 32, 64].map(of), [1, 2, 4, 16, 32, 64].map(Some));
        assert_eq!([0, 3, 6, 12, 20].map(of), [None; 5]);
        let alone = [0, 1, 2, 3, 4, 5, 6, 7];
        assert_eq!(units_of_domain(&geometry, &alone, 16), Some(4), "a flash page for each of four");
        assert_eq!(
            units_of_domain(&geometry, &[0, 0, 1, 0], 8),
            None,
            "two of one domain, and one of each of two"
        );
    }

    #[test]
    fn rows_end_with_groups() {
        assert!(fits_superblock(16, 12, 32, 3) && !fits_superblock(20, 12, 32, 3));
        assert_eq!(whole_rows(16, 32, 3), 3);
        assert_eq!(whole_rows(192, 32, 3), 6);
        assert!(fits_superblock(192, 12, 32, 3) && !fits_superblock(288, 12, 32, 3));
    }
}
