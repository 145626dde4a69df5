//! Says where a request goes relative to earlier ones.

use std::collections::{HashMap, VecDeque};

use wordline_base::request::HostRequest;

use super::codes::{FAR, Place, SLOTS};
use super::shapes::ALIGNMENT;
use super::streams::Streams;

/// Requests that are remembered one by one.
pub(super) const REMEMBERED: u64 = 1 << 18;

/// A page: what counts as touched, bytes.
pub(super) const PAGE: u64 = 4096;

const SECTOR: i64 = 512;
const BLOCK: u64 = 1 << 16;

/// Bytes of a neighbourhood.
const WIDE: u64 = 1 << 21;

/// Pages of a chunk.
const CHUNK: u64 = 512;

/// What is known of the requests so far. Memory grows with the different places where requests began.
#[derive(Default)]
pub(super) struct Locator {
    /// Where a request began: the last such request, its length, and whether it wrote.
    starts: HashMap<u64, (u64, u64, bool)>,
    /// Blocks of 64 KiB: the last request that touched them, and where it began.
    blocks: HashMap<u64, (u64, u64)>,
    /// The same for neighbourhoods, where they count.
    wide: Option<HashMap<u64, (u64, u64)>>,
    streams: Streams,
    /// Pages that were touched, in chunks of 2 MiB.
    touched: HashMap<u64, [u64; 8]>,
    /// Offset and length of the remembered requests.
    recent: VecDeque<(u64, u64)>,
    /// Offset of the last request.
    last: u64,
    /// Requests so far.
    count: u64,
    /// The request that was last referred to.
    referred: Option<u64>,
}

impl Locator {
    /// With `wide` what is within some MiB of an earlier request is told by its distance to that: it keeps together what belongs together,
    /// and takes more room.
    pub(super) fn new(wide: bool) -> Self {
        Self { wide: wide.then(HashMap::new), ..Self::default() }
    }

    /// The place of a request that transfers or trims data. `in_burst`: what was asked for before isn't done yet.
    pub(super) fn place(&mut self, request: &HostRequest, in_burst: bool) -> Place {
        let rank = self.streams.rank(request.offset);
        let place = self.find(request, in_burst, rank);
        let moved = if let Place::Near { rank, .. } = place { Some(usize::from(rank)) } else { rank };
        self.streams.moved(moved, request.offset.saturating_add(request.length));
        self.remember(request);
        place
    }

    fn find(&mut self, request: &HostRequest, in_burst: bool, rank: Option<usize>) -> Place {
        let offset = request.offset;
        let touched = self.is_touched(offset.saturating_add(request.length.saturating_sub(1)) / PAGE);
        if let Some(rank) = rank.and_then(|rank| u16::try_from(rank).ok()) {
            return Place::Sequential { rank, touched };
        }
        // Only a request of the same length counts: another reuses a part.
        let start = self.starts.get(&offset).copied().filter(|start| start.1 == request.length);
        if let Some((index, ..)) = start
            && self.count - index <= 63
        {
            self.referred = Some(index);
            return Place::Same((self.count - index) as u8);
        }
        if let Some(ahead) = self.follows(offset, request.length) {
            self.referred = self.referred.map(|index| index + u64::from(ahead));
            return Place::Follow(ahead);
        }
        if let Some((rank, sectors)) = self.streams.near(offset, in_burst) {
            return Place::Near { rank, sectors, touched };
        }
        if let Some((index, _, written)) = start {
            self.referred = Some(index);
            return Place::Again { back: self.back(index), written, slot: slot(offset) };
        }
        if let Some((index, began)) = self.blocks.get(&(offset / BLOCK))
            && let Ok(sectors) = i32::try_from(sectors_between(*began, offset))
        {
            return Place::Inside { back: self.back(*index), sectors };
        }
        match sectors_between(self.last, offset) {
            delta if in_burst && self.count > 0 && delta.abs() <= FAR => {
                Place::Far { sectors: delta as i32, touched }
            }
            _ => self.neighbour(offset).unwrap_or(Place::Fresh(slot(offset))),
        }
    }

