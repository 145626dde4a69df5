//! How the cost of a flash operation grows with the drive's size, its dies and the queue depth, as CSV: time, and
//! instructions where valgrind is installed.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;
use std::process::Command;

use wordline_engine::Setup;
use wordline_engine::device::Device;
use wordline_trace::config::{RegionConfig, SourceConfig, SyntheticConfig};

use crate::Failure;
use crate::drive::{LARGE, setup, timed, uniform};
use crate::hot::{Ready, counted_mixed};
use crate::measure::median;

/// Bytes that are used of every drive of the first axis: nearly all that the smallest offers, whose flash is 64 GiB.
const FOOTPRINT: u64 = 56 << 30;

/// Blocks a plane of the drive with 128 dies for each GiB.
const BLOCKS_OF_GIB: u64 = 8;

/// GiB of the drives of which the same part is used, and of those that are used all over.
const SIZES: [u64; 5] = [64, 256, 1024, 4096, 15 * 1024];
const SIZES_ALL_OVER: [u64; 3] = [64, 256, 1024];

/// Channels, and dies of each.
const DIES: [(u64, u64); 5] = [(8, 1), (8, 4), (16, 8), (32, 16), (64, 32)];

/// Blocks of a drive of 128 GiB, which they share: with 2,048 dies each plane has spare ones still.
const BLOCKS_OF_DIES: u64 = 128 * 128 * BLOCKS_OF_GIB;

const DEPTHS: [u64; 9] = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536];

/// Times that each point is measured; the middle one counts.
const ROUNDS: usize = 3;

/// How much longer than the short one the long run of a pair is; their difference is what counts.
const LONGER: u64 = 3;

/// Loads: their name, the share of reads, and the requests of a measurement and of a count.
const LOADS: [(&str, f64, u64, u64); 2] = [("reads", 1.0, 500_000, 10_000), ("70/30", 0.7, 150_000, 3_000)];

/// A drive that is used all over and larger than this is not read back under callgrind, which would take minutes, GiB.
const COUNTED_UP_TO: u64 = 256;

/// A drive and how it is used.
#[derive(Clone, Copy)]
struct Place {
    channels: u64,
    ways: u64,
    blocks: u64,
    depth: u64,
    /// Bytes that are used; 0 = all.
    region: u64,
}

impl Place {
    const BASE: Self = Self { channels: 16, ways: 8, blocks: 64 * BLOCKS_OF_GIB, depth: 16, region: 0 };

    /// Drives that are used all over are overwritten by half beforehand.
    fn setup(&self) -> Result<Setup, Failure> {
        let changes = [
            ("device.geometry.channels", self.channels),
            ("device.geometry.ways", self.ways),
            ("device.geometry.blocks", self.blocks),
        ];
        let depth = u32::try_from(self.depth)?;
        let mut setup = setup(LARGE, &changes, depth, if self.region == 0 { 0.5 } else { 0.0 })?;
        setup.host.max_outstanding = setup.host.max_outstanding.max(depth);
        Ok(setup)
    }

    fn requests(&self, requests: u64, read_share: f64) -> SyntheticConfig {
        let bytes = (self.region > 0).then_some(self.region);
        SyntheticConfig {
            region: RegionConfig { bytes, ..RegionConfig::default() },
            ..uniform(requests, read_share)
        }
    }

    fn arguments(&self) -> [String; 5] {
        [self.channels, self.ways, self.blocks, self.depth, self.region].map(|number| number.to_string())
    }

    fn of_arguments(arguments: &[String]) -> Result<Self, Failure> {
        let numbers = arguments.iter().map(|text| text.parse()).collect::<Result<Vec<u64>, _>>()?;
        match numbers[..] {
            [channels, ways, blocks, depth, region] => Ok(Self { channels, ways, blocks, depth, region }),
            _ => Err("channels, ways, blocks, queue depth and region".into()),
        }
    }

    /// Whether it is read back under callgrind in reasonable time.
    fn is_counted(&self) -> bool {
        let gib = self.channels * self.ways * self.blocks / (128 * BLOCKS_OF_GIB);
        self.region > 0 || gib <= COUNTED_UP_TO
    }
}

