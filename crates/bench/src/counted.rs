//! What is started under callgrind.

use std::path::Path;

use crate::hot::{self, Ready};
use crate::{Failure, schemes};

/// Prepares the drive as a file, runs one length on it, or a hot path by its name: what is started under callgrind.
///
/// # Errors
/// Arguments that are none, or a run that fails.
pub fn child(arguments: &[String]) -> Result<(), Failure> {
    match arguments {
        [drive] => hot::prepare(Path::new(drive)),
        [drive, path] => hot::count(path, Path::new(drive)),
        [kind, name, on, requests] if kind == "scheme" => {
            println!("{}", schemes::count(name, on, requests)?);
            Ok(())
        }
        [drive, share, requests] => {
            println!("{}", Ready::new(Path::new(drive), requests.parse()?, share.parse()?)?.run()?.1);
            Ok(())
        }
        _ => Err(
            "the file of a drive; then a hot path, or a share of reads and a number of requests; or a scheme"
                .into(),
        ),
    }
}
