//! MSR Cambridge CSV: `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`. Times are Windows file times
//! (ticks of 100 ns since 1601), offsets and sizes bytes. The response time may miss.

use super::fields::{device, fields_up_to, scaled, time};
use super::ops::read_or_write;
use super::quick::{Column, Layout};
use super::{Expected, Row, Rules};

/// Length of a tick, ns.
pub(super) const UNIT_NS: u64 = 100;

const EXPECTED: Expected = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime";

pub(super) const LAYOUT: Layout = Layout {
    columns: &[
        Column::Time,
        Column::Any,
        Column::Device,
        Column::Op,
        Column::Offset,
        Column::Length,
        Column::Latency,
    ],
    needed: 6,
    more: false,
    separator: b',',
    op: |field, _| read_or_write(field),
};

pub(super) fn is_header(line: &[u8]) -> bool {
    let (names, count) = fields_up_to::<7>(line);
    let own = EXPECTED.as_bytes().split(|byte| *byte == b',');
    matches!(count, 6 | 7)
        && names.iter().take(count).zip(own).all(|(name, own)| name.eq_ignore_ascii_case(own))
}

pub(super) fn parse(line: &[u8], rules: &Rules) -> Result<Row, Expected> {
    let ([ticks, _host, disk, op, offset, size, response], 6 | 7) = fields_up_to(line) else {
        return Err(EXPECTED);
    };
    Ok(Row {
        time: time(ticks, rules.unit_ns).ok_or("a timestamp in the first field")?,
        device: device(disk).ok_or("a disk number from 0 to 65535 in the third field")?,
        op: read_or_write(op).ok_or("Read or Write in the fourth field")?,
        offset: scaled(offset, rules.offset_unit).ok_or("an offset in bytes in the fifth field")?,
        length: scaled(size, rules.length_unit).ok_or("a size in bytes in the sixth field")?,
        latency: rules.latency_of(response),
    })
}

#[cfg(test)]
mod tests {
    use super::super::plain::plain;
    use super::super::{Form, Latency};
    use super::*;
    use wordline_base::request::HostOp;

    const RULES: Rules = Rules::of(Form::Msr);

    #[test]
    fn a_line_becomes_a_request_in_ns_and_bytes() {
        let row = Row {
            time: 12_816_638_529_551_466_300,
            op: HostOp::Write,
            offset: 9_056_014_336,
            length: 2048,
            device: 3,
            latency: Latency::of(283_300),
        };
        let line = b"128166385295514663,hm,3,Write,9056014336,2048,2833";
        assert_eq!(plain(&RULES, line), Ok(row));
        let short = Row { latency: Latency::UNKNOWN, ..row };
        assert_eq!(plain(&RULES, b"128166385295514663,hm,3,write,9056014336,2048"), Ok(short));
        assert_eq!(plain(&RULES, b"0,x,0,Read,0,512,0").map(|row| row.op), Ok(HostOp::Read));
    }

    #[test]
    fn bad_lines_say_which_field() {
        for (line, part) in [
            ("1,hm,0,Write,0", "Timestamp,Hostname"),
            ("1,hm,0,Write,0,1,2,3", "Timestamp,Hostname"),
            ("x,hm,0,Write,0,1,2", "timestamp"),
            ("1,hm,y,Write,0,1,2", "disk number"),
            ("1,hm,0,Wrote,0,1,2", "Read or Write"),
            ("1,hm,0,Write,1.8E+11,1,2", "offset"),
            ("1,hm,0,Write,0,-1,2", "size"),
            ("1,hm,0,Write,18446744073709551615,1,2", "below 2^64"),
            ("1,hm,0,Write,0,4294967297,2", "at most 4 GiB"),
        ] {
            let error = plain(&RULES, line.as_bytes()).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }

    #[test]
    fn the_published_header_is_known() {
        assert!(is_header(b"Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime"));
        assert!(!is_header(b"128166385295514663,hm,3,Write,9056014336,2048,2833"));
    }
}
