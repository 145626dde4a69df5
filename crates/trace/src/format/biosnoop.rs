//! What `biosnoop` of bcc prints: `TIME(s) COMM PID DISK T SECTOR BYTES [QUE(ms)] LAT(ms)`, a line when a request is
//! answered: decimal seconds since the first line, R, W or RWBS, sectors of 512 bytes, and how long it waited (`-Q`) and
//! took, ms. The time of the event `complete` is that of the line, of `issue` earlier by the last column, of `queue` by the
//! wait, too. Names of tasks may have blanks, so the columns are counted from the end.
//!
//! Described by tools/biosnoop.py and biosnoop(8) of bcc.

use wordline_base::request::HostOp;

use crate::config::BlockEvent;

use super::fields::{scaled, span};
use super::names::Numbering;
use super::ops::named;
use super::stateful::{LONGEST_NS, Stateful};
use super::{Expected, Latency, Row, Rules};

const LINE: Expected = "TIME(s) COMM PID DISK T SECTOR BYTES [QUE(ms)] LAT(ms)";

/// Columns behind the task's name, as without options.
const USUAL: [&[u8]; 6] = [b"PID", b"DISK", b"T", b"SECTOR", b"BYTES", b"LAT(ms)"];

/// What is remembered from line to line.
pub(super) struct Biosnoop {
    /// Names of the columns behind the task's name.
    columns: Vec<Box<[u8]>>,
    disks: Numbering,
}

impl Default for Biosnoop {
    fn default() -> Self {
        Self { columns: USUAL.map(Box::from).into(), disks: Numbering::default() }
    }
}

/// Whether a line holds the names of the columns.
pub(super) fn is_header(line: &[u8]) -> bool {
    let mut names = words(line);
    names.next() == Some(b"TIME(s)") && names.any(|name| name == b"LAT(ms)") && {
        let has = |wanted: &[u8]| words(line).any(|name| name == wanted);
        has(b"SECTOR") && has(b"BYTES")
    }
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty())
}

impl Stateful for Biosnoop {
    fn take_devices(&mut self) -> Vec<String> {
        self.disks.take_fresh()
    }

    fn parse(&mut self, line: &[u8], rules: &Rules) -> Result<Option<Row>, Expected> {
        if is_header(line) {
            let behind = words(line).skip_while(|name| *name != b"PID");
            self.columns = behind.map(Box::from).collect();
            return Ok(None);
        }
        let fields: Vec<&[u8]> = words(line).take(64).collect();
        // A time and a task before the columns.
        let first = fields.len().checked_sub(self.columns.len()).filter(|first| *first >= 2).ok_or(LINE)?;
        let place = |name: &[u8]| self.columns.iter().position(|column| **column == *name);
        let field = |name: &[u8]| place(name).and_then(|place| fields.get(first + place)).copied();
        let answered = fields.first().and_then(|field| span(field, rules.unit_ns));
        let answered = answered.ok_or("a time in seconds in the first column")?;
        let unit = rules.latency_ns.unwrap_or(1_000_000);
        let took = field(b"LAT(ms)").and_then(|field| span(field, unit)).ok_or("ms in the column LAT(ms)")?;
        let before = match rules.event {
            BlockEvent::Complete => 0,
            BlockEvent::Issue => took,
            BlockEvent::Queue => {
                let waited = field(b"QUE(ms)").and_then(|field| span(field, unit));
                took + waited.ok_or("ms in the column QUE(ms), which -Q prints, for the event `queue`")?
            }
        };
        let time = (answered + LONGEST_NS).checked_sub(before).ok_or("a response time below 18 minutes")?;
        let op = field(b"T").and_then(named).ok_or("R, W or RWBS in the column T")?;
        let disk = field(b"DISK").ok_or(LINE)?;
        let device = self.disks.number(disk).ok_or("at most 65536 disks")?;
        let latency = Latency::of(took);
        if op == HostOp::Flush {
            return Ok(Some(Row { time, op, device, latency, ..Row::EMPTY }));
        }
        let offset = field(b"SECTOR").and_then(|field| scaled(field, rules.offset_unit));
        let length = field(b"BYTES").and_then(|field| scaled(field, rules.length_unit));
        Ok(Some(Row {
            time,
            op,
            offset: offset.ok_or("a first sector in the column SECTOR")?,
            length: length.ok_or("bytes in the column BYTES")?,
            device,
            latency,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Form;
    use super::*;

    const RULES: Rules = Rules::of(Form::Biosnoop);

    fn rows(text: &str, rules: &Rules) -> Vec<(u128, HostOp, u64, u64, u16, Option<u64>)> {
        let mut biosnoop = Biosnoop::default();
        let parsed = text.lines().filter_map(|line| biosnoop.parse(line.as_bytes(), rules).unwrap());
        let short =
            |row: Row| (row.time - LONGEST_NS, row.op, row.offset, row.length, row.device, row.latency.ns());
        parsed.map(short).collect()
    }

    const PLAIN: &str = "TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  LAT(ms)
2.000000    my task  x     77     nvme0n1 W 800        4096      0.50
2.250000    dd             78     sdb     R 16         512      10.25
";

    #[test]
    fn requests_are_issued_before_their_line() {
        let issued = rows(PLAIN, &RULES);
        assert_eq!(
            issued,
            [
                (1_999_500_000, HostOp::Write, 409_600, 4096, 0, Some(500_000)),
                (2_239_750_000, HostOp::Read, 8192, 512, 1, Some(10_250_000)),
            ]
        );
        let answered = rows(PLAIN, &Rules { event: BlockEvent::Complete, ..RULES });
        assert_eq!(answered.iter().map(|row| row.0).collect::<Vec<_>>(), [2_000_000_000, 2_250_000_000]);
    }

    #[test]
    fn the_header_tells_whether_there_is_a_wait() {
        let text = "TIME(s) COMM PID DISK T SECTOR BYTES QUE(ms) LAT(ms)\n1.0 a b 7 sda WFS 8 4096 0.25 0.5\n1.5 a 7 sda FF 0 0 0.00 1.00\n";
        let queued = rows(text, &Rules { event: BlockEvent::Queue, ..RULES });
        assert_eq!(
            queued,
            [
                (999_250_000, HostOp::WriteFua, 4096, 4096, 0, Some(500_000)),
                (1_499_000_000, HostOp::Flush, 0, 0, 0, Some(1_000_000)),
            ]
        );
    }

    #[test]
    fn a_request_before_the_first_line_s_time_is_one() {
        let mut biosnoop = Biosnoop::default();
        let row = biosnoop.parse(b"0.000004 x 7 sda R 8 4096 0.74", &RULES).unwrap().unwrap();
        assert_eq!(LONGEST_NS - row.time, 736_000);
    }

    #[test]
    fn bad_lines_say_which_column() {
        for (line, part) in [
            ("1.0 7 sda R 8 4096", "TIME(s)"),
            ("x a 7 sda R 8 4096 1", "time"),
            ("1 a 7 sda R 8 4096 x", "LAT(ms)"),
            ("1 a 7 sda ? 8 4096 1", "column T"),
            ("1 a 7 sda R -8 4096 1", "SECTOR"),
            ("1 a 7 sda R 8 4k 1", "BYTES"),
            ("1 a 7 sda R 8 4096 99999999", "18 minutes"),
        ] {
            let error = Biosnoop::default().parse(line.as_bytes(), &RULES).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
