//! Notes of keys that were set for a run and have no effect on it.

use wordline_engine::config::without_effect::of_drive;
use wordline_engine::custom::replaced;
use wordline_engine::stats::notes::Note;

use crate::describe::Described;

/// One for each such key. What a drive's own file says counts only where it was set beside it: dies can do what a scheduler leaves alone.
pub fn notes(described: &Described) -> Vec<Note> {
    let Described { device, scheme, workload, .. } = described;
    let own = replaced(&scheme.custom);
    let of_drive = of_drive(device, scheme, &own).map(|(key, why)| (key.to_owned(), why));
    let of_load = workload.without_effect().into_iter().map(|(key, why)| (format!("workload.{key}"), why));
    let mut notes: Vec<Note> = Vec::new();
    for (key, why) in of_drive.chain(of_load) {
        let Some(value) = described.asked_for(&key) else { continue };
        let found = format!("{key} = {value} has no effect");
        // Of several reasons the first.
        if notes.iter().all(|note| note.found != found) {
            notes.push(Note::new("no_effect", found, why, ""));
        }
    }
    notes
}
