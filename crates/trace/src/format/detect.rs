//! Tells the form of a trace from its first lines.

use super::{Form, Rules};

/// Lines that are looked at.
const SAMPLE: usize = 100;

/// The form found, and what was assumed where the lines leave a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Detected {
    pub form: Form,
    pub assumption: Option<String>,
}

/// Forms in the order in which they are tried. SSDsim's lines are MQSim's.
const FORMS: [Form; 4] = [Form::Wordline, Form::Msr, Form::Mqsim, Form::Disksim];

/// The form that reads most of the first lines of `head`; `None` when no form reads any.
///
/// MQSim, SSDsim and DiskSim lines look alike: a time with a decimal point in any of them means DiskSim, else MQSim
/// is assumed, and the assumption is put into words.
pub(crate) fn detect(head: &[u8], complete: bool) -> Option<Detected> {
    let lines = sample(head, complete);
    if lines.iter().take(1).any(|line| rules(Form::Wordline).is_header(line)) {
        return Some(Detected { form: Form::Wordline, assumption: None });
    }
    let fitting = |form: Form| lines.iter().filter(|line| rules(form).parse(line).is_ok()).count();
    // The first of equals.
    let (form, count) =
        FORMS.into_iter().rev().map(|form| (form, fitting(form))).max_by_key(|(_, count)| *count)?;
    (count > 0).then(|| settle(form, &lines))
}

fn settle(form: Form, lines: &[&[u8]]) -> Detected {
    if !matches!(form, Form::Mqsim | Form::Disksim) {
        return Detected { form, assumption: None };
    }
    if lines.iter().any(|line| has_decimal_time(line)) {
        return Detected { form: Form::Disksim, assumption: None };
    }
    let assumption = "taken for MQSim or SSDsim ASCII, with times in ns (DiskSim's lines look alike when their \
                      times are whole ms): give `format` to settle it";
    Detected { form: Form::Mqsim, assumption: Some(assumption.to_owned()) }
}

fn rules(form: Form) -> Rules {
    Rules { form, unit_ns: form.unit_ns(), sector_bytes: 1 }
}

fn has_decimal_time(line: &[u8]) -> bool {
    rules(Form::Disksim).parse(line).is_ok()
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
    use super::*;

    fn form(text: &str) -> Option<Form> {
        detect(text.as_bytes(), true).map(|found| found.form)
    }

    #[test]
    fn each_form_is_told_from_its_lines() {
        assert_eq!(form("128166385295514663,hm,0,Write,9056014336,2048,2833\n"), Some(Form::Msr));
        assert_eq!(
            form("Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n1,h,0,Read,0,512,1\n"),
            Some(Form::Msr)
        );
        assert_eq!(form("5,R,0,4096\n"), Some(Form::Wordline));
        assert_eq!(form("time_ns,op,offset_bytes,length_bytes\r\n"), Some(Form::Wordline));
        assert_eq!(form("938513000 4 264719034 16 0\n"), Some(Form::Mqsim));
        assert_eq!(form("5265.313 0 6357144 8 0"), Some(Form::Disksim));
        assert_eq!(form("\u{feff}\n\n5,W,0,4096"), Some(Form::Wordline));
    }

    #[test]
    fn whole_times_are_taken_for_ns_with_a_note_and_decimal_ones_for_ms_without() {
        assert!(detect(b"5 0 8 8 0\n", true).unwrap().assumption.is_some());
        let mixed = detect(b"0 0 8 8 0\n0.125 0 8 8 0\n", true).unwrap();
        assert_eq!(mixed, Detected { form: Form::Disksim, assumption: None });
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
