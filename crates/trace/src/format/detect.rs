//! Tells the form of a trace from its first bytes.

use wordline_base::request::HostOp;

use super::detected::Detected;
use super::evidence::Evidence;
use super::head::lines_of_head;
use super::lines::stateful;
use super::plain::{is_header, plain};
use super::units::too_fast;
use super::vscsi::Version;
use super::{Form, Rules, blktrace, etw, fio_iolog, ftrace, header, oracle_general, srt};
use crate::config::{ColumnsConfig, TraceConfig};

/// How a file of Parquet begins.
const PARQUET: &[u8] = b"PAR1";

/// Lines that are looked at.
const SAMPLE: usize = 100;

/// The forms of whose lines one may be read as another's, in the order in which they are tried. SSDsim's lines are
/// MQSim's, and replayers' are DiskSim's.
const FORMS: [Form; 11] = [
    Form::Wordline,
    Form::Msr,
    Form::Mqsim,
    Form::Disksim,
    Form::Spc,
    Form::Systor,
    Form::Alibaba,
    Form::Tencent,
    Form::Diskmon,
    Form::Biotracer,
    Form::Replayed,
];

/// Forms that are remembered from line to line, by what their lines look like.
const STATEFUL: [Form; 5] = [Form::Blkparse, Form::Ftrace, Form::Biosnoop, Form::Etw, Form::Fiu];

/// Forms with a header of their own.
const HEADED: [Form; 7] = [
    Form::Wordline,
    Form::Msr,
    Form::Systor,
    Form::Alibaba,
    Form::Tencent,
    Form::Libcachesim,
    Form::Biosnoop,
];

/// The form that `head` begins; `None` when no form fits. `complete` when there is nothing behind it.
pub(crate) fn detect(head: &[u8], complete: bool, config: &TraceConfig) -> Option<Detected> {
    if let Some(form) = binary(head) {
        return Some(Detected::surely(form));
    }
    // Who says which column holds what knows that the text is none of a form with columns of its own.
    if config.columns != ColumnsConfig::default() {
        return Some(Detected::surely(Form::Columns));
    }
    let sample: Vec<&[u8]> =
        lines_of_head(head, complete).filter(|line| !header::is_comment(line)).take(SAMPLE).collect();
    let first = sample.first().copied().unwrap_or_default();
    if fio_iolog::version(first).is_some() {
        return Some(Detected::surely(Form::FioIolog));
    }
    if first.starts_with(etw::BEGIN) {
        return Some(Detected::surely(Form::Etw));
    }
    if let Some(names) = header::of_text(lines_of_head(head, complete)) {
        if let Some(form) = HEADED.into_iter().find(|form| is_header(*form, names)) {
            return Some(Detected::surely(form));
        }
        if header::names_some(names) {
            return Some(Detected::surely(Form::Columns));
        }
    }
    let fitting = |form: Form| {
        let rules = Rules::of(form);
        sample.iter().filter(|line| plain(&rules, line).is_ok()).count()
    };
    // The first of equals.
    let (form, count) =
        FORMS.into_iter().rev().map(|form| (form, fitting(form))).max_by_key(|(_, count)| *count)?;
    let most = STATEFUL.into_iter().rev().map(|form| (form, lines_of(form, &sample)));
    if let Some((form, _)) = most.max_by_key(|(_, count)| *count).filter(|(_, most)| *most > count) {
        return Some(Detected::surely(form));
    }
    (count > 0).then(|| settle(form, count, &sample, &Evidence::of(form, head, complete, config), config))
}

fn binary(head: &[u8]) -> Option<Form> {
    if head.starts_with(PARQUET) {
        Some(Form::Parquet)
    } else if head.starts_with(srt::MAGIC) {
        Some(Form::Srt)
    } else if blktrace::order_of(head).is_some() {
        Some(Form::Blktrace)
    } else {
        // Text never has the bytes that its version fields need, nor the small numbers of the other.
        let vscsi = Version::of(head).map(|_| Form::Vscsi);
        vscsi.or_else(|| oracle_general::fits(head).then_some(Form::OracleGeneral))
    }
}

/// How many lines look like those of a form that is remembered from line to line.
fn lines_of(form: Form, lines: &[&[u8]]) -> usize {
    let rules = Rules::of(form);
    let Some(mut reader) = stateful(form) else { return 0 };
    let mut fits = |line: &[u8]| match form {
        Form::Ftrace => ftrace::is_event(line),
        // Of other events nothing is known.
        Form::Blkparse => line.contains(&b',') && reader.parse(line, &rules).is_ok(),
        _ => matches!(reader.parse(line, &rules), Ok(Some(_))),
    };
    lines.iter().filter(|line| fits(line)).count()
}

