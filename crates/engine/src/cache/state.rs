//! The data cache's state: its units, what waits for it, and what has been promised to the host.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::cold::ColdWrites;
use super::dram::Dram;
use super::pause::Pauses;
use super::rate_limit::RateLimit;
use super::table::{SECTOR, Slot, UnitTable};
use super::throttle::Throttle;
use super::{CachePolicy, CacheSlot, CacheView};
use crate::snapshot::{In, Out, Part, SnapshotError};
use wordline_base::ids::Lpa;
use wordline_base::time::Ns;
use wordline_config::ConfigError;
use wordline_config::cache::{CacheBytes, CacheConfig, DramConfig, Rewrites};
use wordline_observe::data_cache::CacheRecord;

/// A request (a flush) or a unit of one (a write with FUA) that is answered when cached data is in flash.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Promise {
    /// Its operation.
    pub op: u32,
    /// It covers the writes with numbers from here …
    pub from: u64,
    /// … to the one before this.
    pub until: u64,
    /// Dirty units of these that are not in flash yet.
    pub left: u64,
}

/// Largest cache, units: 256 GiB of 4 KiB.
const MOST_UNITS: u32 = 1 << 26;

/// Bounds in units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watermarks {
    /// Write-back begins when so many dirty units are there.
    pub high: u32,
    /// It ends at so many.
    pub low: u32,
}

/// All of the cache that a snapshot must hold.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CacheState {
    /// The units.
    pub(super) table: UnitTable,
    /// Bounds of write-back.
    pub(super) watermarks: Watermarks,
    /// Whether write-back goes on until the low watermark.
    pub(super) writing_back: bool,
    /// Writes of units that wait for room, in order of arrival.
    pub(super) waiting: VecDeque<u32>,
    /// Units of writes with FUA that are in the cache and not on their way yet.
    pub(super) durable: VecDeque<u32>,
    /// Units whose missing sectors are being read.
    pub(super) merging: u32,
    /// Those that have been read, and wait to fill flash pages together.
    pub(super) merged: VecDeque<u32>,
    /// Units that were written again while they were programmed, though a promise covers them.
    pub(super) urgent: VecDeque<u32>,
    /// What is answered when data is in flash.
    pub(super) promises: Vec<Promise>,
    /// Write-backs whose program has begun.
    pub(super) in_program: u32,
    /// Number of the last write that made a unit dirty.
    pub(super) stamp: u64,
    /// The DRAM and its accesses.
    pub(super) dram: Dram,
    /// Which writes go to flash at once; `None` where none do.
    pub(super) cold: Option<ColdWrites>,
    /// Most units on their way to flash, or 0.
    pub(super) max_write_backs: u32,
    /// Pauses of write-back; `None` where there are none.
    pub(super) pauses: Option<Pauses>,
    /// Whether a write of a unit that flash doesn't have yet takes a place of its own.
    pub(super) appends: bool,
    /// Throttling of writes; `None` where there is none.
    pub(super) throttle: Option<Throttle>,
    /// The bound on the rate of writes beside reads; `None` where there is none.
    pub(super) rate_limit: Option<RateLimit>,
    /// Counters.
    pub(super) record: CacheRecord,
}

/// The data cache.
pub struct Cache {
    /// What it holds.
    pub(super) state: CacheState,
    /// What decides.
    pub(super) policy: CacheSlot,
}

impl Part for Cache {
    fn save(&self, out: &mut Out<'_>) -> Result<(), SnapshotError> {
        let Self { state, policy } = self;
        out.put(state)?;
        Part::save(policy, out)
    }

    fn restore(&mut self, input: &mut In<'_>) -> Result<(), SnapshotError> {
        self.state = input.take()?;
        Part::restore(&mut self.policy, input)
    }

    fn fork(&self) -> Result<Self, SnapshotError> {
        Ok(Self { state: self.state.clone(), policy: Part::fork(&self.policy)? })
    }
}

impl Cache {
    /// The cache that a scheme describes, if any, in `bytes` of DRAM; `page` units fill a flash page;
    /// `groups`: to where dirty ones may go.
    pub fn new(
        config: &CacheConfig,
        dram: &DramConfig,
        bytes: u64,
        [logical_units, unit_bytes, page, groups]: [u32; 4],
    ) -> Result<Self, ConfigError> {
        let policy = CacheSlot::new(config);
        if matches!(policy, CacheSlot::Off) {
            return Ok(Self::off());
        }
        let capacity = (bytes / u64::from(unit_bytes)).min(u64::from(logical_units.max(page))) as u32;
        if capacity > MOST_UNITS {
            let most = u64::from(MOST_UNITS) * u64::from(unit_bytes);
            return Err(ConfigError::new(
                "scheme.cache.bytes",
                bytes,
                format!("at most {most}, 2^26 mapping units"),
            ));
        }
        if capacity < page && (bytes == 0 || config.bytes == CacheBytes::Rest) {
            // The others leave nothing of the DRAM.
            return Ok(Self::off());
        }
        if capacity < page {
            let least = u64::from(page) * u64::from(unit_bytes);
            let allowed = format!("at least the {least} bytes of a flash page");
            return Err(ConfigError::new("scheme.cache.bytes", bytes, allowed));
        }
        let share = |share: f64| (f64::from(capacity) * share) as u32;
        let high = share(config.dirty_high).clamp(page, capacity);
        let low = share(config.low()).min(high - page);
        let table = UnitTable::new(capacity, unit_bytes, groups);
        Ok(Self { state: CacheState::new(config, dram, table, Watermarks { high, low }), policy })
    }

