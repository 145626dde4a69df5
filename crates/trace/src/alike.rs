//! Requests like those of a flow: what comes before its first while a drive settles, and behind its last while others have requests
//! of their own left.

use rand::Rng;

use crate::config::{FioSourceConfig, SourceConfig};
use crate::open::open;
use crate::opened::{OpenContext, OpenError, Opened};
use crate::rng::stream;
use crate::synthetic::Generator;

/// Requests like those of a source, without end and none of them among its own: other draws, to the same hot places. `None` where
/// there are none: a trace has nothing behind its end.
///
/// # Errors
/// Those of [`open`].
pub(crate) fn alike(source: &SourceConfig, context: &OpenContext) -> Result<Option<Opened>, OpenError> {
    match source {
        SourceConfig::Synthetic(config) => {
            let generator = Generator::before(config, context.drive_bytes, context.seed)
                .map_err(|error| error.under("source"))?;
            Ok(Some(Opened { source: Box::new(generator), notes: Default::default() }))
        }
        SourceConfig::Fio(job) => {
            let job = FioSourceConfig { requests: None, fio: job.fio.clone().without_end() };
            let seed = stream(context.seed, "fio.alike").next_u64();
            open(&SourceConfig::Fio(Box::new(job)), &OpenContext { seed, ..*context }).map(Some)
        }
        _ => Ok(None),
    }
}
