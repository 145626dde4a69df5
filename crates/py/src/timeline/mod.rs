//! What a drive did in a window of time, as a trace for the Perfetto viewer.

mod packets;
mod tracks;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use prost::Message;
use pyo3::prelude::*;
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::ids::Lpa;
use wordline_engine::probe::{DieCommand, Probe, Server};
use wordline_engine::sched::class::Class;
use wordline_engine::time::Ns;
use wordline_trace::OutputFile;

use crate::files::at;
use packets::{EventKind, Note, TracePacket, TrackEvent};
use tracks::{Place, Tracks, Worker};

/// Field 1 of the outer message, of a length.
const PACKET: u8 = 0x0a;

/// The file of a timeline, which takes its name when it is whole.
pub struct Timeline {
    path: PathBuf,
    output: OutputFile,
    shared: Arc<Mutex<Writer>>,
}

impl Timeline {
    /// Begins the file. What lies in `window` (ns, from and to) is written.
    pub fn create(path: &Path, window: (u64, u64), dies_of_channel: u32, channels: u32) -> PyResult<Self> {
        let (output, file) = OutputFile::create(path).map_err(|error| at(path, error))?;
        let out = BufWriter::new(file);
        let tracks = Tracks::new(dies_of_channel, channels);
        let (inside, rows, dies) = Default::default();
        let mut writer = Writer { out, failed: None, window, tracks, inside, rows, dies };
        writer.describe(Place::Root);
        Ok(Self { path: path.to_owned(), output, shared: Arc::new(Mutex::new(writer)) })
    }

    /// What the drive is to tell.
    pub fn probe(&self) -> Box<dyn Probe> {
        Box::new(Watcher(Arc::clone(&self.shared)))
    }

    /// Ends the file; what still goes on at the end of the run ends there.
    pub fn finish(self, end: u64) -> PyResult<()> {
        let mut writer = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        writer.end(end);
        let ended = match writer.failed.take() {
            Some(error) => Err(error),
            None => writer.out.flush().and_then(|()| self.output.keep(writer.out.get_ref())),
        };
        ended.map_err(|error| at(&self.path, error))
    }
}

struct Watcher(Arc<Mutex<Writer>>);

impl Watcher {
    fn writer(&self) -> std::sync::MutexGuard<'_, Writer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Probe for Watcher {
    fn arrived(&mut self, id: u64, request: &HostRequest, now: Ns) {
        self.writer().arrived(id, request, now.0);
    }

    fn read(&mut self, _id: u64, _lpa: Lpa, _version: Option<u32>, _now: Ns) {}

    fn took_effect(&mut self, _id: u64, _lpa: Lpa, _now: Ns) {}

    fn completed(&mut self, id: u64, latency: Ns, now: Ns) {
        self.writer().completed(id, latency.0, now.0);
    }

    fn die_taken(&mut self, server: Server, command: Option<DieCommand>, waiting: u32, now: Ns) {
        self.writer().die_taken(server, command, waiting, now.0);
    }

    fn channel_taken(&mut self, channel: u32, server: Server, class: Class, begin: Ns, end: Ns) {
        self.writer().channel_taken(channel, server, class, begin.0, end.0);
    }
}

/// A slice to be written when its end is known.
struct Slice {
    place: Place,
    name: String,
    category: &'static str,
    begin: u64,
    end: u64,
    flows: Vec<u64>,
    notes: Vec<Note>,
}

struct Writer {
    out: BufWriter<File>,
    failed: Option<std::io::Error>,
    window: (u64, u64),
    tracks: Tracks,
    inside: BTreeMap<u64, HostRequest>,
    /// When the last request that each row shows ended, ns.
    rows: Vec<u64>,
    /// What each die does, and since when.
    dies: BTreeMap<Worker, (u64, DieCommand)>,
}

fn number(name: &str, value: u64) -> Note {
    Note { number: Some(value), text: None, name: Some(name.to_owned()) }
}

fn operation(op: HostOp) -> &'static str {
    match op {
        HostOp::Read => "read",
        HostOp::Write => "write",
        HostOp::WriteFua => "write with FUA",
        HostOp::Trim => "trim",
        HostOp::Flush => "flush",
    }
}

impl Writer {
    fn arrived(&mut self, id: u64, request: &HostRequest, now: u64) {
        self.inside.insert(id, *request);
        self.count(Place::Inside, self.inside.len() as u64, now);
    }

    /// The first row in which nothing overlaps this time. It is known at the end only: a request begins when it comes to the
    /// host, which may let it wait.
    fn row(&mut self, begin: u64, end: u64) -> u32 {
        let row = self.rows.iter().position(|last| *last <= begin).unwrap_or(self.rows.len());
        match self.rows.get_mut(row) {
            Some(last) => *last = end,
            None => self.rows.push(end),
        }
        row as u32
    }

