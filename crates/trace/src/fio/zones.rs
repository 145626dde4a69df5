//! Zones that are written at their write pointers (`zonemode=zbd`). The drive has none of its own: as fio does on such a drive, the
//! host keeps where each is written to, all are empty when the job begins, and one that is full is written from its start again.

use wordline_config::error::ConfigError;

use crate::config::{Direction, FilePart, FioConfig, HostZones, SizeWeight};

/// Most zones of a file.
const MOST_ZONES: u64 = 1 << 22;

/// The zones of a file.
pub(super) struct ZonesOfFile {
    config: HostZones,
    start: u64,
    bytes: u64,
    capacity: u64,
    /// Of writes and of reads the shortest: lengths are multiples of it.
    shortest: [u64; 2],
    /// Bytes from the start of each zone of the job that hold data.
    written: Vec<u64>,
    /// Those that are being written, by their place in `written`, and whether each is.
    open: Vec<usize>,
    is_open: Vec<bool>,
    /// Bytes that hold data, and writes since the last reset that became due.
    valid: u64,
    since: u64,
    /// Whether what is written is read back: then no zone is written anew while another has room.
    verifies: bool,
}

impl ZonesOfFile {
    /// The zones of each file of a job that writes in zones; none of another.
    pub(super) fn of(config: &FioConfig, files: &[FilePart]) -> Result<Vec<Self>, ConfigError> {
        let (Some(zones), Some(write)) = (config.zones, &config.write) else { return Ok(Vec::new()) };
        let shortest = |way: &Direction| SizeWeight::drawn(&way.sizes).min();
        let shortest = [Some(write), config.read.as_ref()].map(|way| way.and_then(shortest).unwrap_or(1));
        let longest = SizeWeight::drawn(&write.sizes).max().unwrap_or(1);
        let of = |file: &FilePart| {
            let zones = Self::new(zones, *file, shortest, longest)?;
            Ok(Self { verifies: config.verify.is_some(), ..zones })
        };
        files.iter().map(of).collect()
    }

    fn new(config: HostZones, file: FilePart, shortest: [u64; 2], longest: u64) -> Result<Self, ConfigError> {
        let capacity = config.capacity_bytes.unwrap_or(config.zone_bytes);
        if longest > capacity {
            let allowed = format!("at most {capacity}, the capacity of a zone");
            return Err(ConfigError::new("write.sizes", longest, allowed));
        }
        let all = file.bytes / config.zone_bytes;
        let own = all.saturating_sub(config.first).div_ceil(config.every);
        if own == 0 || all > MOST_ZONES {
            let least = config.zone_bytes.saturating_mul(config.first + 1);
            let allowed = format!(
                "{least} to {}, a zone for each job, at most {MOST_ZONES}",
                config.zone_bytes.saturating_mul(MOST_ZONES)
            );
            return Err(ConfigError::new("bytes", file.bytes, allowed));
        }
        Ok(Self {
            config,
            start: file.start_bytes,
            bytes: file.bytes,
            capacity,
            shortest,
            written: vec![0; own as usize],
            open: Vec::new(),
            is_open: vec![false; own as usize],
            valid: 0,
            since: 0,
            verifies: false,
        })
    }

    /// A pass begins: all zones are empty.
    pub(super) fn begin(&mut self) {
        (0..self.written.len()).for_each(|zone| {
            self.reset(zone);
            self.close(zone);
        });
    }

    /// Where a write goes that was drawn for this place, and how long it is: one in the place of a shorter read is the shortest.
    pub(super) fn write(&mut self, place: u64, length: u64, random: bool) -> (u64, u64) {
        let place = place.saturating_sub(self.start);
        let zone = self.with_room(self.zone_at(place, random, true));
        let zone = self.target(place, zone);
        if self.resets_now() || self.is_full(zone) {
            self.reset(zone);
        }
        let Some(written) = self.written.get_mut(zone) else { return (self.start + place, length) };
        let at = *written;
        let [shortest, _] = self.shortest;
        let length = length.max(shortest).min(self.capacity - at) / shortest * shortest;
        *written += length;
        self.valid += length;
        if self.is_full(zone) {
            self.close(zone);
        }
        (self.first(zone) + at, length)
    }

    /// Where a read goes that was drawn for this place; `None` where no zone holds as much. One in order begins anew behind the
    /// last zone that holds something.
    pub(super) fn read(&self, place: u64, length: u64, random: bool) -> Option<(u64, u64)> {
        if self.config.reads_beyond {
            return Some((place, length));
        }
        let place = place.saturating_sub(self.start);
        let drawn = self.zone_at(place, random, false);
        let [_, shortest] = self.shortest;
        let holds = |zone: &usize| self.written.get(*zone).is_some_and(|written| *written >= shortest);
        let inside = place % self.config.zone_bytes;
        let goes_on = self.written.get(drawn).is_some_and(|written| inside + shortest <= *written);
        let from = drawn + usize::from(!random && !goes_on);
        let behind = (from..self.written.len()).find(holds);
        let zone = match random {
            true => match (behind, (0..drawn).rev().find(holds)) {
                (Some(behind), Some(before)) if drawn - before < behind - drawn => before,
                (behind, before) => behind.or(before)?,
            },
            false => behind.or_else(|| (0..self.written.len()).find(holds))?,
        };
        let written = *self.written.get(zone)?;
        let room = written.saturating_sub(length);
        let at = match random {
            true if room > 0 => inside % room / shortest * shortest,
            false if zone == drawn && goes_on => inside,
            _ => 0,
        };
        Some((self.first(zone) + at, length.min(written - at) / shortest * shortest))
    }

