//! The runs that MQSim was measured with, each in a process of its own, start-up included; beside a binary of MQSim that
//! the user built (`MQSIM=path`), pair by pair, or beside what was measured of it once.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use wordline_engine::config::run::{Arrivals, Occupancy, StartLayout};
use wordline_engine::{Unobserved, simulate};
use wordline_trace::config::{OutOfRange, SourceConfig, TraceConfig};

use crate::Failure;
use crate::drive::{MQSIM, setup, source, uniform};
use crate::measure::{Goal, median, peak_bytes, report};

/// Times that each process is started; the middle one counts.
const ROUNDS: usize = 3;

/// A run, its goal, and what MQSim took as shipped on the reference machine, s.
struct Run {
    name: &'static str,
    load: Load,
    goal: f64,
    recorded: &'static str,
}

enum Load {
    /// A million random requests of 4 KiB at queue depth 16, reads or writes, without garbage collection.
    Random { read_share: f64 },
    /// A trace that MQSim ships, at its own arrival times.
    Trace { file: &'static str },
    /// A drive that is 75% full, in its steady state, and 100,000 random writes on it.
    Steady,
}

const RUNS: [Run; 5] = [
    Run { name: "reads", load: Load::Random { read_share: 1.0 }, goal: 0.15, recorded: "13.9 to 17.6 s" },
    Run { name: "writes", load: Load::Random { read_share: 0.0 }, goal: 0.25, recorded: "23.9 to 31.2 s" },
    Run { name: "tpcc", load: Load::Trace { file: "tpcc-small.trace" }, goal: 0.03, recorded: "1.24 s" },
    Run { name: "wsrch", load: Load::Trace { file: "wsrch-small.trace" }, goal: 0.03, recorded: "1.46 s" },
    Run { name: "steady", load: Load::Steady, goal: 2.0, recorded: "not finished after 400 s" },
];

/// Memory that the run of a million reads may have, MB.
const MEGABYTES: f64 = 150.0;

/// Carries one of them out: what is started as a process.
///
/// # Errors
/// A run that there is not, or that fails.
pub fn child(arguments: &[String]) -> Result<(), Failure> {
    let [name, rest @ ..] = arguments else { return Err("the name of a run".into()) };
    let run = RUNS.iter().find(|run| run.name == name).ok_or("no such run")?;
    let mut setup = setup(MQSIM, &[], 16, 0.0)?;
    let config = match &run.load {
        Load::Random { read_share } => {
            if *read_share < 1.0 {
                setup.start.occupancy = Occupancy::None;
            }
            SourceConfig::Synthetic(uniform(1_000_000, *read_share))
        }
        Load::Trace { .. } => {
            setup.host.arrivals = Arrivals::Open;
            let path = rest.first().ok_or("the trace's path")?;
            let wrap = OutOfRange::Wrap;
            SourceConfig::Trace(TraceConfig { out_of_range: wrap, ..TraceConfig::of_file(path) })
        }
        Load::Steady => {
            setup.start.occupancy = Occupancy::Share(0.75);
            setup.start.layout = StartLayout::AtTrigger;
            SourceConfig::Synthetic(uniform(100_000, 0.0))
        }
    };
    let mut requests = source(&config, setup.logical_bytes()?)?;
    let outcome = simulate(&setup, requests.as_mut(), &[], &mut Unobserved)?;
    println!("{} {}", outcome.report.gc.victims, peak_bytes());
    Ok(())
}

/// All of them, and the start of the command line.
///
/// # Errors
/// A process that fails.
pub fn run_all() -> Result<(), Failure> {
    let binary = std::env::var_os("MQSIM").map(PathBuf::from);
    let place = std::env::temp_dir().join(format!("wordline-mqsim-{}", std::process::id()));
    std::fs::create_dir_all(&place)?;
    let done = RUNS.iter().try_for_each(|run| measure(run, binary.as_deref(), &place));
    let _ = std::fs::remove_dir_all(&place);
    done?;
    if binary.is_none() {
        println!(
            "    MQSim's figures were measured once, as it is shipped; MQSIM=path measures a binary beside ours"
        );
    }
    command_line()
}

fn measure(run: &Run, binary: Option<&Path>, place: &Path) -> Result<(), Failure> {
    let mut arguments = vec!["--mqsim".to_owned(), run.name.to_owned()];
    let trace = match &run.load {
        Load::Trace { file } => match trace(file, binary) {
            Some(path) => Some(path),
            None => {
                println!("mqsim: {}: no {file} here, not measured", run.name);
                return Ok(());
            }
        },
        _ => None,
    };
    arguments.extend(trace.iter().map(|path| path.display().to_string()));
    // MQSim does not finish the preconditioned run.
    let pair = binary.filter(|_| !matches!(run.load, Load::Steady));
    let files = pair.map(|binary| files(run, binary, trace.as_deref(), place)).transpose()?;
    let (mut ours, mut theirs, mut last) = (Vec::new(), Vec::new(), String::new());
    for _ in 0..ROUNDS {
        let started = Instant::now();
        let output = Command::new(std::env::current_exe()?).args(&arguments).output()?;
        ours.push(started.elapsed().as_secs_f64());
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stdout).into());
        }
        last = String::from_utf8_lossy(&output.stdout).into_owned();
        if let (Some(binary), Some(files)) = (pair, &files) {
            theirs.push(seconds_of_mqsim(binary, files)?);
        }
    }
    let ours = median(ours);
    report(&format!("mqsim: {}, start-up included", run.name), ours, "s", Goal::AtMost(run.goal));
    let mut figures = last.split_whitespace().filter_map(|word| word.parse::<f64>().ok());
    let (victims, megabytes) = (figures.next().unwrap_or(f64::NAN), figures.next().unwrap_or(f64::NAN) / 1e6);
    let reads = matches!(run.load, Load::Random { read_share: 1.0 });
    let goal = if reads { Goal::AtMost(MEGABYTES) } else { Goal::None };
    report(&format!("mqsim: {}, memory", run.name), megabytes, "MB", goal);
    match theirs.is_empty() {
        true => println!("    MQSim {}; {victims:.0} victims of garbage collection here", run.recorded),
        false => {
            let theirs = median(theirs);
            println!("    MQSim's binary {theirs:.2} s, pair by pair: {:.0} times ours", theirs / ours);
        }
    }
    Ok(())
}

