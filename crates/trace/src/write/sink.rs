//! A file, compressed or not.

use std::fs::File;
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::path::Path;

use bzip2::write::BzEncoder;
use flate2::write::GzEncoder;
use liblzma::write::XzEncoder;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    Plain,
    Gzip,
    Zstd,
    Xz,
    Bzip2,
}

impl Packing {
    /// What the name's ending says.
    pub(super) fn of_name(path: &Path) -> Self {
        match path.extension().unwrap_or_default().to_ascii_lowercase().to_str() {
            Some("gz") => Self::Gzip,
            Some("zst" | "zstd") => Self::Zstd,
            Some("xz") => Self::Xz,
            Some("bz2") => Self::Bzip2,
            _ => Self::Plain,
        }
    }
}

/// Takes the bytes of a file.
pub(super) enum Sink {
    Plain(BufWriter<File>),
    Gzip(BufWriter<GzEncoder<File>>),
    Zstd(BufWriter<zstd::Encoder<'static, File>>),
    Xz(BufWriter<XzEncoder<File>>),
    Bzip2(BufWriter<BzEncoder<File>>),
}

impl Sink {
    pub(super) fn new(file: File, packing: Packing) -> io::Result<Self> {
        Ok(match packing {
            Packing::Plain => Self::Plain(BufWriter::new(file)),
            Packing::Gzip => Self::Gzip(BufWriter::new(GzEncoder::new(file, flate2::Compression::default()))),
            Packing::Zstd => Self::Zstd(BufWriter::new(zstd::Encoder::new(file, 0)?)),
            Packing::Xz => Self::Xz(BufWriter::new(XzEncoder::new(file, 6))),
            Packing::Bzip2 => Self::Bzip2(BufWriter::new(BzEncoder::new(file, bzip2::Compression::best()))),
        })
    }

    /// Writes what is left, and gives the file back.
    pub(super) fn finish(self) -> io::Result<File> {
        match self {
            Self::Plain(writer) => inner(writer),
            Self::Gzip(writer) => inner(writer)?.finish(),
            Self::Zstd(writer) => inner(writer)?.finish(),
            Self::Xz(writer) => inner(writer)?.finish(),
            Self::Bzip2(writer) => inner(writer)?.finish(),
        }
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::Plain(writer) => writer,
            Self::Gzip(writer) => writer,
            Self::Zstd(writer) => writer,
            Self::Xz(writer) => writer,
            Self::Bzip2(writer) => writer,
        }
    }
}

fn inner<W: Write>(writer: BufWriter<W>) -> io::Result<W> {
    writer.into_inner().map_err(IntoInnerError::into_error)
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }
}
