//! What the numbers in the first lines of a text tell of their units.

use wordline_base::request::HostOp;

use super::columns::{Counted, Places};
use super::head::lines_of_head;
use super::{Form, Given, LineParser, Rules, header, iso, wordline};
use crate::config::TraceConfig;

/// Unit in which times are looked at, ns: so that a number has nine decimals.
const WHOLE: u64 = 1_000_000_000;

/// Lengths' units that are tried, bytes.
const UNITS: [u64; 7] = [1, 512, 1024, 2048, 4096, 8192, 16384];

/// Numbers of the first requests, without units.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// Requests that were looked at.
    pub rows: u64,
    /// Times in billionths of their unit: the first, and from the earliest to the latest.
    pub first: u128,
    pub span: u128,
    /// Whether a time has a fraction, be it 0.
    pub fractional: bool,
    /// Whether times are dates of ISO 8601, which have no unit.
    pub dated: bool,
    pub offsets: Multiples,
    pub lengths: Multiples,
    /// For each of [`UNITS`], how many requests begin where the one before of their device ends, if lengths have it.
    follow: [u64; UNITS.len()],
    /// What the names of columns tell.
    pub names: Names,
}

/// Numbers above 0, and how many of them are multiples of 512.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Multiples {
    pub above_0: u64,
    pub of_512: u64,
    pub largest: u64,
}

/// Which units the names of columns tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    pub time: bool,
    pub offset: bool,
    pub length: bool,
    /// Offsets count sectors or blocks.
    pub offset_in_sectors: bool,
}

impl Names {
    fn of(places: &Places) -> Self {
        Self {
            time: places.time_unit.is_some(),
            offset: places.offset != Counted::Unsaid,
            length: places.length != Counted::Unsaid,
            offset_in_sectors: matches!(places.offset, Counted::Sectors | Counted::Blocks),
        }
    }
}

impl Multiples {
    fn add(&mut self, number: u64) {
        self.above_0 += u64::from(number > 0);
        self.of_512 += u64::from(number > 0 && number.is_multiple_of(512));
        self.largest = self.largest.max(number);
    }

    /// All are multiples of 512, as bytes are.
    pub(super) fn like_bytes(self) -> bool {
        self.above_0 > 0 && self.of_512 == self.above_0
    }

    /// Most aren't, as of sectors.
    pub(super) fn like_sectors(self) -> bool {
        2 * self.of_512 < self.above_0
    }
}

impl Evidence {
    /// Reads the first lines as this form.
    pub(super) fn of(form: Form, head: &[u8], complete: bool, config: &TraceConfig) -> Self {
        let mut evidence = Self::default();
        let own = Rules::configured(form, config);
        // BIOtracer's bytes are checked against its sectors.
        let unit = if form == Form::Biotracer { own.length_unit } else { 1 };
        let rules = Rules { unit_ns: WHOLE, offset_unit: unit, length_unit: unit, ..own };
        let given = Given { time: true, offset: true, length: true, ..Given::of(config) };
        let mut parser = LineParser::new(rules, &config.columns, given).looked_ahead(head);
        // The unit of offsets by that of lengths' bytes: what is to be compared has to be in one.
        let mut ends = Ends { offset_unit: own.offset_unit, device: 0, last: None };
        let (mut earliest, mut latest) = (u128::MAX, 0);
        if form == Form::Wordline
            && header::of_text(lines_of_head(head, complete)).is_some_and(wordline::is_header)
        {
            evidence.names = Names { time: true, offset: true, length: true, offset_in_sectors: false };
        }
        for line in lines_of_head(head, complete) {
            let Ok(Some(row)) = parser.parse(line) else { continue };
            if let Some(places) = parser.told().filter(|_| evidence.rows == 0) {
                evidence.names = Names::of(places);
                if !Given::of(config).offset {
                    ends.offset_unit = places.offset.bytes(config.sector_bytes);
                }
            }
            if evidence.rows == 0 {
                (evidence.first, evidence.dated) = (row.time, iso::is_in(line));
            }
            evidence.rows += 1;
            evidence.fractional |= !row.time.is_multiple_of(u128::from(WHOLE)) || parser.time_has_point(line);
            (earliest, latest) = (row.time.min(earliest), row.time.max(latest));
            if row.op == HostOp::Flush {
                continue;
            }
            let (offset, length) = (row.offset / unit, row.length / unit);
            evidence.offsets.add(offset);
            evidence.lengths.add(length);
            ends.take(row.device, offset, length, &mut evidence.follow);
        }
        evidence.span = latest.saturating_sub(earliest);
        evidence
    }

    /// Whether offsets and lengths are bytes rather than sectors, where nothing else says so: all multiples of 512, one of
    /// at least 2 MiB if they were sectors.
    pub(super) fn in_bytes(&self, config: &TraceConfig) -> bool {
        let unsaid = config.offset_unit_bytes.is_none() && config.length_unit_bytes.is_none();
        let offsets = self.offsets.above_0 == 0 || self.offsets.like_bytes();
        unsaid
            && config.sector_bytes == 512
            && offsets
            && self.lengths.like_bytes()
            && self.lengths.largest >= 4096
    }

    /// Requests in a second, if the unit of times is so many ns; `None` where there is no telling.
    pub(super) fn rate(&self, unit_ns: u64) -> Option<f64> {
        let seconds = self.span as f64 * unit_ns as f64 / 1e18;
        (self.rows > 1 && self.span > 0 && !self.dated).then(|| (self.rows - 1) as f64 / seconds)
    }

    /// The unit of lengths by which many more requests begin where the one before ends than by `taken`, with both counts.
    pub(super) fn other_length_unit(&self, taken: u64) -> Option<(u64, u64, u64)> {
        let counts = || UNITS.into_iter().zip(self.follow);
        let own = counts().find(|(unit, _)| *unit == taken).map_or(0, |(_, count)| count);
        let (unit, count) = counts().max_by_key(|(_, count)| *count)?;
        // Strides of twice the length come by themselves, in a few of a hundred.
        (count >= 3 && count > 2 * own && 10 * count >= self.rows).then_some((unit, count, own))
    }
}

/// Where the request before ends.
struct Ends {
    offset_unit: u64,
    device: u16,
    last: Option<(u64, u64)>,
}

impl Ends {
    fn take(&mut self, device: u16, offset: u64, length: u64, follow: &mut [u64; UNITS.len()]) {
        let start = |offset: u64| u128::from(offset) * u128::from(self.offset_unit);
        if let Some((before, long)) =
            self.last.filter(|(before, _)| self.device == device && *before != offset)
        {
            for (count, unit) in follow.iter_mut().zip(UNITS) {
                *count += u64::from(start(before) + u128::from(long) * u128::from(unit) == start(offset));
            }
        }
        (self.device, self.last) = (device, Some((offset, length)));
    }
}
