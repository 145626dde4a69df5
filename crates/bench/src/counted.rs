//! What is started under callgrind.

use std::path::Path;

use crate::hot::{self, Ready};
use crate::{Failure, schemes};

/// A part alone, a run with a scheme, or one length on the drive that was saved: what is started under callgrind.
///
/// # Errors
/// Arguments that are none, or a run that fails.
pub fn child(arguments: &[String]) -> Result<(), Failure> {
    match arguments {
        [part] => hot::count(part),
        [kind, name, on, requests] if kind == "scheme" => {
            println!("{}", schemes::count(name, on, requests)?);
            Ok(())
        }
        [drive, share, requests] => {
            println!("{}", Ready::new(Path::new(drive), requests.parse()?, share.parse()?)?.run()?.1);
            Ok(())
        }
        _ => {
            Err("a part; a scheme; or the file of a drive, a share of reads and a number of requests".into())
        }
    }
}
