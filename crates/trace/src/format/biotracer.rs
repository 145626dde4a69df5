//! BIOtracer logs (Zhou et al., IISWC '15, Nexus 5): `first_sector sectors bytes type generated started submitted
//! finished`, tabs between: bit 0 of the type says write, bit 2 that the queue was empty; decimal seconds. The time of
//! the event `queue` is the fifth column, of `issue` the seventh, of `complete` the eighth.

use crate::config::BlockEvent;

use super::fields::{blank_fields, number, scaled, time};
use super::{Expected, Latency, Row, Rules};

pub(super) fn parse(line: &[u8], rules: &Rules) -> Result<Row, Expected> {
    let [sector, sectors, bytes, kind, generated, _started, submitted, finished] = blank_fields(line)
        .ok_or("eight fields: first_sector sectors bytes type generated started submitted finished")?;
    let count = scaled(sectors, rules.length_unit).ok_or("a number of sectors in the second field")?;
    if number(bytes).ok_or("a number of bytes in the third field")? != count {
        return Err("the number of bytes in the third field to be that of the sectors in the second");
    }
    let kind = number(kind).filter(|kind| *kind < 8).ok_or("a type from 0 to 7 in the fourth field")?;
    let (moment, missing) = match rules.event {
        BlockEvent::Queue => (generated, "a time in seconds in the fifth field"),
        BlockEvent::Issue => (submitted, "a time in seconds in the seventh field"),
        BlockEvent::Complete => (finished, "a time in seconds in the eighth field"),
    };
    Ok(Row {
        time: time(moment, rules.unit_ns).ok_or(missing)?,
        op: rules.op_of((kind & 1) as u8),
        offset: scaled(sector, rules.offset_unit).ok_or("a first sector in the first field")?,
        length: count,
        device: 0,
        latency: response(submitted, finished, rules),
    })
}

/// From the submission to the end, as far as both are times.
fn response(submitted: &[u8], finished: &[u8], rules: &Rules) -> Latency {
    let at = |field| time(field, rules.unit_ns);
    Latency::of_some(at(finished).zip(at(submitted)).and_then(|(end, start)| end.checked_sub(start)))
}

#[cfg(test)]
mod tests {
    use super::super::Form;
    use super::super::plain::plain;
    use super::*;
    use wordline_base::request::HostOp;

    const RULES: Rules = Rules::of(Form::Biotracer);
    const LINE: &[u8] = b"96\t\t8\t\t4096\t\t5\t\t1.5\t\t1.6\t\t1.75\t\t2";

    #[test]
    fn bit_0_of_the_type_says_write() {
        let row = Row {
            time: 1_500_000_000,
            op: HostOp::Write,
            offset: 96 * 512,
            length: 4096,
            device: 0,
            latency: Latency::of(250_000_000),
        };
        assert_eq!(plain(&RULES, LINE), Ok(row));
        let read = plain(&RULES, b"96 8 4096 4 1.5 1.6 1.75 2").unwrap();
        assert_eq!(read.op, HostOp::Read);
    }

    #[test]
    fn the_time_is_that_of_the_event() {
        let at = |event| plain(&Rules { event, ..RULES }, LINE).unwrap().time;
        assert_eq!(at(BlockEvent::Issue), 1_750_000_000);
        assert_eq!(at(BlockEvent::Complete), 2_000_000_000);
    }

    #[test]
    fn bad_lines_say_which_field() {
        for (line, part) in [
            ("96 8 4096 5 1.5 1.6 1.75", "eight fields"),
            ("x 8 4096 5 1.5 1.6 1.75 2", "first field"),
            ("96 8 4095 5 1.5 1.6 1.75 2", "third field to be"),
            ("96 8 4096 9 1.5 1.6 1.75 2", "type"),
            ("96 8 4096 5 x 1.6 1.75 2", "fifth field"),
        ] {
            let error = plain(&RULES, line.as_bytes()).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
