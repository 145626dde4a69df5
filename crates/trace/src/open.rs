//! From a description to requests.

use std::path::{Path, PathBuf};

use wordline_base::request::{RequestSource, SourceError};
use wordline_config::error::ConfigError;

use crate::apps::{FilebenchSource, YcsbSource};
use crate::config::{SourceConfig, TraceConfig};
use crate::fio::FioSource;
use crate::notes::Notes;
use crate::reader::TraceReader;
use crate::synthetic::Generator;
use crate::transform::open_transformed;
use crate::twin::open_twin;

/// What a source must know beside its description.
#[derive(Clone, Copy, Debug)]
pub struct OpenContext<'a> {
    /// Logical size of the drive, bytes; `u64::MAX` to read a trace without one.
    pub drive_bytes: u64,
    /// Seed of the run.
    pub seed: u64,
    /// Folder that relative paths are taken from: the description's own.
    pub base_dir: &'a Path,
}

/// A source, ready to give requests.
pub struct Opened {
    /// Gives the requests.
    pub source: Box<dyn RequestSource + Send>,
    /// Remarks on the source, kept up to date while it is read, even after `source` was handed on.
    pub notes: Notes,
}

/// Why a source can't be opened. One line for a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The description doesn't suit the drive. The path begins with `source`.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The file can't be used.
    #[error(transparent)]
    Source(#[from] SourceError),
}

/// Opens a source from its start. Opening it again gives the same requests; little is read or computed before the
/// first batch.
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
            Ok(Opened { source: Box::new(source), notes: Notes::default() })
        }
        SourceConfig::Ycsb(run) => {
            let source = YcsbSource::new(&run.ycsb, run.requests, context.drive_bytes, context.seed)
                .map_err(|error| error.under("source.ycsb"))?;
            Ok(Opened { source: Box::new(source), notes: Notes::default() })
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
