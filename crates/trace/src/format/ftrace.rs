//! Text of ftrace, as `/sys/kernel/tracing/trace` and `trace-cmd report` have it: `task-pid [cpu] flags time: event: …`,
//! decimal seconds. Of the block layer, `block_bio_queue` queues, `block_rq_issue` issues and `block_rq_complete` completes:
//! `major,minor rwbs [bytes] (command) sector + sectors …`, sectors of 512 bytes. Where none of these issues,
//! `nvme_setup_cmd` does: `… disk=nvme0n1, qid=…, cmd=(nvme_cmd_read slba=…, len=…, ctrl=…)`, logical blocks, one fewer in
//! `len` than there are. All other events are passed over.
//!
//! Described by include/trace/events/block.h and drivers/nvme/host/trace.h of the Linux kernel.

use wordline_base::request::HostOp;

use crate::config::BlockEvent;

use super::blkparse::Transfer;
use super::fields::{number, scaled, span};
use super::left_out::LeftOut;
use super::names::Numbering;
use super::stateful::Stateful;
use super::{Expected, Row, Rules};

/// FUA among the control bits of an NVMe command.
const FUA: u64 = 1 << 14;

const LINE: Expected = "task-pid [cpu] flags time: event: …";

/// What is remembered from line to line.
#[derive(Default)]
pub(super) struct Ftrace {
    devices: Numbering,
    /// Whether the block layer's own events issue.
    block_issues: bool,
    left_out: LeftOut,
}

/// An event of any kind: its time in seconds, its name and what it tells.
struct Event<'a> {
    moment: &'a [u8],
    name: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Event<'a> {
    /// Behind the first time that a colon follows stands the name.
    fn of(line: &'a [u8]) -> Option<Self> {
        let mut from = 0;
        loop {
            let colon = from + memchr::memmem::find(line.get(from..)?, b": ")?;
            let before = line.get(..colon)?;
            let word = before.rsplit(u8::is_ascii_whitespace).next()?;
            if span(word, 1).is_some() {
                let behind = line.get(colon + 2..)?.trim_ascii_start();
                let end = memchr::memchr(b':', behind)?;
                // `perf script` names the system as well.
                let (name, rest) = match behind.get(end + 1) {
                    Some(b' ') | None => (behind.get(..end)?, behind.get(end + 1..)?),
                    Some(_) => {
                        let event = behind.get(end + 1..)?;
                        let end = memchr::memchr(b':', event)?;
                        (event.get(..end)?, event.get(end + 1..)?)
                    }
                };
                let is_name = name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
                return is_name.then_some(Self { moment: word, name, rest });
            }
            from = colon + 2;
        }
    }
}

/// Whether a line is an event.
pub(super) fn is_event(line: &[u8]) -> bool {
    Event::of(line).is_some() && memchr::memmem::find(line, b" [").is_some()
}

impl Stateful for Ftrace {
    fn look_ahead(&mut self, head: &[u8]) {
        self.block_issues |= memchr::memmem::find(head, b"block_rq_issue: ").is_some();
    }

    fn take_left_out(&mut self) -> LeftOut {
        std::mem::take(&mut self.left_out)
    }

    fn take_devices(&mut self) -> Vec<String> {
        self.devices.take_fresh()
    }

    fn parse(&mut self, line: &[u8], rules: &Rules) -> Result<Option<Row>, Expected> {
        let Some(event) = Event::of(line) else {
            return self.remark(line);
        };
        let kind = match event.name {
            b"block_bio_queue" => BlockEvent::Queue,
            b"block_rq_issue" => {
                self.block_issues = true;
                BlockEvent::Issue
            }
            b"block_rq_complete" => BlockEvent::Complete,
            b"nvme_setup_cmd" if !self.block_issues => return self.command(&event, rules),
            _ => return Ok(None),
        };
        self.left_out.event(kind);
        if kind != rules.event {
            return Ok(None);
        }
        self.block(&event, rules)
    }
}

impl Ftrace {
    /// Lines that are no events.
    fn remark(&mut self, line: &[u8]) -> Result<Option<Row>, Expected> {
        let line = line.trim_ascii();
        if let Some(lost) = line.strip_prefix(b"CPU:").and_then(|rest| rest.strip_suffix(b" EVENTS]")) {
            let count = lost.rsplit(|byte| *byte == b' ').next().and_then(number);
            self.left_out.lost += count.unwrap_or(1);
            return Ok(None);
        }
        let told = [b"cpus=".as_slice(), b"CPU", b"version", b"trace-cmd"];
        if told.iter().any(|begin| line.starts_with(begin)) { Ok(None) } else { Err(LINE) }
    }

