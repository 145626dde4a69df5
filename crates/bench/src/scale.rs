//! How the cost of a flash operation grows with the drive's size, its dies and the queue depth, as CSV.

use wordline_engine::Setup;
use wordline_engine::device::Device;
use wordline_trace::config::{RegionConfig, SourceConfig, SyntheticConfig};

use crate::Failure;
use crate::drive::{LARGE, setup, timed, uniform};
use crate::measure::median;

/// Bytes that are used of every drive of the first axis: what a drive of 64 GiB offers.
const FOOTPRINT: u64 = 60 << 30;

/// Blocks a plane of the drive with 128 dies for each GiB.
const BLOCKS_OF_GIB: u64 = 8;

/// GiB of the drives of which the same part is used, and of those that are used all over.
const SIZES: [u64; 5] = [64, 256, 1024, 4096, 15 * 1024];
const SIZES_ALL_OVER: [u64; 3] = [64, 256, 1024];

/// Channels, and dies of each.
const DIES: [(u64, u64); 5] = [(8, 1), (8, 4), (16, 8), (32, 16), (64, 32)];

const DEPTHS: [u32; 9] = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536];

/// Times that each point is measured; the middle one counts.
const ROUNDS: usize = 3;

/// Prints a row for each point: the axis, its value, the load, and ns for each flash operation.
///
/// # Errors
/// A drive that can't be prepared, a run that fails.
pub fn run_all() -> Result<(), Failure> {
    println!("axis,value,load,ns_per_flash_operation");
    for gib in SIZES {
        let setup = setup(LARGE, &[("device.geometry.blocks", gib * BLOCKS_OF_GIB)], 16, 0.0)?;
        let mut device = setup.prepare(&[])?;
        // The first pass over the region touches its tables.
        let region = RegionConfig { bytes: Some(FOOTPRINT), ..RegionConfig::default() };
        let writes = SyntheticConfig { region: region.clone(), ..uniform(2_000_000, 0.0) };
        timed(&setup, &mut device, &SourceConfig::Synthetic(writes))?;
        point("GiB, 60 GiB used", gib, &setup, &mut device, &region)?;
    }
    for gib in SIZES_ALL_OVER {
        let setup = setup(LARGE, &[("device.geometry.blocks", gib * BLOCKS_OF_GIB)], 16, 0.5)?;
        point("GiB, all used", gib, &setup, &mut setup.prepare(&[])?, &RegionConfig::default())?;
    }
    for (channels, ways) in DIES {
        let changes = [
            ("device.geometry.channels", channels),
            ("device.geometry.ways", ways),
            ("device.geometry.blocks", 65_536 / (channels * ways)),
        ];
        let setup = setup(LARGE, &changes, 256, 0.5)?;
        point("dies", channels * ways, &setup, &mut setup.prepare(&[])?, &RegionConfig::default())?;
    }
    let mut setup = setup(LARGE, &[("device.geometry.blocks", 64 * BLOCKS_OF_GIB)], 16, 0.5)?;
    let mut device = setup.prepare(&[])?;
    for depth in DEPTHS {
        setup.host.queue_depth = depth;
        setup.host.max_outstanding = setup.host.max_outstanding.max(depth);
        point("queue depth", u64::from(depth), &setup, &mut device, &RegionConfig::default())?;
    }
    Ok(())
}

fn point(
    axis: &str,
    value: u64,
    setup: &Setup,
    device: &mut Device,
    region: &RegionConfig,
) -> Result<(), Failure> {
    for (load, share, requests) in [("reads", 1.0, 500_000), ("70/30", 0.7, 150_000)] {
        let config =
            SourceConfig::Synthetic(SyntheticConfig { region: region.clone(), ..uniform(requests, share) });
        let times = (0..ROUNDS)
            .map(|_| Ok(timed(setup, device, &config)?.ns()))
            .collect::<Result<Vec<_>, Failure>>()?;
        println!("\"{axis}\",{value},{load},{:.1}", median(times));
    }
    Ok(())
}
