//! blkparse text: `major,minor cpu sequence time pid action rwbs sector + sectors [process]`, decimal seconds, sectors
//! of 512 bytes. Of the actions, one counts: Q (queued), D (issued to the driver) or C (completed). What blkparse adds
//! at the end (sums for each CPU) is passed over.
//!
//! Described by blkparse(1): default output and RWBS.

use wordline_base::request::HostOp;

use crate::config::BlockEvent;

use super::fields::{number, scaled, time};
use super::left_out::LeftOut;
use super::names::Numbering;
use super::stateful::Stateful;
use super::{Expected, Row, Rules};

/// What is remembered from line to line.
#[derive(Default)]
pub(super) struct Blkparse {
    devices: Numbering,
    /// The sums at the end have begun.
    ended: bool,
    left_out: LeftOut,
}

impl Stateful for Blkparse {
    fn take_left_out(&mut self) -> LeftOut {
        std::mem::take(&mut self.left_out)
    }

    fn take_devices(&mut self) -> Vec<String> {
        self.devices.take_fresh()
    }

    fn parse(&mut self, line: &[u8], rules: &Rules) -> Result<Option<Row>, Expected> {
        if is_remark(line) {
            return Ok(None);
        }
        if self.ended {
            // Another output may follow that was put behind the first.
            if !begins_event(line) {
                return Ok(None);
            }
            self.ended = false;
        }
        if begins_sums(line) {
            self.ended = true;
            return Ok(None);
        }
        let mut fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
        let mut next = || fields.next().ok_or("major,minor cpu sequence time pid action rwbs …");
        let [device, _cpu, _sequence, moment, _pid, action, rwbs] =
            [next()?, next()?, next()?, next()?, next()?, next()?, next()?];
        if !is_device(device) {
            return Err("major,minor in the first field");
        }
        let moment = time(moment, rules.unit_ns).ok_or("a time in seconds in the fourth field")?;
        let event = event_of(action);
        event.iter().for_each(|event| self.left_out.event(*event));
        if event != Some(rules.event) {
            return Ok(None);
        }
        let transfer = Transfer::of(rwbs).ok_or("RWBS such as R, WS or FF in the seventh field")?;
        let (first, plus, count) = (fields.next(), fields.next(), fields.next());
        let (Some(first), Some(b"+"), Some(count)) = (first, plus, count) else {
            return self.flush(device, moment, transfer);
        };
        let row = Row {
            time: moment,
            op: HostOp::Flush,
            offset: scaled(first, rules.offset_unit).ok_or("a first sector in the eighth field")?,
            length: scaled(count, rules.length_unit).ok_or("a number of sectors in the tenth field")?,
            device: self.devices.number(device).ok_or("at most 65536 devices")?,
            ..Row::EMPTY
        };
        Ok(match transfer.op(row.length) {
            None => {
                self.left_out.dataless += 1;
                None
            }
            Some(HostOp::Flush) => Some(Row { offset: 0, length: 0, ..row }),
            Some(op) => Some(Row { op, ..row }),
        })
    }
}

impl Blkparse {
    fn flush(&mut self, device: &[u8], time: u128, transfer: Transfer) -> Result<Option<Row>, Expected> {
        match transfer.op(0) {
            Some(HostOp::Flush) => {
                let device = self.devices.number(device).ok_or("at most 65536 devices")?;
                Ok(Some(Row { time, op: HostOp::Flush, offset: 0, length: 0, device, ..Row::EMPTY }))
            }
            _ => {
                self.left_out.dataless += 1;
                Ok(None)
            }
        }
    }
}

fn event_of(action: &[u8]) -> Option<BlockEvent> {
    match action {
        b"Q" => Some(BlockEvent::Queue),
        b"D" => Some(BlockEvent::Issue),
        b"C" => Some(BlockEvent::Complete),
        _ => None,
    }
}

/// Whether a line begins as events do: device, processor, sequence and time.
fn begins_event(line: &[u8]) -> bool {
    let mut fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
    let [device, cpu, sequence, moment] = [fields.next(), fields.next(), fields.next(), fields.next()];
    device.is_some_and(is_device)
        && [cpu, sequence].iter().all(|field| field.is_some_and(|field| number(field).is_some()))
        && moment.is_some_and(|field| time(field, 1).is_some())
}

fn is_device(field: &[u8]) -> bool {
    let digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    match memchr::memchr(b',', field) {
        Some(comma) => {
            field.len() < 24
                && digits(field.get(..comma).unwrap_or_default())
                && digits(field.get(comma + 1..).unwrap_or_default())
        }
        None => false,
    }
}

/// Lines that blkparse prints before the events.
fn is_remark(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"Input file ")
}

fn begins_sums(line: &[u8]) -> bool {
    let rest = line.strip_prefix(b"CPU").or_else(|| line.strip_prefix(b"Total"));
    rest.is_some_and(|rest| memchr::memchr(b'(', rest).is_some())
}

/// What an event does, in the flags of blktrace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Transfer {
    pub read: bool,
    pub write: bool,
    pub discard: bool,
    pub flush: bool,
    pub fua: bool,
}