    fn block(&mut self, event: &Event<'_>, rules: &Rules) -> Result<Option<Row>, Expected> {
        let moment = span(event.moment, rules.unit_ns).ok_or("a time in seconds before the event")?;
        let fields = || event.rest.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
        let (Some(device), Some(rwbs)) = (fields().next(), fields().nth(1)) else {
            return Err("major,minor rwbs … sector + sectors");
        };
        let transfer = Transfer::of(rwbs).ok_or("RWBS such as R, WS or FF behind the device")?;
        let plus = fields().position(|field| field == b"+").ok_or("sector + sectors behind RWBS")?;
        let at = |place: usize| fields().nth(place);
        let offset = plus.checked_sub(1).and_then(at).and_then(|field| scaled(field, rules.offset_unit));
        let length = at(plus + 1).and_then(|field| scaled(field, rules.length_unit));
        let length = length.ok_or("a number of sectors behind the plus")?;
        let device = self.devices.number(device).ok_or("at most 65536 devices")?;
        Ok(match transfer.op(length) {
            None if length > 0 => {
                self.left_out.commands += 1;
                None
            }
            None => {
                self.left_out.dataless += 1;
                None
            }
            Some(HostOp::Flush) => Some(Row { time: moment, op: HostOp::Flush, device, ..Row::EMPTY }),
            Some(op) => {
                let offset = offset.ok_or("a first sector before the plus")?;
                Some(Row { time: moment, op, offset, length, device, ..Row::EMPTY })
            }
        })
    }

    fn command(&mut self, event: &Event<'_>, rules: &Rules) -> Result<Option<Row>, Expected> {
        self.left_out.event(BlockEvent::Issue);
        if rules.event != BlockEvent::Issue {
            return Ok(None);
        }
        let value = |key: &[u8]| -> Option<&[u8]> {
            let start = memchr::memmem::find(event.rest, key)? + key.len();
            event.rest.get(start..)?.split(|byte| b", )".contains(byte)).next()
        };
        let command = value(b"cmd=(").ok_or("cmd=(…) in an nvme_setup_cmd")?;
        let op = match command {
            b"nvme_cmd_read" => HostOp::Read,
            b"nvme_cmd_write" => HostOp::Write,
            b"nvme_cmd_flush" => HostOp::Flush,
            _ => {
                self.left_out.commands += 1;
                return Ok(None);
            }
        };
        let moment = span(event.moment, rules.unit_ns).ok_or("a time in seconds before the event")?;
        let controller = event.rest.trim_ascii_start().split(|byte| *byte == b':').next();
        let device = value(b"disk=").or(controller).unwrap_or_default();
        let device = self.devices.number(device).ok_or("at most 65536 devices")?;
        if op == HostOp::Flush {
            return Ok(Some(Row { time: moment, op, device, ..Row::EMPTY }));
        }
        let offset = value(b"slba=").and_then(|field| scaled(field, rules.offset_unit));
        let blocks = value(b"len=").and_then(number).and_then(|blocks| blocks.checked_add(1));
        let length = blocks.and_then(|blocks| blocks.checked_mul(rules.length_unit));
        let control = value(b"ctrl=0x").and_then(hexadecimal).unwrap_or_default();
        Ok(Some(Row {
            time: moment,
            op: if op == HostOp::Write && control & FUA != 0 { HostOp::WriteFua } else { op },
            offset: offset.ok_or("slba=… in an nvme_setup_cmd")?,
            length: length.ok_or("len=… in an nvme_setup_cmd")?,
            device,
            ..Row::EMPTY
        }))
    }
}

