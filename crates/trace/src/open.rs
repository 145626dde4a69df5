//! From a description to requests.

use std::path::PathBuf;

use crate::apps::{FilebenchSource, YcsbSource};
use crate::config::{SourceConfig, TraceConfig};
use crate::fio::FioSource;
use crate::notes::Notes;
use crate::opened::{OpenContext, OpenError, Opened};
use crate::reader::TraceReader;
use crate::synthetic::Generator;
use crate::transform::open_transformed;
use crate::twin::open_twin;

/// Opens a source from its start. Opening it again gives the same requests; little is read or computed before the
/// first batch, but that the model of an application lays out its files.
///
/// # Errors
/// A description that is wrong or doesn't suit the drive, a file that is missing, empty or of an unknown form.
pub fn open(config: &SourceConfig, context: &OpenContext) -> Result<Opened, OpenError> {
    config.validate().map_err(|error| error.under("source"))?;
    match config {
        SourceConfig::Synthetic(synthetic) => {
            let generator = Generator::new(synthetic, context.drive_bytes, context.seed)
                .map_err(|error| error.under("source"))?;
            Ok(Opened { source: Box::new(generator), notes: Notes::default() })
        }
        SourceConfig::Trace(trace) if !trace.transform.is_empty() => Ok(open_transformed(
            trace,
            resolved(trace, context),
            context.base_dir.to_owned(),
            context.drive_bytes,
        )?),
        SourceConfig::Trace(trace) => {
            let reader = TraceReader::open(trace, resolved(trace, context), context.drive_bytes)?;
            let notes = reader.notes();
            Ok(Opened { source: Box::new(reader), notes })
        }
        SourceConfig::Fio(job) => {
            let source = FioSource::new(&job.fio, job.requests, context.drive_bytes, context.seed)
                .map_err(|error| error.under("source.fio"))?;
            let notes = Notes::of_line(source.note());
            Ok(Opened { source: Box::new(source), notes })
        }
        SourceConfig::Ycsb(run) => {
            let source = YcsbSource::new(&run.ycsb, run.requests, context.drive_bytes, context.seed)
                .map_err(|error| error.under("source.ycsb"))?;
            let notes = source.notes();
            Ok(Opened { source: Box::new(source), notes })
        }
        SourceConfig::Filebench(run) => {
            let source =
                FilebenchSource::new(&run.filebench, run.requests, context.drive_bytes, context.seed)
                    .map_err(|error| error.under("source.filebench"))?;
            Ok(Opened { source: Box::new(source), notes: Notes::default() })
        }
        SourceConfig::Twin(twin) => open_twin(twin, context),
    }
}

fn resolved(trace: &TraceConfig, context: &OpenContext) -> PathBuf {
    // Joining an absolute path gives that path.
    context.base_dir.join(&trace.path)
}
