//! SYSTOR '17 (Lee et al., enterprise VDI): `Timestamp,Response,IOType,LUN,Offset,Size`: decimal seconds since 1970,
//! response time in seconds, R or W, logical unit, bytes. Lines without an IOType are no transfers: passed over and
//! counted.

use super::fields::{comma_fields, device, scaled, time};
use super::ops::read_or_write;
use super::quick::{Column, Layout};
use super::{Expected, Row, Rules};

const EXPECTED: Expected = "Timestamp,Response,IOType,LUN,Offset,Size";

pub(super) const LAYOUT: Layout = Layout {
    columns: &[Column::Time, Column::Latency, Column::Op, Column::Device, Column::Offset, Column::Length],
    needed: 6,
    more: false,
    separator: b',',
    op: |field, _| read_or_write(field),
};

pub(super) fn is_header(line: &[u8]) -> bool {
    line.trim_ascii().eq_ignore_ascii_case(EXPECTED.as_bytes())
}

/// Whether the line is whole, but of neither a read nor a write.
pub(super) fn is_untyped(line: &[u8]) -> bool {
    comma_fields::<6>(line).is_some_and(|[time, _, kind, ..]| kind.is_empty() && !time.is_empty())
}

pub(super) fn parse(line: &[u8], rules: &Rules) -> Result<Row, Expected> {
    let [timestamp, response, kind, lun, offset, size] = comma_fields(line).ok_or(EXPECTED)?;
    Ok(Row {
        time: time(timestamp, rules.unit_ns).ok_or("a time in seconds in the first field")?,
        op: read_or_write(kind).ok_or("R or W in the third field")?,
        offset: scaled(offset, rules.offset_unit).ok_or("an offset in bytes in the fifth field")?,
        length: scaled(size, rules.length_unit).ok_or("a size in bytes in the sixth field")?,
        device: device(lun).ok_or("a logical unit from 0 to 65535 in the fourth field")?,
        latency: rules.latency_of(response),
    })
}

#[cfg(test)]
mod tests {
    use super::super::plain::plain;
    use super::super::{Form, Latency};
    use super::*;
    use wordline_base::request::HostOp;

    const RULES: Rules = Rules::of(Form::Systor);

    #[test]
    fn a_line_becomes_a_request_in_ns_and_bytes() {
        let row = Row {
            time: 1_455_592_511_559_981_000,
            op: HostOp::Read,
            offset: 31_457_280,
            length: 16_384,
            device: 2,
            latency: Latency::of(226_000),
        };
        assert_eq!(plain(&RULES, b"1455592511.559981,0.000226,R,2,31457280,16384"), Ok(row));
        let blank = Row { latency: Latency::UNKNOWN, ..row };
        assert_eq!(plain(&RULES, b"1455592511.559981000,,R,2,31457280,16384"), Ok(blank));
    }

    #[test]
    fn headers_and_lines_without_a_type_are_known() {
        assert!(is_header(b"Timestamp,Response,IOType,LUN,Offset,Size\r"));
        assert!(is_untyped(b"1455592511.559981,0.1,,2,0,0"));
        assert!(!is_untyped(b"1455592511.559981,0.1,R,2,0,0"));
    }

    #[test]
    fn bad_lines_say_which_field() {
        for (line, part) in [
            ("1.5,0,R,2,0", "Timestamp,Response"),
            ("x,0,R,2,0,512", "time"),
            ("1.5,0,Q,2,0,512", "R or W"),
            ("1.5,0,R,,0,512", "logical unit"),
            ("1.5,0,R,2,0.5,512", "offset"),
            ("1.5,0,R,2,0,", "size"),
        ] {
            let error = plain(&RULES, line.as_bytes()).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
