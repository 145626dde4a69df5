//! Tells the form of a trace from its first bytes.

use super::blkparse::Blkparse;
use super::lines::{is_header, plain};
use super::vscsi::Version;
use super::{Form, Rules, blktrace, csv, fio_iolog, srt};

/// How a file of Parquet begins.
const PARQUET: &[u8] = b"PAR1";

/// Lines that are looked at.
const SAMPLE: usize = 100;

/// The form found, and what was assumed where the content leaves a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Detected {
    pub form: Form,
    pub assumption: Option<String>,
}

impl Detected {
    /// Without a doubt.
    pub(crate) fn surely(form: Form) -> Self {
        Self { form, assumption: None }
    }
}

/// The forms of whose lines one may be read as another's, in the order in which they are tried. SSDsim's lines are
/// MQSim's.
const FORMS: [Form; 10] = [
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
];

/// The form that `head` begins; `None` when no form fits. `complete` when there is nothing behind it.
pub(crate) fn detect(head: &[u8], complete: bool) -> Option<Detected> {
    if let Some(form) = binary(head) {
        return Some(Detected::surely(form));
    }
    let lines = sample(head, complete);
    let first = lines.first().copied().unwrap_or_default();
    if fio_iolog::version(first).is_some() {
        return Some(Detected::surely(Form::FioIolog));
    }
    if let Some(form) = [Form::Wordline, Form::Systor, Form::Alibaba, Form::Tencent]
        .into_iter()
        .find(|form| is_header(*form, first))
    {
        return Some(Detected::surely(form));
    }
    let fitting = |form: Form| {
        let rules = Rules::of(form);
        lines.iter().filter(|line| plain(&rules, line).is_ok()).count()
    };
    // The first of equals.
    let (form, count) =
        FORMS.into_iter().rev().map(|form| (form, fitting(form))).max_by_key(|(_, count)| *count)?;
    if events(&lines) > count {
        return Some(Detected::surely(Form::Blkparse));
    }
    if count == 0 {
        return csv::names_columns(first).then(|| Detected::surely(Form::Columns));
    }
    Some(settle(form, count, &lines))
}

fn binary(head: &[u8]) -> Option<Form> {
    if head.starts_with(PARQUET) {
        Some(Form::Parquet)
    } else if head.starts_with(srt::MAGIC) {
        Some(Form::Srt)
    } else if blktrace::order_of(head).is_some() {
        Some(Form::Blktrace)
    } else {
        // Text never has the bytes that its version fields need.
        Version::of(head).map(|_| Form::Vscsi)
    }
}

/// How many lines are events of blkparse.
fn events(lines: &[&[u8]]) -> usize {
    let rules = Rules::of(Form::Blkparse);
    let mut blkparse = Blkparse::default();
    lines.iter().filter(|line| line.contains(&b',') && blkparse.parse(line, &rules).is_ok()).count()
}

fn settle(form: Form, count: usize, lines: &[&[u8]]) -> Detected {
    let assumption = match form {
        Form::Mqsim | Form::Disksim if lines.iter().any(|line| has_decimal_time(line)) => {
            return Detected::surely(Form::Disksim);
        }
        Form::Mqsim | Form::Disksim => {
            "taken for MQSim or SSDsim ASCII, with times in ns (DiskSim's lines look alike when their times are whole \
             ms): give `format` to settle it"
        }
        // Five fields without a header: the last may be a flow, or a time.
        Form::Wordline if fits_all(Form::Alibaba, lines, count) => {
            "taken for Wordline CSV, with the time in front (lines of Alibaba's form look alike when their times are \
             small): give `format` to settle it"
        }
        Form::Tencent => {
            "taken for Tencent CBS (Timestamp,Offset,Size,IOType,VolumeID): give `format` to settle it"
        }
        _ => return Detected::surely(form),
    };
    Detected { form, assumption: Some(assumption.to_owned()) }
}

fn fits_all(form: Form, lines: &[&[u8]], count: usize) -> bool {
    lines.iter().filter(|line| plain(&Rules::of(form), line).is_ok()).count() >= count
}

fn has_decimal_time(line: &[u8]) -> bool {
    plain(&Rules::of(Form::Disksim), line).is_ok()
        && line.trim_ascii().split(u8::is_ascii_whitespace).next().is_some_and(|time| time.contains(&b'.'))
}

/// The first lines that aren't blank; the last of `head` only if it can't be cut off.
fn sample(head: &[u8], complete: bool) -> Vec<&[u8]> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let whole = match memchr::memrchr(b'\n', head) {
        Some(end) if !complete => head.get(..end).unwrap_or_default(),
        _ => head,
    };
    whole
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty())
        .take(SAMPLE)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::vscsi;
    use super::*;

    fn form(text: &str) -> Option<Form> {
        detect(text.as_bytes(), true).map(|found| found.form)
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
            ("ts_us;lba;sectors;rw\n1;2;3;R\n", Form::Columns),
            ("$$TR_IOREC-1.3", Form::Srt),
            ("PAR1", Form::Parquet),
        ] {
            assert_eq!(form(text), Some(expected), "{text}");
        }
        assert_eq!(detect(b"\x07ta\x65 and more", true), Some(Detected::surely(Form::Blktrace)));
        for record in [vscsi::tests::one(0x28, 1, 512, 3), vscsi::tests::two(0x28, 1, 512, 3)] {
            assert_eq!(detect(&record, true), Some(Detected::surely(Form::Vscsi)));
        }
    }

    #[test]
    fn a_guess_that_is_not_certain_comes_with_a_note() {
        for text in ["5 0 8 8 0\n", "5,R,0,4096,1\n", "1538323200,12910952,128,0,1063\n"] {
            assert!(detect(text.as_bytes(), true).unwrap().assumption.is_some(), "{text}");
        }
        let mixed = detect(b"0 0 8 8 0\n0.125 0 8 8 0\n", true).unwrap();
        assert_eq!(mixed, Detected::surely(Form::Disksim));
        assert_eq!(detect(b"5,R,0,4096,1\n6,T,0,4096,1\n", true), Some(Detected::surely(Form::Wordline)));
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
        assert_eq!(detect(b"5265 0 6357144 8 0\n5265.3", false).map(|found| found.form), Some(Form::Mqsim));
    }
}
