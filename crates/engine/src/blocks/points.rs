//! Which write points a domain has, and who writes where.

use crate::config::SchemeConfig;
use crate::sched::class::{CAUSES, Cause};

/// The write points of every domain: those of the host first, then one for each further kind of writing.
#[derive(Clone, Debug)]
pub struct Points {
    host: u8,
    of: [u8; CAUSES],
    count: u8,
}

impl Points {
    /// `host` write points for the host's streams, one for moves, and one for each of the causes that keep apart.
    pub fn new(host: u32, apart: &[Cause]) -> Self {
        let host = host.clamp(1, 64) as u8;
        let mut points = Self { host, of: [0; CAUSES], count: host + 1 };
        for cause in [Cause::Gc, Cause::ReadReclaim, Cause::WearLevelling, Cause::Migration] {
            points.of[cause.index()] = host;
        }
        for &cause in apart {
            points.of[cause.index()] = points.count;
            points.count += 1;
        }
        points
    }

    /// Those of a scheme.
    pub fn of_scheme(scheme: &SchemeConfig) -> Self {
        let mut apart = Vec::new();
        if scheme.mapping.policy.is_on_flash() {
            apart.push(Cause::Mapping);
        }
        Self::new(scheme.blocks.host_write_points, &apart)
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