fn settle(form: Form, count: usize, lines: &[&[u8]], evidence: &Evidence, config: &TraceConfig) -> Detected {
    match form {
        Form::Mqsim | Form::Disksim => {
            // Flags of DiskSim are of no use to a replayer.
            let bytes = evidence.in_bytes(config) && fits_all(Form::Replayer, lines, count);
            let decimal = lines.iter().any(|line| has_decimal_time(line));
            // Whole numbers may be ms as well, where so many ns would be too few.
            Detected::guessed(match (bytes, decimal) {
                (true, true) => Form::Replayer,
                (true, false) if too_fast(evidence, config.time_unit.map_or(1, |unit| unit.ns())) => {
                    Form::Replayer
                }
                (false, true) => Form::Disksim,
                (_, false) => form,
            })
        }
        // Nobody else has trims, flushes and writes with FUA.
        Form::Wordline if !fits_reads_and_writes(lines, count) => Detected::surely(form),
        Form::Wordline | Form::Tencent | Form::Spc => Detected::guessed(form),
        _ => Detected::surely(form),
    }
}

/// Whether Wordline's lines hold nothing but reads and writes.
fn fits_reads_and_writes(lines: &[&[u8]], count: usize) -> bool {
    let rules = Rules::of(Form::Wordline);
    let ops = lines.iter().filter_map(|line| plain(&rules, line).ok());
    ops.filter(|row| matches!(row.op, HostOp::Read | HostOp::Write)).count() >= count
}

fn fits_all(form: Form, lines: &[&[u8]], count: usize) -> bool {
    lines.iter().filter(|line| plain(&Rules::of(form), line).is_ok()).count() >= count
}

fn has_decimal_time(line: &[u8]) -> bool {
    plain(&Rules::of(Form::Disksim), line).is_ok()
        && line.trim_ascii().split(u8::is_ascii_whitespace).next().is_some_and(|time| time.contains(&b'.'))
}

#[cfg(test)]
mod tests {
    use super::super::detected::How;
    use super::super::vscsi;
    use super::*;

    fn found(head: &[u8], complete: bool) -> Option<Detected> {
        detect(head, complete, &TraceConfig::of_file("x"))
    }

    fn form(text: &str) -> Option<Form> {
        found(text.as_bytes(), true).map(|found| found.form)
    }

