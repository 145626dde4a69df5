//! What a job's zones must be (`zonemode=zbd`), and what of them is another than with fio.

use super::job::{Extent, Job};
use super::options::Settings;
use crate::config::HostZones;

impl Job {
    /// What holds of zones that aren't the drive's: they are counted from the begin of the job's part of a file on, and only a job that
    /// writes keeps any.
    pub(super) fn keep_zones(&mut self, keys: &mut Settings<'_>) {
        let Some(zones) = self.load.zones else { return };
        if [self.offset, self.offset_increment].into_iter().any(|extent| !is_whole(extent, zones)) {
            keys.wrong("offset, offset_increment: allowed: whole zones with zonemode=zbd (524z)");
        }
        let trims = self.load.trim.iter().flat_map(|trim| &trim.sizes);
        if let Some(size) = trims.map(|size| size.bytes).find(|bytes| *bytes != zones.zone_bytes) {
            keys.wrong(&format!(
                "bs: a trim of {size} bytes: allowed: whole zones with zonemode=zbd, as in fio"
            ));
        }
        self.is_in_zones = true;
        let notes = self.notes_of_zones(zones);
        self.notes.extend(notes.into_iter().map(|what| format!("job {}: {what}", self.name)));
        if self.load.write.is_none() {
            self.load.zones = None;
        }
    }

    /// What is another than with fio.
    fn notes_of_zones(&self, zones: HostZones) -> Vec<String> {
        let mut notes = Vec::new();
        let mut sizes = self.size.into_iter().chain(self.file_bytes.map(Extent::Bytes));
        if sizes.any(|extent| !is_whole(extent, zones)) || self.files > 1 {
            notes.push("zonemode=zbd: what of its files is no whole zone isn't used".to_owned());
        }
        let writes = self.load.write.is_some();
        match (&self.load.read, writes) {
            (Some(_), false) if !zones.reads_beyond => notes.push(
                "read_beyond_wp=0: it reads whatever the drive holds, in fio only what jobs have written before".to_owned(),
            ),
            (Some(_), true) if !zones.reads_beyond => notes.push(
                "read_beyond_wp=0: a read that finds nothing written is a write, and in order reads begin anew behind the \
                 last zone; in fio that ends a pass"
                    .to_owned(),
            ),
            _ => {}
        }
        if self.load.trim.is_some() {
            notes.push(
                "zonemode=zbd: it trims any zone, in fio only what jobs have written before".to_owned(),
            );
        }
        if writes && self.copies_share_files() {
            let copies = self.copies;
            let shared = match self.offset_increment == Extent::Bytes(0) {
                true => "share the zones out, and those that may be open; in fio they share write pointers",
                false => {
                    "share those zones out that may be open, and keep write pointers of their own; in fio they share these"
                }
            };
            notes.push(format!("its {copies} copies {shared}"));
            if zones.most_open.is_some_and(|most| most < copies) {
                notes.push(format!("its {copies} copies are more than zones may be open: each has one open"));
            }
        }
        notes
    }
}

/// Whether it is known to be so many whole zones.
fn is_whole(extent: Extent, zones: HostZones) -> bool {
    matches!(extent, Extent::Bytes(bytes) if bytes.is_multiple_of(zones.zone_bytes))
}
