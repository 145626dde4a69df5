//! The host: how requests arrive, and how commands of several queues get into the drive: arbitration, host-side schedulers,
//! rules of a flow.

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};
use super::latency_target::LatencyTarget;
use super::owned;
use super::steady_end::SteadyEnd;
use crate::left_out::{is_default, is_one};

/// Most submission queues for I/O (NVMe Base Specification: queue identifiers 1 to 65,535).
pub const MAX_QUEUES: usize = 65_535;

/// Most entries of a queue (NVMe Base Specification).
pub const MAX_QUEUE_ENTRIES: u32 = 65_536;

/// How requests arrive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostConfig {
    /// Open or closed loop.
    #[serde(default)]
    pub arrivals: Arrivals,
    /// Open loop: factor on every arrival time (0.5 = twice as fast).
    #[serde(default = "one")]
    pub time_scale: f64,
    /// Closed loop: requests outstanding at once.
    #[serde(default = "default_queue_depth")]
    pub queue_depth: u32,
    /// Closed loop: time between a completion and the submission that follows it, ns.
    #[serde(default)]
    pub think_time_ns: u64,
    /// Open loop: most requests inside the drive; later ones wait at the host, and their wait counts as
    /// latency unless arrivals are held. 0 = no limit.
    #[serde(default)]
    pub max_outstanding: u32,
    /// Requests that would be submitted later than this are not; 0 = no end but the workload's. ns.
    #[serde(default)]
    pub stop_ns: u64,
    /// Most requests inside the drive, those of all flows together; others wait in their queues, and their wait
    /// counts as latency. 0 = no limit.
    #[serde(default)]
    pub max_inside: u32,
    /// Requests that may overtake the oldest waiting one of a flow before it goes next; 0 = no bound. Left out: no
    /// bound for an arbitration, 64 for PIQ and PAQ, 4096 for FIOS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_overtakes: Option<u32>,
    /// Which queue's request enters next.
    #[serde(default)]
    pub arbitration: ArbitrationConfig,
    /// A scheduler of the host, in the place of the arbitration.
    #[serde(default)]
    pub scheduler: HostSchedulerConfig,
}

fn one() -> f64 {
    1.0
}

fn default_queue_depth() -> u32 {
    16
}

impl Default for HostConfig {
    fn default() -> Self {
        Self {
            arrivals: Arrivals::default(),
            time_scale: one(),
            queue_depth: default_queue_depth(),
            think_time_ns: 0,
            max_outstanding: 0,
            stop_ns: 0,
            max_inside: 0,
            max_overtakes: None,
            arbitration: ArbitrationConfig::default(),
            scheduler: HostSchedulerConfig::default(),
        }
    }
}

/// Open or closed loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arrivals {
    /// At the times that the workload gives.
    Open,
    /// At the times that the workload gives, or later, as soon as `max_outstanding` allows: response times count from then. So
    /// measure threads that submit by the clock into queues of bounded depth, such as those of fio.
    Held,
    /// When an earlier request is done.
    #[default]
    Closed,
}

impl Arrivals {
    /// Whether the workload's times say when requests come.
    pub fn has_times(self) -> bool {
        matches!(self, Self::Open | Self::Held)
    }
}

impl HostConfig {
    /// Refuses what no host can do.
    pub fn validate(&self) -> Result<(), ConfigError> {
        check_range("time_scale", self.time_scale, 1e-9, 1e9)?;
        check_range("queue_depth", self.queue_depth, 1, 1 << 20)?;
        check_range("think_time_ns", self.think_time_ns, 0, 1_000_000_000_000)?;
        self.check_together()
    }

    /// Refuses what can't be together.
    fn check_together(&self) -> Result<(), ConfigError> {
        check_range("max_inside", self.max_inside, 0, 1 << 20)?;
        self.arbitration.validate().map_err(|error| error.under("arbitration"))?;
        self.scheduler.validate().map_err(|error| error.under("scheduler"))?;
        owned::check(self, owned::HOST)?;
        if self.scheduler.kind == HostSchedulerKind::None {
            return Ok(());
        }
        if self.max_inside == 0 {
            return Err(ConfigError::new(
                "max_inside",
                0,
                "1 to 1048576 with a scheduler: else no request waits",
            ));
        }
        if self.arbitration.kind != ArbitrationKind::RoundRobin {
            let kind = toml::Value::try_from(self.arbitration.kind)
                .map_or_else(|_| String::new(), |v| v.to_string());
            return Err(ConfigError::new(
                "arbitration.kind",
                kind,
                "round_robin with a scheduler, which replaces it",
            ));
        }
        Ok(())
    }
}

