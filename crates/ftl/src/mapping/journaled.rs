//! The whole map in DRAM, kept on flash: a journal of its changes, and translation pages that are written back in turn, so that
//! the journal can be used again.
//!
//! Changes are gathered in DRAM until they fill the journal pages of one program. The journal goes round: its newest pages take the
//! place of the oldest. With each of its programs so many translation pages are due that the turn of all comes once in its round,
//! so what a journal page says is in a translation page by the time when it is overwritten. Where nothing has changed since their
//! last turn they are passed over.
//!
//! Pages of the map go in groups, each as large as a program, so that none is filled in part.

use serde::{Deserialize, Serialize};

use super::{Found, Lookup, MapSizes, MapView, Mapping, Update, WriteBack};
use wordline_base::ids::Lpa;
use wordline_base::snapshot::Stored;
use wordline_config::ConfigError;
use wordline_config::scheme::MappingConfig;
use wordline_flash::nand::Geometry;

/// Bytes of a page's place in the directory of the map's pages.
const DIRECTORY_ENTRY: u64 = 4;

/// Translation pages for each page of the journal, where its size isn't given.
const PAGES_FOR_JOURNAL_PAGE: u32 = 4;

/// Fewest programs that the journal goes round in: one is written while the others are kept.
const LEAST_GROUPS: u32 = 2;

/// No change since the last turn.
const UNCHANGED: u64 = u64::MAX;

/// The key of the journal's size.
const KEY: &str = "scheme.mapping.journal_bytes";

/// Changes that a page of the journal holds.
fn changes_per_page(config: &MappingConfig, unit_bytes: u32) -> u32 {
    (unit_bytes / config.journal_entry_bytes.max(1)).max(1)
}

/// The same map with its journal, on a drive of this geometry.
pub fn with_journal(
    config: &MappingConfig,
    sizes: MapSizes,
    geometry: &Geometry,
) -> Result<MapSizes, ConfigError> {
    let pages_together = geometry.units_per_program();
    let group = u64::from(pages_together) * u64::from(geometry.unit_bytes);
    let least = u64::from(LEAST_GROUPS) * group;
    let most = u64::from(sizes.physical_units) * u64::from(geometry.unit_bytes);
    let groups = match config.journal_bytes {
        0 => (sizes.translation_pages.div_ceil(PAGES_FOR_JOURNAL_PAGE))
            .div_ceil(pages_together)
            .max(LEAST_GROUPS)
            .into(),
        bytes if bytes < least || bytes > most => {
            let allowed = format!(
                "0, or {least} (two programs of the drive) to {most} bytes (its flash); 0 is a quarter of the translation pages"
            );
            return Err(ConfigError::new(KEY, bytes, allowed));
        }
        bytes => bytes.div_ceil(group),
    };
    let journal_pages = u32::try_from(groups * u64::from(pages_together)).unwrap_or(u32::MAX);
    // What is more than the drive's flash is refused with the capacity, which is looked at next.
    let journal_pages = journal_pages.min(u32::MAX - sizes.translation_pages);
    Ok(MapSizes { journal_pages, pages_together, ..sizes })
}

/// Refuses a journal with which keeping the map would take the space that collection wins: every page that it moves is a change.
/// `space`: units that a domain holds, and those that it has room for.
pub fn check_room(
    config: &MappingConfig,
    sizes: &MapSizes,
    unit_bytes: u32,
    space: [u64; 2],
) -> Result<(), ConfigError> {
    let [held, room] = space.map(|units| units as f64);
    let (journal, translation) = (f64::from(sizes.journal_groups()), f64::from(sizes.translation_groups()));
    let for_a_change = (journal + translation) / (journal * f64::from(changes_per_page(config, unit_bytes)));
    let won_for_a_move = (room - held).max(0.0) / held.max(1.0);
    if 2.0 * for_a_change <= won_for_a_move {
        return Ok(());
    }
    let allowed = format!(
        "a size with which each change of the map costs at most half of the {won_for_a_move:.5} pages that collection wins with \
         each that it moves, not {for_a_change:.5}; fewer bytes for a change (scheme.mapping.journal_entry_bytes) or more \
         spare space do as well"
    );
    Err(ConfigError::new(KEY, config.journal_bytes, allowed))
}

/// The whole map in DRAM, kept on flash by a journal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Journaled {
    sizes: MapSizes,
    /// Controller memory, bytes.
    bytes: u64,
    /// Changes that fill a program of the journal.
    batch: u32,
    /// Those since the last one.
    gathered: u32,
    /// Programs of the journal so far.
    written: u64,
    /// Of each group of translation pages the program of the journal that has the first change since its last turn.
    changed: Vec<u64>,
}

