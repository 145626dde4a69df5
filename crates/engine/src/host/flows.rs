//! Several flows: each has a queue of its own, and an arbitration or a scheduler chooses between their requests.

mod depth_search;
mod follow;
mod queue;
mod steady;

use super::RestoreError;
use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::arbiter::{Arbiter, Head};
use super::course::{Part as Of, Settling, Together};
use super::places::WritesInside;
use super::schedulers::{Answered, Choice, HostPolicy, HostScheduler, HostView, Waiting};
use super::side::{DriveView, HostSide};
use crate::snapshot::{In, Out, Part, SnapshotError};
use depth_search::DepthSearch;
use queue::Queue;
use steady::SteadyWatch;
use wordline_base::ids::DieId;
use wordline_base::request::{HostOp, HostRequest, RequestSource, SourceError};
use wordline_base::time::Ns;
use wordline_config::ConfigError;
use wordline_config::cache::CacheConfig;
use wordline_config::host::HostConfig;
use wordline_config::host::{FlowRules, MAX_QUEUES};
use wordline_observe::report::{LatencyTargetReport, SteadyEndReport};

/// A flow: its rules and its requests. Flow and stream of the requests are set as the rules and its place among the
/// flows say.
pub struct Flow<'a> {
    /// How its requests arrive, and what its queue may do.
    pub rules: FlowRules,
    /// Its requests.
    pub source: &'a mut dyn RequestSource,
    /// Requests like them without end, where there are some: they come before its first while the drive settles, and, if its rules
    /// say so, behind its last until every flow has given its own.
    pub alike: Option<&'a mut dyn RequestSource>,
}

impl<'a> Flow<'a> {
    /// A flow of these requests alone.
    pub fn new(rules: FlowRules, source: &'a mut dyn RequestSource) -> Self {
        Self { rules, source, alike: None }
    }
}

/// Flows beside one another.
pub struct FlowSet<'a> {
    /// Each.
    pub flows: Vec<Flow<'a>>,
    /// How they settle, where each has requests like its own.
    pub settling: Settling,
}

impl<'a> From<Vec<Flow<'a>>> for FlowSet<'a> {
    fn from(flows: Vec<Flow<'a>>) -> Self {
        Self { flows, settling: Settling::default() }
    }
}

/// A request that waits, and the choice's view of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Held {
    request: HostRequest,
    view: Waiting,
    of: Of,
}

/// A request inside the drive.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Inside {
    flow: u16,
    op: HostOp,
    bytes: u64,
    arrival: Ns,
    entered: Ns,
    inside: u32,
    die: Option<DieId>,
}

/// The host's side of several flows.
pub struct Flows<'a> {
    queues: Vec<Queue<'a>>,
    /// Flows that end when they are steady.
    steady: Vec<SteadyWatch>,
    /// Whether any begins or ends as others do.
    any_later: bool,
    together: Together,
    /// Whether the request that entered last is one of the settling.
    took_settling: bool,
    arbiter: Arbiter,
    policy: HostPolicy,
    /// Whether requests keep the streams that they come with.
    keeps_streams: bool,
    /// Requests of each flow that a choice sees.
    window: u32,
    /// Requests that may overtake the oldest of a flow; `u32::MAX` = any number.
    max_overtakes: u32,
    /// Requests that may be inside the drive; `u32::MAX` = any number.
    max_inside: u32,
    inside: u32,
    writes: WritesInside,
    /// What waits, by arrival.
    waiting: Vec<Held>,
    /// What a scheduler sees of it, and the places of that.
    views: Vec<Waiting>,
    places: Vec<usize>,
    /// And what the drive would not take.
    held: Vec<Waiting>,
    pulled: u64,
    /// When a request may enter: kept until something enters or is answered.
    next: Option<Ns>,
    /// Until then the scheduler lets nothing in.
    rests_until: Ns,
    /// Requests inside by number, from `first_inside` on.
    entered: VecDeque<Option<Inside>>,
    first_inside: u64,
    answered: Vec<u64>,
    /// Requests inside by the die of their first page, and that or the drive's own count, whichever is more.
    sent: Vec<u32>,
    die_load: Vec<u32>,
}

