//! Opens a file and undoes its compression, which is told by the first bytes.

use std::fs::File;
use std::io::{self, Cursor, ErrorKind, Read};
use std::path::Path;

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;
use liblzma::read::XzDecoder;
use liblzma::stream::{CONCATENATED, Stream};
use wordline_base::request::SourceError;

/// Most memory that the decoder of an xz file may take, bytes: more than the strongest preset needs (65 MiB).
const XZ_MEMORY: u64 = 128 << 20;

/// Bytes that are needed to tell the compression.
const MAGIC_BYTES: u64 = 10;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Plain,
    Gzip,
    Zstd,
    Xz,
    Bzip2,
}

/// A file's bytes, decompressed.
pub(crate) struct FileInput {
    reader: Box<dyn Read + Send>,
    packing: Packing,
    /// Bytes that were looked at, and how many of them were given out.
    head: Vec<u8>,
    given: usize,
}

/// Opens `path`. Errors name it.
pub(crate) fn open_input(path: &Path) -> Result<FileInput, SourceError> {
    let fail = |error: &io::Error| SourceError(format!("{}: {}", path.display(), opening_fault(error)));
    let file = File::open(path).map_err(|error| fail(&error))?;
    if file.metadata().map_err(|error| fail(&error))?.is_dir() {
        return Err(SourceError(format!("{}: a directory; a trace is one file", path.display())));
    }
    let input = FileInput::new(file).map_err(|error| fail(&error))?;
    input.ok_or_else(|| SourceError(format!("{}: the file is empty", path.display())))
}

impl FileInput {
    /// Undoes the compression of `source`; `None` when it is empty.
    pub(crate) fn new(mut source: impl Read + Send + 'static) -> io::Result<Option<Self>> {
        let mut magic = Vec::new();
        (&mut source).take(MAGIC_BYTES).read_to_end(&mut magic)?;
        if magic.is_empty() {
            return Ok(None);
        }
        let packing = packing_of(&magic);
        let whole = Cursor::new(magic).chain(source);
        let reader: Box<dyn Read + Send> = match packing {
            Packing::Plain => Box::new(whole),
            Packing::Gzip => Box::new(MultiGzDecoder::new(whole)),
            Packing::Zstd => Box::new(zstd::Decoder::new(whole)?),
            Packing::Xz => {
                let stream = Stream::new_stream_decoder(XZ_MEMORY, CONCATENATED)?;
                Box::new(XzDecoder::new_stream(whole, stream))
            }
            Packing::Bzip2 => Box::new(MultiBzDecoder::new(whole)),
        };
        Ok(Some(Self { reader, packing, head: Vec::new(), given: 0 }))
    }

    /// The first bytes, without taking them, and whether they are all there are. To be called before anything is read.
    pub(crate) fn peek(&mut self, bytes: u64) -> io::Result<(&[u8], bool)> {
        let missing = bytes.saturating_sub(self.head.len() as u64);
        (&mut self.reader).take(missing).read_to_end(&mut self.head)?;
        Ok((&self.head, (self.head.len() as u64) < bytes))
    }

    /// Whether the file isn't compressed.
    pub(crate) fn is_plain(&self) -> bool {
        self.packing == Packing::Plain
    }
}

fn packing_of(head: &[u8]) -> Packing {
    match head {
        [0x1f, 0x8b, ..] => Packing::Gzip,
        // A frame, or one of the skippable frames that may come first.
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Packing::Zstd,
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Packing::Xz,
        // A level, then the mark of a block or of the end, as far as it is there.
        [b'B', b'Z', b'h', b'1'..=b'9', mark @ ..] if is_bzip2_mark(mark) => Packing::Bzip2,
        _ => Packing::Plain,
    }
}

fn is_bzip2_mark(mark: &[u8]) -> bool {
    const MARKS: [&[u8]; 2] = [&[0x31, 0x41, 0x59, 0x26, 0x53, 0x59], &[0x17, 0x72, 0x45, 0x38, 0x50, 0x90]];
    MARKS.iter().any(|known| mark.iter().zip(*known).all(|(byte, known)| byte == known))
}

/// Why a file can't be opened, as a phrase that follows its name.
pub(crate) fn opening_fault(error: &io::Error) -> String {
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
            (packing, ErrorKind::UnexpectedEof) => {
                format!("the {} data is truncated or damaged", packing.name())
            }
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
            Self::Xz => "xz",
            Self::Bzip2 => "bzip2",
        }
    }
}

impl Read for FileInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut left = self.head.get(self.given..).unwrap_or_default();
        if left.is_empty() {
            self.head = Vec::new();
            self.given = 0;
            return self.reader.read(buffer);
        }
        let count = left.read(buffer)?;
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compression_is_told_by_the_first_bytes() {
        assert_eq!(packing_of(&[0x1f, 0x8b, 8, 0]), Packing::Gzip);
        assert_eq!(packing_of(&[0x28, 0xb5, 0x2f, 0xfd]), Packing::Zstd);
        assert_eq!(packing_of(&[0x51, 0x2a, 0x4d, 0x18, 7]), Packing::Zstd);
        assert_eq!(packing_of(b"\xfd7zXZ\0\0\x04"), Packing::Xz);
        assert_eq!(packing_of(b"BZh91AY&SY"), Packing::Bzip2);
        assert_eq!(packing_of(b"BZh9,host,"), Packing::Plain);
        assert_eq!(packing_of(b"1281"), Packing::Plain);
        assert_eq!(packing_of(b"1"), Packing::Plain);
    }

    #[test]
    fn peeking_takes_nothing() {
        let mut input = FileInput::new(&b"one two three"[..]).unwrap().unwrap();
        assert_eq!(input.peek(3).unwrap(), (&b"one"[..], false));
        assert_eq!(input.peek(100).unwrap(), (&b"one two three"[..], true));
        let mut text = String::new();
        input.read_to_string(&mut text).unwrap();
        assert_eq!(text, "one two three");
    }
}
