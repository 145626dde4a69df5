//! Notes of what a description leaves out that the results rest on.

use wordline_engine::config::isolation::Isolation;
use wordline_engine::config::partition::Adapts;
use wordline_engine::config::run::StartLayout;
use wordline_engine::stats::notes::Note;
use wordline_engine::stats::report::Report;

use crate::describe::Described;

/// All of them.
pub fn notes(described: &Described, report: &Report) -> impl Iterator<Item = Note> {
    let all = [
        reads_only(described, report),
        host_memory(described, report),
        split(described),
        mixed_streams(described, report),
    ];
    all.into_iter().flatten()
}

/// That the description is none of a drive that is written.
fn reads_only(described: &Described, report: &Report) -> Option<Note> {
    (described.device.reads_only && report.write.requests > 0).then(|| {
        Note::new(
            "reads_only",
            format!("{} writes to a drive that is described for reads only", report.write.requests),
            "how it takes writes isn't modelled: their figures, and those of reads beside them, are of a drive that there isn't",
            "reads alone, or another drive",
        )
    })
}

/// That the host's memory costs nothing.
fn host_memory(described: &Described, report: &Report) -> Option<Note> {
    let free = described.scheme.mapping.host_memory && described.device.link.host_memory_ns == 0;
    let lookups = report.mapping.as_ref().map_or(0, |mapping| mapping.lookups);
    (free && lookups > 0).then(|| {
        Note::new(
            "host_memory",
            format!("{lookups} look-ups in the host's memory took no time"),
            "the drive's description has no device.link.host_memory_ns: response times are those of a map in its own DRAM",
            "device.link.host_memory_ns, as in the drives without DRAM (980-1000, client-qlc)",
        )
    })
}

/// That the channels weren't divided by anything that came.
fn split(described: &Described) -> Option<Note> {
    let (partition, window) = (&described.scheme.partition, &described.workload.window);
    let no_warm_up =
        window.warmup_ns == 0 && window.warmup_requests == 0 && window.warmup_drive_writes == 0.0;
    (partition.enabled && partition.adapts == Adapts::WarmUp && no_warm_up).then(|| {
        Note::new(
            "split",
            "the channels stayed divided as they began".to_owned(),
            "scheme.partition.adapts = \"warm_up\" divides them by what the warm-up reads and writes, and there is none",
            "a warm-up (workload.window.warmup_requests), such as a first pass over the workload",
        )
    })
}

/// That streams lie together at the start which the drive keeps apart from then on.
fn mixed_streams(described: &Described, report: &Report) -> Option<Note> {
    let Described { scheme, workload, .. } = described;
    let apart = scheme.gc.isolation == Isolation::Persistent && scheme.blocks.host_write_points > 1;
    (apart && workload.start.layout == StartLayout::Steady && report.write.requests > 0).then(|| {
        Note::new(
            "streams_mixed",
            "the drive began with the pages of all streams mixed".to_owned(),
            "scheme.gc.isolation = \"persistent\" sorts them over tens of drive writes, in which WAF goes on falling",
            "workload.start.layout = \"in_order\" and a warm-up of many drive writes (workload.window.warmup_drive_writes)",
        )
    })
}
