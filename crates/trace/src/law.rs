//! The law of a workload's requests, where it is known: what they leave in a cache follows from it.

use wordline_base::draws::Draws;

use crate::config::{SourceConfig, WorkloadConfig};
use crate::flows::seed_of;
use crate::opened::{OpenContext, OpenError};
use crate::synthetic::law;

/// The law of the requests that go before a workload's first ([`crate::before`]); `None` where nobody knows it: of what isn't
/// generated, and of generators whose requests depend on one another. Flows count by their numbers of requests.
///
/// # Errors
/// Those of [`crate::open`] and [`crate::open_flows`].
pub fn law_before(workload: &WorkloadConfig, context: &OpenContext) -> Result<Option<Vec<Draws>>, OpenError> {
    if let Some(source) = &workload.source {
        return of_source(source, context);
    }
    let mut all = Vec::new();
    for (number, flow) in workload.flow.iter().enumerate() {
        let under = |error: OpenError| match error {
            OpenError::Config(error) => OpenError::Config(error.under(&format!("flow[{number}]"))),
            other => other,
        };
        let (start, drive_bytes) = flow.range_on(context.drive_bytes).map_err(|error| under(error.into()))?;
        let seed = seed_of(context, &flow.rules(number, &workload.host).name);
        let part = OpenContext { drive_bytes, seed, base_dir: context.base_dir };
        let (Some(draws), SourceConfig::Synthetic(config)) =
            (of_source(&flow.source, &part).map_err(under)?, &flow.source)
        else {
            return Ok(None);
        };
        all.extend(draws.into_iter().map(|draws| Draws {
            start: draws.start + start,
            share: draws.share * config.requests as f64,
            ..draws
        }));
    }
    let sum: f64 = all.iter().map(|draws| draws.share).sum();
    all.iter_mut().for_each(|draws| draws.share /= sum.max(f64::MIN_POSITIVE));
    Ok(Some(all))
}

fn of_source(source: &SourceConfig, context: &OpenContext) -> Result<Option<Vec<Draws>>, OpenError> {
    let SourceConfig::Synthetic(config) = source else { return Ok(None) };
    let draws = law(config, context.drive_bytes, context.seed).map_err(|error| error.under("source"))?;
    Ok(Some(draws))
}
