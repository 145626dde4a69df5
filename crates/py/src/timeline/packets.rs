//! The messages of a Perfetto trace that a timeline needs. Fields and their numbers: perfetto.dev, reference of the trace
//! packet protos (`TracePacket`, `TrackEvent`, `TrackDescriptor`, `CounterDescriptor`, `DebugAnnotation`).

/// One entry of a trace. A trace is a sequence of these, each field 1 of an outer message.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TracePacket {
    /// ns.
    #[prost(uint64, optional, tag = "8")]
    pub timestamp: Option<u64>,
    /// Who wrote it: one writer here.
    #[prost(uint32, optional, tag = "10")]
    pub sequence: Option<u32>,
    #[prost(message, optional, tag = "11")]
    pub event: Option<TrackEvent>,
    #[prost(message, optional, tag = "60")]
    pub track: Option<TrackDescriptor>,
}

/// Something on a track.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TrackEvent {
    #[prost(message, repeated, tag = "4")]
    pub notes: Vec<Note>,
    #[prost(enumeration = "EventKind", optional, tag = "9")]
    pub kind: Option<i32>,
    #[prost(uint64, optional, tag = "11")]
    pub track: Option<u64>,
    #[prost(string, repeated, tag = "22")]
    pub categories: Vec<String>,
    #[prost(string, optional, tag = "23")]
    pub name: Option<String>,
    #[prost(int64, optional, tag = "30")]
    pub counter: Option<i64>,
    /// Events with the same flow are joined by arrows.
    #[prost(fixed64, repeated, packed = "false", tag = "47")]
    pub flows: Vec<u64>,
}

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, prost::Enumeration)]
#[repr(i32)]
pub enum EventKind {
    Unspecified = 0,
    Begin = 1,
    End = 2,
    Instant = 3,
    Counter = 4,
}

/// A named value of an event.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Note {
    #[prost(uint64, optional, tag = "3")]
    pub number: Option<u64>,
    #[prost(string, optional, tag = "6")]
    pub text: Option<String>,
    #[prost(string, optional, tag = "10")]
    pub name: Option<String>,
}

/// A track and its place in the tree of tracks.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TrackDescriptor {
    #[prost(uint64, optional, tag = "1")]
    pub id: Option<u64>,
    #[prost(string, optional, tag = "2")]
    pub name: Option<String>,
    #[prost(uint64, optional, tag = "5")]
    pub parent: Option<u64>,
    #[prost(message, optional, tag = "8")]
    pub counter: Option<CounterDescriptor>,
    /// 3: children by their rank.
    #[prost(int32, optional, tag = "11")]
    pub child_ordering: Option<i32>,
    #[prost(int32, optional, tag = "12")]
    pub rank: Option<i32>,
}

/// Says that a track counts.
#[derive(Clone, PartialEq, prost::Message)]
pub struct CounterDescriptor {}