impl<'a> Flows<'a> {
    /// A host that arbitrates between these flows as `config` says, or follows `policy` where there is one.
    pub fn new(
        config: &HostConfig,
        flows: impl Into<FlowSet<'a>>,
        policy: HostPolicy,
    ) -> Result<Self, ConfigError> {
        let FlowSet { flows, settling } = flows.into();
        if flows.is_empty() || flows.len() > MAX_QUEUES {
            return Err(ConfigError::new("flow", flows.len(), format!("1 to {MAX_QUEUES} flows")));
        }
        let priorities: Vec<_> = flows.iter().map(|flow| (flow.rules.priority, flow.rules.weight)).collect();
        let no_limit = |limit: u32| if limit == 0 { u32::MAX } else { limit };
        let overtakes = config.max_overtakes.unwrap_or(config.scheduler.kind.default_overtakes());
        let settles = settling.requests > 0 && flows.iter().all(|flow| flow.alike.is_some());
        let together = Together::new(if settles { settling } else { Settling::default() }, flows.len());
        let steady = SteadyWatch::all_of(flows.iter().map(|flow| &flow.rules));
        let mut queues: Vec<Queue<'a>> = flows.into_iter().map(|flow| Queue::new(flow, settles)).collect();
        for (number, watch) in steady.iter().enumerate() {
            watch.flows.iter().for_each(|&flow| queues[usize::from(flow)].watch = Some(number));
        }
        Ok(Self {
            any_later: queues.iter().any(Queue::minds_others),
            arbiter: Arbiter::new(&config.arbitration, &priorities),
            // The arbitration sees heads of queues only.
            window: if policy.is_none() { 1 } else { config.scheduler.window },
            policy,
            keeps_streams: false,
            together,
            took_settling: false,
            max_overtakes: no_limit(overtakes),
            max_inside: no_limit(config.max_inside),
            inside: 0,
            writes: WritesInside::default(),
            waiting: Vec::new(),
            views: Vec::new(),
            places: Vec::new(),
            held: Vec::new(),
            pulled: 0,
            next: None,
            rests_until: Ns::ZERO,
            entered: VecDeque::new(),
            first_inside: 0,
            answered: Vec::new(),
            sent: Vec::new(),
            die_load: Vec::new(),
            steady,
            queues,
        })
    }

    /// The same before a drive that has places for so many writes.
    #[must_use]
    pub fn before_drive(mut self, cache: &CacheConfig) -> Self {
        self.writes = WritesInside::new(cache);
        self
    }

    /// The same for one source whose requests have streams of their own.
    #[must_use]
    pub fn keeping_streams(mut self) -> Self {
        self.keeps_streams = true;
        self
    }

    /// Looks at every submitter anew of which an answer was given.
    fn look_at_fronts(&mut self) -> Result<(), SourceError> {
        for queue in self.queues.iter_mut().filter(|queue| queue.changed) {
            queue.look(&mut self.together)?;
        }
        if self.together.ends() {
            for queue in self.queues.iter_mut().filter(|queue| queue.course.part() == Of::Beyond) {
                queue.course.end_beyond(&mut queue.submitter, &self.together);
                queue.look(&mut self.together)?;
            }
        }
        if self.any_later { self.follow() } else { Ok(()) }
    }

    /// When something may enter, as things are; the past means "now".
    fn earliest(&self) -> Ns {
        if self.inside >= self.max_inside || self.writes.hold(HostOp::Read) {
            return Ns::NEVER;
        }
        let may_come =
            |(flow, queue): &(usize, &Queue)| queue.waiting < self.window && self.keeps_step(*flow);
        let coming = self.queues.iter().enumerate().filter(may_come);
        let arrival = coming.map(|(_, queue)| queue.next).min().unwrap_or(Ns::NEVER);
        if self.may_enter() { arrival.min(self.rests_until) } else { arrival }
    }

    /// Whether anything waits that the drive would take.
    fn may_enter(&self) -> bool {
        self.waiting.iter().any(|held| self.takes(held))
    }

    /// Whether the drive would take what waits.
    #[inline]
    fn takes(&self, held: &Held) -> bool {
        let full = self.queues.get(usize::from(held.view.flow)).is_some_and(Queue::is_full);
        !full && !self.writes.hold(held.view.op)
    }