    /// The distance to the request that touched this neighbourhood last, or else the one before or behind.
    fn neighbour(&self, offset: u64) -> Option<Place> {
        let (wide, here) = (self.wide.as_ref()?, offset / WIDE);
        let near = [Some(here), here.checked_sub(1), here.checked_add(1)];
        let (index, began) = near.into_iter().flatten().find_map(|place| wide.get(&place))?;
        let sectors = i32::try_from(sectors_between(*began, offset)).ok()?;
        Some(Place::Inside { back: self.back(*index), sectors })
    }

    fn back(&self, index: u64) -> u32 {
        u32::try_from(self.count - index).unwrap_or(u32::MAX)
    }

    /// How many requests after the one last referred to began here.
    fn follows(&self, offset: u64, length: u64) -> Option<u8> {
        let first = self.referred? + 1;
        let oldest = self.count - self.recent.len() as u64;
        let skip = first.checked_sub(oldest)? as usize;
        let mut after = self.recent.iter().skip(skip).take(8);
        let position = after.position(|past| *past == (offset, length));
        position.map(|position| position as u8 + 1)
    }

    fn is_touched(&self, page: u64) -> bool {
        let word = self.touched.get(&(page / CHUNK)).and_then(|bits| bits.get((page % CHUNK / 64) as usize));
        word.is_some_and(|word| word >> (page % 64) & 1 == 1)
    }

    fn remember(&mut self, request: &HostRequest) {
        let (offset, end) = (request.offset, request.offset.saturating_add(request.length));
        self.starts.insert(offset, (self.count, request.length, request.op.is_write()));
        // Trims of whole drives would fill the table.
        for block in (offset / BLOCK..=end.saturating_sub(1) / BLOCK).take(1024) {
            self.blocks.insert(block, (self.count, offset));
        }
        if let Some(wide) = &mut self.wide {
            for place in (offset / WIDE..=end.saturating_sub(1) / WIDE).take(1024) {
                wide.insert(place, (self.count, offset));
            }
        }
        let (first, last) = (offset / PAGE, end.saturating_sub(1) / PAGE);
        for chunk in (first / CHUNK..=last / CHUNK).take(1024) {
            let bits = self.touched.entry(chunk).or_default();
            let low = first.saturating_sub(chunk * CHUNK);
            crate::bits::set_range(bits, low, (last - chunk * CHUNK).min(CHUNK - 1));
        }
        self.recent.push_back((offset, request.length));
        self.last = offset;
        if self.recent.len() as u64 > REMEMBERED {
            self.recent.pop_front();
        }
        self.count += 1;
    }
}

fn slot(offset: u64) -> u16 {
    (offset / ALIGNMENT % SLOTS) as u16
}

fn sectors_between(from: u64, to: u64) -> i64 {
    (to as i64).wrapping_sub(from as i64) / SECTOR
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_base::request::HostOp;
    use wordline_base::time::Ns;

    fn places(requests: &[(HostOp, u64, u64)]) -> Vec<Place> {
        let mut locator = Locator::default();
        let request = |&(op, offset, length): &(HostOp, u64, u64)| {
            let request = HostRequest { time: Ns(0), op, offset, length, flow: 0, stream: 0 };
            locator.place(&request, true)
        };
        requests.iter().map(request).collect()
    }

    #[test]
    fn relations_to_earlier_requests_are_recognised() {
        use HostOp::{Read, Write};
        let far = 1 << 40;
        let found = places(&[
            (Read, 0, 8192),
            (Read, 8192, 4096),
            (Write, far, 4096),
            (Read, 12_288, 4096),
            (Read, far, 4096),
            (Read, 12_288, 4096),
            (Read, 1 << 20, 4096),
        ]);
        let expected = [
            Place::Fresh(0),
            Place::Sequential { rank: 0, touched: false },
            Place::Fresh(0),
            Place::Sequential { rank: 1, touched: false },
            Place::Same(2),
            Place::Same(2),
            Place::Near { rank: 0, sectors: 2016, touched: false },
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn old_groups_are_followed() {
        let mut requests: Vec<(HostOp, u64, u64)> =
            (0..200_u64).map(|i| (HostOp::Read, (i * 7_919 % 200) << 30, 4096)).collect();
        requests.extend_from_within(10..13);
        let found = places(&requests);
        assert_eq!(
            found[200..],
            [Place::Again { back: 190, written: false, slot: 0 }, Place::Follow(1), Place::Follow(1)]
        );
    }
}
