//! Puts the steps of a description together.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use wordline_base::request::SourceError;

use super::Boxed;
use super::addresses::Addresses;
use super::join::{Join, Together};
use super::left::Left;
use super::merge::Merge;
use super::repeat::{Again, Repeat};
use super::slice::Slice;
use super::split::Split;
use super::subtract::Subtract;
use super::time::Scale;
use crate::config::{OutOfRange, TraceConfig, TraceFormat, TransformConfig};
use crate::notes::Notes;
use crate::opened::Opened;
use crate::piece::Piece;
use crate::reader::TraceReader;
use crate::seen::Shift;

/// A trace and the steps behind it.
struct Plan {
    trace: TraceConfig,
    path: PathBuf,
    /// Folder of the description, for the paths of merged traces.
    base_dir: PathBuf,
}

/// A source with the remarks of everything in it.
struct Built {
    source: Boxed,
    notes: Vec<Notes>,
    /// Devices have address spaces of their own.
    separate_devices: bool,
}

/// Opens the trace at `path` with all its steps, and fits it onto the drive.
pub(crate) fn open_transformed(
    trace: &TraceConfig,
    path: PathBuf,
    base_dir: PathBuf,
    drive_bytes: u64,
) -> Result<Opened, SourceError> {
    let steps = trace.transform.len();
    let plan = Arc::new(Plan { trace: trace.clone(), path, base_dir });
    let built = build(&plan, steps)?;
    let mut notes = built.notes;
    let own = Notes::default();
    let fitted =
        Addresses::new(built.source, trace.out_of_range, drive_bytes, built.separate_devices, own.clone());
    notes.push(own);
    Ok(Opened { source: Box::new(fitted), notes: Notes::joined(notes) })
}

/// The trace after its first `steps` steps.
fn build(plan: &Arc<Plan>, steps: usize) -> Result<Built, SourceError> {
    let Some((step, before)) =
        steps.checked_sub(1).and_then(|last| Some((plan.trace.transform.get(last)?, last)))
    else {
        return plan.reader(plan.path.clone(), &plan.trace);
    };
    let Built { source, mut notes, mut separate_devices } = build(plan, before)?;
    let again = || -> Again {
        let plan = Arc::clone(plan);
        Box::new(move || build(&plan, before).map(|built| built.source))
    };
    let addresses = |source, policy, bytes, notes: &mut Vec<Notes>| -> Boxed {
        let own = Notes::default();
        notes.push(own.clone());
        Box::new(Addresses::new(source, policy, bytes, separate_devices, own))
    };
    if step.changes_pace() {
        notes.iter_mut().for_each(Notes::lose_pace);
    }
    let source: Boxed = match step {
        TransformConfig::SliceTime { .. }
        | TransformConfig::SliceCount { .. }
        | TransformConfig::Filter { .. } => plan.slice(source, step, before, &mut notes),
        TransformConfig::ScaleTime { factor } => Box::new(Scale::by(source, *factor)),
        TransformConfig::TargetIops { iops } => Box::new(Scale::to_iops(source, *iops, again())),
        TransformConfig::Compact => {
            let compacted = addresses(source, OutOfRange::Compact, u64::MAX, &mut notes);
            separate_devices = false;
            compacted
        }
        TransformConfig::Wrap { bytes } => addresses(source, OutOfRange::Wrap, *bytes, &mut notes),
        TransformConfig::Subtract { bytes } => Box::new(Subtract { source, bytes: *bytes, taken: 0 }),
        TransformConfig::Split { bytes } => Box::new(Split::new(source, *bytes)),
        TransformConfig::Join { bytes, within_ns } => {
            Box::new(Join::new(source, Together { bytes: *bytes, within_ns: *within_ns }))
        }
        TransformConfig::Repeat { times } => Box::new(Repeat::new(source, *times, again())),
        TransformConfig::Merge { paths, format } => {
            let mut sources = vec![source];
            for path in paths {
                let other = plan.reader(plan.base_dir.join(path), &plan.merged(path, *format))?;
                sources.push(other.source);
                notes.extend(other.notes);
            }
            separate_devices = true;
            Box::new(Merge::new(sources))
        }
    };
    let source = Box::new(Left { source, step: before, any: false });
    Ok(Built { source, notes, separate_devices })
}

impl Plan {
    /// What a step keeps of a source, the requests after the first `before` steps.
    fn slice(&self, source: Boxed, step: &TransformConfig, before: usize, notes: &mut [Notes]) -> Boxed {
        let Some(piece) = Piece::of(step) else { return source };
        let shift = Shift::new(AtomicU64::new(piece.shift_ns()));
        notes.iter_mut().for_each(|notes| notes.shifted_by(&shift));
        let is_of_file = self.trace.transform.iter().take(before).all(|step| Piece::of(step).is_some());
        if is_of_file {
            notes.iter().for_each(|notes| notes.seen().keep(piece.clone()));
        }
        Box::new(Slice::new(source, piece, shift))
    }

    /// How a trace is read that is merged with this one: in the same form as this one, unless it has another.
    fn merged(&self, path: &Path, format: TraceFormat) -> TraceConfig {
        let other = TraceConfig { format, ..TraceConfig::of_file(path) };
        let is_another = format != TraceFormat::Auto && format != self.trace.format;
        if is_another {
            return TraceConfig { skip_bad_lines: self.trace.skip_bad_lines, ..other };
        }
        TraceConfig {
            path: other.path,
            max_requests: None,
            device: None,
            repeat: other.repeat,
            before: None,
            transform: Vec::new(),
            ..self.trace.clone()
        }
    }

    /// Whether devices get room of their own behind the reader, or one alone is kept.
    fn tells_devices_apart(&self) -> bool {
        let apart = |step: &TransformConfig| match step {
            TransformConfig::Compact => true,
            TransformConfig::Filter { devices, .. } => devices.len() == 1,
            _ => false,
        };
        self.trace.out_of_range == OutOfRange::Compact || self.trace.transform.iter().any(apart)
    }

    /// The trace as it is in its file; where addresses may lie is decided behind the steps.
    fn reader(&self, path: PathBuf, trace: &TraceConfig) -> Result<Built, SourceError> {
        let raw = TraceConfig { out_of_range: OutOfRange::Error, transform: Vec::new(), ..trace.clone() };
        let mut reader = TraceReader::open(&raw, path, u64::MAX)?;
        if self.tells_devices_apart() {
            reader.told_apart();
        }
        let notes = vec![reader.notes()];
        let separate_devices = reader.has_separate_devices();
        Ok(Built { source: Box::new(reader), notes, separate_devices })
    }
}
