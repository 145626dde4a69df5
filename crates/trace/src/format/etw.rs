//! Dumps of Windows' event traces as `xperf -a dumper` writes them: an event a line, its kind, then columns that the header
//! between `BeginHeader` and `EndHeader` names. `DiskRead` and `DiskWrite` have the time (µs since the trace began) at which
//! they were answered, ByteOffset and IOSize (bytes, hexadecimal behind 0x), ElapsedTime (µs) and DiskNum; `DiskFlush` has
//! neither place nor size. The time of the event `issue` is earlier than that of the line by ElapsedTime, of `complete` that
//! of the line. Where the line `OS Version: …, Trace Start: …` stands before, times count from 1601. All other events are
//! passed over.
//!
//! Described by headers of such dumps (SNIA's Microsoft production servers) and by the DiskIo classes of Windows' event
//! tracing.

use wordline_base::request::HostOp;

use crate::config::BlockEvent;

use super::fields::{device, number, span};
use super::ftrace::hexadecimal;
use super::left_out::LeftOut;
use super::stateful::{LONGEST_NS, Stateful};
use super::{Expected, Latency, Row, Rules};

const READ: &[u8] = b"DiskRead";
const WRITE: &[u8] = b"DiskWrite";
const FLUSH: &[u8] = b"DiskFlush";

/// How a dump begins.
pub(super) const BEGIN: &[u8] = b"BeginHeader";

/// Where the columns are, the kind being 0.
#[derive(Clone, Copy, Debug)]
struct Places {
    offset: usize,
    size: usize,
    elapsed: usize,
    disk: usize,
}

impl Places {
    /// By names of columns; of a flush, two are nowhere.
    fn named(line: &[u8]) -> Option<Self> {
        let place = |name: &[u8]| fields(line).position(|field| field.eq_ignore_ascii_case(name));
        Some(Self {
            offset: place(b"ByteOffset").unwrap_or(usize::MAX),
            size: place(b"IOSize").unwrap_or(usize::MAX),
            elapsed: place(b"ElapsedTime")?,
            disk: place(b"DiskNum")?,
        })
    }

    /// Without a header: behind the pointer of the I/O request packet, the first number in hexadecimal.
    fn usual(line: &[u8], flushes: bool) -> Option<Self> {
        let packet = fields(line).position(|field| field.starts_with(b"0x"))?;
        let elapsed = packet + if flushes { 1 } else { 3 };
        Some(Self { offset: packet + 1, size: packet + 2, elapsed, disk: elapsed + 1 })
    }
}

fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|byte| *byte == b',').map(<[u8]>::trim_ascii)
}

/// What is remembered from line to line.
#[derive(Default)]
pub(super) struct Etw {
    transfers: Option<Places>,
    flushes: Option<Places>,
    /// Ns from 1601 to time 0.
    start_ns: Option<u128>,
    left_out: LeftOut,
}

impl Stateful for Etw {
    fn take_left_out(&mut self) -> LeftOut {
        std::mem::take(&mut self.left_out)
    }

    fn parse(&mut self, line: &[u8], rules: &Rules) -> Result<Option<Row>, Expected> {
        let mut columns = fields(line);
        let (kind, moment) = (columns.next().unwrap_or_default(), columns.next());
        let op = match kind {
            READ => HostOp::Read,
            WRITE => HostOp::Write,
            FLUSH => HostOp::Flush,
            _ if kind.starts_with(b"OS Version") => {
                self.begin(line);
                return Ok(None);
            }
            _ if moment.is_some() || kind == BEGIN || kind == b"EndHeader" => return Ok(None),
            _ => return Err("an event, its time and further columns between commas"),
        };
        let flushes = op == HostOp::Flush;
        if moment.is_some_and(|name| name.eq_ignore_ascii_case(b"TimeStamp")) {
            let places = Places::named(line).ok_or("the columns ElapsedTime and DiskNum")?;
            *(if flushes { &mut self.flushes } else { &mut self.transfers }) = Some(places);
            return Ok(None);
        }
        let told = if flushes { self.flushes } else { self.transfers };
        let places = told.or_else(|| Places::usual(line, flushes));
        let places = places.ok_or("IrpPtr, ByteOffset, IOSize, ElapsedTime and DiskNum")?;
        self.row(line, op, places, rules).map(Some)
    }
}

impl Etw {
    fn row(&self, line: &[u8], op: HostOp, places: Places, rules: &Rules) -> Result<Row, Expected> {
        let field = |place: usize| fields(line).nth(place);
        let answered = field(1).and_then(|field| span(field, rules.unit_ns));
        let answered = answered.ok_or("a time in µs in the second column")?;
        let unit = rules.latency_ns.unwrap_or(1_000);
        let took = field(places.elapsed).and_then(|field| span(field, unit));
        let took = took.ok_or("µs in the column ElapsedTime")?;
        let before = if rules.event == BlockEvent::Complete { 0 } else { took };
        let time = (answered + self.start_ns.unwrap_or(LONGEST_NS)).checked_sub(before);
        let time = time.ok_or("an ElapsedTime below 18 minutes")?;
        let device = field(places.disk).and_then(device).ok_or("a disk from 0 to 65535 in DiskNum")?;
        let latency = Latency::of(took);
        if op == HostOp::Flush {
            return Ok(Row { time, op, device, latency, ..Row::EMPTY });
        }
        let bytes = |place, unit: u64| field(place).and_then(whole)?.checked_mul(unit);
        Ok(Row {
            time,
            op,
            offset: bytes(places.offset, rules.offset_unit).ok_or("a number in the column ByteOffset")?,
            length: bytes(places.size, rules.length_unit).ok_or("a number in the column IOSize")?,
            device,
            latency,
        })
    }

