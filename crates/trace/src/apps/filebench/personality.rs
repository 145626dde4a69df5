//! The loops of the personalities, as Filebench's own files write them.

use crate::config::Personality;

/// An operation on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Creates a file that doesn't exist and writes it whole.
    CreateWhole,
    /// Creates a file that doesn't exist and appends to it.
    CreateAppend,
    /// Appends to a file.
    Append,
    /// Appends to the file that was last read.
    AppendLast,
    /// Reads a file whole.
    Read,
    /// Deletes a file.
    Delete,
    /// Waits until the last file that was written is safe.
    Fsync,
    /// Appends to the log that all threads share.
    Log,
    /// Looks at a file's attributes: they are in memory.
    Stat,
}

/// The steps of one loop.
pub(super) fn steps(personality: Personality) -> &'static [Step] {
    use Step::{Append, AppendLast, CreateAppend, CreateWhole, Delete, Fsync, Log, Read, Stat};
    match personality {
        Personality::Fileserver => &[CreateWhole, Append, Read, Delete, Stat],
        Personality::Webserver => &[Read, Read, Read, Read, Read, Read, Read, Read, Read, Read, Log],
        Personality::Webproxy => &[Delete, CreateAppend, Read, Read, Read, Read, Read, Log],
        Personality::Varmail => &[Delete, CreateAppend, Fsync, Read, AppendLast, Fsync, Read],
    }
}
