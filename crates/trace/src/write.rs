//! Saves requests as Wordline CSV.

use std::fs::{File, remove_file, rename};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use wordline_engine::host::request::{HostOp, HostRequest, RequestSource, SourceError};

use crate::format::HEADER;

/// Takes `source` to its end and writes its requests to `path`: gzip or zstd when its name ends with `.gz` or
/// `.zst`, plain text otherwise. The last column, the flow, is written for all requests. The file appears when it
/// is whole. Returns the number of requests.
///
/// # Errors
/// Those of the source, and a file that can't be written.
pub fn write_csv(source: &mut dyn RequestSource, path: &Path) -> Result<u64, SourceError> {
    let partial = partial_name(path);
    let written = write_all(source, path, &partial);
    if written.is_err() {
        // What was begun is of no use; that it is still there would be the smaller fault.
        let _ = remove_file(&partial);
    }
    written
}

fn write_all(source: &mut dyn RequestSource, path: &Path, partial: &Path) -> Result<u64, SourceError> {
    let fail = |error: io::Error| SourceError(format!("{}: can't be written: {error}", path.display()));
    let mut sink = Sink::create(partial, path).map_err(fail)?;
    writeln!(sink, "{HEADER},flow").map_err(fail)?;
    let mut batch = Vec::new();
    let mut count = 0;
    loop {
        batch.clear();
        source.next_batch(&mut batch)?;
        if batch.is_empty() {
            break;
        }
        count += batch.len() as u64;
        batch.iter().try_for_each(|request| write_row(&mut sink, request)).map_err(fail)?;
    }
    sink.finish().and_then(|()| rename(partial, path)).map_err(fail)?;
    Ok(count)
}

fn write_row(sink: &mut impl Write, request: &HostRequest) -> io::Result<()> {
    let op = match request.op {
        HostOp::Read => "R",
        HostOp::Write => "W",
        HostOp::WriteFua => "WF",
        HostOp::Trim => "T",
        HostOp::Flush => "F",
    };
    writeln!(sink, "{},{op},{},{},{}", request.time.0, request.offset, request.length, request.flow)
}

fn partial_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    PathBuf::from(name)
}

enum Sink {
    Plain(BufWriter<File>),
    Gzip(BufWriter<GzEncoder<File>>),
    Zstd(BufWriter<zstd::Encoder<'static, File>>),
}

impl Sink {
    fn create(partial: &Path, named: &Path) -> io::Result<Self> {
        let file = File::create(partial)?;
        let extension = named.extension().unwrap_or_default().to_ascii_lowercase();
        Ok(match extension.to_str() {
            Some("gz") => Self::Gzip(BufWriter::new(GzEncoder::new(file, Compression::default()))),
            Some("zst" | "zstd") => Self::Zstd(BufWriter::new(zstd::Encoder::new(file, 0)?)),
            _ => Self::Plain(BufWriter::new(file)),
        })
    }

    fn finish(self) -> io::Result<()> {
        let file = match self {
            Self::Plain(writer) => writer.into_inner().map_err(io::IntoInnerError::into_error)?,
            Self::Gzip(writer) => writer.into_inner().map_err(io::IntoInnerError::into_error)?.finish()?,
            Self::Zstd(writer) => writer.into_inner().map_err(io::IntoInnerError::into_error)?.finish()?,
        };
        file.sync_all()
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(writer) => writer.write(bytes),
            Self::Gzip(writer) => writer.write(bytes),
            Self::Zstd(writer) => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(writer) => writer.flush(),
            Self::Gzip(writer) => writer.flush(),
            Self::Zstd(writer) => writer.flush(),
        }
    }
}
