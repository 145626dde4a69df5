//! What the replayers of LinnOS, Heimdall and FlashNet write: `recorded,latency,type,length,offset,submitted,returned`:
//! when the trace had the request and when it was submitted, decimal ms; how long it took, µs; 1 = read, 0 = write; bytes,
//! and how many came back. The time of the event `issue` is the sixth column, of `queue` the first, of `complete` the sixth
//! and the second.
//!
//! Described by the README of huaicheng/replayer and by FlashNet's traces.

use crate::config::BlockEvent;

use super::fields::{comma_fields, scaled, span};
use super::{Expected, Latency, Row, Rules};

const EXPECTED: Expected = "recorded,latency,type,length,offset,submitted,returned";

pub(super) fn parse(line: &[u8], rules: &Rules) -> Result<Row, Expected> {
    let [recorded, latency, kind, length, offset, submitted, _returned] =
        comma_fields(line).ok_or(EXPECTED)?;
    let at = |field, what| span(field, rules.unit_ns).ok_or(what);
    let took = span(latency, rules.latency_ns.unwrap_or(1_000)).ok_or("µs in the second field")?;
    let recorded = at(recorded, "a time in ms in the first field")?;
    let submitted = at(submitted, "a time in ms in the sixth field")?;
    Ok(Row {
        time: match rules.event {
            BlockEvent::Queue => recorded,
            BlockEvent::Issue => submitted,
            BlockEvent::Complete => submitted + took,
        },
        op: rules.op_of_digit(kind).ok_or("1 (read) or 0 (write) in the third field")?,
        offset: scaled(offset, rules.offset_unit).ok_or("an offset in bytes in the fifth field")?,
        length: scaled(length, rules.length_unit).ok_or("a length in bytes in the fourth field")?,
        device: 0,
        latency: Latency::of(took),
    })
}

#[cfg(test)]
mod tests {
    use super::super::Form;
    use super::super::plain::plain;
    use super::*;
    use wordline_base::request::HostOp;

    const RULES: Rules = Rules::of(Form::Replayed);
    const LINE: &[u8] = b"5.000,134,0,4096,409600,7.250,4096";

    #[test]
    fn requests_come_when_they_were_submitted_unless_others_are_wanted() {
        let row = Row {
            time: 7_250_000,
            op: HostOp::Write,
            offset: 409_600,
            length: 4096,
            device: 0,
            latency: Latency::of(134_000),
        };
        assert_eq!(plain(&RULES, LINE), Ok(row));
        let at = |event| plain(&Rules { event, ..RULES }, LINE).map(|row| row.time);
        assert_eq!(at(BlockEvent::Queue), Ok(5_000_000));
        assert_eq!(at(BlockEvent::Complete), Ok(7_384_000));
        assert_eq!(plain(&RULES, b"0,1,1,512,0,0,512").map(|row| row.op), Ok(HostOp::Read));
    }

    #[test]
    fn bad_lines_say_which_field() {
        for (line, part) in [
            ("5.000,134,0,4096,409600,7.250", "recorded,latency"),
            ("x,134,0,4096,409600,7.250,4096", "first field"),
            ("5,-1,0,4096,409600,7.250,4096", "second field"),
            ("5,134,2,4096,409600,7.250,4096", "third field"),
            ("5,134,0,4k,409600,7.250,4096", "fourth field"),
            ("5,134,0,4096,-1,7.250,4096", "fifth field"),
            ("5,134,0,4096,409600,x,4096", "sixth field"),
        ] {
            let error = plain(&RULES, line.as_bytes()).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
