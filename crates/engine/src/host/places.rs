//! The drive's places for writes: a command that finds none waits in its queue.

use wordline_base::request::HostOp;
use wordline_config::cache::{CacheConfig, MaxWritesHold};

/// Writes inside the drive and its places for them.
#[derive(Clone, Debug, Default)]
pub struct WritesInside {
    inside: u32,
    /// 0 = any number.
    most: u32,
    holds: MaxWritesHold,
}

impl WritesInside {
    /// None yet, before a drive with this cache.
    pub fn new(cache: &CacheConfig) -> Self {
        Self { inside: 0, most: cache.max_writes, holds: cache.max_writes_hold }
    }

    /// Whether such a command waits in its queue.
    #[inline(always)]
    pub fn hold(&self, op: HostOp) -> bool {
        let full = self.most > 0 && self.inside >= self.most;
        full && (self.holds == MaxWritesHold::Commands || op.is_write())
    }

    /// Such a command enters.
    #[inline(always)]
    pub fn enter(&mut self, op: HostOp) {
        self.inside += u32::from(op.is_write());
    }

    /// Such a command was answered.
    #[inline(always)]
    pub fn leave(&mut self, op: HostOp) {
        self.inside = self.inside.saturating_sub(u32::from(op.is_write()));
    }
}