impl Stored for Journaled {
    fn take_up(&mut self, saved: Self) -> Option<()> {
        if saved.changed.len() != self.changed.len() {
            return None;
        }
        (self.gathered, self.written, self.changed) = (saved.gathered, saved.written, saved.changed);
        Some(())
    }
}

impl Journaled {
    /// For a drive with mapping units of so many bytes.
    pub fn new(config: &MappingConfig, sizes: MapSizes, unit_bytes: u32) -> Self {
        let batch = changes_per_page(config, unit_bytes).saturating_mul(sizes.pages_together.max(1));
        let map = u64::from(sizes.logical_units) * u64::from(config.translation_entry_bytes);
        let gathered = u64::from(batch) * u64::from(config.journal_entry_bytes);
        Self {
            sizes,
            bytes: map + gathered + u64::from(sizes.map_pages()) * DIRECTORY_ENTRY,
            batch,
            gathered: 0,
            written: 0,
            changed: vec![UNCHANGED; sizes.translation_groups() as usize],
        }
    }

    /// Programs of a round of the journal.
    fn round(&self) -> u64 {
        u64::from(self.sizes.journal_groups().max(1))
    }

    /// Has the next pages of the journal written, and the translation pages whose turn it is.
    fn write(&mut self, writes: &mut Vec<WriteBack>) {
        let MapSizes { translation_pages, pages_together, .. } = self.sizes;
        let at = self.written % self.round();
        self.written = self.written.saturating_add(1);
        let first = translation_pages + at as u32 * pages_together;
        writes.extend((first..first + pages_together).map(|page| WriteBack { page, whole: true }));
        for group in self.due(at) as u32..self.due(at + 1) as u32 {
            let Some(changed) = self.changed.get_mut(group as usize) else { return };
            if std::mem::replace(changed, UNCHANGED) != UNCHANGED {
                let first = group * pages_together;
                let end = (first + pages_together).min(translation_pages);
                writes.extend((first..end).map(|page| WriteBack { page, whole: true }));
            }
        }
    }

    /// Groups of translation pages whose turn has come when the journal has come so far in its round.
    fn due(&self, at: u64) -> u64 {
        at * u64::from(self.sizes.translation_groups()) / self.round()
    }

    fn group_of(&self, lpa: Lpa) -> usize {
        self.sizes.group_of(self.sizes.page_of(lpa)) as usize
    }
}

impl Mapping for Journaled {
    fn name(&self) -> &str {
        "journaled"
    }

    #[inline]
    fn find(&mut self, lookup: &Lookup, view: &MapView<'_>) -> Found {
        Found::Known(view.find(lookup.lpa))
    }

    fn updated(&mut self, update: &Update, _view: &MapView<'_>, writes: &mut Vec<WriteBack>) {
        if update.old == update.new {
            // Something that a system keeps with the entry: a drive is none the worse without it.
            return;
        }
        let (group, written) = (self.group_of(update.lpa), self.written);
        if let Some(changed) = self.changed.get_mut(group) {
            *changed = (*changed).min(written);
        }
        self.gathered = self.gathered.saturating_add(1);
        if self.gathered >= self.batch {
            self.gathered = 0;
            self.write(writes);
        }
    }

    fn keeps_map_on_flash(&self) -> bool {
        true
    }

    /// Whether the change is in the journal, or gathered for it: a program of the journal is overwritten one round later.
    fn is_dirty(&self, lpa: Lpa) -> bool {
        self.changed.get(self.group_of(lpa)).is_some_and(|&changed| {
            changed != UNCHANGED && self.written <= changed.saturating_add(self.round())
        })
    }

