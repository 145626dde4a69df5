//! The course of flows beside one another: first requests like their own, while the drive settles; then their own, some later than
//! others; then, of a flow that is done, again requests like its own, until the last flow has its number.

use serde::{Deserialize, Serialize};

use super::submitter::Submitter;
use wordline_base::request::{HostRequest, RequestSource, SourceError};
use wordline_base::time::Ns;

/// A flow that has got nothing in while so many requests of flows that are done did, or as many as flows had of their own, will
/// get nothing while they go on.
const STARVED: u64 = 1 << 16;

/// How long flows give requests like their own before their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settling {
    /// Until all together have written so many bytes.
    pub bytes: u64,
    /// And no longer than for so many requests; 0 = not at all.
    pub requests: u64,
}

/// What a flow gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Part {
    /// Requests like its own that aren't measured.
    Settling,
    /// Nothing yet: it begins later than others.
    Waiting,
    /// Its own.
    Own,
    /// Requests like its own behind them.
    Beyond,
    /// Nothing more.
    Ended,
}

/// How far all flows together are.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Together {
    settling: Settling,
    /// Requests and bytes written that entered while flows settled, and those that had arrived by then.
    settled: u64,
    written: u64,
    is_settled: bool,
    /// Flows that have requests of their own left.
    unfinished: u32,
    /// Requests of their own that entered, and those of flows that are done since the last of these.
    own: u64,
    beyond: u64,
    /// Whether flows that are done give no more.
    has_ended: bool,
}

impl Together {
    pub(super) fn new(settling: Settling, flows: usize) -> Self {
        Self {
            settling,
            settled: 0,
            written: 0,
            is_settled: settling.requests == 0,
            unfinished: flows as u32,
            own: 0,
            beyond: 0,
            has_ended: false,
        }
    }

    /// Whether requests of their own have begun.
    pub(super) fn is_settled(&self) -> bool {
        self.is_settled
    }

    /// Requests that entered while flows settled.
    pub(super) fn settled(&self) -> u64 {
        self.settled
    }

    /// A request entered that writes so many bytes. Returns whether the drive has settled with it.
    pub(super) fn entered(&mut self, part: Part, written: u64) -> bool {
        match part {
            Part::Settling => {
                self.settled += 1;
                self.written += written;
            }
            Part::Waiting | Part::Own => (self.own, self.beyond) = (self.own + 1, 0),
            Part::Beyond | Part::Ended => self.beyond += 1,
        }
        let Settling { bytes, requests } = self.settling;
        let settles = !self.is_settled && (self.written >= bytes || self.settled >= requests);
        self.is_settled |= settles;
        settles
    }

    /// Whether flows that are done give no more, from now on.
    pub(super) fn ends(&mut self) -> bool {
        self.has_ended |= self.unfinished == 0 || self.beyond > self.own.max(STARVED);
        self.has_ended
    }
}

/// How far a flow is.
pub(super) struct Course<'a> {
    part: Part,
    /// The source that isn't drawn from.
    other: Option<&'a mut dyn RequestSource>,
    goes_on: bool,
    /// How long it gives requests of its own; 0 = to the end of its source.
    stop: Ns,
    /// When its own begin, and when its last answer came.
    begins: Ns,
    last_answer: Ns,
    /// Requests of the source of those like its own that it gave while it settled, the time of the last, and what is known behind it.
    given: u64,
    given_to: Ns,
    rest: Vec<HostRequest>,
    /// Whether it ended while others had requests of their own left.
    ended_alone: bool,
}

/// What a snapshot holds of a course: its part, its times, requests given while it settled, whether it ended before others.
pub(super) type State = (Part, [Ns; 3], u64, bool);

impl<'a> Course<'a> {
    /// The course of a flow that is at its beginning, and the source that it begins with.
    pub(super) fn new(
        source: &'a mut dyn RequestSource,
        alike: Option<&'a mut dyn RequestSource>,
        [settles, waits, goes_on]: [bool; 3],
        stop: Ns,
    ) -> (Self, &'a mut dyn RequestSource) {
        let (part, first, other) = match alike {
            alike if waits => (Part::Waiting, source, alike),
            Some(alike) if settles => (Part::Settling, alike, Some(source)),
            alike => (Part::Own, source, alike),
        };
        let [begins, last_answer, given_to] = [Ns::ZERO; 3];
        let (given, rest, ended_alone) = (0, Vec::new(), false);
        let this =
            Self { part, other, goes_on, stop, begins, last_answer, given, given_to, rest, ended_alone };
        (this, first)
    }

    pub(super) fn part(&self) -> Part {
        self.part
    }

    /// An answer of it came.
    pub(super) fn answered(&mut self, now: Ns) {
        self.last_answer = now;
    }

    /// Its own requests begin now, behind those that have arrived.
    pub(super) fn settle(&mut self, submitter: &mut Submitter<'a>, together: &mut Together, now: Ns) {
        if self.part == Part::Waiting {
            self.begins = now;
        }
        if self.part != Part::Settling {
            return;
        }
        self.begins = now;
        (self.given, self.given_to, self.rest) = submitter.draw_no_more(now);
        if submitter.is_at_end() {
            self.turn(submitter, together);
        }
    }

