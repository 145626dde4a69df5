//! Small vocabulary of the tests.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use wordline_base::request::{HostOp, HostRequest, RequestSource, SourceError};
use wordline_trace::{OpenContext, Opened, SourceConfig, TraceConfig, open};

/// A folder of its own for one test, removed afterwards.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("wordline-trace-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Opens with seed 1.
pub fn opened(config: &SourceConfig, drive_bytes: u64) -> Result<Opened, String> {
    let context = OpenContext { drive_bytes, seed: 1, base_dir: Path::new("") };
    open(config, &context).map_err(|error| error.to_string())
}

/// All requests of a source.
pub fn drain(source: &mut dyn RequestSource) -> Result<Vec<HostRequest>, SourceError> {
    let mut all = Vec::new();
    loop {
        let before = all.len();
        source.next_batch(&mut all)?;
        if all.len() == before {
            return Ok(all);
        }
    }
}

/// All requests of a trace with the reader's remarks, or its error.
pub fn read(config: TraceConfig, drive_bytes: u64) -> Result<(Vec<HostRequest>, Vec<String>), String> {
    let mut opened = opened(&SourceConfig::Trace(config), drive_bytes)?;
    let requests = drain(&mut *opened.source).map_err(|error| error.to_string())?;
    Ok((requests, opened.notes.lines()))
}

/// All requests of a file, read with the defaults.
pub fn read_file(path: &Path) -> Result<Vec<HostRequest>, String> {
    read(TraceConfig::of_file(path), u64::MAX).map(|(requests, _)| requests)
}

/// A request in short.
pub fn short(request: &HostRequest) -> (u64, char, u64, u64) {
    let op = match request.op {
        HostOp::Read => 'R',
        HostOp::Write => 'W',
        HostOp::Trim => 'T',
        HostOp::Flush => 'F',
        HostOp::WriteFua => 'U',
    };
    (request.time.0, op, request.offset, request.length)
}

pub fn gzip(content: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

pub fn zstd(content: &[u8]) -> Vec<u8> {
    zstd::encode_all(content, 0).unwrap()
}

pub fn xz(content: &[u8]) -> Vec<u8> {
    liblzma::encode_all(content, 1).unwrap()
}

pub fn bzip2(content: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// Compresses bytes.
pub type Pack = fn(&[u8]) -> Vec<u8>;

/// Every compression by its name in errors.
pub const PACKINGS: [(&str, Pack); 4] = [("gzip", gzip), ("zstd", zstd), ("xz", xz), ("bzip2", bzip2)];