    fn dirty_entries(&self) -> u64 {
        u64::from(self.gathered)
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
mod tests {
    use super::*;
    use crate::mapping::{Layout, PageMap};
    use wordline_base::class::Cause;
    use wordline_base::ids::{PlaneId, Ppa};
    use wordline_config::device::GeometryConfig;

    fn sizes(translation_pages: u32, journal_groups: u32, pages_together: u32) -> MapSizes {
        MapSizes {
            logical_units: 4 * translation_pages - 1,
            physical_units: 1 << 20,
            translation_pages,
            entries_per_page: 4,
            journal_pages: journal_groups * pages_together,
            pages_together,
        }
    }

    fn journaled(sizes: MapSizes, changes_per_page: u32) -> Journaled {
        let config = MappingConfig { journal_entry_bytes: 8, ..MappingConfig::default() };
        Journaled::new(&config, sizes, 8 * changes_per_page)
    }

    fn update(lpa: u32) -> Update {
        Update { lpa: Lpa(lpa), old: Ppa(1), new: Ppa(2), cause: Cause::Host }
    }

    fn with_view(sizes: MapSizes, act: impl FnOnce(&MapView<'_>)) {
        let geometry = Geometry::new(&GeometryConfig {
            channels: 1,
            ways: 1,
            dies: 1,
            planes: 1,
            blocks: 10,
            pages: 8,
            page_bytes: 512,
            spare_bytes: 0,
            mapping_unit_bytes: 512,
            pages_per_program: 1,
        });
        let (map, layout) = (PageMap::new(40), Layout::new(&geometry, &[PlaneId(0)], 0));
        act(&MapView { map: &map, layout: &layout, occupied: 0, sizes });
    }

    /// What can be read after a loss of power: each change is in its translation page, in a page of the journal, or gathered
    /// in memory that is kept.
    #[test]
    fn no_change_is_only_in_a_journal_page_that_was_overwritten() {
        for (translation, journal, together) in
            [(7, 2, 1), (7, 3, 2), (16, 5, 1), (3, 11, 1), (40, 7, 6), (1, 2, 4), (5, 64, 2)]
        {
            let sizes = sizes(translation, journal, together);
            let mut policy = journaled(sizes, 3);
            // Of each entry its last change; of each translation page when it was last written; what the journal holds.
            let mut last = vec![0u64; sizes.logical_units as usize];
            let mut page_written = vec![0u64; translation as usize];
            let mut ring = vec![Vec::new(); journal as usize];
            let (mut gathered, mut at, mut random) = (Vec::new(), 0, 1u64);
            with_view(sizes, |view| {
                for now in 1..4_000u64 {
                    random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    // Half of the changes are of a few entries.
                    let among =
                        if random >> 63 == 0 { 5.min(sizes.logical_units) } else { sizes.logical_units };
                    let lpa = ((random >> 33) % u64::from(among)) as u32;
                    last[lpa as usize] = now;
                    gathered.push((lpa, now));
                    let mut writes = Vec::new();
                    policy.updated(&update(lpa), view, &mut writes);
                    let (journal_pages, pages): (Vec<WriteBack>, Vec<WriteBack>) =
                        writes.drain(..).partition(|write| write.page >= translation);
                    if !journal_pages.is_empty() {
                        let first = translation + at as u32 * together;
                        assert!(journal_pages.iter().map(|write| write.page).eq(first..first + together));
                        assert_eq!(gathered.len() as u32, 3 * together);
                        ring[at] = std::mem::take(&mut gathered);
                        at = (at + 1) % journal as usize;
                    }
                    pages.iter().for_each(|write| page_written[write.page as usize] = now);
                    assert!(pages.iter().chain(&journal_pages).all(|write| write.whole));
                    for (lpa, &changed) in (0..).zip(&last) {
                        let in_page = page_written[sizes.page_of(Lpa(lpa)) as usize] >= changed;
                        let entry = (lpa, changed);
                        let in_journal =
                            gathered.contains(&entry) || ring.iter().any(|page| page.contains(&entry));
                        assert!(changed == 0 || in_page || in_journal, "{lpa} {changed} at {now}: {sizes:?}");
                        assert!(in_page || policy.is_dirty(Lpa(lpa)), "{lpa} {changed} at {now}: {sizes:?}");
                    }
                }
            });
        }
    }

    #[test]
    fn what_a_system_keeps_with_an_entry_is_no_change() {
        let sizes = sizes(4, 2, 1);
        with_view(sizes, |view| {
            let (mut policy, mut writes) = (journaled(sizes, 1), Vec::new());
            policy.updated(&Update { old: Ppa(3), new: Ppa(3), ..update(0) }, view, &mut writes);
            assert!(writes.is_empty() && !policy.is_dirty(Lpa(0)));
            policy.updated(&update(0), view, &mut writes);
            assert_eq!(writes.len(), 2);
        });
    }

    #[test]
    fn a_state_of_other_tables_is_not_taken_up() {
        let (mut here, there) = (journaled(sizes(4, 2, 1), 1), journaled(sizes(5, 2, 1), 1));
        assert!(here.take_up(there).is_none());
        let other = Journaled { written: u64::MAX, gathered: u32::MAX, ..here.clone() };
        assert!(here.take_up(other).is_some());
        with_view(sizes(4, 2, 1), |view| here.updated(&update(2), view, &mut Vec::new()));
    }
}
