//! Which write points a domain has, and who writes where.

use wordline_base::class::{CAUSES, Cause};
use wordline_config::SchemeConfig;
use wordline_config::isolation::Isolation;

/// The write points of every domain: those of the host first, then one for each further kind of writing.
#[derive(Clone, Debug)]
pub struct Points {
    host: u8,
    of: [u8; CAUSES],
    slc_cache: Option<u8>,
    count: u8,
    /// That of hot pages that garbage collection moves, where they keep apart.
    hot_moves: Option<u8>,
    /// Those of pages that are moved of the host's streams from the second on, where these keep apart: the first of them.
    stream_moves: Option<u8>,
}

impl Points {
    /// `host` write points for the host's streams, one for moves, and one for each of the causes that keep apart.
    pub fn new(host: u32, separate: &[Cause]) -> Self {
        let host = host.clamp(1, 64) as u8;
        let mut points = Self {
            host,
            of: [0; CAUSES],
            count: host + 1,
            hot_moves: None,
            slc_cache: None,
            stream_moves: None,
        };
        for cause in [Cause::Gc, Cause::ReadReclaim, Cause::WearLevelling, Cause::Migration] {
            points.of[cause.index()] = host;
        }
        for &cause in separate {
            points.of[cause.index()] = points.count;
            points.count += 1;
        }
        points
    }

    /// The same with one for the SLC cache, where there is such a cache.
    #[must_use]
    pub fn with_slc_cache(mut self, on: bool) -> Self {
        if on {
            self.slc_cache = Some(self.count);
            self.count += 1;
        }
        self
    }

    /// The write point of the SLC cache.
    pub fn of_slc_cache(&self) -> Option<u8> {
        self.slc_cache
    }

    /// Those of a scheme. What static wear levelling moves goes to the most worn blocks: it keeps apart.
    pub fn of_scheme(scheme: &SchemeConfig) -> Self {
        let wear = scheme.wear.static_spread.map(|_| Cause::WearLevelling);
        let map = scheme.mapping.policy.is_on_flash().then_some(Cause::Mapping);
        let separate: Vec<Cause> = wear.into_iter().chain(map).collect();
        let mut points = Self::new(scheme.blocks.host_write_points, &separate);
        if scheme.separation.separate_hot_moves {
            points.hot_moves = Some(points.count);
            points.count += 1;
        }
        if scheme.gc.isolation == Isolation::Persistent {
            points.stream_moves = Some(points.count);
            points.count += points.host - 1;
        }
        points.with_slc_cache(scheme.slc_cache.is_on())
    }

    /// Gives a cause a write point of its own.
    pub fn separate(&mut self, cause: Cause) {
        self.of[cause.index()] = self.count;
        self.count += 1;
    }

    /// The write point of hot pages that garbage collection moves, where they keep apart.
    #[inline]
    pub fn of_hot_moves(&self) -> Option<u8> {
        self.hot_moves
    }

    /// Whether what is moved goes to a write point of its stream's own.
    #[inline]
    pub fn moves_apart(&self) -> bool {
        self.stream_moves.is_some()
    }

    /// The write point of what is moved of the stream of one of the host's write points.
    #[inline]
    pub fn of_moves(&self, stream: u8) -> u8 {
        match (self.stream_moves, stream) {
            (None, _) | (_, 0) => self.of(Cause::Gc),
            (Some(first), stream) => first + (stream - 1).min(self.host.saturating_sub(2)),
        }
    }

    /// The stream whose data a write point takes; the first where that is no stream of the host's.
    #[inline]
    pub fn stream_of(&self, point: u8) -> u8 {
        let moved = self.stream_moves.and_then(|first| point.checked_sub(first));
        match moved.filter(|&moved| moved + 1 < self.host) {
            Some(moved) => moved + 1,
            None if self.is_of_host(point) => point,
            None => 0,
        }
    }

    /// Write points that garbage collection fills, where they take pages of any stream.
    pub fn of_collection(&self) -> impl Iterator<Item = u8> + use<> {
        [self.of(Cause::Gc)].into_iter().chain(self.hot_moves)
    }

    /// Whether the host writes there.
    pub fn is_of_host(&self, point: u8) -> bool {
        point < self.host
    }

    /// Whether this cause's moves have a write point of their own.
    pub fn is_separate(&self, cause: Cause) -> bool {
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

    /// The write point of a stream of the host; `None` for one that the drive doesn't offer. With one write point it offers
    /// none, and takes each for data without a stream.
    #[inline]
    pub fn of_stream(&self, stream: u16) -> Option<u8> {
        match self.host {
            1 => Some(0),
            host => (stream < u16::from(host)).then_some(stream as u8),
        }
    }

    /// Number of what goes to a domain and there to a write point of the host.
    #[inline]
    pub fn group(&self, domain: u32, point: u8) -> u32 {
        domain * u32::from(self.host) + u32::from(point)
    }

    /// The write point of what has such a number.
    #[inline]
    pub fn of_group(&self, group: u32) -> u8 {
        if self.host == 1 { 0 } else { (group % u32::from(self.host)) as u8 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stream_has_a_point_and_what_is_not_the_hosts_has_its_own() {
        let points = Points::new(3, &[Cause::Replication]);
        assert_eq!([0, 1, 2, 3].map(|stream| points.of_stream(stream)), [Some(0), Some(1), Some(2), None]);
        assert_eq!([0, 7, u16::MAX].map(|stream| Points::new(1, &[]).of_stream(stream)), [Some(0); 3]);
        assert_eq!((points.of(Cause::Host), points.of(Cause::Gc), points.of(Cause::Replication)), (0, 3, 4));
        assert_eq!((points.of(Cause::WearLevelling), points.count()), (3, 5));
    }

    #[test]
    fn what_is_moved_has_a_point_for_each_stream_where_they_keep_apart() {
        let mut scheme = SchemeConfig::default();
        scheme.blocks.host_write_points = 3;
        let of = |scheme: &SchemeConfig| {
            let points = Points::of_scheme(scheme);
            let moves = [0, 1, 2].map(|stream| points.of_moves(stream));
            let streams: Vec<u8> = (0..points.count() as u8).map(|point| points.stream_of(point)).collect();
            (points.count(), moves, streams)
        };
        assert_eq!(of(&scheme), (4, [3, 3, 3], vec![0, 1, 2, 0]));
        scheme.gc.isolation = Isolation::Persistent;
        assert_eq!(of(&scheme), (6, [3, 4, 5], vec![0, 1, 2, 0, 1, 2]));
    }
}
