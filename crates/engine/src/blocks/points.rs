//! Which write points a domain has, and who writes where.

use crate::config::SchemeConfig;
use crate::sched::class::{CAUSES, Cause};

/// The write points of every domain: those of the host first, then one for each further kind of writing.
#[derive(Clone, Debug)]
pub struct Points {
    host: u8,
    of: [u8; CAUSES],
    count: u8,
    /// That of hot pages that garbage collection moves, where they keep apart.
    hot_moves: Option<u8>,
}

impl Points {
    /// `host` write points for the host's streams, one for moves, and one for each of the causes that keep apart.
    pub fn new(host: u32, apart: &[Cause]) -> Self {
        let host = host.clamp(1, 64) as u8;
        let mut points = Self { host, of: [0; CAUSES], count: host + 1, hot_moves: None };
        for cause in [Cause::Gc, Cause::ReadReclaim, Cause::WearLevelling, Cause::Migration] {
            points.of[cause.index()] = host;
        }
        for &cause in apart {
            points.of[cause.index()] = points.count;
            points.count += 1;
        }
        points
    }

    /// Those that a scheme needs. What static wear levelling moves goes to the most worn blocks: it keeps apart.
    pub fn of_scheme(scheme: &SchemeConfig) -> Self {
        let wear = scheme.wear.static_spread.map(|_| Cause::WearLevelling);
        let map = scheme.mapping.policy.is_on_flash().then_some(Cause::Mapping);
        let apart: Vec<Cause> = wear.into_iter().chain(map).collect();
        let mut points = Self::new(scheme.blocks.host_write_points, &apart);
        if scheme.separation.moves_apart {
            points.hot_moves = Some(points.count);
            points.count += 1;
        }
        points
    }

    /// The write point of hot pages that garbage collection moves, where they keep apart.
    #[inline]
    pub fn of_hot_moves(&self) -> Option<u8> {
        self.hot_moves
    }

    /// Write points that garbage collection fills.
    pub fn of_collection(&self) -> impl Iterator<Item = u8> + use<> {
        [self.of(Cause::Gc)].into_iter().chain(self.hot_moves)
    }

    /// Whether the host writes there.
    pub fn is_of_host(&self, point: u8) -> bool {
        point < self.host
    }

    /// Whether this cause's moves have a write point of their own.
    pub fn is_apart(&self, cause: Cause) -> bool {
        self.of(cause) > self.host
    }

    /// Write points of the host; theirs are the first numbers.
    pub fn host(&self) -> u8 {
        self.host
    }

    /// Write points of a domain.
    pub fn count(&self) -> u32 {
        u32::from(self.count)
    }

    /// The write point of a cause.
    #[inline]
    pub fn of(&self, cause: Cause) -> u8 {
        self.of[cause.index()]
    }

    /// The write point of what plans move without a pin: one apart, if migration has one, else the host's first. That of
    /// garbage collection must keep its space.
    pub fn of_plans(&self) -> u8 {
        let migration = self.of(Cause::Migration);
        if migration == self.host { 0 } else { migration }
    }

    /// The write point of a stream of the host.
    #[inline]
    pub fn of_stream(&self, stream: u16) -> u8 {
        if self.host == 1 { 0 } else { (stream % u16::from(self.host)) as u8 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_share_the_hosts_points_and_others_have_their_own() {
        let points = Points::new(3, &[Cause::Replication]);
        assert_eq!([0, 1, 2, 3].map(|stream| points.of_stream(stream)), [0, 1, 2, 0]);
        assert_eq!((points.of(Cause::Host), points.of(Cause::Gc), points.of(Cause::Replication)), (0, 3, 4));
        assert_eq!((points.of(Cause::WearLevelling), points.count()), (3, 5));
    }
}
