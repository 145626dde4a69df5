//! A flow's queue: where its requests come from, and when the next one may.

use super::depth_search::{Change, DepthSearch};
use super::{Flow, Of, RestoreError};
use crate::host::course::{Course, Together};
use crate::host::submitter::Submitter;
use crate::snapshot::{In, Out, SnapshotError};
use wordline_base::request::{HostOp, SourceError};
use wordline_base::time::Ns;
use wordline_config::host::InStep;

/// A flow's queue.
pub(super) struct Queue<'a> {
    pub(super) submitter: Submitter<'a>,
    pub(super) course: Course<'a>,
    pub(super) stream: u16,
    /// Requests of it in the list of those that wait.
    pub(super) waiting: u32,
    /// What the last of these is: where an arbitration chooses, the head of the queue.
    pub(super) newest: HostOp,
    /// When the next request comes into that list, if it has room.
    pub(super) next: Ns,
    /// Whether that may have changed since it was looked up.
    pub(super) changed: bool,
    /// When the last one came.
    pub(super) last: Ns,
    /// Requests that entered while its oldest one waited.
    pub(super) overtakes: u32,
    /// Number behind that of the last request for which they were counted.
    pub(super) looked: u64,
    /// When it begins, and behind whom.
    pub(super) start: Ns,
    pub(super) after: Vec<u16>,
    /// Who ends with it, until they have.
    pub(super) ends: Vec<u16>,
    /// Its weight in a group that keeps step, and its requests so far.
    pub(super) in_step: Option<InStep>,
    pub(super) given: u64,
    /// Its requests inside the drive, and most of them; `u32::MAX` = any number.
    pub(super) inside: u32,
    pub(super) most: u32,
    /// The search for how many of its requests may be outstanding.
    pub(super) search: Option<DepthSearch>,
    /// Number of the watch that ends it when it is steady.
    pub(super) watch: Option<usize>,
}

impl<'a> Queue<'a> {
    /// That of a flow, whose requests begin with some for the drive to settle if it `settles`.
    pub(super) fn new(Flow { rules, source, alike }: Flow<'a>, settles: bool) -> Self {
        // A stop ends a flow whatever its source has.
        let (stop, goes_on) = (Ns(rules.stop_ns), rules.goes_on && rules.stop_ns == 0);
        let (course, first) = Course::new(source, alike, [settles, rules.begins_later(), goes_on], stop);
        let mut submitter = Submitter::new(first, rules.arrivals()).in_batches(rules.submit_batch);
        if settles {
            submitter.stop_behind(Ns::NEVER);
        }
        let search =
            rules.latency_target.map(|target| DepthSearch::new(rules.name, target, rules.queue_depth));
        Self {
            submitter,
            course,
            stream: rules.stream,
            waiting: 0,
            newest: HostOp::Read,
            next: Ns::NEVER,
            changed: true,
            last: Ns::ZERO,
            overtakes: 0,
            looked: 0,
            start: Ns(rules.start_ns),
            after: rules.after,
            ends: rules.ends,
            in_step: rules.in_step,
            given: 0,
            inside: 0,
            most: if rules.max_inside == 0 { u32::MAX } else { rules.max_inside },
            search,
            watch: None,
        }
    }

    /// A request that was submitted at `arrival` has its answer; `None` for one that no search counts.
    pub(super) fn answered(&mut self, arrival: Option<Ns>, now: Ns) {
        let change = match (&mut self.search, self.course.part(), arrival) {
            (Some(search), Of::Own, Some(arrival)) => search.answered(arrival, now),
            _ => None,
        };
        if let Some(Change::Depth(depth)) = change {
            self.submitter.set_depth(depth);
        }
        self.submitter.completed(1, now);
        if change == Some(Change::Stop) {
            self.submitter.close();
        }
        self.course.answered(now);
        self.changed = true;
    }

    /// Whether the drive has as many of its requests as it may.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.inside >= self.most
    }

    /// Whether it begins later than others, or ends some.
    pub(super) fn minds_others(&self) -> bool {
        self.start > Ns::ZERO || !self.after.is_empty() || !self.ends.is_empty()
    }

    /// Looks when the next request comes, of the next source where one has ended.
    pub(super) fn look(&mut self, together: &mut Together) -> Result<(), SourceError> {
        if self.course.part() == Of::Waiting {
            (self.next, self.changed) = (Ns::NEVER, false);
            return Ok(());
        }
        self.next = self.submitter.next_time(self.last)?;
        while self.submitter.is_at_end() && self.course.turn(&mut self.submitter, together) {
            self.next = self.submitter.next_time(self.last)?;
        }
        if self.begins_search() {
            self.next = self.submitter.next_time(self.last)?;
        }
        self.changed = false;
        Ok(())
    }

    /// Of a flow that ends when it is steady the number of its watch, and when its own requests began, if one that was submitted at
    /// `arrival` is of these.
    pub(super) fn watched(&self, arrival: Ns) -> Option<(usize, Ns)> {
        let begins =
            self.course.began().filter(|begins| self.course.part() == Of::Own && *begins <= arrival)?;
        Some((self.watch?, begins))
    }

    /// Whether its own requests begin, and fewer may be outstanding from now on.
    fn begins_search(&mut self) -> bool {
        let own = (self.course.part() == Of::Own).then(|| self.course.began()).flatten();
        let depth = self.search.as_mut().zip(own).and_then(|(search, begins)| search.begin(begins));
        depth.inspect(|&depth| self.submitter.set_depth(depth)).is_some()
    }

    /// When it was over, if it is.
    pub(super) fn over(&self) -> Option<Ns> {
        self.course.over(&self.submitter)
    }

    pub(super) fn save(&self, out: &mut Out<'_>) -> Result<(), SnapshotError> {
        let Self {
            submitter,
            course,
            stream: _,
            waiting,
            newest: _,
            next,
            changed: _,
            last,
            overtakes,
            looked: _,
            start: _,
            after: _,
            ends,
            in_step: _,
            given,
            inside: _,
            most: _,
            watch: _,
            search,
        } = self;
        out.put(&course.state())?;
        submitter.save(out)?;
        search.iter().try_for_each(|search| search.save(out))?;
        out.put(&(waiting, next, last, overtakes, ends, given))
    }

    pub(super) fn restore(&mut self, input: &mut In<'_>) -> Result<(), RestoreError> {
        self.course.restore(&mut self.submitter, input.take()?)?;
        let behind = self.submitter.restore(input)?;
        if let Some(search) = &mut self.search {
            search.restore(input)?;
            if let Some(depth) = search.depth() {
                self.submitter.set_depth(depth);
            }
        }
        self.course.restore_rest(behind);
        (self.waiting, self.next, self.last, self.overtakes, self.ends, self.given) = input.take()?;
        self.changed = true;
        Ok(())
    }
}
