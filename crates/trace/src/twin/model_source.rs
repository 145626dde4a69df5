//! The requests of a model of page classes.

use wordline_base::request::{HostOp, HostRequest, LATEST_ARRIVAL_NS, RequestSource, SourceError};
use wordline_base::time::Ns;

use super::model::{Model, PageClass};
use super::model_bursts::Bursts;
use super::model_class::{Class, EXTENT, SkewDrawer};
use crate::config::Sizes;
use crate::rng::{Xoshiro256PlusPlus, stream, unit};
use crate::synthetic::SizeDrawer;

/// Generates the requests of a [`Model`].
pub(super) struct ModelSource {
    left: u64,
    total: u64,
    now: f64,
    sizes: [SizeDrawer; 2],
    classes: Vec<Class>,
    bursts: Bursts,
    skew: Option<SkewDrawer>,
    skewed: Xoshiro256PlusPlus,
    /// Chance that a request is the last of its burst; gaps.
    ends: f64,
    gap_ns: f64,
    idle_ns: f64,
    ops: Xoshiro256PlusPlus,
    choice: Xoshiro256PlusPlus,
    arrivals: Xoshiro256PlusPlus,
}

impl ModelSource {
    /// A source for a model laid out in `space` bytes; classes shrink in proportion when that is less than `meant`, but for those
    /// whose pages take turns.
    pub(super) fn new(
        model: &Model,
        requests: u64,
        space: u64,
        meant: u64,
        seed: u64,
    ) -> Result<Self, String> {
        // Pages that take turns are few: they keep their size.
        let kept = |class: &&PageClass| class.turns.is_some();
        let kept: u64 = model.class.iter().filter(kept).map(|class| class.bytes).sum();
        let shrink = (space.saturating_sub(kept) as f64 / meant.saturating_sub(kept).max(1) as f64).min(1.0);
        let mut start = 0;
        let mut classes = Vec::new();
        for (number, class) in model.class.iter().enumerate() {
            let wanted =
                if class.turns.is_some() { class.bytes } else { (class.bytes as f64 * shrink) as u64 };
            let bytes = (wanted / EXTENT).max(1) * EXTENT;
            if start + bytes > space {
                return Err(format!("class {}: no room in {space} bytes", class.name));
            }
            classes.push(Class::new(class, start, bytes, seed, number));
            start += bytes;
        }
        let sizes = |list: &Vec<_>, name| {
            SizeDrawer::new(&Sizes::Weighted(list.clone()), stream(seed, name))
                .map_err(|error| error.to_string())
        };
        Ok(Self {
            left: requests,
            total: requests,
            now: 0.0,
            sizes: [
                sizes(&model.read_sizes, "model.read_sizes")?,
                sizes(&model.write_sizes, "model.write_sizes")?,
            ],
            bursts: Bursts::new(model, seed),
            skew: model.skew.as_ref().filter(|skew| skew.excess > 0.0).map(SkewDrawer::new),
            skewed: stream(seed, "model.skew"),
            classes,
            ends: 1.0 / model.burst_requests,
            gap_ns: model.burst_gap_ns,
            idle_ns: model.idle_gap_ns,
            ops: stream(seed, "model.operations"),
            choice: stream(seed, "model.classes"),
            arrivals: stream(seed, "model.arrivals"),
        })
    }

    /// Time of the next request.
    fn tick(&mut self) -> Ns {
        let now = Ns((self.now as u64).min(LATEST_ARRIVAL_NS));
        let mean = if unit(&mut self.arrivals) < self.ends { self.idle_ns } else { self.gap_ns };
        self.now -= mean * libm::log(1.0 - unit(&mut self.arrivals));
        now
    }

    fn push(&mut self, batch: &mut Vec<HostRequest>, time: Ns, op: HostOp, offset: u64, length: u64) {
        self.left -= 1;
        batch.push(HostRequest { time, op, offset, length, flow: 0, stream: 0 });
    }

    /// The next request, or a burst.
    fn next(&mut self, batch: &mut Vec<HostRequest>) {
        let time = self.tick();
        let read = unit(&mut self.ops) < self.bursts.reads();
        let [reads, writes] = &mut self.sizes;
        let sizes = if read { reads } else { writes };
        if let Some((gap_ns, places)) = self.bursts.due(read, &self.classes, sizes, self.skew.as_ref()) {
            self.push_burst(batch, time, read, gap_ns, &places);
            return;
        }
        let mut length = [0];
        sizes.fill(&mut length);
        let [length] = length;
        let mut left = unit(&mut self.choice);
        let last = self.classes.len() - 1;
        let number = self.classes.iter().position(|class| {
            left -= if read { class.reads } else { class.writes };
            left < 0.0
        });
        let number = number.unwrap_or(last);
        let Some(class) = self.classes.get_mut(number) else { return };
        let length = length.min(class.bytes);
        let mut offset = class.offset(length, read);
        if let Some(skew) = self.skew.as_ref().filter(|_| read) {
            let far = number == 0 && class.walks();
            offset = skew.moved(&mut self.skewed, offset, length, class, far);
        }
        self.push(batch, time, op(read), offset, length);
    }

    /// A burst: what comes after it comes later by as long as it takes.
    fn push_burst(
        &mut self,
        batch: &mut Vec<HostRequest>,
        start: Ns,
        read: bool,
        gap_ns: f64,
        places: &[(u64, u64)],
    ) {
        let mut lasted = 0.0;
        for (number, (offset, length)) in places.iter().enumerate() {
            if self.left == 0 {
                break;
            }
            if number > 0 {
                lasted -= gap_ns * libm::log(1.0 - unit(&mut self.arrivals));
            }
            let time = Ns(start.0.saturating_add(lasted as u64).min(LATEST_ARRIVAL_NS));
            self.push(batch, time, op(read), *offset, *length);
        }
        self.now += lasted;
    }
}

fn op(read: bool) -> HostOp {
    if read { HostOp::Read } else { HostOp::Write }
}

impl RequestSource for ModelSource {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        let before = batch.len();
        while self.left > 0 && batch.len() - before < 512 {
            self.next(batch);
        }
        Ok(())
    }

    fn size_hint(&self) -> Option<u64> {
        Some(self.total)
    }
}