    /// A zone is empty from here on that begins within what was trimmed.
    pub(super) fn trim(&mut self, place: u64, length: u64) {
        let HostZones { zone_bytes, first, every, .. } = self.config;
        let place = place.saturating_sub(self.start);
        let begun = |end: u64| end.div_ceil(zone_bytes).saturating_sub(first).div_ceil(every) as usize;
        let all = self.written.len();
        for zone in begun(place).min(all)..begun(place.saturating_add(length)).min(all) {
            self.reset(zone);
            self.close(zone);
        }
    }

    /// First byte of a zone, in the flow's range.
    fn first(&self, zone: usize) -> u64 {
        self.start + (zone as u64 * self.config.every + self.config.first) * self.config.zone_bytes
    }

    fn is_full(&self, zone: usize) -> bool {
        self.written.get(zone).is_some_and(|written| self.capacity - written < self.shortest[0])
    }

    fn close(&mut self, zone: usize) {
        if let Some(is_open) = self.is_open.get_mut(zone).filter(|is_open| **is_open) {
            *is_open = false;
            self.open.retain(|open| *open != zone);
        }
    }

    fn reset(&mut self, zone: usize) {
        if let Some(written) = self.written.get_mut(zone) {
            self.valid -= *written;
            *written = 0;
        }
    }

    /// The zone of a place, or of a random one as far on the way over the job's zones. Writes go on to the next one behind the
    /// capacity.
    fn zone_at(&self, place: u64, random: bool, writes: bool) -> usize {
        let HostZones { zone_bytes, first, every, .. } = self.config;
        let count = self.written.len() as u64;
        let zone = match random {
            true => (u128::from(place) * u128::from(count) / u128::from(self.bytes.max(1))) as u64,
            false => {
                let rest = u64::from(writes && place % zone_bytes + self.shortest[0] > self.capacity);
                (place / zone_bytes + rest).saturating_sub(first).div_ceil(every) % count
            }
        };
        zone.min(count - 1) as usize
    }

    /// Where what is written is read back the next zone that isn't full, if there is one.
    fn with_room(&self, zone: usize) -> usize {
        if !self.verifies || !self.is_full(zone) {
            return zone;
        }
        let all = self.written.len();
        (zone..all).chain(0..zone).find(|zone| !self.is_full(*zone)).unwrap_or(zone)
    }

    /// The zone that is written: that which was drawn if it is open or may be, else one of those that are.
    fn target(&mut self, place: u64, zone: usize) -> usize {
        let bounds = [self.config.most_open, self.config.most_open_of_job];
        let most = bounds.into_iter().flatten().min().unwrap_or(u64::MAX);
        match self.is_open.get_mut(zone) {
            Some(true) => return zone,
            Some(is_open) if (self.open.len() as u64) < most => {
                *is_open = true;
                self.open.push(zone);
                return zone;
            }
            _ => {}
        }
        let count = self.open.len() as u128;
        let chosen = u128::from(place) * count / u128::from(self.bytes.max(1));
        self.open.get(chosen.min(count.saturating_sub(1)) as usize).copied().unwrap_or(zone)
    }