/// A number in hexadecimal digits.
pub(super) fn hexadecimal(field: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(field).ok().filter(|text| !text.starts_with('+'))?;
    u64::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::super::Form;
    use super::*;

    const RULES: Rules = Rules::of(Form::Ftrace);

    /// Time, operation, offset, length and device.
    type Short = (u128, HostOp, u64, u64, u16);

    fn rows(text: &str, rules: &Rules) -> (Vec<Short>, LeftOut) {
        let mut ftrace = Ftrace::default();
        ftrace.look_ahead(text.as_bytes());
        let parsed = text.lines().filter_map(|line| ftrace.parse(line.as_bytes(), rules).unwrap());
        let rows = parsed.map(|row| (row.time, row.op, row.offset, row.length, row.device)).collect();
        (rows, ftrace.take_left_out())
    }

    const BLOCK: &str = "cpus=4
   my task-77  [003] .....  12.000100: block_bio_queue: 259,0 WS 800 + 8 [my task]
   my task-77  [003] .....  12.000150: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=4, cmdid=1, nsid=1, flags=0x0, meta=0x0, cmd=(nvme_cmd_write slba=800, len=7, ctrl=0x0, dsmgmt=0, reftag=0)
   my task-77  [003] .....  12.000200: block_rq_issue: 259,0 WFS 4096 () 800 + 8 none,0,0 [my task]
 kworker/0:1H-9 [000]      12.000300: block_rq_issue: 8,0 FF 0 () 0 + 0 [kworker/0:1H]
      trim: x-8 [001] d..1. 12.5: block_rq_issue: 259,0 DS 1048576 () 2048 + 2048 be,0,4 [trim: x]
      nvme-10   [001] ..... 12.6: block_rq_issue: 259,0 N 40960 () 0 + 80 [nvme]
CPU:2 [LOST 17 EVENTS]
      <idle>-0  [003] d.h..  12.700000: block_rq_complete: 259,0 WFS () 800 + 8 [0]
      <idle>-0  [003] d.h..  12.700001: sched_switch: prev_comm=a ==> next_comm=b
";

    #[test]
    fn issued_requests_of_the_block_layer_count_unless_others_are_wanted() {
        let (found, left_out) = rows(BLOCK, &RULES);
        assert_eq!(
            found,
            [
                (12_000_200_000, HostOp::WriteFua, 409_600, 4096, 0),
                (12_000_300_000, HostOp::Flush, 0, 0, 1),
                (12_500_000_000, HostOp::Trim, 1 << 20, 1 << 20, 0),
            ]
        );
        assert_eq!((left_out.lost, left_out.commands), (17, 1));
        let of = |event| rows(BLOCK, &Rules { event, ..RULES }).0;
        assert_eq!(of(BlockEvent::Queue), [(12_000_100_000, HostOp::Write, 409_600, 4096, 0)]);
        assert_eq!(of(BlockEvent::Complete), [(12_700_000_000, HostOp::WriteFua, 409_600, 4096, 0)]);
    }

    #[test]
    fn commands_of_nvme_count_where_the_block_layer_issues_none() {
        let line = |time: &str, disk: &str, command: &str| {
            format!(
                "x-1 [000] ..... {time}: nvme_setup_cmd: nvme0: {disk}qid=1, cmdid=5, nsid=1, flags=0x0, meta=0x0, cmd=({command})\n"
            )
        };
        let text = [
            line("1.000001", "disk=nvme0n1, ", "nvme_cmd_read slba=16, len=0, ctrl=0x0, dsmgmt=7, reftag=0"),
            line(
                "1.000002",
                "disk=nvme0n1, ",
                "nvme_cmd_write slba=8, len=15, ctrl=0x4000, dsmgmt=0, reftag=0",
            ),
            line("1.000003", "disk=nvme0n2, ", "nvme_cmd_flush cdw10=00 00 00 00"),
            line("1.000004", "disk=nvme0n1, ", "nvme_cmd_dsm nr=0, attributes=4"),
            line("1.000005", "", "nvme_admin_get_log_page cdw10=7f 00 02 00"),
        ];
        let (found, left_out) =
            rows(&text.concat(), &Rules { offset_unit: 4096, length_unit: 4096, ..RULES });
        assert_eq!(
            found,
            [
                (1_000_001_000, HostOp::Read, 65_536, 4096, 0),
                (1_000_002_000, HostOp::WriteFua, 32_768, 65_536, 0),
                (1_000_003_000, HostOp::Flush, 0, 0, 1),
            ]
        );
        assert_eq!(left_out.commands, 2);
    }

    #[test]
    fn events_of_perf_have_their_system_s_name() {
        let line = "fio 77 [003]  5.25: block:block_rq_issue: 259,0 R 4096 () 8 + 8 [fio]";
        assert_eq!(rows(line, &RULES).0, [(5_250_000_000, HostOp::Read, 4096, 4096, 0)]);
        assert!(is_event(line.as_bytes()) && !is_event(b"a: b: c") && !is_event(b"5.25: x"));
    }

    #[test]
    fn bad_lines_say_what_is_missing() {
        let line = |rest: &str| format!("x-1 [000] 1.5: {rest}");
        for (text, part) in [
            ("garbage".to_owned(), "task-pid"),
            (line("block_rq_issue: 8,0"), "major,minor"),
            (line("block_rq_issue: 8,0 ? 1 + 8"), "RWBS"),
            (line("block_rq_issue: 8,0 R 8"), "sector + sectors"),
            (line("block_rq_issue: 8,0 R () x + 8"), "first sector"),
            (line("block_rq_issue: 8,0 R () 1 + x"), "number of sectors"),
            (line("nvme_setup_cmd: nvme0: qid=1, cmd=(nvme_cmd_read len=7)"), "slba"),
            (line("nvme_setup_cmd: nvme0: qid=1, cmd=(nvme_cmd_read slba=7)"), "len"),
            (line("nvme_setup_cmd: nvme0: qid=1"), "cmd="),
        ] {
            let error = Ftrace::default().parse(text.as_bytes(), &RULES).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
