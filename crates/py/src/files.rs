//! Files of states, which are packed with zstd.

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use wordline_trace::OutputFile;

use crate::error::mistake;

/// How hard zstd tries: the fast end.
const LEVEL: i32 = 3;

/// A file of a state that is being read.
pub type Packed = zstd::Decoder<'static, BufReader<File>>;

/// An error about a file.
pub fn at(path: &Path, error: impl std::fmt::Display) -> PyErr {
    mistake(format_args!("{}: {error}", path.display()))
}

/// Opens such a file.
pub fn unpack(path: &Path) -> PyResult<Packed> {
    let file = File::open(path).map_err(|error| at(path, error))?;
    zstd::Decoder::new(file).map_err(|error| at(path, error))
}

/// A file of a state that is being written. It takes its name when it is whole.
pub struct StateFile {
    path: PathBuf,
    output: OutputFile,
    out: zstd::Encoder<'static, File>,
}

impl StateFile {
    /// Begins the file.
    pub fn create(path: &Path) -> PyResult<Self> {
        let (output, file) = OutputFile::create(path).map_err(|error| at(path, error))?;
        let out = zstd::Encoder::new(file, LEVEL).map_err(|error| at(path, error))?;
        Ok(Self { path: path.to_owned(), output, out })
    }

    /// Ends it.
    pub fn finish(self) -> PyResult<()> {
        let Self { path, output, out } = self;
        out.finish().and_then(|file| output.keep(&file)).map_err(|error| at(&path, error))
    }
}

impl Write for StateFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}
