//! Lays the regions that a trace touches out from the drive's start, in the order of first touch.

use std::collections::BTreeMap;

use wordline_base::request::{HostOp, HostRequest};

/// Size of a region, bytes: addresses inside one keep their order.
pub(super) const REGION: u64 = 1 << 20;

/// Where each region went.
pub(crate) struct Compactor {
    /// Place of region `.1` of device `.0`, in regions.
    places: BTreeMap<(u16, u64), u64>,
    /// Regions that the drive has room for.
    capacity: u64,
    /// The region looked up last; traces stay in one for long.
    recent: Option<((u16, u64), u64)>,
}

/// The drive has no room for a further region.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Full;

impl Compactor {
    pub(super) fn new(drive_bytes: u64) -> Self {
        Self { places: BTreeMap::new(), capacity: drive_bytes / REGION, recent: None }
    }

    /// Bytes of the drive that are laid out.
    pub(super) fn used_bytes(&self) -> u64 {
        (self.places.len() as u64).saturating_mul(REGION)
    }

    /// Appends the request at its new place, as several where its regions don't adjoin there. Parts of a trim that
    /// were never read or written are left out. Returns how many requests were appended.
    pub(super) fn place(
        &mut self,
        request: HostRequest,
        device: u16,
        batch: &mut Vec<HostRequest>,
    ) -> Result<usize, Full> {
        let start = batch.len();
        let end = request.offset.saturating_add(request.length);
        let regions = request.offset / REGION..=end.saturating_sub(1) / REGION;
        if request.op == HostOp::Trim {
            let keys = (device, *regions.start())..=(device, *regions.end());
            for (&(_, region), &place) in self.places.range(keys) {
                append(batch, start, piece(&request, region, place));
            }
        } else {
            for region in regions {
                let place = self.place_of((device, region))?;
                append(batch, start, piece(&request, region, place));
            }
        }
        Ok(batch.len() - start)
    }

    fn place_of(&mut self, key: (u16, u64)) -> Result<u64, Full> {
        if let Some((recent, place)) = self.recent
            && recent == key
        {
            return Ok(place);
        }
        let next = self.places.len() as u64;
        let place = match self.places.get(&key) {
            Some(place) => *place,
            None if next < self.capacity => *self.places.entry(key).or_insert(next),
            None => return Err(Full),
        };
        self.recent = Some((key, place));
        Ok(place)
    }
}

/// The part of `request` that lies in `region`, moved to `place`.
fn piece(request: &HostRequest, region: u64, place: u64) -> HostRequest {
    let region_start = region * REGION;
    let region_end = region_start.saturating_add(REGION);
    let start = request.offset.max(region_start);
    let end = request.offset.saturating_add(request.length).min(region_end);
    HostRequest { offset: place * REGION + (start - region_start), length: end - start, ..*request }
}

/// Appends `piece`, or lengthens the last request when it goes on there. Requests before `start` are others.
fn append(batch: &mut Vec<HostRequest>, start: usize, piece: HostRequest) {
    match batch.get_mut(start..).and_then(<[HostRequest]>::last_mut) {
        Some(last) if last.offset + last.length == piece.offset => last.length += piece.length,
        _ => batch.push(piece),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_base::time::Ns;

    fn request(op: HostOp, offset: u64, length: u64) -> HostRequest {
        HostRequest { time: Ns(0), op, offset, length, flow: 0, stream: 0 }
    }

    fn placed(compactor: &mut Compactor, request: HostRequest, device: u16) -> Vec<(u64, u64)> {
        let mut batch = Vec::new();
        compactor.place(request, device, &mut batch).unwrap();
        batch.iter().map(|request| (request.offset, request.length)).collect()
    }

    #[test]
    fn regions_are_laid_out_in_order_of_first_touch() {
        let mut compactor = Compactor::new(3 * REGION);
        assert_eq!(placed(&mut compactor, request(HostOp::Read, 900 * REGION + 5, 10), 0), [(5, 10)]);
        assert_eq!(placed(&mut compactor, request(HostOp::Write, 7 * REGION, 8), 0), [(REGION, 8)]);
        assert_eq!(placed(&mut compactor, request(HostOp::Read, 900 * REGION + 4096, 1), 0), [(4096, 1)]);
        assert_eq!(placed(&mut compactor, request(HostOp::Read, 7 * REGION, 1), 1), [(2 * REGION, 1)]);
        assert_eq!(compactor.used_bytes(), 3 * REGION);
        assert_eq!(compactor.place(request(HostOp::Read, 0, 1), 0, &mut Vec::new()), Err(Full));
    }

    #[test]
    fn a_request_is_cut_only_where_its_regions_do_not_adjoin() {
        let mut compactor = Compactor::new(8 * REGION);
        assert_eq!(
            placed(&mut compactor, request(HostOp::Read, 5 * REGION - 10, 20), 0),
            [(REGION - 10, 20)]
        );
        assert_eq!(placed(&mut compactor, request(HostOp::Read, 3 * REGION, 1), 0), [(2 * REGION, 1)]);
        let across = request(HostOp::Read, 4 * REGION - 10, 20);
        assert_eq!(placed(&mut compactor, across, 0), [(3 * REGION - 10, 10), (0, 10)]);
    }

    #[test]
    fn a_trim_takes_no_room() {
        let mut compactor = Compactor::new(4 * REGION);
        assert!(placed(&mut compactor, request(HostOp::Trim, 0, u64::MAX), 0).is_empty());
        placed(&mut compactor, request(HostOp::Write, 9 * REGION, 1), 0);
        assert_eq!(placed(&mut compactor, request(HostOp::Trim, 0, u64::MAX), 0), [(0, REGION)]);
        assert_eq!(compactor.used_bytes(), REGION);
    }
}
