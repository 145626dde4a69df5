//! Saves requests in forms that other programs read.

#[cfg(feature = "parquet")]
mod columns;
mod csv;
mod fio_iolog;
mod logged;
mod mqsim;
mod output;
#[cfg_attr(not(feature = "parquet"), path = "without_parquet.rs")]
mod parquet;
#[cfg(feature = "parquet")]
mod request_log;
mod sink;

use std::fs::File;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use wordline_base::request::{HostRequest, RequestSource, SourceError};

pub use logged::LoggedRequest;
pub use output::OutputFile;
#[cfg(not(feature = "parquet"))]
pub use parquet::RequestLog;
#[cfg(feature = "parquet")]
pub use request_log::RequestLog;
use sink::{Packing, Sink};

/// Form of a file to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteFormat {
    /// Wordline CSV: keeps everything, streams as flows.
    Wordline,
    /// Parquet with the columns of Wordline CSV.
    Parquet,
    /// MQSim ASCII: reads and writes in whole sectors of 512 bytes.
    Mqsim,
    /// fio iolog, version 3: times in whole microseconds.
    FioIolog,
}

/// What was written, and what the form can't hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Requests in the file.
    pub requests: u64,
    /// Trims and flushes that were left out.
    pub left_out: u64,
    /// Requests whose partial sectors were widened outwards.
    pub widened: u64,
    /// Writes with FUA that became plain writes.
    pub plain_writes: u64,
    /// Requests whose time lost its part of a microsecond.
    pub cut_times: u64,
    /// Requests whose stream isn't their flow, which is both in what is read.
    pub other_stream: u64,
}

/// One form's way of writing. Rows go out in the order of the source.
trait RowWriter {
    fn write(&mut self, request: &HostRequest, written: &mut Written) -> io::Result<()>;
    fn finish(self: Box<Self>) -> io::Result<File>;
}

impl WriteFormat {
    /// The form that a file's name ends with, before the ending of a compression: `.parquet`, `.mqsim` or `.trace`,
    /// `.iolog`; Wordline CSV for any other.
    pub fn of_name(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let stem = ["gz", "zst", "zstd", "xz", "bz2"]
            .into_iter()
            .find_map(|ending| name.strip_suffix(ending)?.strip_suffix('.'))
            .unwrap_or(&name);
        match stem.rsplit_once('.').map(|(_, ending)| ending) {
            Some("parquet" | "pq") => Self::Parquet,
            Some("mqsim" | "trace") => Self::Mqsim,
            Some("iolog") => Self::FioIolog,
            _ => Self::Wordline,
        }
    }
}

impl Written {
    /// What was lost, one sentence each.
    pub fn notes(&self) -> Vec<String> {
        let losses = [
            (self.left_out, "trims and flushes left out: the form has none"),
            (self.widened, "requests widened outwards to whole sectors of 512 bytes"),
            (self.plain_writes, "writes with FUA became plain writes: the form has none"),
            (self.cut_times, "times cut to whole microseconds: the form has no shorter ones"),
            (self.other_stream, "requests lost their stream: in a trace it is the flow"),
        ];
        losses.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect()
    }
}

/// Takes `source` to its end and writes its requests to `path`: compressed when its name ends with `.gz`, `.zst`, `.xz`
/// or `.bz2` (Parquet compresses itself). The file appears when it is whole.
///
/// # Errors
/// Those of the source, and a file that can't be written.
pub fn write_trace(
    source: &mut dyn RequestSource,
    path: &Path,
    format: WriteFormat,
) -> Result<Written, SourceError> {
    let fail = |error: io::Error| SourceError(format!("{}: can't be written: {error}", path.display()));
    let packing = Packing::of_name(path);
    if format == WriteFormat::Parquet && packing != Packing::Plain {
        let message = "Parquet compresses itself: leave the second ending out";
        return Err(SourceError(format!("{}: {message}", path.display())));
    }
    let (output, file) = OutputFile::create(path).map_err(fail)?;
    let mut writer = begin(file, packing, format).map_err(fail)?;
    let mut written = Written::default();
    let mut batch = Vec::new();
    loop {
        batch.clear();
        source.next_batch(&mut batch)?;
        if batch.is_empty() {
            break;
        }
        written.other_stream += batch.iter().filter(|request| request.stream != request.flow).count() as u64;
        batch.iter().try_for_each(|request| writer.write(request, &mut written)).map_err(fail)?;
    }
    let file = writer.finish().map_err(fail)?;
    output.keep(&file).map_err(fail)?;
    Ok(written)
}

/// [`write_trace`] as Wordline CSV; returns the number of requests.
///
/// # Errors
/// As of [`write_trace`].
pub fn write_csv(source: &mut dyn RequestSource, path: &Path) -> Result<u64, SourceError> {
    write_trace(source, path, WriteFormat::Wordline).map(|written| written.requests)
}

fn begin(file: File, packing: Packing, format: WriteFormat) -> io::Result<Box<dyn RowWriter>> {
    if format == WriteFormat::Parquet {
        return Ok(Box::new(parquet::ParquetFile::new(file)?));
    }
    let sink = Sink::new(file, packing)?;
    Ok(match format {
        WriteFormat::Mqsim => Box::new(mqsim::MqsimFile::new(sink)),
        WriteFormat::FioIolog => Box::new(fio_iolog::FioIologFile::new(sink)?),
        _ => Box::new(csv::CsvFile::new(sink)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_form() {
        let of = |name: &str| WriteFormat::of_name(Path::new(name));
        assert_eq!(of("a/b.csv"), WriteFormat::Wordline);
        assert_eq!(of("b.csv.gz"), WriteFormat::Wordline);
        assert_eq!(of("gz"), WriteFormat::Wordline);
        assert_eq!(of("b.Parquet"), WriteFormat::Parquet);
        assert_eq!(of("b.trace.xz"), WriteFormat::Mqsim);
        assert_eq!(of("b.iolog.bz2"), WriteFormat::FioIolog);
    }
}