/// Prints a row for each point: the axis, its value, the load, and ns and instructions for each flash operation.
///
/// # Errors
/// A drive that can't be prepared, a run that fails.
pub fn run_all() -> Result<(), Failure> {
    println!("axis,value,load,ns_per_flash_operation,instructions_per_flash_operation");
    for gib in SIZES {
        let place = Place { blocks: gib * BLOCKS_OF_GIB, region: FOOTPRINT, ..Place::BASE };
        let setup = place.setup()?;
        let mut device = setup.prepare(&[])?;
        // The first pass over the region touches its tables.
        timed(&setup, &mut device, &SourceConfig::Synthetic(place.requests(2_000_000, 0.0)))?;
        point("GiB, 56 GiB used", gib, place, &setup, &mut device)?;
    }
    for gib in SIZES_ALL_OVER {
        let place = Place { blocks: gib * BLOCKS_OF_GIB, ..Place::BASE };
        let setup = place.setup()?;
        point("GiB, all used", gib, place, &setup, &mut setup.prepare(&[])?)?;
    }
    for (channels, ways) in DIES {
        let place =
            Place { channels, ways, blocks: BLOCKS_OF_DIES / (channels * ways), depth: 256, region: 0 };
        let setup = place.setup()?;
        point("dies", channels * ways, place, &setup, &mut setup.prepare(&[])?)?;
    }
    for depth in DEPTHS {
        let place = Place { depth, ..Place::BASE };
        let setup = place.setup()?;
        // A drive each: what collections of the loads before left would wait behind deep queues of reads for ever.
        point("queue depth", depth, place, &setup, &mut setup.prepare(&[])?)?;
    }
    Ok(())
}

fn point(axis: &str, value: u64, place: Place, setup: &Setup, device: &mut Device) -> Result<(), Failure> {
    for (load, share, requests, _) in LOADS {
        let times = (0..ROUNDS)
            .map(|_| {
                // A run has its fixed part: the report asks every block for its erasures.
                let [few, many] = [1, LONGER].map(|times| {
                    timed(setup, device, &SourceConfig::Synthetic(place.requests(times * requests, share)))
                });
                let (few, many) = (few?, many?);
                Ok((many.seconds - few.seconds) * 1e9 / (many.operations - few.operations))
            })
            .collect::<Result<Vec<_>, Failure>>()?;
        let counted = if place.is_counted() { count(place, load, setup, device)? } else { None };
        let counted = counted.map_or(String::new(), |counted| format!("{counted:.0}"));
        println!("\"{axis}\",{value},{load},{:.1},{counted}", median(times));
    }
    Ok(())
}

/// Instructions for each flash operation; `None` without valgrind.
fn count(place: Place, load: &str, setup: &Setup, device: &Device) -> Result<Option<f64>, Failure> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        return Ok(None);
    }
    let [drive, counts] = ["drive", "callgrind"]
        .map(|kind| std::env::temp_dir().join(format!("wordline-scaling-{}.{kind}", std::process::id())));
    let done = save(setup, device, &drive).and_then(|()| {
        let [few, many] = [1, LONGER].map(|times| counted_on(place, load, times, &drive, &counts));
        let ((few, few_operations), (many, many_operations)) = (few?, many?);
        Ok((many - few) / (many_operations - few_operations))
    });
    for file in [&drive, &counts] {
        let _ = std::fs::remove_file(file);
    }
    done.map(Some)
}

fn save(setup: &Setup, device: &Device, drive: &Path) -> Result<(), Failure> {
    Ok(setup.save_drive(device, &mut BufWriter::new(File::create(drive)?))?)
}

/// Instructions and flash operations of so many times the requests of a count.
fn counted_on(
    place: Place,
    load: &str,
    times: u64,
    drive: &Path,
    counts: &Path,
) -> Result<(f64, f64), Failure> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--quiet", "--toggle-collect=wordline_bench::hot::counted_*"])
        .arg(format!("--callgrind-out-file={}", counts.display()))
        .arg(std::env::current_exe()?)
        .arg("--scaled")
        .arg(drive)
        .args([load, &times.to_string()])
        .args(place.arguments())
        .output()?;
    if !output.status.success() {
        return Err(format!("valgrind: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let operations = String::from_utf8_lossy(&output.stdout).trim().parse()?;
    let text = std::fs::read_to_string(counts)?;
    let total =
        text.lines().find_map(|line| line.strip_prefix("totals: ")).ok_or("callgrind gave no total")?;
    Ok((total.trim().parse()?, operations))
}

/// What runs under callgrind: a load on a drive that was saved; prints its flash operations.
///
/// # Errors
/// Arguments that are none, or a run that fails.
pub fn child(arguments: &[String]) -> Result<(), Failure> {
    let [drive, load, times, place @ ..] = arguments else {
        return Err("a drive, a load, a number of times and a place".into());
    };
    let place = Place::of_arguments(place)?;
    let load = LOADS.iter().find(|(name, ..)| name == load).ok_or("allowed: reads, 70/30")?;
    let setup = place.setup()?;
    let device = setup.load_drive(&mut BufReader::new(File::open(drive)?))?;
    // Enough to fill the queue.
    let requests = place.requests(times.parse::<u64>()? * load.3.max(2 * place.depth), load.1);
    println!("{}", counted_mixed(Ready::on(setup, device, requests)?)?.1);
    Ok(())
}