    /// A request of the host ends at `now`, or later where the answer is still on the link.
    fn completed(&mut self, id: u64, latency: u64, now: u64) {
        let Some(request) = self.inside.remove(&id) else { return };
        let begin = now.saturating_sub(latency);
        let row = self.row(begin, now);
        let notes = vec![
            number("request", id),
            number("offset", request.offset),
            number("bytes", request.length),
            number("latency_ns", latency),
        ];
        let name = operation(request.op);
        self.slice(Slice {
            place: Place::Row(row),
            name: name.to_owned(),
            category: "request",
            begin,
            end: now,
            flows: vec![id + 1],
            notes,
        });
        self.count(Place::Inside, self.inside.len() as u64, now);
    }

    fn die_taken(&mut self, server: Server, command: Option<DieCommand>, waiting: u32, now: u64) {
        let worker = Worker::of(server);
        let before = match command {
            Some(command) => self.dies.insert(worker, (now, command)),
            None => self.dies.remove(&worker),
        };
        if let Some((begin, command)) = before {
            self.die_slice(worker, begin, command, now);
        }
        self.count(Place::Queue(server.die), u64::from(waiting), now);
    }

    /// A die, or who serves beside it, carried out a command.
    fn die_slice(&mut self, worker: Worker, begin: u64, command: DieCommand, end: u64) {
        let mut name = command.class.name().replace('_', " ");
        if command.resumed {
            name.push_str(", resumed");
        }
        self.slice(Slice {
            place: Place::Die(worker),
            name,
            category: command.class.cause().name(),
            begin,
            end,
            flows: command.requests.iter().map(|id| id + 1).collect(),
            notes: vec![number("planes", u64::from(command.planes))],
        });
    }

    /// The commands that dies carry out still are shown up to here. In checked mode the drive has gone on behind the end.
    fn end(&mut self, end: u64) {
        for (worker, (begin, command)) in std::mem::take(&mut self.dies) {
            if begin <= end {
                self.die_slice(worker, begin, command, end);
            }
        }
    }

    fn channel_taken(&mut self, channel: u32, server: Server, class: Class, begin: u64, end: u64) {
        self.slice(Slice {
            place: Place::Channel(channel),
            name: class.name().replace('_', " "),
            category: class.cause().name(),
            begin,
            end,
            flows: Vec::new(),
            notes: vec![number("die", u64::from(server.die))],
        });
    }

    fn slice(&mut self, slice: Slice) {
        let (from, to) = self.window;
        if slice.end < from || slice.begin >= to {
            return;
        }
        let track = Some(self.track(slice.place));
        // Arrows join events of a flow in order of time, then of the file, where a request comes behind its operations: it is
        // written when it is completed. An operation may begin with its request, but ends later.
        let (begun, ended) = match slice.place {
            Place::Row(_) => (slice.flows, Vec::new()),
            _ => (Vec::new(), slice.flows),
        };
        let begin = TrackEvent {
            notes: slice.notes,
            kind: Some(EventKind::Begin.into()),
            track,
            categories: vec![slice.category.to_owned()],
            name: Some(slice.name),
            counter: None,
            flows: begun,
        };
        let end =
            TrackEvent { kind: Some(EventKind::End.into()), track, flows: ended, ..TrackEvent::default() };
        self.event(slice.begin, begin);
        self.event(slice.end, end);
    }

    fn count(&mut self, place: Place, value: u64, now: u64) {
        let (from, to) = self.window;
        if (from..to).contains(&now) {
            let track = Some(self.track(place));
            let kind = Some(EventKind::Counter.into());
            let counter = i64::try_from(value).ok();
            self.event(now, TrackEvent { kind, track, counter, ..TrackEvent::default() });
        }
    }

    /// The number of a track, which is described before it is first used, and its parents before it.
    fn track(&mut self, place: Place) -> u64 {
        if let Some(parent) = place.parent() {
            self.track(parent);
        }
        if self.tracks.is_new(place) {
            self.describe(place);
        }
        place.id()
    }

    fn describe(&mut self, place: Place) {
        let track = Some(self.tracks.describe(place));
        self.packet(&TracePacket { timestamp: None, sequence: Some(1), event: None, track });
    }

    fn event(&mut self, timestamp: u64, event: TrackEvent) {
        self.packet(&TracePacket {
            timestamp: Some(timestamp),
            sequence: Some(1),
            event: Some(event),
            track: None,
        });
    }

    fn packet(&mut self, packet: &TracePacket) {
        if self.failed.is_some() {
            return;
        }
        let written = self
            .out
            .write_all(&[PACKET])
            .and_then(|()| self.out.write_all(&packet.encode_length_delimited_to_vec()));
        self.failed = written.err();
    }
}
