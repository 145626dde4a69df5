//! Job files as other people have them: what is set beside the file, engines of other makers, commands and queues of other kinds.

use wordline_base::request::HostOp;
use wordline_config::latency_target::{LatencyTarget, WhenFound};
use wordline_config::steady_end::{SteadyBy, SteadyEnd, SteadyOf};
use wordline_trace::fio::{Given, Imported};
use wordline_trace::{OpenContext, OpenError, WorkloadConfig, open_flows};

use crate::fio::{DRIVE, jobs, load, refused, requests};

/// A job file with lines behind those of each job.
fn import(text: &str, settings: &[&str]) -> Result<Imported, String> {
    let settings = settings.iter().map(|&line| line.to_owned()).collect();
    wordline_trace::fio::import("x", text, &Given { settings, ..Given::default() })
}

fn set(text: &str, settings: &[&str]) -> WorkloadConfig {
    import(text, settings).unwrap_or_else(|error| panic!("{text}: {error}")).workload
}

#[test]
fn what_is_set_beside_the_file_holds_in_every_job_before_its_own() {
    let text = "[global]\nfilename=f\nrw=read\nbs=4k\n[there]\nbs=8k\n[back]\nrw=read:-8k\n";
    assert!(import(text, &[]).err().unwrap().contains("no size"));
    let found = set(text, &["size=1m", "blocksize=16k"]);
    let lengths: Vec<_> =
        found.flow.iter().map(|flow| load(flow).read.clone().unwrap().sizes[0].bytes).collect();
    assert_eq!(lengths, [16_384, 16_384]);
    assert!(found.flow.iter().all(|flow| load(flow).size_bytes == Some(1 << 20)));
    let notes = import(text, &["size=1m"]).unwrap().notes;
    assert!(notes.contains(&"set in every job: size=1m".to_owned()), "{notes:?}");
}

#[test]
fn what_is_wrong_beside_the_file_is_told_as_of_the_option() {
    let of = |setting: &str| import("[a]\nrw=read\nsize=1m\n", &[setting]).err().unwrap();
    assert!(of("size=q").starts_with("--fio: `size=q`: allowed: "), "{}", of("size=q"));
    assert!(of("no such").starts_with("--fio: `no such`: allowed: key or key=value"), "{}", of("no such"));
    assert!(of("bs=${BS}").contains("--env BS="), "{}", of("bs=${BS}"));
    let late = of("thinktime=2000s");
    assert!(late.starts_with("--fio: `thinktime=2000s`: allowed: 0 to "), "{late}");
    let workload = set("[a]\nrw=read\nsize=1m", &["bs=8m"]);
    let context = OpenContext { drive_bytes: DRIVE, seed: 1, base_dir: std::path::Path::new("") };
    let Err(OpenError::Config(error)) = open_flows(&workload, &context).map(drop) else { panic!("opened") };
    let told = workload.in_words_of_jobs(error.under("workload")).to_string();
    assert!(told.starts_with("--fio: bs = 8m: allowed: at most 1048576"), "{told}");
}

#[test]
fn a_full_queue_waits_for_as_many_answers_as_it_submits_at_once() {
    let batch = |settings: &str| {
        let workload = jobs(&format!("[a]\nrw=randread\nsize=1m\nioengine=libaio\niodepth=16\n{settings}"));
        (workload.flow[0].queue_depth, workload.flow[0].submit_batch)
    };
    assert_eq!(batch("iodepth_batch=8"), (Some(16), 1));
    assert_eq!(batch("iodepth_batch_submit=8\niodepth_batch_complete_min=8"), (Some(16), 8));
    assert_eq!(batch("iodepth_low=4"), (Some(16), 12));
    assert_eq!(batch("iodepth_batch_complete_min=64\niodepth_batch_complete_max=64"), (Some(16), 16));
    assert_eq!(batch("ioengine=sync\niodepth_batch_complete=8"), (Some(1), 1));
    assert_eq!(batch("ioengine=sync\nio_submit_mode=offload\niodepth_low=8"), (Some(16), 8));
}

