//! The flows of a workload: each source sees its part of the drive.

use rand::Rng;
use wordline_base::request::{HostOp, HostRequest, RequestSource, SourceError};
use wordline_config::host::FlowRules;

use crate::alike::alike;
use crate::config::{FlowConfig, WorkloadConfig, rules_of};
use crate::open::open;
use crate::opened::{OpenContext, OpenError, Opened};
use crate::rng::stream;
use crate::settle::before;

/// A flow, ready to give requests.
pub struct OpenedFlow {
    /// What the host does with it.
    pub rules: FlowRules,
    /// Its requests, at their places on the drive.
    pub opened: Opened,
    /// Requests like them without end, where its source can give some.
    pub alike: Option<Box<dyn RequestSource + Send>>,
}

/// Opens the flows of a workload; none if it has a single source. Each flow has random streams of its own, named after
/// it: another flow beside it changes nothing in it.
///
/// # Errors
/// A description that is wrong or doesn't suit the drive, a file that can't be used. Paths begin with `flow[…]`.
pub fn open_flows(workload: &WorkloadConfig, context: &OpenContext) -> Result<Vec<OpenedFlow>, OpenError> {
    let opened = |number, (flow, rules): (&FlowConfig, FlowRules)| {
        let opened = in_range(flow, &rules, number, context, |part| open(&flow.source, part).map(Some))?;
        let alike = in_range(flow, &rules, number, context, |part| alike(&flow.source, part))?;
        let alike = alike.map(|opened| opened.source);
        Ok(opened.map(|opened| OpenedFlow { rules, opened, alike }))
    };
    let flows = workload.flow.iter().zip(rules_of(&workload.flow, &workload.host)).enumerate();
    flows.filter_map(|(number, flow)| opened(number, flow).transpose()).collect()
}

/// Requests like those of each flow that go before its first, in the order of the flows ([`before`]); `None` if a flow is no
/// generator: nobody knows what came before a trace.
///
/// # Errors
/// Those of [`open_flows`].
pub fn flows_before(
    workload: &WorkloadConfig,
    context: &OpenContext,
) -> Result<Option<Vec<Box<dyn RequestSource + Send>>>, OpenError> {
    let opened = |number, flow: &FlowConfig| {
        let rules = flow.rules(number, &workload.host);
        let opened = in_range(flow, &rules, number, context, |part| {
            let source = before(&flow.source, part)?;
            Ok(source.map(|source| Opened { source, notes: Default::default() }))
        })?;
        Ok(opened.map(|opened| opened.source))
    };
    workload.flow.iter().enumerate().map(|(number, flow)| opened(number, flow)).collect()
}

/// The seed of a flow of this name.
pub(crate) fn seed_of(context: &OpenContext, name: &str) -> u64 {
    stream(context.seed, &format!("flow.{name}")).next_u64()
}

/// What `open` gives for the part of the drive that a flow uses, at its places on the drive.
fn in_range(
    flow: &FlowConfig,
    rules: &FlowRules,
    number: usize,
    context: &OpenContext,
    open: impl FnOnce(&OpenContext) -> Result<Option<Opened>, OpenError>,
) -> Result<Option<Opened>, OpenError> {
    let under = |error: OpenError| match error {
        OpenError::Config(error) => OpenError::Config(error.under(&format!("flow[{number}]"))),
        OpenError::Source(SourceError(what)) => {
            OpenError::Source(SourceError(format!("flow {}: {what}", rules.name)))
        }
    };
    let (start, bytes) = flow.range_on(context.drive_bytes).map_err(|error| under(error.into()))?;
    let seed = seed_of(context, &rules.name);
    let part = OpenContext { drive_bytes: bytes, seed, base_dir: context.base_dir };
    let opened = open(&part).map_err(under)?;
    Ok(opened.map(|Opened { source, notes }| {
        let source = Box::new(InRange { source, start, bytes, name: rules.name.clone() });
        Opened { source, notes }
    }))
}

/// Everything that a workload asks for, flow by flow: for a look at its addresses.
///
/// # Errors
/// Those of [`open`] and [`open_flows`].
pub fn open_all(workload: &WorkloadConfig, context: &OpenContext) -> Result<Opened, OpenError> {
    if let Some(source) = &workload.source {
        return open(source, context);
    }
    let flows = open_flows(workload, context)?;
    let sources = flows.into_iter().map(|flow| flow.opened.source).collect();
    Ok(Opened { source: Box::new(OneAfterTheOther(sources)), notes: Default::default() })
}

/// Requests of a part of the drive, moved to where it begins.
struct InRange {
    source: Box<dyn RequestSource + Send>,
    start: u64,
    bytes: u64,
    name: String,
}

impl InRange {
    fn shift(&self, request: &mut HostRequest) -> Result<(), SourceError> {
        if request.op == HostOp::Flush {
            return Ok(());
        }
        let end = u128::from(request.offset) + u128::from(request.length);
        if end > u128::from(self.bytes) {
            let (name, offset, bytes) = (&self.name, request.offset, self.bytes);
            return Err(SourceError(format!(
                "flow {name}: a request covers bytes {offset} to {end}, beyond the flow's {bytes}"
            )));
        }
        request.offset += self.start;
        Ok(())
    }
}

impl RequestSource for InRange {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        let before = batch.len();
        let named = |SourceError(what): SourceError| SourceError(format!("flow {}: {what}", self.name));
        self.source.next_batch(batch).map_err(named)?;
        batch.iter_mut().skip(before).try_for_each(|request| self.shift(request))
    }

    fn size_hint(&self) -> Option<u64> {
        self.source.size_hint()
    }
}

/// Sources one after the other.
struct OneAfterTheOther(Vec<Box<dyn RequestSource + Send>>);

impl RequestSource for OneAfterTheOther {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        let before = batch.len();
        while let Some(source) = self.0.last_mut() {
            source.next_batch(batch)?;
            if batch.len() > before {
                break;
            }
            self.0.pop();
        }
        Ok(())
    }
}