/// Which queue's command the drive takes next (NVMe Base Specification, Command Arbitration).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArbitrationConfig {
    /// How queues take turns.
    #[serde(default)]
    pub kind: ArbitrationKind,
    /// Arbitration burst: commands that a queue may give in one turn. 1, 2, 4, 8, 16, 32 or 64; 0 = no limit.
    #[serde(default = "one_command")]
    pub burst: u32,
    /// Weighted: commands of high priority in each round, 1 to 256.
    #[serde(default = "high_weight")]
    pub high_weight: u32,
    /// Weighted: commands of medium priority in each round, 1 to 256.
    #[serde(default = "medium_weight")]
    pub medium_weight: u32,
    /// Weighted: commands of low priority in each round, 1 to 256.
    #[serde(default = "one_command")]
    pub low_weight: u32,
}

fn one_command() -> u32 {
    1
}

fn high_weight() -> u32 {
    4
}

fn medium_weight() -> u32 {
    2
}

impl Default for ArbitrationConfig {
    fn default() -> Self {
        Self {
            kind: ArbitrationKind::default(),
            burst: one_command(),
            high_weight: high_weight(),
            medium_weight: medium_weight(),
            low_weight: one_command(),
        }
    }
}

impl ArbitrationConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        if self.burst != 0 && (self.burst > 64 || !self.burst.is_power_of_two()) {
            return Err(ConfigError::new("burst", self.burst, "1, 2, 4, 8, 16, 32, 64, or 0 for no limit"));
        }
        check_range("high_weight", self.high_weight, 1, 256)?;
        check_range("medium_weight", self.medium_weight, 1, 256)?;
        check_range("low_weight", self.low_weight, 1, 256)
    }
}

/// How queues take turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArbitrationKind {
    /// One queue after the other; priorities count for nothing.
    #[default]
    RoundRobin,
    /// Urgent queues first; high, medium and low ones share the rest by their weights.
    Weighted,
    /// Always the highest priority that has a command.
    Strict,
}

/// Priority class of a queue (NVMe Base Specification, `QPRIO`), the most urgent first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// Before all others, except under round robin.
    Urgent,
    /// High.
    High,
    /// Medium.
    #[default]
    Medium,
    /// Low.
    Low,
}

impl Priority {
    /// Number of priorities.
    pub const COUNT: usize = 4;

    /// From 0, the most urgent.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// A scheduler of the host, in the place of the arbitration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostSchedulerConfig {
    /// Which one.
    #[serde(default)]
    pub kind: HostSchedulerKind,
    /// Waiting requests of each flow that it sees, the oldest ones.
    #[serde(default = "default_window")]
    pub window: u32,
    /// FIOS: service time that a flow of weight 1 may use in an epoch, ns.
    #[serde(default = "default_timeslice")]
    pub timeslice_ns: u64,
    /// FIOS: longest wait for the next read of a flow after its last one was answered, ns; 0 = none.
    #[serde(default)]
    pub anticipation_ns: u64,
}

fn default_window() -> u32 {
    64
}

fn default_timeslice() -> u64 {
    10_000_000
}

impl Default for HostSchedulerConfig {
    fn default() -> Self {
        Self {
            kind: HostSchedulerKind::default(),
            window: default_window(),
            timeslice_ns: default_timeslice(),
            anticipation_ns: 0,
        }
    }
}

impl HostSchedulerConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        check_range("window", self.window, 1, 1024)?;
        check_range("timeslice_ns", self.timeslice_ns, 1_000, 100_000_000_000)?;
        check_range("anticipation_ns", self.anticipation_ns, 0, 1_000_000_000)
    }
}

/// The built-in schedulers of the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostSchedulerKind {
    /// None: queues are FIFOs, the arbitration chooses between them.
    #[default]
    None,
    /// Parallel issue queueing: batches without conflicts (Gao et al., MSST 2014).
    Piq,
    /// Fair timeslices with read preference (Park and Shen, FAST 2012).
    Fios,
    /// Physically addressed queueing: out of order, idle dies first (Jung et al., ISCA 2012).
    Paq,
}

impl HostSchedulerKind {
    /// Requests that may overtake the oldest of a flow, where the description says nothing; 0 = no bound.
    pub fn default_overtakes(self) -> u32 {
        match self {
            Self::None => 0,
            Self::Piq | Self::Paq => 64,
            Self::Fios => 4096,
        }
    }
}