#[test]
fn a_job_that_keeps_a_latency_looks_for_its_queue_depth() {
    let flow = |settings: &str| {
        jobs(&format!("[a]\nrw=randread\nsize=1m\nioengine=libaio\niodepth=128\n{settings}")).flow.remove(0)
    };
    let found = flow("latency_target=500\nlatency_window=5s\nlatency_percentile=99.9");
    let expected = LatencyTarget {
        ns: 500_000,
        percentile: 99.9,
        window_ns: 5_000_000_000,
        ramp_ns: 0,
        when_found: WhenFound::Stop,
    };
    assert_eq!((found.queue_depth, found.latency_target), (Some(128), Some(expected)));
    let held = flow("latency_target=2ms\nlatency_run=1").latency_target.unwrap();
    assert_eq!((held.ns, held.percentile, held.window_ns), (2_000_000, 100.0, 1));
    assert_eq!(held.when_found, WhenFound::Hold);
    assert_eq!(flow("latency_target=0\nlatency_window=5").latency_target, None);
    let notes = import("[a]\nrw=read\nsize=1m\nlatency_percentile=99", &[]).unwrap().notes;
    assert!(notes.iter().any(|note| note.contains("do nothing without latency_target")), "{notes:?}");
    let told = import("[a]\nrw=read\nsize=1m\nlatency_target=1\nlatency_percentile=0", &[]).err().unwrap();
    assert!(told.contains("line 5: `latency_percentile=0`: allowed: 0.000001 to 100"), "{told}");
}

#[test]
fn a_job_may_end_when_it_is_steady_and_a_reporting_group_together() {
    let flows = |settings: &str| {
        jobs(&format!("[global]\nrw=randread\nsize=1m\ntime_based\nruntime=60\n{settings}")).flow
    };
    let found = flows("[a]\nss=iops_slope:0.3%\nss_dur=30s\nss_ramp=10\nss_interval=500ms").remove(0);
    let expected = SteadyEnd {
        of: SteadyOf::Iops,
        by: SteadyBy::Slope,
        limit_share: Some(0.003),
        limit: None,
        duration_ns: 30_000_000_000,
        interval_ns: 500_000_000,
        ramp_ns: 10_000_000_000,
    };
    assert_eq!(found.steady_end, Some(expected));
    let bw = flows("[a]\nsteadystate=bw:1000\nsteadystate_duration=5").remove(0).steady_end.unwrap();
    assert_eq!((bw.of, bw.by, bw.limit), (SteadyOf::Bandwidth, SteadyBy::Deviation, Some(1000.0)));
    let limit =
        |text: &str| flows(&format!("[a]\nss_dur=5\n{text}")).remove(0).steady_end.unwrap().limit.unwrap();
    assert_eq!(
        [limit("ss=bw:10m"), limit("ss=lat:20us"), limit("ss=lat:3")],
        [10_485_760.0, 20_000.0, 3_000.0]
    );
    // What comes within ramp_time counts for neither.
    let ramped = flows("[a]\nramp_time=7\nlatency_target=1\nss=iops:1%\nss_dur=5\nss_ramp=3").remove(0);
    let ramps = (ramped.latency_target.unwrap().ramp_ns, ramped.steady_end.unwrap().ramp_ns);
    assert_eq!(ramps, (7_000_000_000, 10_000_000_000));
    let group = "[global]\nrw=read\nsize=1m\ngroup_reporting\nss=lat:1%\nss_dur=5\n[a]\n[b]\n";
    assert_eq!(jobs(&format!("{group}[c]\nnew_group\nss=iops:2%")).flow.len(), 3);
    refused(&format!("{group}ss=iops:2%"), &["steadystate_duration", "as of flow[0], with which it ends"]);
    refused(&format!("{group}startdelay=1"), &["startdelay", "as of flow[0], with which it ends"]);
    let notes = import("[a]\nrw=read\nsize=1m\nss=iops:1%", &[]).unwrap().notes;
    assert!(notes.iter().any(|note| note.contains("without steadystate_duration does nothing")), "{notes:?}");
    for wrong in ["ss=iops", "ss=speed:1%", "ss=iops:-1"] {
        refused(&format!("[a]\nrw=read\nsize=1m\n{wrong}\nss_dur=5"), &["line 4: `", "iops, bw or lat"]);
    }
    refused(
        "[a]\nrw=read\nsize=1m\nss=iops:1%\nss_dur=1",
        &["line 5: `steadystate_duration=1`", "2 to 100000 times"],
    );
}

