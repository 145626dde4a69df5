//! A model that does what was seen.

use super::{BurstPattern, ClassPattern, Patterns};
use crate::config::SizeWeight;
use crate::twin::model::{Again, Aligned, Burst, BurstOp, Model, PageClass, Recent, Walk};
use crate::twin::page_counts::PageKind;

/// Classes are whole extents, bytes.
const EXTENT: u64 = 1 << 20;

/// How much longer than by chance requests of one kind at a page follow one another where they take turns.
const LONGER: f64 = 1.5;

/// Sequences that come at least so often come again.
const AGAIN: f64 = 1.05;

/// Most sequences that all bursts of a model use at a time.
const MOST_SEQUENCES: f64 = 1_000_000.0;

/// The model with these patterns, of so many reads and writes of these lengths.
pub(in crate::twin) fn model_of(
    patterns: &Patterns,
    requests: [u64; 2],
    lengths: [Vec<SizeWeight>; 2],
) -> Model {
    let [reads, writes] = requests;
    let [read_sizes, write_sizes] = lengths;
    let in_use: f64 = patterns.burst.iter().map(|burst| burst.sequences).sum();
    let room = (MOST_SEQUENCES / in_use.max(1.0)).min(1.0);
    Model {
        read_share: reads as f64 / (reads + writes).max(1) as f64,
        read_sizes,
        write_sizes,
        burst_requests: patterns.row.max(1.0),
        burst_gap_ns: patterns.row_gap_ns,
        idle_gap_ns: patterns.idle_gap_ns,
        class: classes(patterns),
        burst: patterns.burst.iter().map(|burst| burst_of(burst, room)).collect(),
        skew: patterns.skew.clone(),
    }
}

fn classes(patterns: &Patterns) -> Vec<PageClass> {
    let seen = &patterns.class;
    let sum = |of: fn(&ClassPattern) -> f64| seen.iter().map(of).sum::<f64>();
    let (reads, writes) = (sum(|class| class.reads), sum(|class| class.writes));
    // Where all reads come in bursts none of the shares says anything; their sum is 1 all the same.
    let share = |part: f64, whole: f64, number: usize| {
        if whole > 0.0 { part / whole } else { f64::from(u8::from(number == 0)) }
    };
    seen.iter()
        .enumerate()
        .map(|(number, class)| {
            // Bursts find no pages of a class that takes turns.
            let in_bursts = patterns.burst.iter().any(|burst| burst.class == class.class);
            let turns = turns(class).filter(|_| !in_bursts);
            let zipf = class.theta > 0.0;
            let recent = class.recent_share > 0.0 && turns.is_none();
            PageClass {
                name: class.class.name().to_owned(),
                bytes: class.bytes.next_multiple_of(EXTENT).max(if turns.is_some() {
                    2 * EXTENT
                } else {
                    EXTENT
                }),
                reads: share(class.reads, reads, number),
                writes: share(class.writes, writes, number),
                walk: if zipf { Walk::Zipf } else { Walk::Uniform },
                theta: zipf.then_some(class.theta),
                turns,
                recent: recent
                    .then_some(Recent { share: class.recent_share, reads: class.recent_reads.max(1) }),
            }
        })
        .collect()
}

/// Requests from one turn to the next, where requests of one kind follow one another for longer than by chance.
fn turns(class: &ClassPattern) -> Option<u64> {
    let longer = class.class == PageKind::Mixed && class.run >= LONGER * class.run_by_chance;
    longer.then_some((class.turn.round() as u64).max(1))
}

fn burst_of(seen: &BurstPattern, room: f64) -> Burst {
    let op = if seen.op == BurstOp::Read { "reads" } else { "writes" };
    let requests = (seen.requests.round() as u32).max(1);
    let aligned = seen.aligned_share > 0.0;
    let again = seen.times >= AGAIN;
    Burst {
        name: format!("{op}, {requests}"),
        op: seen.op,
        class: seen.class.name().to_owned(),
        share: seen.share.min(1.0),
        requests,
        gap_ns: seen.gap_ns,
        run: (seen.run.round() as u32).clamp(1, requests),
        aligned: aligned.then_some(Aligned { bytes: seen.aligned_bytes, share: seen.aligned_share }),
        again: again.then_some(Again {
            sequences: ((seen.sequences * room).round() as u32).max(1),
            times: seen.times,
            theta: 0.0,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_of_bursts_takes_no_turns_as_no_model_may_have_both() {
        let class = ClassPattern {
            class: PageKind::Mixed,
            pages: 1_000,
            bytes: 1 << 24,
            reads: 1.0,
            writes: 1.0,
            theta: 0.8,
            recent_share: 0.25,
            recent_reads: 8,
            run: 40.0,
            run_by_chance: 2.0,
            turn: 100.0,
        };
        let burst = BurstPattern {
            op: BurstOp::Read,
            class: PageKind::Mixed,
            requests: 6.0,
            share: 0.5,
            gap_ns: 1_000.0,
            run: 1.0,
            times: 1.0,
            sequences: 1.0,
            aligned_bytes: 0,
            aligned_share: 0.0,
        };
        let of = |burst: Vec<BurstPattern>| {
            let lengths = || vec![SizeWeight { bytes: 4096, weight: 1.0 }];
            let patterns =
                Patterns { row: 1.0, idle_gap_ns: 1e6, class: vec![class], burst, ..Patterns::default() };
            model_of(&patterns, [100, 100], [lengths(), lengths()])
        };
        for (model, turns) in [(of(Vec::new()), Some(100)), (of(vec![burst]), None)] {
            assert_eq!(model.validate(), Ok(()));
            assert_eq!((model.class[0].turns, model.class[0].recent.is_some()), (turns, turns.is_none()));
        }
    }
}