/// How the requests of one flow arrive, and what its queue may do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlowRules {
    /// Its name in results.
    pub name: String,
    /// Open or closed loop.
    pub arrivals: Arrivals,
    /// Open loop: factor on every arrival time.
    pub time_scale: f64,
    /// Closed loop: requests outstanding at once, waiting for the drive included.
    pub queue_depth: u32,
    /// Closed loop: time between a completion and the submission that follows it, ns.
    pub think_time_ns: u64,
    /// Closed loop: so many answers are waited for, and as many requests then submitted at once.
    #[serde(skip_serializing_if = "is_one")]
    pub submit_batch: u32,
    /// Open loop: most requests in the queue and in the drive; 0 = no limit.
    pub max_outstanding: u32,
    /// No request is submitted later than this, ns; 0 = no end.
    pub stop_ns: u64,
    /// Priority class of its queue.
    pub priority: Priority,
    /// Weighted arbitration: its turn is so many bursts long. FIOS: so many timeslices.
    pub weight: u32,
    /// Stream of its requests.
    pub stream: u16,
    /// Whether requests like its own follow its last while other flows have requests of their own left.
    pub goes_on: bool,
    /// It begins no earlier than this, ns from where the workload's own requests begin.
    #[serde(skip_serializing_if = "is_default")]
    pub start_ns: u64,
    /// Places of the flows that must have ended before it begins.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<u16>,
    /// Places of the flows that end when it has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ends: Vec<u16>,
    /// The group whose flows keep their numbers of requests in proportion, and its weight there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_step: Option<InStep>,
    /// The group whose flows have figures together, too; empty: none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// Most of its requests inside the drive; 0 = no limit of its own.
    #[serde(skip_serializing_if = "is_default")]
    pub max_inside: u32,
    /// Closed loop: the most requests outstanding, `queue_depth` at most, with which answers come in time are looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_target: Option<LatencyTarget>,
    /// It ends when what it is measured by is steady.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steady_end: Option<SteadyEnd>,
}

/// A flow whose number of requests stays in proportion to those of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InStep {
    /// Flows of the same number keep step.
    #[serde(default)]
    pub group: u32,
    /// Its share among them: of a flow of weight 2 two requests come for each of one of weight 1. 1 to 1,000,000.
    pub weight: u32,
}

impl InStep {
    fn validate(self) -> Result<(), ConfigError> {
        check_range("weight", self.weight, 1, 1_000_000)
    }
}

impl FlowRules {
    /// A flow of this name that arrives as the host's keys say.
    pub fn of_host(name: &str, host: &HostConfig) -> Self {
        Self {
            name: name.to_owned(),
            arrivals: host.arrivals,
            time_scale: host.time_scale,
            queue_depth: host.queue_depth,
            think_time_ns: host.think_time_ns,
            submit_batch: 1,
            max_outstanding: host.max_outstanding,
            stop_ns: host.stop_ns,
            priority: Priority::default(),
            weight: 1,
            stream: 0,
            goes_on: true,
            start_ns: 0,
            after: Vec::new(),
            ends: Vec::new(),
            in_step: None,
            group: String::new(),
            max_inside: 0,
            latency_target: None,
            steady_end: None,
        }
    }

    /// Refuses what no NVMe queue can do.
    pub fn validate(&self) -> Result<(), ConfigError> {
        check_range("time_scale", self.time_scale, 1e-9, 1e9)?;
        check_range("queue_depth", self.queue_depth, 1, MAX_QUEUE_ENTRIES)?;
        check_range("think_time_ns", self.think_time_ns, 0, 1_000_000_000_000)?;
        let is_closed = self.arrivals == Arrivals::Closed;
        if is_closed && !(1..=self.queue_depth).contains(&self.submit_batch) {
            let allowed = format!("1 to {}, its queue_depth", self.queue_depth);
            return Err(ConfigError::new("submit_batch", self.submit_batch, allowed));
        }
        check_range("max_outstanding", self.max_outstanding, 0, MAX_QUEUE_ENTRIES)?;
        check_range("max_inside", self.max_inside, 0, MAX_QUEUE_ENTRIES)?;
        check_range("weight", self.weight, 1, 256)?;
        check_range("start_ns", self.start_ns, 0, i64::MAX as u64)?;
        if let Some(steady) = &self.steady_end {
            steady.validate().map_err(|error| error.under("steady_end"))?;
        }
        if let Some(target) = &self.latency_target {
            if !is_closed {
                let allowed = "left out with arrivals of their own: what is looked for is the queue depth of a closed loop";
                return Err(ConfigError::new("latency_target.ns", target.ns, allowed));
            }
            target.validate().map_err(|error| error.under("latency_target"))?;
        }
        self.in_step.map_or(Ok(()), |step| step.validate().map_err(|error| error.under("in_step")))
    }

    /// Whether it begins later than the workload.
    pub fn begins_later(&self) -> bool {
        self.start_ns > 0 || !self.after.is_empty()
    }

    /// The keys of the host that a front needs.
    pub fn arrivals(&self) -> HostConfig {
        HostConfig {
            arrivals: self.arrivals,
            time_scale: self.time_scale,
            queue_depth: self.queue_depth,
            think_time_ns: self.think_time_ns,
            max_outstanding: self.max_outstanding,
            stop_ns: self.stop_ns,
            ..HostConfig::default()
        }
    }
}
