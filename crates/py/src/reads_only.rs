//! Writes to a drive of which only reads are modelled.

use wordline_engine::stats::notes::Note;
use wordline_engine::stats::report::Report;

use crate::describe::Described;

/// That the description is none of a drive that is written.
pub fn note(described: &Described, report: &Report) -> Option<Note> {
    (described.device.reads_only && report.write.requests > 0).then(|| Note {
        kind: "reads_only".to_owned(),
        found: format!("{} writes to a drive that is described for reads only", report.write.requests),
        reason: "how it takes writes isn't modelled: their figures, and those of reads beside them, are of a drive that there isn't"
            .to_owned(),
        remedy: "reads alone, or another drive".to_owned(),
    })
}
