//! Drives and loads for tests.

use rand_xoshiro::Xoshiro256PlusPlus;
use wordline_base::rng::{below, stream, unit};
use wordline_drive::{Builder, Completion, Drive, Op, Request};

/// A preset, a scheme, and what is changed so that it is small and collects soon.
pub type Case = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const SMALL: &[(&str, &str)] = &[
    ("device.geometry.blocks", "32"),
    ("device.geometry.pages", "64"),
    ("device.capacity.overprovisioning", "0.25"),
];

/// The same of a drive of 16 dies that is described by what it is sold as.
const SOLD: &[(&str, &str)] = &[
    ("device.geometry.blocks", "64"),
    ("device.geometry.pages", "96"),
    ("device.capacity.user_bytes", "2415919104"),
];

/// As many kinds of drives as behave differently at their front.
pub const CASES: [Case; 9] = [
    ("mqsim", "baseline", SMALL),
    ("enterprise-tlc", "baseline", &[SOLD[0], SOLD[1], ("device.capacity.user_bytes", "9663676416")]),
    (
        "client-qlc",
        "baseline",
        &[
            ("device.geometry.blocks", "96"),
            ("device.geometry.pages", "192"),
            ("device.capacity.user_bytes", "4831838208"),
            ("scheme.slc_cache.min_bytes", "100000000"),
        ],
    ),
    // Splits requests, and fetches data page by page.
    ("980-1000", "baseline", &[SOLD[0], SOLD[1], SOLD[2], ("scheme.slc_cache.min_bytes", "50000000")]),
    // Has places for so many writes, whose commands wait for them, or everything does.
    ("pm9a3-960", "baseline", &[SOLD[0], SOLD[1], SOLD[2], ("scheme.cache.max_writes", "3")]),
    ("wd-sn640-class-960", "baseline", &[SOLD[0], SOLD[1], SOLD[2], ("scheme.cache.max_writes", "3")]),
    ("collision", "collision", SMALL),
    ("hotr-tlc", "hotr+suspend", SMALL),
    // An array.
    ("hotr-tlc", "rails", SMALL),
];

pub fn described(case: &Case, seed: u64) -> Builder {
    let (device, scheme, changes) = *case;
    let builder = Drive::builder().device(device).scheme(scheme).seed(seed).checked(true);
    let builder = builder.start("overwrite = 0.1\noccupancy = 0.9");
    changes.iter().fold(builder, |builder, (path, value)| builder.set(*path, *value))
}

/// Requests of any kind and shape, in bursts and with pauses, in the order of their arrival.
pub fn load(drive: &Drive, seed: u64, count: usize) -> Vec<Request> {
    let mut random = stream(seed, "load");
    let mut time = drive.now();
    let part = 1 + u64::from(below(&mut random, 64));
    (0..count as u64)
        .map(|tag| {
            time += pause(&mut random);
            Request { stream: 0, ..request(&mut random, time, drive.logical_bytes() / part) }.tagged(tag)
        })
        .collect()
}

fn pause(random: &mut Xoshiro256PlusPlus) -> u64 {
    match below(random, 20) {
        0..8 => 0,
        8..12 => 1,
        12..18 => u64::from(below(random, 40_000)),
        18 => u64::from(below(random, 3_000_000)),
        _ => u64::from(below(random, 40_000_000)),
    }
}

fn request(random: &mut Xoshiro256PlusPlus, time: u64, bytes: u64) -> Request {
    let op = match below(random, 32) {
        0..14 => Op::Read,
        14..26 => Op::Write,
        26..29 => Op::WriteFua,
        29..31 => Op::Trim,
        _ => return Request::new(time, Op::Flush, 0, 0),
    };
    let length = match below(random, 8) {
        0..3 => 4096,
        3 => 512 * u64::from(1 + below(random, 40)),
        4 => 1 + u64::from(below(random, 20_000)),
        5 => 16384,
        6 => 131_072,
        _ => u64::from(1 + below(random, 700_000)),
    };
    let length = length.min(bytes / 2);
    let place = (unit(random) * (bytes - length) as f64) as u64;
    let offset = if below(random, 3) == 0 { place } else { place / 4096 * 4096 };
    Request::new(time, op, offset, length)
}

/// Every completion, in the order of answers.
pub fn answers(drive: &mut Drive) -> Vec<Completion> {
    drive.drain().unwrap();
    drive.completions().unwrap().collect()
}