#[test]
fn commands_that_verify_are_reads_of_what_would_be_written() {
    let of = |settings: &str| {
        let all = requests(&format!("[a]\nrw=write\nbs=64k\nsize=256k\n{settings}")).remove(0);
        all.iter().map(|request| (request.op, request.offset >> 16)).collect::<Vec<_>>()
    };
    let written: Vec<_> = (0..4).map(|place| (HostOp::Write, place)).collect();
    let read: Vec<_> = (0..4).map(|place| (HostOp::Read, place)).collect();
    assert_eq!([of("write_mode=write"), of("sg_write_mode=write_stream")], [written.clone(), written]);
    for mode in ["write_mode=verify", "sg_write_mode=verify_bytchk_00", "sg_write_mode=verify_bytchk_11"] {
        assert_eq!(of(mode), read, "{mode}");
    }
    let notes = import("[a]\nrw=write\nsize=1m\nwrite_mode=verify", &[]).unwrap().notes;
    assert!(notes.iter().any(|note| note.starts_with("verify commands: the drive reads")), "{notes:?}");
    refused("[a]\nrw=randrw\nsize=1m\nwrite_mode=verify", &["line 1: job a: verify commands"]);
}

#[test]
fn beside_jobs_without_block_io_the_sections_that_do_some_are_named() {
    let text =
        "[global]\nsize=1m\n[burn]\nioengine=cpuio\nbs=$pagesize\n[with a name]\nrw=read\n[b]\nrw=write";
    let error = import(text, &[]).err().unwrap();
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(lines.len(), 2, "of the refused job nothing else: {error}");
    assert!(lines[0].starts_with("line 3: job burn: ioengine=cpuio"), "{error}");
    assert_eq!(lines[1], "the jobs that do block I/O alone: --section b --section \"with a name\"");
    let alone = import("[burn]\nioengine=cpuio", &[]).err().unwrap();
    assert_eq!(alone.lines().count(), 1, "{alone}");
}

#[test]
fn an_engine_that_is_a_library_does_what_its_file_is_known_for() {
    for engine in ["spdk", "external:/opt/spdk/build/fio/spdk_nvme", "/opt/spdk/build/fio/spdk_bdev.so"] {
        let text =
            format!("[a]\nioengine={engine}\nthread=1\nfilename=trtype=PCIe ns=1\nrw=randread\niodepth=4");
        let workload = jobs(&text);
        assert_eq!((workload.flow[0].range.bytes, workload.flow[0].queue_depth), (None, Some(4)), "{engine}");
    }
    // Of others it isn't known: they read and write files.
    refused("[a]\nioengine=external:/opt/mine.so\nrw=read", &["no size"]);
    refused("[a]\nioengine=mine\nrw=read\nsize=1m", &["ioengine=mine"]);
}

#[test]
fn jobs_on_several_drives_run_on_one_that_is_set_beside_the_file() {
    let text = "[a]\nfilename=/dev/nvme0n1\n[b]\nfilename=/dev/nvme1n1\nstonewall";
    let error = import(text, &[]).err().unwrap();
    assert!(error.contains("--section") && error.contains("--fio filename=/dev/nvme0n1"), "{error}");
    assert_eq!(set(text, &["filename=/dev/nvme0n1"]).flow.len(), 2);
}

#[test]
fn blocks_with_metadata_between_them_are_asked_for_without() {
    let text = "[a]\nioengine=io_uring_cmd\nrw=write\nbs=4160\nsize=1m";
    assert!(import(text, &[]).err().unwrap().contains("--fio bs=4096"));
    assert_eq!(load(&set(text, &["bs=4096"]).flow[0]).write.as_ref().unwrap().sizes[0].bytes, 4096);
}
