//! Rotating garbage collection (Yan et al., "Tiny-Tail Flash", FAST 2017): of the planes at the same place of each channel, which
//! hold a stripe of pages that lie on all channels, at most one collects at a time. The others wait for their turn, first come,
//! first served, and a turn is one victim.

use crate::work::above::AboveFtl;
use crate::work::collection::collect::check_collection;
use crate::work::ftl::Ftl;
use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::blocks::Domains;
use wordline_base::ids::DomainId;
use wordline_config::ConfigError;
use wordline_flash::nand::Geometry;

/// Which domains take turns, and which wait for theirs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rotation {
    /// Group of each domain.
    group_of: Vec<u32>,
    groups: Vec<Group>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Group {
    domains: Vec<DomainId>,
    waiting: VecDeque<DomainId>,
}

impl Rotation {
    /// Over the channels of a drive. A domain must lie on one channel.
    pub fn new(geometry: &Geometry, domains: &Domains) -> Result<Box<Self>, ConfigError> {
        let on_channel = geometry.planes() / geometry.channels.max(1);
        let refused = |allowed| Err(ConfigError::new("scheme.gc.rotating", true, allowed));
        if geometry.channels < 2 {
            return refused("false on a drive of one channel");
        }
        let mut groups = vec![Group::default(); on_channel as usize];
        let mut group_of = Vec::new();
        for domain in (0..domains.len() as u32).map(DomainId) {
            let planes = domains.planes(domain);
            let Some(first) = planes.first() else { continue };
            if planes.iter().any(|plane| plane.0 / on_channel != first.0 / on_channel) {
                return refused("false beside superblocks over several channels (scheme.blocks.superblock)");
            }
            let group = first.0 % on_channel;
            group_of.push(group);
            groups[group as usize].domains.push(domain);
        }
        Ok(Box::new(Self { group_of, groups }))
    }

    fn group(&self, domain: DomainId) -> &Group {
        &self.groups[self.group_of[domain.index()] as usize]
    }

    fn waiting(&mut self, domain: DomainId) -> &mut VecDeque<DomainId> {
        &mut self.groups[self.group_of[domain.index()] as usize].waiting
    }

    /// A domain waits for its turn from now on, if it doesn't already.
    fn waits(&mut self, domain: DomainId) {
        let waiting = self.waiting(domain);
        if !waiting.contains(&domain) {
            waiting.push_back(domain);
        }
    }

    /// The first that waits for its turn, if that isn't this domain.
    fn ahead_of(&self, domain: DomainId) -> Option<DomainId> {
        self.group(domain).waiting.front().copied().filter(|&first| first != domain)
    }
}

impl Ftl {
    /// A domain begins with a victim, or needs none: it waits no more.
    pub(crate) fn takes_its_turn(&mut self, domain: DomainId) {
        if let Some(rotation) = &mut self.rotation {
            rotation.waiting(domain).retain(|&other| other != domain);
        }
    }

    /// Whether a domain of this one's group collects.
    fn group_collects(&self, domain: DomainId) -> bool {
        let Some(rotation) = &self.rotation else { return false };
        let group = rotation.group(domain);
        group.domains.iter().any(|other| self.domain[other.index()].collector.collects())
    }
}

/// Whether a domain may begin with a victim; otherwise it waits for its turn.
pub(crate) fn has_its_turn<A: AboveFtl>(above: &mut A, domain: DomainId) -> bool {
    let Some(rotation) = &above.ftl().rotation else { return true };
    let collects = |other: &DomainId| above.ftl().domain[other.index()].collector.collects();
    let group = rotation.group(domain);
    if collects(&domain) {
        // It passes the turn on behind its victim.
        return group.waiting.front().is_none_or(|&first| first == domain);
    }
    if turn_is_taken(above, domain) {
        if let Some(rotation) = &mut above.ftl_mut().rotation {
            rotation.waits(domain);
        }
        return false;
    }
    true
}

/// A domain has ended with a victim: the turn goes to the first that waits and still needs it.
pub(crate) fn pass_turn<A: AboveFtl>(above: &mut A, domain: DomainId) {
    if !above.ftl().domain[domain.index()].collector.collects() {
        turn_is_taken(above, domain);
    }
}

/// Whether a domain collects in the group of this one, which doesn't. Where none does, those that wait ahead of it may begin,
/// or wait no more: one that has won space otherwise meanwhile would keep its place for ever.
fn turn_is_taken<A: AboveFtl>(above: &mut A, domain: DomainId) -> bool {
    while !above.ftl().group_collects(domain) {
        let Some(first) = above.ftl().rotation.as_ref().and_then(|rotation| rotation.ahead_of(domain)) else {
            return false;
        };
        check_collection(above, first);
        if !above.ftl().group_collects(domain) {
            // It needs none any more, or has none to begin with now, and asks again.
            above.ftl_mut().takes_its_turn(first);
        }
    }
    true
}

/// Checked mode: a domain that begins with a victim is alone in its group.
pub(crate) fn verify_turn<A: AboveFtl>(above: &mut A, domain: DomainId) {
    let Some(rotation) = &above.ftl().rotation else { return };
    let collects = |other: &&DomainId| above.ftl().domain[other.index()].collector.collects();
    let collecting = rotation.group(domain).domains.iter().filter(collects).count();
    if collecting > 1 {
        above.fail(format!("{domain:?} collects beside {} others of its group", collecting - 1));
    }
}