    /// Lists what has arrived by `now`, up to the window of each flow.
    fn pull(&mut self, now: Ns) -> Result<(), SourceError> {
        for flow in 0..self.queues.len() {
            while self.queues[flow].waiting < self.window
                && self.queues[flow].next <= now
                && self.keeps_step(flow)
            {
                let queue = &mut self.queues[flow];
                let of = queue.course.part();
                let Some((mut request, arrival)) = queue.submitter.take(queue.next) else { break };
                request.flow = flow as u16;
                request.stream = if self.keeps_streams { request.stream } else { queue.stream };
                queue.waiting += 1;
                queue.given += 1;
                queue.newest = request.op;
                queue.last = queue.next;
                queue.look(&mut self.together)?;
                let HostRequest { op, length, flow, .. } = request;
                let view = Waiting { order: self.pulled, flow, op, length, arrival, die: None };
                self.pulled += 1;
                let place = self.waiting.partition_point(|held| held.view.arrival <= arrival);
                self.waiting.insert(place, Held { request, view, of });
            }
        }
        Ok(())
    }

    /// Place of the request that enters next.
    fn choose(&mut self, now: Ns, drive: &dyn DriveView) -> Choice {
        if let Some(place) = self.overtaken_too_often() {
            return Choice::Take(place);
        }
        if self.policy.is_none() {
            let (queues, writes) = (&self.queues, &self.writes);
            let chosen = self.arbiter.next(|queue| match &queues[usize::from(queue)] {
                queue if queue.waiting == 0 => Head::Empty,
                queue if queue.is_full() || writes.hold(queue.newest) => Head::Held,
                _ => Head::Ready,
            });
            let place = self.waiting.iter().position(|held| Some(held.view.flow) == chosen);
            return Choice::Take(place.unwrap_or(0));
        }
        if self.policy.sees_dies() {
            self.look_at_dies(drive);
        }
        self.show_what_may_enter();
        let view = HostView { now, waiting: &self.views, held: &self.held, die_load: &self.die_load };
        match self.policy.choose(&view) {
            // Nothing would ever wake a host that waits for good beside an empty drive.
            Choice::WaitUntil(Ns::NEVER) if self.inside == 0 => self.shown(0),
            Choice::WaitUntil(time) if time > now => Choice::WaitUntil(time),
            Choice::Take(shown) if shown < self.places.len() => self.shown(shown),
            Choice::WaitUntil(_) | Choice::Take(_) => self.shown(0),
        }
    }

    /// Lists what a scheduler sees: what the drive would take, and what not.
    fn show_what_may_enter(&mut self) {
        self.places.clear();
        self.views.clear();
        self.held.clear();
        for (place, held) in self.waiting.iter().enumerate() {
            if self.takes(held) {
                self.places.push(place);
                self.views.push(held.view);
            } else {
                self.held.push(held.view);
            }
        }
    }

    fn shown(&self, shown: usize) -> Choice {
        Choice::Take(self.places.get(shown).copied().unwrap_or(0))
    }

    /// The oldest request of the flow whose oldest was overtaken most, if that was often enough.
    fn overtaken_too_often(&self) -> Option<usize> {
        if self.max_overtakes == u32::MAX {
            return None;
        }
        let overtakes = |held: &Held| self.queues[usize::from(held.view.flow)].overtakes;
        let taken = |held: &&Held| self.takes(held);
        let most = self.waiting.iter().filter(taken).map(overtakes).max()?;
        let is_that = |held: &Held| taken(&held) && overtakes(held) == most;
        if most >= self.max_overtakes { self.waiting.iter().position(is_that) } else { None }
    }

    fn look_at_dies(&mut self, drive: &dyn DriveView) {
        for held in &mut self.waiting {
            held.view.die = drive.die_of_request(&held.request);
        }
        let loads = drive.die_load();
        self.sent.resize(loads.len(), 0);
        self.die_load.clear();
        self.die_load.extend(loads.iter().zip(&self.sent).map(|(&load, &sent)| load.max(sent)));
    }

