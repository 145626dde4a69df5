//! Preparing, saving, loading and forking a drive of 1 TiB, and a drive of 15 TiB of which little is used.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::time::Instant;

use wordline_base::memory::ask_for_huge_pages;
use wordline_engine::Setup;
use wordline_engine::config::run::Occupancy;
use wordline_engine::device::Device;
use wordline_engine::ids::Lpa;
use wordline_trace::config::{RegionConfig, SourceConfig};

use crate::Failure;
use crate::drive::{LARGE, setup, timed, uniform};
use crate::measure::{Goal, own_bytes, report, resident_bytes};

/// Pages that are filled one by one, in order.
const FILLED: u32 = 1 << 26;

/// Blocks a plane of the 1 TiB drive's shape that make 15 TiB.
const BLOCKS_OF_15_TIB: u64 = 8192 * 15;

/// What is used of it, bytes.
const FOOTPRINT: u64 = 100_000_000_000;

/// All of them.
///
/// # Errors
/// A drive that can't be prepared, a file that can't be written.
pub fn run_all() -> Result<(), Failure> {
    filled_in_order()?;
    saved_and_forked()?;
    little_of_a_large_drive()
}

fn filled_in_order() -> Result<(), Failure> {
    let mut setup = setup(LARGE, &[], 16, 0.0)?;
    setup.start.occupancy = Occupancy::Footprint;
    let pages: Vec<Lpa> = (0..FILLED).map(Lpa).collect();
    // A virtual machine's host may have to hand out the memory first.
    for name in ["filled in order, page by page", "filled again, into memory that is at hand"] {
        let started = Instant::now();
        let device = setup.prepare(&pages)?;
        let ns = started.elapsed().as_secs_f64() * 1e9 / f64::from(FILLED);
        drop(device);
        report(&format!("1tb-4k: {name}"), ns, "ns/page", Goal::AtMost(8.0));
    }
    Ok(())
}

fn saved_and_forked() -> Result<(), Failure> {
    let setup = setup(LARGE, &[], 16, 1.0)?;
    let device = setup.prepare(&[])?;
    let device = forked(&setup, device)?;
    let path = std::env::temp_dir().join(format!("wordline-bench-{}.drive", std::process::id()));
    let done = through_a_file(&setup, device, &path);
    let _ = std::fs::remove_file(&path);
    done
}

/// Forks, of which the first makes what all of them share.
const FORKS: usize = 8;

/// Writes on one of them.
const WRITTEN: u64 = 20_000;

/// Memory and time of forks, and of one that is written to.
fn forked(setup: &Setup, device: Device) -> Result<Device, Failure> {
    let alone = own_bytes() as f64;
    let started = Instant::now();
    let mut first = device.fork()?;
    report("1tb-4k: forked for the first time", started.elapsed().as_secs_f64(), "s", Goal::None);
    let started = Instant::now();
    let more = (1..FORKS).map(|_| device.fork()).collect::<Result<Vec<_>, _>>()?;
    report("1tb-4k: forked again", started.elapsed().as_secs_f64() / more.len() as f64, "s", Goal::None);
    let name = format!("1tb-4k: memory of it and {FORKS} forks / of it alone");
    report(&name, own_bytes() as f64 / alone, "", Goal::AtMost(1.5));
    let before = own_bytes();
    timed(setup, &mut first, &SourceConfig::Synthetic(uniform(WRITTEN, 0.0)))?;
    let grown = own_bytes().saturating_sub(before) as f64 / 1e6;
    println!("    {WRITTEN} random writes on one of them take {grown:.0} MB");
    drop((first, more));
    Ok(device)
}

fn through_a_file(setup: &Setup, device: Device, path: &std::path::Path) -> Result<(), Failure> {
    let started = Instant::now();
    let mut out = BufWriter::new(File::create(path)?);
    setup.save_drive(&device, &mut out)?;
    out.flush()?;
    report("1tb-4k: saved", started.elapsed().as_secs_f64(), "s", Goal::None);
    println!("    {:.2} GB", std::fs::metadata(path)?.len() as f64 / 1e9);
    let pages = device.flash_operations();
    drop(device);
    let loaded = |name: &str| {
        let started = Instant::now();
        let loaded = setup.load_drive(&mut BufReader::new(File::open(path)?))?;
        report(name, started.elapsed().as_secs_f64(), "s", Goal::AtMost(1.0));
        match loaded.flash_operations() == pages {
            true => Ok::<(), Failure>(()),
            false => Err("the loaded drive is another one".into()),
        }
    };
    // As above.
    loaded("1tb-4k: loaded")?;
    loaded("1tb-4k: loaded again, into memory that is at hand")?;
    report("    its file read into such memory, nothing else", read_alone(path)?, "s", Goal::None);
    Ok(())
}

/// Seconds for a file to be read: a bound for loading what is in it.
fn read_alone(path: &std::path::Path) -> Result<f64, Failure> {
    let mut file = File::open(path)?;
    let started = Instant::now();
    let mut bytes = vec![0_u8; usize::try_from(file.metadata()?.len())?];
    ask_for_huge_pages(&bytes);
    file.read_exact(&mut bytes)?;
    std::hint::black_box(&bytes);
    Ok(started.elapsed().as_secs_f64())
}

fn little_of_a_large_drive() -> Result<(), Failure> {
    let before = resident_bytes();
    let mut setup = setup(LARGE, &[("device.geometry.blocks", BLOCKS_OF_15_TIB)], 16, 0.0)?;
    setup.start.occupancy = Occupancy::None;
    let started = Instant::now();
    let mut device = setup.prepare(&[])?;
    // Every page of the footprint once in order, then a million at random.
    let region = RegionConfig { bytes: Some(FOOTPRINT), ..RegionConfig::default() };
    let pages: Vec<Lpa> = (0..(FOOTPRINT / 4096) as u32).map(Lpa).collect();
    device.fill(&pages);
    drop(pages);
    let config = wordline_trace::SyntheticConfig { region, ..uniform(1_000_000, 0.5) };
    let run = timed(&setup, &mut device, &SourceConfig::Synthetic(config))?;
    let seconds = started.elapsed().as_secs_f64();
    let memory = resident_bytes().saturating_sub(before) as f64 / 1e9;
    let raw = setup.device.geometry.physical_units() as f64 * 4096.0 / f64::from(1 << 30) / 1024.0;
    println!(
        "a drive of {raw:.1} TiB, 100 GB of it used: {seconds:.1} s, {:.0} ns a flash operation",
        run.ns()
    );
    report("15 TiB, 100 GB used: memory", memory, "GB", Goal::AtMost(24.0));
    Ok(())
}