    /// What is said of the whole trace.
    fn begin(&mut self, line: &[u8]) {
        let told = |key: &[u8]| {
            fields(line).find_map(|field| field.strip_prefix(key)).and_then(|text| number(text.trim_ascii()))
        };
        self.start_ns = told(b"Trace Start:").map(|ticks| u128::from(ticks) * 100);
        self.left_out.lost += told(b"Events Lost:").unwrap_or_default();
    }
}

/// A number, hexadecimal behind `0x`.
fn whole(field: &[u8]) -> Option<u64> {
    match field.strip_prefix(b"0x") {
        Some(digits) => hexadecimal(digits),
        None => number(field),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Form;
    use super::*;

    const RULES: Rules = Rules::of(Form::Etw);

    type Short = (u128, HostOp, u64, u64, u16, Option<u64>);

    fn rows(text: &str, rules: &Rules) -> (Vec<Short>, u64) {
        let mut etw = Etw::default();
        let parsed = text.lines().filter_map(|line| etw.parse(line.as_bytes(), rules).unwrap());
        let short = |row: Row| (row.time, row.op, row.offset, row.length, row.device, row.latency.ns());
        let rows = parsed.map(short).collect();
        (rows, etw.take_left_out().lost)
    }

    const HEADED: &str = "BeginHeader
            DiskRead,  TimeStamp,  Process Name ( PID),  ThreadID, CPU, IrpPtr, ByteOffset, IOSize, ElapsedTime, DiskNum, IrpFlags, DiskSvcTime, I/O Pri, VolSnap, FileObject, FileName
           DiskWrite,  TimeStamp,  Process Name ( PID),  ThreadID, CPU, IrpPtr, ByteOffset, IOSize, ElapsedTime, DiskNum, IrpFlags, DiskSvcTime, I/O Pri, VolSnap, FileObject, FileName
        DiskReadInit,  TimeStamp,  Process Name ( PID),  ThreadID, CPU, IrpPtr
           DiskFlush,  TimeStamp,  Process Name ( PID),  ThreadID, CPU, IrpPtr, ElapsedTime, DiskNum, IrpFlags, DiskSvcTime, I/O Pri
EndHeader
OS Version: 10.0.1, Trace Size: 1KB, Events Lost: 3, Buffers lost: 0, Trace Start: 131000000000000000, Trace Length: 1 sec
        DiskReadInit,       1000, a.exe (  77),  5, 1, 0xffff01
            DiskRead,       1500, a.exe (  77),  5, 1, 0xffff01, 0x0000100000, 0x00001000, 500, 2, 0x060043, 480, 3, Original, 0x1, \"C:\\a, b.txt\"
           DiskWrite,       2500, a.exe (  77),  5, 1, 0xffff02, 0x0000200000, 0x00002000, 100, 0, 0x060043, 100, 3, Original, 0x1, \"C:\\b\"
           DiskFlush,       2600, a.exe (  77),  5, 1, 0xffff03, 50, 0, 0x060043, 50, 3
";

    #[test]
    fn the_header_tells_the_columns_and_requests_are_issued_before_their_line() {
        const START: u128 = 131_000_000_000_000_000 * 100;
        let (issued, lost) = rows(HEADED, &RULES);
        assert_eq!(
            issued,
            [
                (START + 1_000_000, HostOp::Read, 1 << 20, 4096, 2, Some(500_000)),
                (START + 2_400_000, HostOp::Write, 2 << 20, 8192, 0, Some(100_000)),
                (START + 2_550_000, HostOp::Flush, 0, 0, 0, Some(50_000)),
            ]
        );
        assert_eq!(lost, 3);
        let answered = rows(HEADED, &Rules { event: BlockEvent::Complete, ..RULES }).0;
        assert_eq!(answered.first().map(|row| row.0), Some(START + 1_500_000));
    }

    #[test]
    fn without_a_header_columns_follow_the_packet_s_pointer() {
        let text = "DiskWrite, 2664955, p1 ( 980), 6852, 0xfffffade, 0x6c80556e00, 0x00010000, 183, 3, 0x43, 183, 0, U, 0x1, f
DiskFlush, 2664960, p1 ( 980), 6852, 0xfffffade, 10, 3, 0x43, 10, 0";
        let (found, _) = rows(text, &RULES);
        assert_eq!(
            found,
            [
                (LONGEST_NS + 2_664_772_000, HostOp::Write, 0x6c_8055_6e00, 65_536, 3, Some(183_000)),
                (LONGEST_NS + 2_664_950_000, HostOp::Flush, 0, 0, 3, Some(10_000)),
            ]
        );
    }

    #[test]
    fn bad_lines_say_which_column() {
        for (line, part) in [
            ("garbage", "between commas"),
            ("DiskRead, 5, p, 1, 2", "IrpPtr"),
            ("DiskRead, x, p, 1, 0xf, 0x0, 0x200, 1, 0", "time in µs"),
            ("DiskRead, 5, p, 1, 0xf, 0xg, 0x200, 1, 0", "ByteOffset"),
            ("DiskRead, 5, p, 1, 0xf, 0x0, -1, 1, 0", "IOSize"),
            ("DiskRead, 5, p, 1, 0xf, 0x0, 0x200, x, 0", "ElapsedTime"),
            ("DiskRead, 5, p, 1, 0xf, 0x0, 0x200, 99999999999, 0", "18 minutes"),
            ("DiskRead, 5, p, 1, 0xf, 0x0, 0x200, 1, c", "DiskNum"),
            ("DiskRead, TimeStamp, a, b", "ElapsedTime and DiskNum"),
        ] {
            let error = Etw::default().parse(line.as_bytes(), &RULES).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
