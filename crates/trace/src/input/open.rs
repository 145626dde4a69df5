//! Opens a file and undoes its compression, which is told by the first bytes.

use std::fs::File;
use std::io::{self, Cursor, ErrorKind, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use wordline_engine::host::request::SourceError;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Plain,
    Gzip,
    Zstd,
}

/// A file's bytes, decompressed.
pub(crate) struct FileInput {
    reader: Box<dyn Read + Send>,
    packing: Packing,
}

/// Opens `path`. Errors name it.
pub(crate) fn open_input(path: &Path) -> Result<FileInput, SourceError> {
    let fail = |error: &io::Error| SourceError(format!("{}: {}", path.display(), opening_fault(error)));
    let mut file = File::open(path).map_err(|error| fail(&error))?;
    if file.metadata().map_err(|error| fail(&error))?.is_dir() {
        return Err(SourceError(format!("{}: a directory; a trace is one file", path.display())));
    }
    let mut head = Vec::new();
    (&mut file).take(4).read_to_end(&mut head).map_err(|error| fail(&error))?;
    if head.is_empty() {
        return Err(SourceError(format!("{}: the file is empty", path.display())));
    }
    let packing = packing_of(&head);
    let whole = Cursor::new(head).chain(file);
    let reader: Box<dyn Read + Send> = match packing {
        Packing::Plain => Box::new(whole),
        Packing::Gzip => Box::new(MultiGzDecoder::new(whole)),
        Packing::Zstd => Box::new(zstd::Decoder::new(whole).map_err(|error| fail(&error))?),
    };
    Ok(FileInput { reader, packing })
}

fn packing_of(head: &[u8]) -> Packing {
    match head {
        [0x1f, 0x8b, ..] => Packing::Gzip,
        // A frame, or one of the skippable frames that may come first.
        [0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18] => Packing::Zstd,
        _ => Packing::Plain,
    }
}

fn opening_fault(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".into(),
        ErrorKind::PermissionDenied => "may not be read (permission denied)".into(),
        _ => one_line(error),
    }
}

fn one_line(error: &io::Error) -> String {
    error.to_string().replace(['\n', '\r'], " ")
}

impl FileInput {
    /// What went wrong while reading, as a phrase that follows the file's name.
    pub(crate) fn fault(&self, error: &io::Error) -> String {
        match (self.packing, error.kind()) {
            (Packing::Plain, _) => one_line(error),
            (packing, ErrorKind::UnexpectedEof) => format!("the {} data is truncated", packing.name()),
            (packing, _) => format!("the {} data is damaged: {}", packing.name(), one_line(error)),
        }
    }
}

impl Packing {
    fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }
}

impl Read for FileInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compression_is_told_by_the_first_bytes() {
        assert_eq!(packing_of(&[0x1f, 0x8b, 8, 0]), Packing::Gzip);
        assert_eq!(packing_of(&[0x28, 0xb5, 0x2f, 0xfd]), Packing::Zstd);
        assert_eq!(packing_of(&[0x51, 0x2a, 0x4d, 0x18]), Packing::Zstd);
        assert_eq!(packing_of(b"1281"), Packing::Plain);
        assert_eq!(packing_of(b"1"), Packing::Plain);
    }
}
