//! Wordline CSV: `time_ns,op,offset_bytes,length_bytes[,flow]`, op R, W, WF (write with FUA), T (trim) or F (flush; its
//! offset and length count as 0), or a word for it. The header is optional.

use wordline_base::request::HostOp;

use super::csv::{loose, loose_time};
use super::fields::{device, fields_up_to};
use super::ops::named;
use super::quick::{Column, Layout};
use super::{Expected, Row, Rules};

/// The header as written, without the optional last column.
pub(crate) const HEADER: &str = "time_ns,op,offset_bytes,length_bytes";

const EXPECTED: Expected = "time_ns,op,offset_bytes,length_bytes[,flow]";

pub(super) const LAYOUT: Layout = Layout {
    columns: &[Column::Time, Column::Op, Column::Offset, Column::Length, Column::Device],
    needed: 4,
    more: false,
    separator: b',',
    op: |field, _| named(field),
};

pub(super) fn is_header(line: &[u8]) -> bool {
    let names = || line.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    let header = || HEADER.as_bytes().split(|byte| *byte == b',');
    names().eq(header()) || names().eq(header().chain([b"flow".as_slice()]))
}

pub(super) fn parse(line: &[u8], rules: &Rules) -> Result<Row, Expected> {
    let [arrival, op, offset, length, flow] = match fields_up_to(line) {
        (five, 5) => five,
        ([arrival, op, offset, length, _], 4) => [arrival, op, offset, length, b"0"],
        _ => return Err(EXPECTED),
    };
    let row = Row {
        time: loose_time(arrival, rules.unit_ns).ok_or("a time in the first field")?,
        op: named(op).ok_or("R, W, WF, T or F in the second field")?,
        offset: loose(offset, rules.offset_unit).ok_or("an offset in bytes in the third field")?,
        length: loose(length, rules.length_unit).ok_or("a length in bytes in the fourth field")?,
        device: device(flow).ok_or("a flow from 0 to 65535 in the fifth field")?,
        ..Row::EMPTY
    };
    Ok(if row.op == HostOp::Flush { Row { offset: 0, length: 0, ..row } } else { row })
}

#[cfg(test)]
mod tests {
    use super::super::Form;
    use super::super::plain::plain;
    use super::*;

    const RULES: Rules = Rules::of(Form::Wordline);

    #[test]
    fn the_flow_may_be_left_out() {
        let row = Row { time: 39_061, op: HostOp::Read, offset: 4096, length: 8192, device: 0, ..Row::EMPTY };
        assert_eq!(plain(&RULES, b"39061,R,4096,8192"), Ok(row));
        assert_eq!(plain(&RULES, b"39061,R,4096,8192,7"), Ok(Row { device: 7, ..row }));
    }

    #[test]
    fn trims_may_be_large_and_flushes_have_no_address() {
        let trim = plain(&RULES, b"1,T,0,10737418240").unwrap();
        assert_eq!((trim.op, trim.length), (HostOp::Trim, 10_737_418_240));
        let flush = plain(&RULES, b"1,F,5,6").unwrap();
        assert_eq!((flush.op, flush.offset, flush.length), (HostOp::Flush, 0, 0));
    }

    #[test]
    fn numbers_may_be_written_as_floating_point() {
        let row = Row {
            time: 1_000_000_000,
            op: HostOp::Read,
            offset: 4096,
            length: 8192,
            device: 0,
            ..Row::EMPTY
        };
        assert_eq!(plain(&RULES, b"1e9,R,4096.0,8192.0"), Ok(row));
        assert_eq!(plain(&RULES, b"1000000000.0, R, 4.096e3, 8192"), Ok(row));
        assert!(plain(&RULES, b"1e9,R,4096.5,8192").is_err());
    }

    #[test]
    fn bad_lines_say_which_field() {
        for (line, part) in [
            ("1,R,0", "time_ns,op"),
            ("1,R,0,1,2,3", "time_ns,op"),
            (",R,0,1", "time"),
            ("1,X,0,1", "R, W, WF, T or F"),
            ("1,R,0x10,1", "offset"),
            ("1,R,0,", "length"),
            ("1,R,0,1,70000", "flow"),
        ] {
            let error = plain(&RULES, line.as_bytes()).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }

    #[test]
    fn both_headers_are_known_and_no_other() {
        assert!(is_header(b"time_ns,op,offset_bytes,length_bytes"));
        assert!(is_header(b"time_ns,op,offset_bytes,length_bytes,flow"));
        assert!(is_header(b"time_ns, op, offset_bytes, length_bytes, flow\r"));
        assert!(!is_header(b"time_ns,op,length_bytes,offset_bytes"));
        assert!(!is_header(b"time_ns,op,offset_bytes,length_bytes,device"));
    }
}
