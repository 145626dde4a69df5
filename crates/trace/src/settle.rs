//! What came before a workload's first request: the same kind of requests, for bringing a drive to the state in which the
//! workload will keep it.

use wordline_base::request::{HostRequest, RequestSource, SourceError};
use wordline_base::time::Ns;

use crate::config::SourceConfig;
use crate::fio::FioSource;
use crate::open::open;
use crate::opened::{OpenContext, OpenError, Opened};
use crate::synthetic::Generator;

/// Requests of a generator that go before its first: without end, none of them among its own, their hot places its hot
/// places; of a trace those of the file that was recorded before it. `None` where nobody knows what came before.
///
/// # Errors
/// Those of [`crate::open`].
pub fn before(
    source: &SourceConfig,
    context: &OpenContext,
) -> Result<Option<Box<dyn RequestSource + Send>>, OpenError> {
    match source {
        SourceConfig::Synthetic(config) => {
            let generator = Generator::before(config, context.drive_bytes, context.seed)
                .map_err(|error| error.under("source"))?;
            Ok(Some(Box::new(generator)))
        }
        SourceConfig::Fio(job) => {
            let source = FioSource::before(&job.fio, context.drive_bytes, context.seed);
            Ok(Some(Box::new(source.map_err(|error| error.under("source.fio"))?)))
        }
        SourceConfig::Trace(trace) => match trace.recorded_before() {
            Some(before) => Ok(Some(open(&SourceConfig::Trace(before), context)?.source)),
            None => Ok(None),
        },
        _ => Ok(None),
    }
}

/// How many requests were recorded before a trace; `None` where no file of them is named. Reads that file to its end.
///
/// # Errors
/// Those of [`crate::open`] and of the file.
pub fn recorded_before(source: &SourceConfig, context: &OpenContext) -> Result<Option<u64>, OpenError> {
    let SourceConfig::Trace(_) = source else { return Ok(None) };
    let Some(mut before) = before(source, context)? else { return Ok(None) };
    let (mut count, mut batch) = (0, Vec::new());
    loop {
        batch.clear();
        before.next_batch(&mut batch)?;
        if batch.is_empty() {
            return Ok(Some(count));
        }
        count += batch.len() as u64;
    }
}

/// So many requests of what came before, then a source, whose times begin when the former end.
pub struct Preceded {
    before: Box<dyn RequestSource + Send>,
    left: u64,
    count: u64,
    source: Box<dyn RequestSource + Send>,
    last: Ns,
}

impl Preceded {
    /// The same source, with `count` requests of `before` in front.
    pub fn open(before: Box<dyn RequestSource + Send>, count: u64, opened: Opened) -> Opened {
        let Opened { source, notes } = opened;
        let preceded = Self { before, left: count, count, source, last: Ns::ZERO };
        Opened { source: Box::new(preceded), notes }
    }
}

impl RequestSource for Preceded {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        let start = batch.len();
        if self.left > 0 {
            self.before.next_batch(batch)?;
            let wanted = usize::try_from(self.left).unwrap_or(usize::MAX);
            batch.truncate(start.saturating_add(wanted));
            let given = batch.len() - start;
            self.left = if given == 0 { 0 } else { self.left - given as u64 };
            self.last = batch.last().map_or(self.last, |request| request.time);
            if given > 0 {
                return Ok(());
            }
        }
        self.source.next_batch(batch)?;
        for request in batch.iter_mut().skip(start) {
            request.time = Ns(request.time.0.saturating_add(self.last.0));
        }
        Ok(())
    }

    fn size_hint(&self) -> Option<u64> {
        self.source.size_hint().map(|own| own.saturating_add(self.count))
    }
}