impl Transfer {
    /// From the letters: F (flush first), then D, W, R or N, then F (FUA), A, S, M and others.
    pub(super) fn of(rwbs: &[u8]) -> Option<Self> {
        if rwbs.is_empty() || !rwbs.iter().all(u8::is_ascii_uppercase) {
            return None;
        }
        let (flush, rest) = match rwbs.strip_prefix(b"F") {
            Some(rest) => (true, rest),
            None => (false, rwbs),
        };
        let (kind, marks) = rest.split_first().unwrap_or((&b'N', &[]));
        Some(Self {
            read: *kind == b'R',
            write: *kind == b'W',
            discard: *kind == b'D',
            flush,
            fua: marks.contains(&b'F'),
        })
    }

    /// The request of `length` bytes that it stands for; `None` for what carries no data and flushes nothing. A flush
    /// before a write of the same request is left out: of issued events, it is one of its own.
    pub(super) fn op(self, length: u64) -> Option<HostOp> {
        if length == 0 {
            return self.flush.then_some(HostOp::Flush);
        }
        if self.discard {
            Some(HostOp::Trim)
        } else if self.write {
            Some(if self.fua { HostOp::WriteFua } else { HostOp::Write })
        } else {
            self.read.then_some(HostOp::Read)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Form;
    use super::*;

    const RULES: Rules = Rules::of(Form::Blkparse);

    fn rows(text: &str, rules: &Rules) -> Vec<Row> {
        let mut blkparse = Blkparse::default();
        text.lines().filter_map(|line| blkparse.parse(line.as_bytes(), rules).unwrap()).collect()
    }

    const TEXT: &str = "Input file sda.blktrace.0 added
  8,16   5        1     0.000000000 18615  A   R 1444645666 + 256 <- (8,17) 1444645632
  8,16   5        2     0.000001850 18615  Q   R 1444645666 + 256 [java]
  8,16   5        0     0.000012990     0  m   N cfq18615S / insert_request
  8,16   5        5     0.000013000 18615  D   R 1444645666 + 256 [java]
  8,32   1        6     0.5 7  D WFS 8 + 8 [kworker/0:1H]
  8,16   1        7     0.6 7  D FN [kworker/0:1H]
  8,16   1        8     0.7 7  D DS 64 + 1024 [fstrim]
  8,16   1        9     0.8 0  C R 1444645666 + 256 [0]
CPU0 (8,16):
 Reads Queued:           1,      128KiB\t Writes Queued:           0,        0KiB
Throughput (R/W): 1KiB/s / 0KiB/s
";

    #[test]
    fn issued_events_are_requests_unless_others_are_wanted() {
        let issued = rows(TEXT, &RULES);
        let short: Vec<_> = issued.iter().map(|row| (row.time, row.op, row.offset, row.length)).collect();
        assert_eq!(
            short,
            [
                (13_000, HostOp::Read, 1_444_645_666 * 512, 256 * 512),
                (500_000_000, HostOp::WriteFua, 8 * 512, 4096),
                (600_000_000, HostOp::Flush, 0, 0),
                (700_000_000, HostOp::Trim, 64 * 512, 1024 * 512),
            ]
        );
        assert_eq!(issued.iter().map(|row| row.device).collect::<Vec<_>>(), [0, 1, 0, 0]);
        let queued = rows(TEXT, &Rules { event: BlockEvent::Queue, ..RULES });
        assert_eq!(queued.iter().map(|row| row.time).collect::<Vec<_>>(), [1850]);
        assert_eq!(rows(TEXT, &Rules { event: BlockEvent::Complete, ..RULES }).len(), 1);
    }

    #[test]
    fn letters_say_what_an_event_does() {
        let op = |rwbs: &str, length| Transfer::of(rwbs.as_bytes()).unwrap().op(length);
        for (rwbs, found) in [
            ("R", Some(HostOp::Read)),
            ("RA", Some(HostOp::Read)),
            ("WSM", Some(HostOp::Write)),
            ("WBS", Some(HostOp::Write)),
            ("WFSM", Some(HostOp::WriteFua)),
            ("FWFS", Some(HostOp::WriteFua)),
            ("FWS", Some(HostOp::Write)),
            ("DE", Some(HostOp::Trim)),
            ("N", None),
        ] {
            assert_eq!(op(rwbs, 512), found, "{rwbs}");
        }
        assert_eq!(op("FWS", 0), Some(HostOp::Flush));
        assert_eq!(op("FN", 0), Some(HostOp::Flush));
        assert_eq!(op("F", 0), Some(HostOp::Flush));
        assert_eq!(op("WS", 0), None);
        assert!(Transfer::of(b"java").is_none());
    }

    #[test]
    fn bad_lines_say_which_field() {
        for (line, part) in [
            ("8,16 5 1 0.0 18615 D", "major,minor cpu"),
            ("8;16 5 1 0.0 18615 D R 1 + 8 [x]", "first field"),
            ("8,16 5 1 x 18615 D R 1 + 8 [x]", "time"),
            ("8,16 5 1 0.0 18615 D ? 1 + 8 [x]", "RWBS"),
            ("8,16 5 1 0.0 18615 D R -1 + 8 [x]", "first sector"),
            ("8,16 5 1 0.0 18615 D R 1 + y [x]", "number of sectors"),
        ] {
            let error = Blkparse::default().parse(line.as_bytes(), &RULES).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