    /// None: it holds nothing, and nothing enters it.
    pub fn off() -> Self {
        let (table, watermarks) = (UnitTable::new(0, SECTOR, 1), Watermarks { high: 0, low: 0 });
        let state = CacheState::new(&CacheConfig::default(), &DramConfig::default(), table, watermarks);
        Self { state, policy: CacheSlot::Off }
    }

    /// The clean unit that the policy gives up.
    pub(super) fn evict(&mut self) -> Option<Lpa> {
        self.policy.evict(&CacheView { table: &self.state.table })
    }

    /// The dirty unit that the policy wants in flash.
    pub(super) fn write_back(&mut self) -> Option<Lpa> {
        self.policy.write_back(&CacheView { table: &self.state.table })
    }
}

impl CacheState {
    /// An empty one.
    fn new(config: &CacheConfig, dram: &DramConfig, table: UnitTable, watermarks: Watermarks) -> Self {
        Self {
            throttle: config.throttle.as_ref().map(|throttle| Throttle::new(throttle, table.capacity())),
            table,
            watermarks,
            writing_back: false,
            waiting: VecDeque::new(),
            durable: VecDeque::new(),
            merging: 0,
            merged: VecDeque::new(),
            urgent: VecDeque::new(),
            promises: Vec::new(),
            in_program: 0,
            stamp: 0,
            dram: Dram::new(dram),
            cold: config.cold_period_ns.map(|period| ColdWrites::new(Ns(period))),
            max_write_backs: config.max_write_backs,
            pauses: config.pause.as_ref().map(Pauses::new),
            appends: config.rewrites == Rewrites::Append,
            rate_limit: config.rate_limit.as_ref().map(RateLimit::new),
            record: CacheRecord::default(),
        }
    }

    /// Whether so much is on its way to flash that writes wait.
    #[inline]
    pub fn is_pressed(&self) -> bool {
        let sent = self.table.on_their_way() as usize + self.urgent.len();
        self.max_write_backs > 0 && sent >= self.max_write_backs as usize
    }

    /// Where a write of a unit goes that is held in this slot: into it, unless it takes a place of its own.
    #[inline]
    pub fn in_place(&self, held: Option<Slot>) -> Option<Slot> {
        held.filter(|&slot| !self.appends || self.table.is_clean(slot))
    }

    /// Until when no further unit may take a place, if that is later than `now`.
    #[inline]
    pub fn throttled_until(&self, now: Ns) -> Option<Ns> {
        let throttled = self.throttle.as_ref().and_then(|throttle| throttle.until(now));
        throttled.max(self.rate_limit.as_ref().and_then(|limit| limit.until(now)))
    }

    /// Whether no further unit may take a place for now, be there room or not.
    #[inline]
    pub fn holds_back(&self, now: Ns) -> bool {
        self.is_full_in_pause(now) || self.throttled_until(now).is_some()
    }

    /// A read of the host has come.
    #[inline]
    pub fn read_came(&mut self, now: Ns) {
        if let Some(limit) = &mut self.rate_limit {
            limit.read_came(now);
        }
    }

    /// A unit has taken a place.
    pub fn took_place(&mut self, now: Ns) {
        if let Some(pauses) = &mut self.pauses {
            pauses.entered();
        }
        if let Some(throttle) = &mut self.throttle {
            throttle.entered(self.table.not_clean(), now);
        }
        if let Some(limit) = &mut self.rate_limit {
            limit.entered(now);
        }
    }

    /// Collection has chosen a victim with so many valid units of all.
    pub fn is_to_move(&mut self, valid: u32, units: u32) {
        let gaps = [
            self.throttle.as_mut().map(|throttle| &mut throttle.gap),
            self.rate_limit.as_mut().map(|limit| &mut limit.gap),
        ];
        gaps.into_iter().flatten().for_each(|gap| gap.chosen(valid, units));
    }

    /// Whether a pause of write-back goes on in which no further unit may enter.
    #[inline]
    pub fn is_full_in_pause(&self, now: Ns) -> bool {
        self.pauses.as_ref().is_some_and(|pauses| pauses.is_full(now))
    }

    /// Whether more units are to be sent to flash now.
    pub fn wants_write_back(&mut self, now: Ns) -> bool {
        let waiting = self.table.waiting();
        if waiting >= self.watermarks.high {
            self.writing_back = true;
        } else if waiting <= self.watermarks.low {
            self.writing_back = false;
        }
        // Those that wait for a token don't lack room.
        let limited = || self.rate_limit.as_ref().is_some_and(|limit| limit.until(now).is_some());
        let lacking = self.waiting.len() > self.table.on_their_way() as usize && !limited();
        waiting > 0 && (self.writing_back || lacking) && !self.is_pressed()
    }

    /// Whether somebody waits until the write with this number is in flash.
    pub fn is_promised(&self, stamp: u64) -> bool {
        self.promises.iter().any(|promise| (promise.from..promise.until).contains(&stamp))
    }

    /// The number of dirty units may have changed.
    pub fn note_dirty(&mut self, now: Ns) {
        let dirty = self.table.dirty_units();
        self.record.dirty(dirty, now);
    }

    /// Whether nothing is under way: for the audit of a drive at rest.
    pub fn is_at_rest(&self) -> bool {
        self.waiting.is_empty()
            && self.durable.is_empty()
            && self.merging == 0
            && self.merged.is_empty()
            && self.promises.is_empty()
            && self.in_program == 0
            && self.dram.is_idle()
            && self.table.on_their_way() == 0
    }
}
