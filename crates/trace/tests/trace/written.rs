//! Traces written in other forms and read again keep every field that both have.

use std::path::Path;

use wordline_base::request::{HostOp, HostRequest, RequestSource, SourceError};
use wordline_base::time::Ns;
use wordline_trace::config::TraceFormat;
use wordline_trace::{SourceConfig, TraceConfig, WriteFormat, Written, write_trace};

use crate::support::{Folder, opened, read, read_file};

/// Requests of every kind, some of them not in whole sectors or microseconds, in two flows.
const TRACE: &str = "0,R,0,4096,0\n1500,W,4096,8192,1\n2001,R,8191,2,1\n3000,WF,512,512,0\n3000,T,0,65536,0\n\
                     9999,F,0,0,1\n12000,W,1099511627776,131072,0\n";

fn written(
    folder: &Folder,
    name: &str,
    format: WriteFormat,
) -> (Vec<HostRequest>, Vec<HostRequest>, Written) {
    let source = folder.file("source.csv", TRACE);
    let original = read_file(&source).unwrap();
    let target = folder.0.join(name);
    let config = SourceConfig::Trace(TraceConfig::of_file(&source));
    let mut opened = opened(&config, u64::MAX).unwrap();
    let written = write_trace(opened.source.as_mut(), &target, format).unwrap();
    let again = TraceConfig { format: read_format(format), ..TraceConfig::of_file(&target) };
    let (requests, _) = read(again, u64::MAX).unwrap();
    assert_eq!(written.requests, requests.len() as u64, "{name}");
    (original, requests, written)
}

fn read_format(format: WriteFormat) -> TraceFormat {
    match format {
        WriteFormat::Wordline => TraceFormat::Wordline,
        WriteFormat::Parquet => TraceFormat::Auto,
        WriteFormat::Mqsim => TraceFormat::Mqsim,
        WriteFormat::FioIolog => TraceFormat::Auto,
    }
}

#[test]
fn wordline_csv_and_parquet_keep_everything() {
    let folder = Folder::new();
    for name in ["a.csv", "a.csv.gz", "a.csv.zst", "a.csv.xz", "a.csv.bz2", "a.parquet"] {
        let (original, again, written) = written(&folder, name, WriteFormat::of_name(Path::new(name)));
        assert_eq!(again, original, "{name}");
        assert!(written.notes().is_empty(), "{:?}", written.notes());
    }
}

#[test]
fn mqsim_ascii_keeps_reads_and_writes_in_whole_sectors() {
    let folder = Folder::new();
    let (original, again, written) = written(&folder, "a.trace.xz", WriteFormat::Mqsim);
    let expected: Vec<HostRequest> = original
        .into_iter()
        .filter(|request| request.op == HostOp::Read || request.op.is_write())
        .map(|request| {
            let (first, end) = (request.offset / 512, (request.offset + request.length).div_ceil(512));
            let op = if request.op == HostOp::WriteFua { HostOp::Write } else { request.op };
            HostRequest { op, offset: first * 512, length: (end - first) * 512, ..request }
        })
        .collect();
    assert_eq!(again, expected);
    assert_eq!((written.left_out, written.widened, written.plain_writes), (2, 1, 1));
    assert_eq!(written.notes().len(), 3);
}

#[test]
fn fio_iologs_keep_all_but_flows_numbers_and_parts_of_microseconds() {
    let folder = Folder::new();
    let (original, again, written) = written(&folder, "a.iolog.gz", WriteFormat::FioIolog);
    let expected: Vec<HostRequest> = original
        .into_iter()
        .map(|request| {
            let op = if request.op == HostOp::WriteFua { HostOp::Write } else { request.op };
            HostRequest { op, time: Ns(request.time.0 / 1000 * 1000), ..request }
        })
        .collect();
    assert_eq!(again, expected);
    assert_eq!((written.left_out, written.widened, written.plain_writes), (0, 0, 1));
    assert_eq!(written.cut_times, 3);
    assert!(written.notes()[1].starts_with("3 times cut to whole microseconds"), "{:?}", written.notes());
}

#[test]
fn streams_that_are_no_flows_are_counted() {
    let folder = Folder::new();
    let mut source = Once(vec![0, 3, 1].into_iter().map(of_stream).collect());
    let written = write_trace(&mut source, &folder.0.join("a.csv"), WriteFormat::Wordline).unwrap();
    assert_eq!((written.requests, written.other_stream), (3, 2));
}

fn of_stream(stream: u16) -> HostRequest {
    HostRequest { time: Ns(0), op: HostOp::Write, offset: 0, length: 4096, flow: 0, stream }
}

struct Once(Vec<HostRequest>);

impl RequestSource for Once {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        batch.append(&mut self.0);
        Ok(())
    }
}

#[test]
fn parquet_in_another_compression_is_refused() {
    let folder = Folder::new();
    let config = SourceConfig::Trace(TraceConfig::of_file(folder.file("t", TRACE)));
    let target = folder.0.join("a.parquet.gz");
    let mut opened = opened(&config, u64::MAX).unwrap();
    let error = write_trace(opened.source.as_mut(), &target, WriteFormat::Parquet).unwrap_err();
    assert!(error.0.contains("compresses itself") && !target.exists(), "{error}");
}

#[test]
fn many_requests_go_through_several_row_groups() {
    let folder = Folder::new();
    let text: String = (0..150_000).map(|time| format!("{time},R,{},4096\n", time % 977 * 4096)).collect();
    let source = folder.file("long.csv", text);
    let config = SourceConfig::Trace(TraceConfig::of_file(&source));
    let target = folder.0.join("long.parquet");
    let mut opened = opened(&config, u64::MAX).unwrap();
    write_trace(opened.source.as_mut(), &target, WriteFormat::Parquet).unwrap();
    assert_eq!(read_file(&target).unwrap(), read_file(&source).unwrap());
}
