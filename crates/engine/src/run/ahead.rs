//! What coming requests need comes towards the caches.

use super::volume::Volume;
use crate::device::FETCHED_TOGETHER;
use crate::host::HostRequest;
use crate::host::submitter::LOOK_AHEAD;

/// Brings what coming requests need towards the caches, before the request with this number enters: some at once, since a fetch whose
/// address translation must be looked up holds the processor for as long as several of them together. `coming` gives the request so
/// many places behind that one, if it is known.
#[inline(always)]
pub fn fetch_ahead<'a, V: Volume>(
    volume: &V,
    number: u64,
    coming: impl Fn(usize) -> Option<&'a HostRequest>,
) {
    if number.is_multiple_of(FETCHED_TOGETHER) {
        fetch(volume, coming);
    }
}

/// The first stage is for the last of those known, the second for those for which the first was last time.
fn fetch<'a, V: Volume>(volume: &V, coming: impl Fn(usize) -> Option<&'a HostRequest>) {
    let [first, second] = [1, 2].map(|stage| LOOK_AHEAD - stage * FETCHED_TOGETHER as usize);
    volume.prefetch((first..LOOK_AHEAD).filter_map(&coming));
    volume.prefetch_looked_up((second..first).filter_map(&coming));
}
