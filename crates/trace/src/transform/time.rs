//! Stretches time, by a factor or to a mean rate.

use wordline_base::request::{HostRequest, LATEST_ARRIVAL_NS, RequestSource, SourceError};
use wordline_base::time::Ns;

use super::Boxed;
use super::repeat::Again;

/// Multiplies arrival times.
pub(super) struct Scale {
    source: Boxed,
    factor: Factor,
}

enum Factor {
    Known(f64),
    /// The one that gives so many requests a second: found with a pass over the source.
    ForIops(f64, Again),
}

impl Scale {
    pub(super) fn by(source: Boxed, factor: f64) -> Self {
        Self { source, factor: Factor::Known(factor) }
    }

    pub(super) fn to_iops(source: Boxed, iops: f64, again: Again) -> Self {
        Self { source, factor: Factor::ForIops(iops, again) }
    }

    fn factor(&mut self) -> Result<f64, SourceError> {
        match &self.factor {
            Factor::Known(factor) => Ok(*factor),
            Factor::ForIops(iops, again) => {
                let factor = factor_for(*iops, again()?)?;
                self.factor = Factor::Known(factor);
                Ok(factor)
            }
        }
    }
}

/// What makes the mean rate of `source`, (requests - 1) / span, `iops`.
fn factor_for(iops: f64, mut source: Boxed) -> Result<f64, SourceError> {
    let (mut first, mut last, mut count) = (None, 0, 0_u64);
    let mut batch = Vec::new();
    loop {
        batch.clear();
        source.next_batch(&mut batch)?;
        let Some(end) = batch.last() else { break };
        first = first.or_else(|| batch.first().map(|request| request.time.0));
        last = end.time.0;
        count += batch.len() as u64;
    }
    let span = last - first.unwrap_or(last);
    if span == 0 {
        return Err(SourceError(format!(
            "target_iops: {count} requests that all arrive at once have no rate to scale"
        )));
    }
    Ok((count - 1) as f64 / iops * 1e9 / span as f64)
}

impl RequestSource for Scale {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        let factor = self.factor()?;
        let before = batch.len();
        self.source.next_batch(batch)?;
        for request in batch.iter_mut().skip(before) {
            let scaled = libm::round(request.time.0 as f64 * factor);
            if scaled > LATEST_ARRIVAL_NS as f64 {
                return Err(SourceError(format!(
                    "an arrival at {} ns times {factor} lies beyond 292 years",
                    request.time.0
                )));
            }
            request.time = Ns(scaled as u64);
        }
        Ok(())
    }

    fn size_hint(&self) -> Option<u64> {
        self.source.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::super::support::{drain, reads, times};
    use super::*;

    #[test]
    fn times_are_multiplied() {
        assert_eq!(times(Box::new(Scale::by(reads(&[0, 10, 25, 40]), 0.5))), [0, 5, 13, 20]);
        assert!(drain(Box::new(Scale::by(reads(&[0, 1 << 62]), 10.0))).is_err());
    }

    #[test]
    fn the_mean_rate_becomes_the_one_that_is_wanted() {
        let given = [0_u64, 100, 350, 400, 1000];
        let factor = factor_for(2e6, reads(&given)).unwrap();
        // 4 gaps of 500 ns each on average.
        assert!((factor - 2.0).abs() < 1e-12, "{factor}");
        assert!(factor_for(2e6, reads(&[7, 7])).unwrap_err().0.contains("2 requests"));
        assert!(factor_for(2e6, reads(&[])).is_err());
    }
}
