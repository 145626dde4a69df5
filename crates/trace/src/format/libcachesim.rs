//! libCacheSim's CSV of CloudPhysics' traces: `version,time,op,size,lbn`: seconds, the code of the SCSI command in
//! hexadecimal (28 reads, 2a writes), bytes, blocks of 512 bytes.
//!
//! Described by the header and the lines of its data/trace.csv.

use super::fields::{comma_fields, number, scaled, time};
use super::ops::scsi;
use super::quick::{Column, Layout};
use super::{Expected, Row, Rules};

const EXPECTED: Expected = "version,time,op,size,lbn";

pub(super) const LAYOUT: Layout = Layout {
    columns: &[Column::Number, Column::Time, Column::Op, Column::Length, Column::Offset],
    needed: 5,
    more: false,
    separator: b',',
    op: |field, _| scsi(field),
};

pub(super) fn is_header(line: &[u8]) -> bool {
    line.trim_ascii().eq_ignore_ascii_case(EXPECTED.as_bytes())
}

pub(super) fn parse(line: &[u8], rules: &Rules) -> Result<Row, Expected> {
    let [version, moment, code, size, block] = comma_fields(line).ok_or(EXPECTED)?;
    number(version).ok_or("a version in the first field")?;
    let op = scsi(code).ok_or("a SCSI command such as 28 or 2a in the third field")?;
    let row = Row {
        time: time(moment, rules.unit_ns).ok_or("a time in seconds in the second field")?,
        op,
        offset: scaled(block, rules.offset_unit).ok_or("a block in the fifth field")?,
        length: scaled(size, rules.length_unit).ok_or("a size in bytes in the fourth field")?,
        ..Row::EMPTY
    };
    let flushes = op == wordline_base::request::HostOp::Flush;
    Ok(if flushes { Row { offset: 0, length: 0, ..row } } else { row })
}

#[cfg(test)]
mod tests {
    use super::super::Form;
    use super::super::plain::plain;
    use super::*;
    use wordline_base::request::HostOp;

    const RULES: Rules = Rules::of(Form::Libcachesim);

    #[test]
    fn codes_of_scsi_say_what_a_line_does() {
        let short =
            |line: &str| plain(&RULES, line.as_bytes()).map(|row| (row.time, row.op, row.offset, row.length));
        assert_eq!(short("1,33,2a,512,800"), Ok((33_000_000_000, HostOp::Write, 409_600, 512)));
        assert_eq!(short("1,33.5,28,4096,8"), Ok((33_500_000_000, HostOp::Read, 4096, 4096)));
        assert_eq!(short("1,34,35,9,8"), Ok((34_000_000_000, HostOp::Flush, 0, 0)));
        assert!(is_header(b"version,time,op,size,lbn\r"));
    }

    #[test]
    fn bad_lines_say_which_field() {
        for (line, part) in [
            ("1,33,2a,512", "version,time"),
            ("x,33,2a,512,8", "version"),
            ("1,x,2a,512,8", "time"),
            ("1,33,12,512,8", "SCSI"),
            ("1,33,2a,x,8", "size"),
            ("1,33,2a,512,-8", "block"),
        ] {
            let error = plain(&RULES, line.as_bytes()).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