    /// Counts who was overtaken by the request at `place`, which enters with the number `id`: who had one for the drive.
    fn count_overtakes(&mut self, place: usize, id: u64) {
        let flow = self.waiting[place].view.flow;
        for (at, held) in self.waiting.iter().enumerate() {
            let takes = self.takes(held);
            let queue = &mut self.queues[usize::from(held.view.flow)];
            // The first of a flow is its oldest.
            if queue.looked == id + 1 {
                continue;
            }
            queue.looked = id + 1;
            if held.view.flow == flow && at == place {
                queue.overtakes = 0;
            } else if takes {
                queue.overtakes = queue.overtakes.saturating_add(1);
            }
        }
        for queue in self.queues.iter_mut().filter(|queue| queue.waiting == 0) {
            queue.overtakes = 0;
        }
    }

    /// The request at `place` enters with the number `id`.
    fn enter(&mut self, place: usize, id: u64, now: Ns) -> (HostRequest, Ns) {
        if self.max_overtakes != u32::MAX {
            self.count_overtakes(place, id);
        }
        let Held { request, view, of } = self.waiting.remove(place);
        self.take_note(of, &request, now);
        let queue = &mut self.queues[usize::from(view.flow)];
        (queue.waiting, queue.inside) = (queue.waiting - 1, queue.inside + 1);
        self.inside += 1;
        if let Some(sent) = view.die.and_then(|die| self.sent.get_mut(die.index())) {
            *sent += 1;
        }
        if self.entered.is_empty() {
            self.first_inside = id;
        }
        let Waiting { flow, op, die, arrival, .. } = view;
        self.writes.enter(op);
        self.entered.push_back(Some(Inside {
            flow,
            op,
            bytes: request.length,
            arrival,
            entered: now,
            inside: self.inside,
            die,
        }));
        (request, arrival)
    }

    /// A request of this part of its flow enters; the settling may end with it.
    fn take_note(&mut self, of: Of, request: &HostRequest, now: Ns) {
        self.took_settling = of == Of::Settling;
        let written = if request.op.is_write() { request.length } else { 0 };
        if self.together.entered(of, written) {
            for queue in &mut self.queues {
                queue.course.settle(&mut queue.submitter, &mut self.together, now);
                queue.changed = true;
            }
        }
    }

    /// Flows that end together are steady.
    fn end_steady(&mut self, watch: usize) {
        for &flow in self.steady.get(watch).map_or(&[][..], |watch| &watch.flows) {
            if let Some(queue) = self.queues.get_mut(usize::from(flow)) {
                queue.submitter.close();
                queue.changed = true;
            }
        }
    }

    /// The request with this number was answered.
    fn leave(&mut self, id: u64, now: Ns) {
        let index = id.wrapping_sub(self.first_inside) as usize;
        let Some(request) = self.entered.get_mut(index).and_then(Option::take) else { return };
        while let Some(None) = self.entered.front() {
            self.entered.pop_front();
            self.first_inside += 1;
        }
        let Inside { flow, op, bytes, arrival, entered, inside, die } = request;
        self.inside -= 1;
        self.writes.leave(op);
        if let Some(sent) = die.and_then(|die| self.sent.get_mut(die.index())) {
            *sent -= 1;
        }
        let queue = &mut self.queues[usize::from(flow)];
        queue.inside -= 1;
        let counted = (op != HostOp::Flush).then_some(arrival);
        queue.answered(counted, now);
        if let Some((number, begins)) = counted.and_then(|arrival| queue.watched(arrival))
            && let Some(watch) = self.steady.get_mut(number)
            && watch.answered(begins, bytes, now - arrival, now)
        {
            self.end_steady(number);
        }
        self.policy.answered(&Answered { flow, op, entered, inside, now });
    }
}

