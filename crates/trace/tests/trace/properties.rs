//! Nothing that a file can hold makes a reader panic, leave the drive or go back in time.

use proptest::prelude::*;
use wordline_base::request::{HostOp, HostRequest};
use wordline_trace::config::{OutOfRange, TraceFormat};
use wordline_trace::{SourceConfig, TraceConfig, TraceInfo};

use crate::support::{Folder, PACKINGS, opened, read};

fn config() -> impl Strategy<Value = TraceConfig> {
    let formats = vec![
        TraceFormat::Auto,
        TraceFormat::Msr,
        TraceFormat::Mqsim,
        TraceFormat::Ssdsim,
        TraceFormat::Disksim,
        TraceFormat::Replayer,
        TraceFormat::Wordline,
        TraceFormat::Spc,
        TraceFormat::Systor,
        TraceFormat::Alibaba,
        TraceFormat::Tencent,
        TraceFormat::Diskmon,
        TraceFormat::Biotracer,
        TraceFormat::Blkparse,
        TraceFormat::FioIolog,
        TraceFormat::Columns,
        TraceFormat::Vscsi,
        TraceFormat::Blktrace,
        TraceFormat::Srt,
    ];
    let policies = vec![OutOfRange::Error, OutOfRange::Wrap, OutOfRange::Compact];
    (prop::sample::select(formats), prop::sample::select(policies), any::<bool>(), 1..3_u32).prop_map(
        |(format, out_of_range, skip_bad_lines, repeat)| TraceConfig {
            format,
            out_of_range,
            skip_bad_lines,
            repeat,
            ..TraceConfig::of_file("x")
        },
    )
}

/// Text that is nearly a trace.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let words = [
        "0",
        "1",
        "7",
        "4096",
        "128166385295514663",
        "18446744073709551615",
        "18446744073709551616",
        "0.5",
        "99999999.999999999999",
        "-1",
        "",
        "Read",
        "Write",
        "R",
        "W",
        "T",
        "F",
        "hm",
        "\u{fffd}",
        "1e9",
        "#",
        "sdb",
        "WS",
        "time_us",
        "op",
        "lba",
        "nblocks",
    ];
    let line = (
        prop::sample::select(&[",", " ", "\t"][..]),
        prop::collection::vec(prop::sample::select(words.to_vec()), 3..8),
    )
        .prop_map(|(separator, fields)| fields.join(separator));
    prop::collection::vec(line, 0..20).prop_map(|lines| lines.join("\n").into_bytes())
}

fn check(requests: &[HostRequest], drive: u64) {
    assert!(requests.windows(2).all(|pair| pair[0].time <= pair[1].time));
    for request in requests {
        assert!(request.offset.checked_add(request.length).is_some_and(|end| end <= drive), "{request:?}");
        assert_eq!(request.length == 0, request.op == HostOp::Flush, "{request:?}");
    }
}

fn try_all(folder: &Folder, content: &[u8], config: TraceConfig, drive: u64) {
    let config = TraceConfig { path: folder.file("any", content), ..config };
    match read(config.clone(), drive) {
        Ok((requests, _)) => check(&requests, drive),
        Err(error) => assert!(!error.contains('\n'), "{error}"),
    }
    if let Ok(mut opened) = opened(&SourceConfig::Trace(config), drive) {
        let _ = TraceInfo::collect(&mut opened);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..600), config in config()) {
        let folder = Folder::new();
        for magic in [&b""[..], b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\0", b"BZh91AY&SY", b"\x07tae"] {
            try_all(&folder, &[magic, &bytes].concat(), config.clone(), 5 << 20);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in text(), config in config(), drive in prop::sample::select(vec![0, 1, 5 << 20, u64::MAX])) {
        let folder = Folder::new();
        try_all(&folder, &text, config, drive);
    }

    #[test]
    fn any_cut_of_an_archive_is_read_or_refused(text in text(), cut in any::<prop::sample::Index>(), config in config()) {
        let folder = Folder::new();
        for (_, pack) in PACKINGS {
            let packed = pack(&text);
            try_all(&folder, &packed[..cut.index(packed.len())], config.clone(), u64::MAX);
        }
    }
}