    /// Whether the zone that is written next is reset before, full or not: one for so many writes while more than a share of all
    /// holds data.
    fn resets_now(&mut self) -> bool {
        let HostZones { reset_frequency, reset_share, .. } = self.config;
        if reset_frequency <= 0.0 || (self.valid as f64) < self.bytes as f64 * reset_share {
            return false;
        }
        self.since += 1;
        let due = self.since as f64 * reset_frequency >= 1.0;
        if due {
            self.since = 0;
        }
        due
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
mod tests {
    use super::*;
    use crate::rng::{below, stream};

    const KIB: u64 = 1024;

    fn zones(change: impl FnOnce(&mut HostZones)) -> ZonesOfFile {
        let mut config = HostZones { zone_bytes: 64 * KIB, ..HostZones::default() };
        change(&mut config);
        let file = FilePart { start_bytes: 1 << 20, bytes: 32 * 64 * KIB };
        ZonesOfFile::new(config, file, [4 * KIB; 2], 12 * KIB).unwrap()
    }

    #[test]
    fn random_writes_follow_one_another_in_few_open_zones() {
        let mut zones = zones(|config| config.most_open = Some(3));
        let mut random = stream(1, "test");
        let mut ends = std::collections::BTreeMap::new();
        for _ in 0..2_000 {
            let place = (1 << 20) + below(&mut random, 32 * 64) * KIB;
            let (place, length) = zones.write(place, 12 * KIB, true);
            let zone = (place - (1 << 20)) / (64 * KIB);
            let end = ends.insert(zone, place + length).unwrap_or(0);
            let begins = (1 << 20) + zone * 64 * KIB;
            assert!(place == end || place == begins, "{place} {end}");
            assert!(length == 12 * KIB || place + length == begins + 64 * KIB, "what is left of a zone");
            assert!(zones.open.len() <= 3);
        }
        assert!(ends.len() > 25, "{}", ends.len());
    }

    #[test]
    fn writes_in_order_go_through_the_capacity_of_each_zone() {
        let mut zones = zones(|config| config.capacity_bytes = Some(24 * KIB));
        let (mut place, mut found) = (1 << 20, Vec::new());
        for _ in 0..5 {
            let (at, length) = zones.write(place, 12 * KIB, false);
            found.push((at - (1 << 20)) / KIB);
            place = at + length;
        }
        assert_eq!(found, [0, 12, 64, 76, 128]);
    }

    #[test]
    fn reads_find_what_is_written_only() {
        let mut zones = zones(|_| ());
        let at = |kib: u64| (1 << 20) + kib * KIB;
        assert_eq!(zones.read(at(0), 4 * KIB, true), None);
        zones.write(at(5 * 64), 12 * KIB, true);
        for kib in [0, 300, 5 * 64 + 50, 31 * 64] {
            let (place, length) = zones.read(at(kib), 8 * KIB, true).unwrap();
            assert!(place >= at(5 * 64) && place + length <= at(5 * 64 + 12), "{kib}: {place}");
        }
        assert_eq!(zones.read(at(0), 8 * KIB, false), Some((at(5 * 64), 8 * KIB)));
        assert_eq!(zones.read(at(5 * 64 + 8), 8 * KIB, false), Some((at(5 * 64 + 8), 4 * KIB)));
        assert_eq!(zones.read(at(6 * 64), 8 * KIB, false), Some((at(5 * 64), 8 * KIB)), "anew");
        assert_eq!(zones.read(at(5 * 64 + 12), 8 * KIB, false), Some((at(5 * 64), 8 * KIB)), "anew");
        zones.write(at(9 * 64), 4 * KIB, true);
        assert_eq!(zones.read(at(5 * 64 + 12), 8 * KIB, false), Some((at(9 * 64), 4 * KIB)), "the next");
        zones.trim(at(5 * 64), 5 * 64 * KIB);
        assert!(zones.valid == 0 && zones.open.is_empty());
    }

    #[test]
    fn copies_of_a_job_share_the_zones_out() {
        let mut all = std::collections::BTreeSet::new();
        for first in 0..3 {
            let mut zones = zones(|config| (config.first, config.every) = (first, 3));
            for kib in (0..32 * 64).step_by(4) {
                let (place, _) = zones.write((1 << 20) + kib * KIB, 4 * KIB, true);
                let zone = (place - (1 << 20)) / (64 * KIB);
                assert_eq!(zone % 3, first);
                all.insert(zone);
            }
        }
        assert_eq!(all.len(), 32);
    }

    #[test]
    fn above_the_threshold_every_so_many_writes_empty_a_zone() {
        let mut zones = zones(|config| (config.reset_share, config.reset_frequency) = (0.5, 0.25));
        let mut random = stream(2, "test");
        let mut most = 0;
        for _ in 0..4_000 {
            zones.write((1 << 20) + below(&mut random, 32 * 64) * KIB, 4 * KIB, true);
            most = most.max(zones.valid);
        }
        assert!(most <= 18 * 64 * KIB, "{most}");
    }

    #[test]
    fn what_is_read_back_fills_each_zone_once() {
        let mut zones = ZonesOfFile { verifies: true, ..zones(|_| ()) };
        let mut random = stream(3, "test");
        let mut places = std::collections::BTreeSet::new();
        for _ in 0..32 * 16 {
            places.insert(zones.write((1 << 20) + below(&mut random, 32 * 64) * KIB, 4 * KIB, true).0);
        }
        assert_eq!(places.len(), 32 * 16);
        zones.begin();
        assert_eq!(zones.valid, 0);
    }

    #[test]
    fn what_has_no_zones_is_refused() {
        let of = |bytes: u64, config: HostZones| {
            ZonesOfFile::new(config, FilePart { start_bytes: 0, bytes }, [4 * KIB; 2], 128 * KIB).err()
        };
        let config = HostZones { zone_bytes: 256 * KIB, ..HostZones::default() };
        assert_eq!(of(255 * KIB, config).unwrap().path, "bytes");
        assert_eq!(of(256 * KIB, HostZones { first: 1, every: 2, ..config }).unwrap().path, "bytes");
        let small = HostZones { capacity_bytes: Some(64 * KIB), ..config };
        assert_eq!(of(256 * KIB, small).unwrap().path, "write.sizes");
    }
}