    #[test]
    fn each_form_is_told_from_its_lines() {
        for (text, expected) in [
            ("128166385295514663,hm,0,Write,9056014336,2048,2833\n", Form::Msr),
            ("Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n1,h,0,Read,0,512,1\n", Form::Msr),
            ("5,R,0,4096\n", Form::Wordline),
            ("time_ns,op,offset_bytes,length_bytes\r\n", Form::Wordline),
            ("938513000 4 264719034 16 0\n", Form::Mqsim),
            ("5265.313 0 6357144 8 0", Form::Disksim),
            ("0.000 0 3242508288 4096 0\n223.412 0 3159347200 36864 1", Form::Replayer),
            // DiskSim's flags are hexadecimal, and so are large requests in sectors no bytes.
            ("0.000 0 3242508288 4096 2\n223.412 0 3159347200 36864 1", Form::Disksim),
            ("0.000 0 3242508288 512 0\n223.412 0 3159347200 1024 1", Form::Disksim),
            ("\u{feff}\n\n5,W,0,4096", Form::Wordline),
            ("0,303567,3584,w,0.000000\n", Form::Spc),
            ("1455592511.559981,0.000226,R,2,31457280,16384", Form::Systor),
            ("Timestamp,Response,IOType,LUN,Offset,Size\n", Form::Systor),
            ("64,W,8739680256,12288,1577808144360413\n", Form::Alibaba),
            ("1538323200,12910952,128,0,1063\n", Form::Tencent),
            ("0\t4.65\t0.00003\t0\tWrite\t6194591\t32\n", Form::Diskmon),
            ("96\t\t8\t\t4096\t\t5\t\t1.5\t\t1.6\t\t1.75\t\t2\n", Form::Biotracer),
            ("  8,16 5 2 0.000001850 18615  Q   R 1444645666 + 256 [java]\n", Form::Blkparse),
            ("fio version 3 iolog\n", Form::FioIolog),
            (
                "# tracer: nop\n x y-7 [001] d..1. 5.25: sched_switch: a\n x-7 [001] ..... 5.5: block_rq_issue: 8,0 R 512 () 8 + 1 [x]\n",
                Form::Ftrace,
            ),
            ("TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n", Form::Biosnoop),
            ("1.5 a task 77 sda R 8 4096 0.25\n", Form::Biosnoop),
            ("BeginHeader\n", Form::Etw),
            ("DiskWrite, 25, p (9), 6, 0xf, 0x200, 0x200, 1, 3, 0x43, 1, 0, U, 0x1, f\n", Form::Etw),
            ("5000 42 nfsd 800 8 W 6 0 3f4f\n", Form::Fiu),
            ("version,time,op,size,lbn\n1,33,2a,512,800\n", Form::Libcachesim),
            ("5.000,134,0,4096,409600,7.250,4096\n", Form::Replayed),
            ("time,op,offset,length\n2016-02-22T10:00:00Z,R,0,512\n", Form::Columns),
            ("ts_us;lba;sectors;rw\n1;2;3;R\n", Form::Columns),
            ("time_us,op,offset,length\n0,R,0,512\n", Form::Columns),
            ("timestamp,op,offset,length\n0,R,0,512\n", Form::Columns),
            ("# by hand\n# time_us,op,offset,length\n0,R,0,512\n", Form::Columns),
            ("# by hand\n0,R,0,512\n", Form::Wordline),
            (
                "#\tTime\tDuration (s)\tDisk\tRequest\tSector\tLength\n0\t4.65\t0.3\t0\tWrite\t6194591\t32\n",
                Form::Diskmon,
            ),
            ("$$TR_IOREC-1.3", Form::Srt),
            ("PAR1", Form::Parquet),
        ] {
            assert_eq!(form(text), Some(expected), "{text}");
        }
        assert_eq!(found(b"\x07ta\x65 and more", true), Some(Detected::surely(Form::Blktrace)));
        let objects = oracle_general::tests::record(5, 8, 4096, -1);
        assert_eq!(found(&objects, true), Some(Detected::surely(Form::OracleGeneral)));
        for record in [vscsi::tests::one(0x28, 1, 512, 3), vscsi::tests::two(0x28, 1, 512, 3)] {
            assert_eq!(found(&record, true), Some(Detected::surely(Form::Vscsi)));
        }
    }

    #[test]
    fn what_others_may_write_as_well_is_a_guess() {
        for text in [
            "5 0 8 8 0\n",
            "0 0 8 8 0\n0.125 0 8 8 0\n",
            "0.5 0 4096 4096 0\n",
            "5,R,0,4096\n",
            "5,R,0,4096,1\n",
            "1538323200,12910952,128,0,1063\n",
            "0,303567,3584,w,0.000000\n",
        ] {
            assert_eq!(found(text.as_bytes(), true).map(|found| found.how), Some(How::Guessed), "{text}");
        }
        for text in ["5,R,0,4096,1\n6,T,0,4096,1\n", "time_ns,op,offset_bytes,length_bytes\n5,R,0,4096\n"] {
            assert_eq!(found(text.as_bytes(), true), Some(Detected::surely(Form::Wordline)), "{text}");
        }
        let headed = "Timestamp,Offset,Size,IOType,VolumeID\n1538323200,12910952,128,0,1063\n";
        assert_eq!(found(headed.as_bytes(), true), Some(Detected::surely(Form::Tencent)));
    }

    #[test]
    fn whole_times_of_requests_in_bytes_are_ms_where_ns_would_be_too_few() {
        let lines = |step: u64| -> String {
            (0..50).map(|index| format!("{} 0 {} 4096 1\n", index * step, index * 40_960)).collect()
        };
        assert_eq!(form(&lines(2)), Some(Form::Replayer));
        assert_eq!(form(&lines(2_000)), Some(Form::Mqsim));
    }

    #[test]
    fn a_few_bad_lines_do_not_mislead() {
        assert_eq!(form("garbage\n5,R,0,4096\n6,R,0,4096\n"), Some(Form::Wordline));
    }

    #[test]
    fn nothing_fits_what_is_no_trace() {
        assert_eq!(form("hello world\n"), None);
        assert_eq!(form(""), None);
        assert_eq!(form("\0\0\0\0"), None);
    }

    #[test]
    fn a_line_cut_off_at_the_sample_s_end_does_not_count() {
        assert_eq!(found(b"5265 0 6357144 8 0\n5265.3", false).map(|found| found.form), Some(Form::Mqsim));
    }
}
