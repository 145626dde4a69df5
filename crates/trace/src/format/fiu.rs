//! FIU's traces (SRCMap, IODedup): `time pid process sector sectors type major minor digest`, blanks between: ns, sectors of
//! 512 bytes, R or W. The digests of the data are passed over.
//!
//! Described by the README of the SNIA's entry (Verma et al., FAST '10; Koller and Rangaswami, FAST '10).

use super::fields::{scaled, time};
use super::names::Numbering;
use super::ops::read_or_write;
use super::stateful::Stateful;
use super::{Expected, Row, Rules};

const LINE: Expected = "time pid process sector sectors type major minor digest";

/// What is remembered from line to line.
#[derive(Default)]
pub(super) struct Fiu {
    devices: Numbering,
}

impl Stateful for Fiu {
    fn take_devices(&mut self) -> Vec<String> {
        self.devices.take_fresh()
    }

    fn parse(&mut self, line: &[u8], rules: &Rules) -> Result<Option<Row>, Expected> {
        let mut fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
        let mut next = || fields.next().ok_or(LINE);
        let [moment, pid, _process, sector, sectors, kind, major, minor] =
            [next()?, next()?, next()?, next()?, next()?, next()?, next()?, next()?];
        let digits = |field: &[u8]| field.iter().all(u8::is_ascii_digit);
        if ![pid, major, minor].into_iter().all(digits) {
            return Err("numbers in the second, seventh and eighth fields");
        }
        let device = [major, minor].join(&b',');
        Ok(Some(Row {
            time: time(moment, rules.unit_ns).ok_or("a time in ns in the first field")?,
            op: read_or_write(kind).ok_or("R or W in the sixth field")?,
            offset: scaled(sector, rules.offset_unit).ok_or("a first sector in the fourth field")?,
            length: scaled(sectors, rules.length_unit).ok_or("a number of sectors in the fifth field")?,
            device: self.devices.number(&device).ok_or("at most 65536 devices")?,
            ..Row::EMPTY
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Form;
    use super::*;
    use wordline_base::request::HostOp;

    const RULES: Rules = Rules::of(Form::Fiu);

    #[test]
    fn lines_with_and_without_a_digest_are_requests() {
        let mut fiu = Fiu::default();
        let mut short = |line: &str| {
            let row = fiu.parse(line.as_bytes(), &RULES).unwrap().unwrap();
            (row.time, row.op, row.offset, row.length, row.device)
        };
        assert_eq!(short("5000 42 nfsd 800 8 W 6 0 3f4fc2"), (5000, HostOp::Write, 409_600, 4096, 0));
        assert_eq!(short("6000 42 nfsd 16 16 R 8 1"), (6000, HostOp::Read, 8192, 8192, 1));
        assert_eq!(short("7000 42 nfsd 0 8 R 6 0 00 00"), (7000, HostOp::Read, 0, 4096, 0));
    }

    #[test]
    fn bad_lines_say_which_field() {
        for (line, part) in [
            ("5000 42 nfsd 800 8 W 6", "time pid"),
            ("x 42 nfsd 800 8 W 6 0", "time"),
            ("5000 a nfsd 800 8 W 6 0", "second"),
            ("5000 42 nfsd -1 8 W 6 0", "first sector"),
            ("5000 42 nfsd 800 x W 6 0", "number of sectors"),
            ("5000 42 nfsd 800 8 X 6 0", "R or W"),
        ] {
            let error = Fiu::default().parse(line.as_bytes(), &RULES).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