    /// Of a flow that waits: its own requests begin when those that it waits for have ended, and no earlier than `start` behind
    /// the workload's.
    pub(super) fn begin(&mut self, submitter: &mut Submitter<'a>, free: Ns, start: Ns) {
        self.part = Part::Own;
        self.begins = free.max(self.begins + start);
        submitter.begin_at(self.begins);
        submitter.stop_behind(if self.stop > Ns::ZERO { self.begins + self.stop } else { Ns::NEVER });
    }

    /// When it was over, if it is: all that it gave is answered.
    pub(super) fn over(&self, submitter: &Submitter<'a>) -> Option<Ns> {
        let is_over = self.part == Part::Ended && submitter.outstanding() == 0;
        is_over.then(|| self.last_answer.max(self.stopped(submitter)))
    }

    /// It gives no more because another has ended.
    pub(super) fn cut(&mut self, submitter: &mut Submitter<'a>, together: &mut Together) {
        if matches!(self.part, Part::Settling | Part::Waiting | Part::Own) {
            together.unfinished = together.unfinished.saturating_sub(1);
        }
        self.end(submitter, together);
    }

    /// Its source gives no more. Returns whether another took its place.
    pub(super) fn turn(&mut self, submitter: &mut Submitter<'a>, together: &mut Together) -> bool {
        let source = match self.part {
            Part::Settling => self.other.take().map(|own| {
                let alike = submitter.take_up(own, Vec::new(), [self.begins, Ns::ZERO]);
                if self.stop > Ns::ZERO {
                    submitter.stop_behind(self.begins + self.stop);
                }
                (Part::Own, Some(alike))
            }),
            Part::Own => {
                together.unfinished = together.unfinished.saturating_sub(1);
                let goes_on = self.goes_on && together.unfinished > 0 && !together.has_ended;
                self.other.take().filter(|_| goes_on).map(|alike| {
                    let times = [submitter.last_arrival(), self.given_to];
                    submitter.take_up(alike, std::mem::take(&mut self.rest), times);
                    (Part::Beyond, None)
                })
            }
            Part::Waiting | Part::Beyond | Part::Ended => None,
        };
        match source {
            Some((part, other)) => (self.part, self.other) = (part, other),
            None => self.end(submitter, together),
        }
        self.part != Part::Ended
    }

    /// It gives no more.
    fn end(&mut self, submitter: &mut Submitter<'a>, together: &Together) {
        submitter.close();
        self.ended_alone |= self.part != Part::Ended && together.unfinished > 0;
        self.part = Part::Ended;
    }

    /// Ends what it gives behind its own requests.
    pub(super) fn end_beyond(&mut self, submitter: &mut Submitter<'a>, together: &Together) {
        if self.part == Part::Beyond {
            self.end(submitter, together);
        }
    }

    /// When it ended, where others went on behind that.
    pub(super) fn ended(&self, submitter: &Submitter<'a>) -> Option<Ns> {
        self.ended_alone.then_some(self.last_answer.max(self.stopped(submitter)))
    }

    fn stopped(&self, submitter: &Submitter<'a>) -> Ns {
        if submitter.has_stopped() { self.begins + self.stop } else { Ns::ZERO }
    }

    /// When its own requests began; `None` if they have not.
    pub(super) fn began(&self) -> Option<Ns> {
        matches!(self.part, Part::Own | Part::Beyond | Part::Ended).then_some(self.begins)
    }

    /// What a snapshot holds of it.
    pub(super) fn state(&self) -> State {
        // What is known of a source, it gives again.
        let Self {
            part,
            other: _,
            goes_on: _,
            stop: _,
            begins,
            last_answer,
            given,
            given_to,
            rest: _,
            ended_alone,
        } = self;
        (*part, [*begins, *last_answer, *given_to], *given, *ended_alone)
    }

    /// Takes up what a snapshot holds, with sources that are new; the submitter comes as far behind this.
    pub(super) fn restore(&mut self, submitter: &mut Submitter<'a>, state: State) -> Result<(), SourceError> {
        let began = self.part;
        (self.part, [self.begins, self.last_answer, self.given_to], self.given, self.ended_alone) = state;
        if began == Part::Settling && matches!(self.part, Part::Own | Part::Beyond) {
            self.swap(submitter);
            if let Some(alike) = self.other.as_deref_mut() {
                self.rest = behind(alike, self.given)?;
            }
        }
        if self.part == Part::Beyond {
            self.swap(submitter);
        }
        Ok(())
    }

    /// What is known behind the last request that the submitter gives, of a source that is new.
    pub(super) fn restore_rest(&mut self, rest: Vec<HostRequest>) {
        if self.part == Part::Settling {
            self.rest = rest;
        }
    }

    fn swap(&mut self, submitter: &mut Submitter<'a>) {
        if let Some(other) = self.other.take() {
            // The submitter has its own times in the snapshot.
            self.other = Some(submitter.take_up(other, std::mem::take(&mut self.rest), [Ns::ZERO; 2]));
        }
    }
}

/// Draws so many requests, and gives what came with the last of them.
fn behind(source: &mut dyn RequestSource, count: u64) -> Result<Vec<HostRequest>, SourceError> {
    let (mut left, mut batch) = (count, Vec::new());
    while left > 0 {
        batch.clear();
        source.next_batch(&mut batch)?;
        let drawn = batch.len() as u64;
        if drawn == 0 || drawn > left {
            break;
        }
        left -= drawn;
    }
    Ok(match usize::try_from(left) {
        Ok(given) if given < batch.len() && left > 0 => batch.split_off(given),
        _ => Vec::new(),
    })
}
