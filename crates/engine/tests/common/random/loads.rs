//! How requests come, what they ask for, and what the drive holds before.

use super::*;

pub fn hosts() -> impl Strategy<Value = HostConfig> {
    let depth = prop_oneof![Just(1u32), 2u32..8, Just(16), Just(64)];
    prop_oneof![
        (depth, 0u64..50_000).prop_map(|(depth, think)| HostConfig { think_time_ns: think, ..closed(depth) }),
        (0.1..2.0f64, 0u32..8).prop_map(|(time_scale, max_outstanding)| HostConfig {
            arrivals: Arrivals::Open,
            time_scale,
            max_outstanding,
            ..HostConfig::default()
        })
    ]
}

pub fn layouts() -> impl Strategy<Value = StartLayout> {
    prop_oneof![Just(StartLayout::InOrder), Just(StartLayout::Steady)]
}

pub fn occupancies() -> impl Strategy<Value = Occupancy> {
    prop_oneof![Just(Occupancy::All), Just(Occupancy::None), (0.0..1.0f64).prop_map(Occupancy::Share)]
}

/// Requests within a drive of `bytes`, biased towards a hot eighth, some unaligned.
pub fn requests(seed: u64, count: usize, bytes: u64) -> Vec<HostRequest> {
    mixed_requests(seed, count, bytes, 40_000, |turn| match turn {
        0 => HostOp::Flush,
        1 | 2 => HostOp::Trim,
        3..=9 => HostOp::Read,
        10 => HostOp::WriteFua,
        _ => HostOp::Write,
    })
}

/// The same with so many reads and TRIMs among twenty; the others write, but for one that flushes.
pub fn requests_with(
    (reads, trims): (u64, u64),
    longest: u64,
    seed: u64,
    count: usize,
    bytes: u64,
) -> Vec<HostRequest> {
    mixed_requests(seed, count, bytes, longest, |turn| match turn {
        19 => HostOp::Flush,
        18 => HostOp::WriteFua,
        turn if turn < trims => HostOp::Trim,
        turn if turn < trims + reads => HostOp::Read,
        _ => HostOp::Write,
    })
}

pub fn mixed_requests(
    seed: u64,
    count: usize,
    bytes: u64,
    longest: u64,
    op_of: impl Fn(u64) -> HostOp,
) -> Vec<HostRequest> {
    let mut random = Random(seed);
    let mut time = 0;
    (0..count)
        .map(|_| {
            time += random.below(300_000);
            let op = op_of(random.below(20));
            let space = if random.below(2) == 0 { bytes } else { (bytes / 8).max(1) };
            let (mut offset, mut length) = (random.below(space), 1 + random.below(longest));
            if random.below(4) > 0 {
                (offset, length) = (offset / 4096 * 4096, length.div_ceil(4096) * 4096);
            }
            let length = length.min(bytes - offset);
            HostRequest { time: Ns(time), op, offset, length, flow: 0, stream: 0 }
        })
        .collect()
}

/// The same requests, each of one of so many streams.
pub fn of_streams(mut requests: Vec<HostRequest>, streams: u32) -> Vec<HostRequest> {
    let mut random = Random(u64::from(streams));
    requests.iter_mut().for_each(|request| request.stream = random.below(u64::from(streams)) as u16);
    requests
}
