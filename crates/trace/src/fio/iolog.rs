//! `read_iolog`: a trace in the place of generated requests.

use std::io::Read;
use std::path::Path;

use super::options::Settings;
use super::values::switch;
use crate::format::{BLKTRACE_HEAD_BYTES, begins_blktrace};
use crate::input::{FileInput, open_input};

/// A trace that a job replays.
pub(super) struct Iolog {
    pub path: String,
    /// As fast as answers come, whatever its times are.
    pub no_stall: bool,
    /// Factor on its times.
    pub time_scale: f64,
}

/// The trace that a job names.
pub(super) fn iolog(keys: &mut Settings<'_>) -> Option<Iolog> {
    let path = keys.take_value("read_iolog", |text| match text {
        "-" => Err("the name of a file".into()),
        _ if text.contains(':') => Err("one file: flows of a workload are several beside one another".into()),
        _ => Ok(text.to_owned()),
    });
    let no_stall = keys.take("replay_no_stall", switch).unwrap_or(false);
    let rate = keys.take_value("replay_time_scale", |text| {
        let rate: f64 = text.parse().map_err(|_| "a percentage above 0".to_owned())?;
        if rate > 0.0 && rate.is_finite() { Ok(rate) } else { Err("a percentage above 0".into()) }
    });
    // The drive is the one there is.
    keys.take_name("replay_redirect");
    path.map(|path| Iolog { path, no_stall, time_scale: 100.0 / rate.unwrap_or(100.0) })
}

/// Whether an ordinary file is a recording by blktrace. One that can't be read is told of when it is replayed.
pub(super) fn is_blktrace(path: &Path) -> bool {
    let mut head = [0; BLKTRACE_HEAD_BYTES];
    let mut begins = |mut file: FileInput| file.read_exact(&mut head).is_ok() && begins_blktrace(&head);
    path.is_file() && open_input(path).is_ok_and(&mut begins)
}
