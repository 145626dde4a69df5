//! A run: a drive is prepared, a workload replayed, the window measured, the drive audited.

pub mod ahead;
#[cfg(test)]
pub(crate) mod described;
mod error;
mod observer;
pub mod order;
mod replay;
mod saved;
mod settle;
mod setup;
mod split;
pub mod volume;
mod windows;
mod written;

use crate::Kept;
use crate::host::schedulers::HostPolicy;
use crate::host::submitter::Submitter;
use crate::host::{Flow, FlowSet, Flows, HostSide, RequestSource};
use crate::stats::report::Report;
use crate::stats::tenants::FlowName;
use wordline_base::ids::Lpa;
use wordline_config::ConfigError;
use wordline_config::host::FlowRules;

pub use error::{NO_COLLECTION_WINS, RunError};
pub use observer::{Observer, Overwritten, Unobserved};
use replay::Replay;
pub use setup::{Before, LookedUp, Setup, logical_bytes, nvm_sets};
pub use split::{Ending, Split, Stop};
use volume::Volume;
pub use written::{Overwrites, WritePattern};

/// What a run leaves.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The measurements.
    pub report: Report,
    /// Flash pages read and programmed and blocks erased in the whole run: from the first request, warm-up included, to the end
    /// of the window.
    pub flash_operations: u64,
    /// Of these, those before a run that goes on was saved.
    pub operations_before: u64,
    /// Events of the same time.
    pub events: u64,
    /// Requests of the whole run.
    pub requests: u64,
    /// Of these, those by which flows settled.
    pub settling_requests: u64,
}

/// Prepares a drive and replays a workload on it.
pub fn simulate(
    setup: &Setup,
    source: &mut dyn RequestSource,
    footprint: &[Lpa],
    observer: &mut dyn Observer,
) -> Result<Outcome, RunError> {
    match &setup.scheme.array {
        Some(config) => {
            let mut array = setup.prepare_array(config, footprint, observer)?;
            replay(setup, &mut array, source, observer)
        }
        None => {
            let mut device = setup.prepare_observed(footprint, observer)?;
            replay(setup, &mut device, source, observer)
        }
    }
}

/// Replays a workload on a drive, or an array, that is prepared.
pub fn replay<V: Volume>(
    setup: &Setup,
    device: &mut V,
    source: &mut dyn RequestSource,
    observer: &mut dyn Observer,
) -> Result<Outcome, RunError> {
    replay_in_parts(setup, device, source, observer, Split::default())?.finished()
}

/// [`replay`] as a part of a run: it may go on from a snapshot, and stop to be saved. `device` is prepared, or, where the
/// run goes on, new ([`Setup::empty_drive`], with the policies of a user's own).
pub fn replay_in_parts<V: Volume>(
    setup: &Setup,
    device: &mut V,
    source: &mut dyn RequestSource,
    observer: &mut dyn Observer,
    split: Split<'_>,
) -> Result<Ending, RunError> {
    if setup.host.max_inside > 0 || setup.scheme.cache.max_writes > 0 {
        // Something may wait at the host behind its queue.
        let rules = vec![FlowRules::of_host("", &setup.host)];
        let flows = vec![Flow::new(rules[0].clone(), source)];
        let host = queues(setup, flows.into(), &rules, None)?.keeping_streams();
        device.set_flows(rules.iter().map(name_of).collect());
        return replay_host(setup, device, host, observer, &rules, split);
    }
    device.set_flows(Vec::new());
    replay_host(setup, device, Submitter::new(source, setup.host.clone()), observer, &[], split)
}

/// Replays several flows on a drive that is prepared. Of `setup.host` count its bounds, its arbitration and its
/// scheduler, in whose place `scheduler` goes if given.
pub fn replay_flows<'a, V: Volume>(
    setup: &Setup,
    device: &mut V,
    flows: impl Into<FlowSet<'a>>,
    scheduler: Option<HostPolicy>,
    observer: &mut dyn Observer,
) -> Result<Outcome, RunError> {
    replay_flows_in_parts(setup, device, flows, scheduler, observer, Split::default())?.finished()
}

/// The same as a part of a run: it may go on from a snapshot, and stop to be saved.
pub fn replay_flows_in_parts<'a, V: Volume>(
    setup: &Setup,
    device: &mut V,
    flows: impl Into<FlowSet<'a>>,
    scheduler: Option<HostPolicy>,
    observer: &mut dyn Observer,
    split: Split<'_>,
) -> Result<Ending, RunError> {
    let flows = flows.into();
    let rules: Vec<FlowRules> = flows.flows.iter().map(|flow| flow.rules.clone()).collect();
    let host = queues(setup, flows, &rules, scheduler)?;
    check_streams(&rules, device.streams()).map_err(|error| error.under("workload"))?;
    device.set_flows(rules.iter().map(name_of).collect());
    replay_host(setup, device, host, observer, &rules, split)
}

/// What figures say of a flow.
fn name_of(rules: &FlowRules) -> FlowName {
    FlowName { name: rules.name.clone(), stream: rules.stream, group: rules.group.clone() }
}

/// A host with a queue for each of these flows, in front of the drive of this setup.
fn queues<'a>(
    setup: &Setup,
    flows: FlowSet<'a>,
    rules: &[FlowRules],
    scheduler: Option<HostPolicy>,
) -> Result<Flows<'a>, ConfigError> {
    let scheduler = scheduler.unwrap_or_else(|| HostPolicy::new(&setup.host.scheduler, rules));
    let host = Flows::new(&setup.host, flows, scheduler).map_err(|error| error.under("workload"))?;
    Ok(host.before_drive(&setup.scheme.cache))
}

/// Refuses a flow whose stream the drive doesn't offer.
fn check_streams(rules: &[FlowRules], streams: Option<u16>) -> Result<(), ConfigError> {
    let Some(streams) = streams else { return Ok(()) };
    let Some((number, flow)) = rules.iter().enumerate().find(|(_, flow)| flow.stream >= streams) else {
        return Ok(());
    };
    let allowed = format!(
        "0 to {}, as the drive offers {streams} streams (scheme.blocks.host_write_points)",
        streams.saturating_sub(1)
    );
    let path = format!("flow[{number}].stream");
    Err(ConfigError::new(&path, format!("{} of flow {}", flow.stream, flow.name), allowed))
}

/// Replays what a host gives.
fn replay_host<H: HostSide, V: Volume>(
    setup: &Setup,
    device: &mut V,
    host: H,
    observer: &mut dyn Observer,
    rules: &[FlowRules],
    split: Split<'_>,
) -> Result<Ending, RunError> {
    let identity = split.identity(setup, rules)?;
    let mut replay = Replay::new(setup, host, device, observer, split.stop);
    replay.begin(setup, &identity, split.resume)?;
    if !replay.run()? {
        if let Some(out) = split.save {
            replay.save(&identity, out)?;
        }
        return Ok(replay.stopped());
    }
    let open = match rules {
        [] => setup.host.arrivals.has_times(),
        rules => rules.iter().any(|flow| flow.arrivals.has_times()),
    };
    let mut outcome = replay.outcome(open)?;
    // At the end of a drive's life requests are under way: there is no drive at rest to audit.
    if setup.kept == Kept::Checked && outcome.report.end_of_life.is_none() {
        replay.come_to_rest()?;
        // Nor if its life ends on the way there, behind what was measured.
        if !device.has_ended() {
            device.close_untimed_places();
            outcome.report.checked = Some(device.audit().map_err(RunError::Inconsistent)?);
        }
    }
    Ok(Ending::Finished(Box::new(outcome)))
}