impl HostSide for Flows<'_> {
    fn next_time(&mut self, now: Ns) -> Result<Ns, SourceError> {
        let next = match self.next {
            Some(next) => next,
            None => {
                self.look_at_fronts()?;
                let next = self.earliest();
                self.next = Some(next);
                next
            }
        };
        Ok(next.max(now))
    }

    fn take(
        &mut self,
        now: Ns,
        id: u64,
        drive: &dyn DriveView,
    ) -> Result<Option<(HostRequest, Ns)>, SourceError> {
        self.next = None;
        self.pull(now)?;
        if !self.may_enter() {
            return Ok(None);
        }
        match self.choose(now, drive) {
            Choice::WaitUntil(time) => {
                self.rests_until = time;
                Ok(None)
            }
            Choice::Take(place) => {
                self.rests_until = Ns::ZERO;
                Ok(Some(self.enter(place, id, now)))
            }
        }
    }

    fn likely(&self, ahead: usize) -> Option<&HostRequest> {
        match self.queues.as_slice() {
            [queue] => queue.submitter.likely(ahead),
            _ => None,
        }
    }

    fn completed(&mut self, _count: u32, now: Ns) -> Result<(), SourceError> {
        let mut answered = std::mem::take(&mut self.answered);
        for id in answered.drain(..) {
            self.leave(id, now);
        }
        self.answered = answered;
        // An answer may change the scheduler's mind.
        self.rests_until = Ns::ZERO;
        self.next = None;
        Ok(())
    }

    fn answered(&mut self) -> Option<&mut Vec<u64>> {
        Some(&mut self.answered)
    }

    fn save(&self, out: &mut Out<'_>) -> Result<(), SnapshotError> {
        // Limits follow from the configuration; views, loads and answers are made anew where they are used.
        let Self {
            queues,
            steady,
            any_later: _,
            together,
            took_settling: _,
            arbiter,
            policy,
            keeps_streams: _,
            window: _,
            max_overtakes: _,
            max_inside: _,
            inside,
            writes: _,
            waiting,
            views: _,
            places: _,
            held: _,
            pulled,
            next,
            rests_until,
            entered,
            first_inside,
            answered: _,
            sent,
            die_load: _,
        } = self;
        out.put(&queues.len())?;
        queues.iter().try_for_each(|queue| queue.save(out))?;
        steady.iter().try_for_each(|watch| watch.save(out))?;
        out.put(together)?;
        Part::save(policy, out)?;
        out.put(&(arbiter, inside, waiting, pulled))?;
        out.put(&(next, rests_until, entered, first_inside, sent))
    }

    fn restore(&mut self, input: &mut In<'_>) -> Result<(), RestoreError> {
        if input.take::<usize>()? != self.queues.len() {
            return Err(SnapshotError::Misfit("the number of flows".to_owned()).into());
        }
        self.queues.iter_mut().try_for_each(|queue| queue.restore(input))?;
        self.steady.iter_mut().try_for_each(|watch| watch.restore(input))?;
        self.together = input.take()?;
        Part::restore(&mut self.policy, input)?;
        (self.arbiter, self.inside, self.waiting, self.pulled) = input.take()?;
        (self.next, self.rests_until, self.entered, self.first_inside, self.sent) = input.take()?;
        self.entered.iter().flatten().for_each(|request| self.writes.enter(request.op));
        for held in &self.waiting {
            if let Some(queue) = self.queues.get_mut(usize::from(held.view.flow)) {
                queue.newest = held.view.op;
            }
        }
        let flows = self.queues.len();
        let inside = self.entered.iter().flatten().map(|request| request.flow);
        let mut named = self.waiting.iter().map(|held| held.view.flow).chain(inside);
        if named.any(|flow| usize::from(flow) >= flows) {
            return Err(SnapshotError::Misfit("a request of a flow that there is not".to_owned()).into());
        }
        for request in self.entered.iter().flatten() {
            self.queues[usize::from(request.flow)].inside += 1;
        }
        Ok(())
    }

    fn is_at_end(&self) -> bool {
        self.waiting.is_empty() && self.queues.iter().all(|queue| queue.course.part() == Of::Ended)
    }

    fn took_settling(&self) -> bool {
        self.took_settling
    }

    fn settling_requests(&self) -> u64 {
        self.together.settled()
    }

    fn began(&self) -> Vec<Option<Ns>> {
        if !self.any_later {
            return Vec::new();
        }
        self.queues.iter().map(|queue| queue.course.began()).collect()
    }

    fn steady_ends(&self) -> Vec<SteadyEndReport> {
        self.steady.iter().map(SteadyWatch::report).collect()
    }

    fn latency_targets(&self) -> Vec<LatencyTargetReport> {
        self.queues.iter().filter_map(|queue| queue.search.as_ref().map(DepthSearch::report)).collect()
    }

    fn ended(&self) -> Vec<Option<Ns>> {
        self.queues.iter().map(|queue| queue.course.ended(&queue.submitter)).collect()
    }
}