/// A trace that MQSim ships: beside its binary, or beside this project.
fn trace(file: &str, binary: Option<&Path>) -> Option<PathBuf> {
    let beside = binary.and_then(Path::parent).map(|folder| folder.join("traces").join(file));
    let shared = [env!("CARGO_MANIFEST_DIR"), "../../../shared/mqsim", file].iter().collect();
    beside.into_iter().chain([shared]).find(|path| path.is_file())
}

/// Writes the workload of a run as MQSim reads it; returns the configuration, which MQSim ships beside its binary, and it.
fn files(
    run: &Run,
    binary: &Path,
    trace: Option<&Path>,
    place: &Path,
) -> Result<(PathBuf, PathBuf), Failure> {
    let configuration = binary.parent().unwrap_or(Path::new(".")).join("ssdconfig.xml");
    if !configuration.is_file() {
        return Err(format!("{}: MQSim's configuration must lie beside it", configuration.display()).into());
    }
    let resources = "<Priority_Class>HIGH</Priority_Class>\n\
        <Device_Level_Data_Caching_Mode>WRITE_CACHE</Device_Level_Data_Caching_Mode>\n\
        <Channel_IDs>0,1,2,3,4,5,6,7</Channel_IDs>\n<Chip_IDs>0,1,2,3</Chip_IDs>\n<Die_IDs>0,1</Die_IDs>\n\
        <Plane_IDs>0,1</Plane_IDs>\n<Initial_Occupancy_Percentage>70</Initial_Occupancy_Percentage>\n";
    let (kind, keys) = match (&run.load, trace) {
        (Load::Trace { .. }, Some(path)) => (
            "Trace_Based",
            format!(
                "<File_Path>{}</File_Path>\n<Percentage_To_Be_Executed>100</Percentage_To_Be_Executed>\n\
                 <Relay_Count>1</Relay_Count>\n<Time_Unit>NANOSECOND</Time_Unit>\n",
                std::path::absolute(path)?.display()
            ),
        ),
        (load, _) => {
            let reads =
                if matches!(load, Load::Random { read_share } if *read_share == 1.0) { 100 } else { 0 };
            ("Synthetic", random_keys(reads))
        }
    };
    let tag = format!("IO_Flow_Parameter_Set_{kind}");
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"us-ascii\"?>\n<MQSim_IO_Scenarios>\n<IO_Scenario>\n<{tag}>\n{resources}{keys}\
         </{tag}>\n</IO_Scenario>\n</MQSim_IO_Scenarios>\n"
    );
    let workload = place.join(format!("{}.xml", run.name));
    std::fs::write(&workload, text)?;
    Ok((configuration, workload))
}

fn random_keys(reads: u32) -> String {
    format!(
        "<Working_Set_Percentage>100</Working_Set_Percentage>\n\
         <Synthetic_Generator_Type>QUEUE_DEPTH</Synthetic_Generator_Type>\n\
         <Read_Percentage>{reads}</Read_Percentage>\n\
         <Address_Distribution>RANDOM_UNIFORM</Address_Distribution>\n\
         <Percentage_of_Hot_Region>0</Percentage_of_Hot_Region>\n\
         <Generated_Aligned_Addresses>true</Generated_Aligned_Addresses>\n\
         <Address_Alignment_Unit>8</Address_Alignment_Unit>\n\
         <Request_Size_Distribution>FIXED</Request_Size_Distribution>\n\
         <Average_Request_Size>8</Average_Request_Size>\n<Variance_Request_Size>0</Variance_Request_Size>\n\
         <Seed>798</Seed>\n<Average_No_of_Reqs_in_Queue>16</Average_No_of_Reqs_in_Queue>\n\
         <Intensity>32768</Intensity>\n<Stop_Time>0</Stop_Time>\n\
         <Total_Requests_To_Generate>1000000</Total_Requests_To_Generate>\n"
    )
}

fn seconds_of_mqsim(binary: &Path, (configuration, workload): &(PathBuf, PathBuf)) -> Result<f64, Failure> {
    let started = Instant::now();
    let status = Command::new(std::path::absolute(binary)?)
        .args(["-i".as_ref(), configuration.as_os_str(), "-w".as_ref(), workload.as_os_str()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()?;
    if !status.success() {
        return Err(format!("MQSim: {status}").into());
    }
    Ok(started.elapsed().as_secs_f64())
}

/// How long the command takes to start.
fn command_line() -> Result<(), Failure> {
    let command: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../../.venv/bin/wordline"].iter().collect();
    if !command.is_file() {
        println!("command line: no .venv/bin/wordline here (make setup), its start is not measured");
        return Ok(());
    }
    let start = || -> Result<f64, Failure> {
        let started = Instant::now();
        Command::new(&command).arg("--version").stdout(Stdio::null()).status()?;
        Ok(started.elapsed().as_secs_f64())
    };
    start()?;
    let times = (0..5).map(|_| start()).collect::<Result<Vec<_>, _>>()?;
    report("command line: start", median(times), "s", Goal::AtMost(0.25));
    Ok(())
}
