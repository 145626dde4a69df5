//! Tagged tables as they are written: the keys of all kinds beside one another.
//!
//! Serde's own tagged enums read a table into a buffer first and forget where in the file a value stands, and so an
//! error could not name its path. Read in these forms, every error can. Messages are worded as serde words its own.

use std::path::PathBuf;

use serde::Deserialize;

use super::{
    BlockEvent, ColumnsConfig, FilebenchSourceConfig, FioSourceConfig, InterarrivalConfig, OutOfRange,
    PatternConfig, RegionConfig, Sizes, SourceConfig, SyntheticConfig, TimeUnit, TraceConfig, TraceFormat,
    TransformConfig, TwinConfig, YcsbSourceConfig,
};

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SourceKind {
    Synthetic,
    Trace,
    Twin,
    Fio,
    Ycsb,
    Filebench,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SourceForm {
    kind: SourceKind,
    requests: Option<u64>,
    read_share: Option<f64>,
    trim_share: Option<f64>,
    pattern: Option<PatternConfig>,
    region: Option<RegionConfig>,
    sizes: Option<Sizes>,
    alignment_bytes: Option<u64>,
    interarrival: Option<InterarrivalConfig>,
    path: Option<PathBuf>,
    format: Option<TraceFormat>,
    time_unit: Option<TimeUnit>,
    latency_unit: Option<TimeUnit>,
    sector_bytes: Option<u64>,
    offset_unit_bytes: Option<u64>,
    length_unit_bytes: Option<u64>,
    read_is: Option<u8>,
    event: Option<BlockEvent>,
    columns: Option<ColumnsConfig>,
    sort_window: Option<u32>,
    device: Option<u16>,
    out_of_range: Option<OutOfRange>,
    skip_bad_lines: Option<bool>,
    max_requests: Option<u64>,
    repeat: Option<u32>,
    before: Option<PathBuf>,
    transform: Option<Vec<TransformConfig>>,
    space_bytes: Option<u64>,
    share: Option<f64>,
    skew: Option<f64>,
    skew_pieces: Option<u64>,
    theta: Option<f64>,
    fio: Option<super::FioConfig>,
    ycsb: Option<super::YcsbConfig>,
    filebench: Option<super::FilebenchConfig>,
}

impl TryFrom<SourceForm> for SourceConfig {
    type Error = String;

    fn try_from(form: SourceForm) -> Result<Self, String> {
        match form.kind {
            SourceKind::Synthetic => form.synthetic().map(Self::Synthetic),
            SourceKind::Trace => form.trace().map(Self::Trace),
            SourceKind::Twin => form.twin().map(Self::Twin),
            SourceKind::Fio => form.fio().map(|fio| Self::Fio(Box::new(fio))),
            SourceKind::Ycsb => form.ycsb().map(|ycsb| Self::Ycsb(Box::new(ycsb))),
            SourceKind::Filebench => form.filebench().map(|run| Self::Filebench(Box::new(run))),
        }
    }
}

impl SourceForm {
    fn synthetic(self) -> Result<SyntheticConfig, String> {
        refuse(&[("path", self.path.is_some())])?;
        self.refuse_trace()?;
        self.refuse_generated()?;
        Ok(SyntheticConfig {
            requests: needed("requests", self.requests)?,
            read_share: needed("read_share", self.read_share)?,
            trim_share: self.trim_share.unwrap_or_default(),
            pattern: self.pattern.unwrap_or_default(),
            region: self.region.unwrap_or_default(),
            sizes: needed("sizes", self.sizes)?,
            alignment_bytes: self.alignment_bytes,
            interarrival: self.interarrival,
        })
    }

    fn trace(self) -> Result<TraceConfig, String> {
        refuse(&[("requests", self.requests.is_some())])?;
        self.refuse_synthetic()?;
        self.refuse_generated()?;
        let defaults = TraceConfig::of_file(needed("path", self.path)?);
        Ok(TraceConfig {
            format: self.format.unwrap_or_default(),
            time_unit: self.time_unit,
            latency_unit: self.latency_unit,
            sector_bytes: self.sector_bytes.unwrap_or(defaults.sector_bytes),
            offset_unit_bytes: self.offset_unit_bytes,
            length_unit_bytes: self.length_unit_bytes,
            read_is: self.read_is,
            event: self.event,
            columns: self.columns.unwrap_or_default(),
            sort_window: self.sort_window.unwrap_or_default(),
            device: self.device,
            out_of_range: self.out_of_range.unwrap_or_default(),
            skip_bad_lines: self.skip_bad_lines.unwrap_or_default(),
            max_requests: self.max_requests,
            repeat: self.repeat.unwrap_or(defaults.repeat),
            before: self.before,
            transform: self.transform.unwrap_or_default(),
            ..defaults
        })
    }

    fn twin(mut self) -> Result<TwinConfig, String> {
        let repeat = self.repeat.take();
        self.refuse_synthetic()?;
        self.refuse_trace()?;
        self.refuse_tables_but("")?;
        Ok(TwinConfig {
            path: needed("path", self.path)?,
            requests: self.requests,
            space_bytes: self.space_bytes,
            share: self.share,
            repeat,
            skew: self.skew,
            skew_pieces: self.skew_pieces,
            theta: self.theta,
        })
    }

    /// Refuses keys of the kinds beside `synthetic` and `trace`.
    fn refuse_generated(&self) -> Result<(), String> {
        self.refuse_twin()?;
        self.refuse_tables_but("")
    }

    /// Refuses what only a twin has.
    fn refuse_twin(&self) -> Result<(), String> {
        refuse(&[
            ("space_bytes", self.space_bytes.is_some()),
            ("share", self.share.is_some()),
            ("skew", self.skew.is_some()),
            ("skew_pieces", self.skew_pieces.is_some()),
            ("theta", self.theta.is_some()),
        ])
    }

    /// Refuses the tables of all kinds but one.
    fn refuse_tables_but(&self, own: &str) -> Result<(), String> {
        let tables = [
            ("fio", self.fio.is_some()),
            ("ycsb", self.ycsb.is_some()),
            ("filebench", self.filebench.is_some()),
        ];
        refuse(&tables.map(|(name, given)| (name, given && name != own)))
    }

    /// Refuses every key but `requests` and one table.
    fn refuse_all_but(&self, table: &str) -> Result<(), String> {
        self.refuse_synthetic()?;
        self.refuse_trace()?;
        refuse(&[("path", self.path.is_some())])?;
        self.refuse_twin()?;
        self.refuse_tables_but(table)
    }

    fn fio(self) -> Result<FioSourceConfig, String> {
        self.refuse_all_but("fio")?;
        Ok(FioSourceConfig { requests: self.requests, fio: needed("fio", self.fio)? })
    }

    fn ycsb(self) -> Result<YcsbSourceConfig, String> {
        self.refuse_all_but("ycsb")?;
        Ok(YcsbSourceConfig { requests: self.requests, ycsb: needed("ycsb", self.ycsb)? })
    }

    fn filebench(self) -> Result<FilebenchSourceConfig, String> {
        self.refuse_all_but("filebench")?;
        Ok(FilebenchSourceConfig { requests: self.requests, filebench: needed("filebench", self.filebench)? })
    }

    /// Refuses keys that only `synthetic` has.
    fn refuse_synthetic(&self) -> Result<(), String> {
        refuse(&[
            ("read_share", self.read_share.is_some()),
            ("trim_share", self.trim_share.is_some()),
            ("pattern", self.pattern.is_some()),
            ("region", self.region.is_some()),
            ("sizes", self.sizes.is_some()),
            ("alignment_bytes", self.alignment_bytes.is_some()),
            ("interarrival", self.interarrival.is_some()),
        ])
    }

    /// Refuses keys that only `trace` has.
    fn refuse_trace(&self) -> Result<(), String> {
        refuse(&[
            ("format", self.format.is_some()),
            ("time_unit", self.time_unit.is_some()),
            ("latency_unit", self.latency_unit.is_some()),
            ("sector_bytes", self.sector_bytes.is_some()),
            ("offset_unit_bytes", self.offset_unit_bytes.is_some()),
            ("length_unit_bytes", self.length_unit_bytes.is_some()),
            ("read_is", self.read_is.is_some()),
            ("event", self.event.is_some()),
            ("columns", self.columns.is_some()),
            ("sort_window", self.sort_window.is_some()),
            ("device", self.device.is_some()),
            ("out_of_range", self.out_of_range.is_some()),
            ("skip_bad_lines", self.skip_bad_lines.is_some()),
            ("max_requests", self.max_requests.is_some()),
            ("repeat", self.repeat.is_some()),
            ("before", self.before.is_some()),
            ("transform", self.transform.is_some()),
        ])
    }
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PatternKind {
    Uniform,
    Zipf,
    HotCold,
    Sequential,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PatternForm {
    kind: PatternKind,
    theta: Option<f64>,
    hot_share_of_space: Option<f64>,
    hot_share_of_requests: Option<f64>,
    streams: Option<u32>,
}

impl TryFrom<PatternForm> for PatternConfig {
    type Error = String;

    fn try_from(form: PatternForm) -> Result<Self, String> {
        let theta = ("theta", form.theta.is_some());
        let space = ("hot_share_of_space", form.hot_share_of_space.is_some());
        let requests = ("hot_share_of_requests", form.hot_share_of_requests.is_some());
        let streams = ("streams", form.streams.is_some());
        match form.kind {
            PatternKind::Uniform => {
                refuse(&[theta, space, requests, streams])?;
                Ok(Self::Uniform)
            }
            PatternKind::Zipf => {
                refuse(&[space, requests, streams])?;
                Ok(Self::Zipf { theta: needed("theta", form.theta)? })
            }
            PatternKind::HotCold => {
                refuse(&[theta, streams])?;
                Ok(Self::HotCold {
                    hot_share_of_space: needed("hot_share_of_space", form.hot_share_of_space)?,
                    hot_share_of_requests: needed("hot_share_of_requests", form.hot_share_of_requests)?,
                })
            }
            PatternKind::Sequential => {
                refuse(&[theta, space, requests])?;
                Ok(Self::Sequential { streams: form.streams.unwrap_or(1) })
            }
        }
    }
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum InterarrivalKind {
    Poisson,
    Fixed,
    Burst,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InterarrivalForm {
    kind: InterarrivalKind,
    iops: f64,
    burst_requests: Option<u64>,
    gap_ns: Option<u64>,
}

impl TryFrom<InterarrivalForm> for InterarrivalConfig {
    type Error = String;

    fn try_from(form: InterarrivalForm) -> Result<Self, String> {
        let iops = form.iops;
        if let InterarrivalKind::Burst = form.kind {
            let burst_requests = needed("burst_requests", form.burst_requests)?;
            return Ok(Self::Burst { iops, burst_requests, gap_ns: needed("gap_ns", form.gap_ns)? });
        }
        refuse(&[("burst_requests", form.burst_requests.is_some()), ("gap_ns", form.gap_ns.is_some())])?;
        Ok(match form.kind {
            InterarrivalKind::Poisson => Self::Poisson { iops },
            InterarrivalKind::Fixed | InterarrivalKind::Burst => Self::Fixed { iops },
        })
    }
}

/// Refuses keys of other kinds that are given.
pub(super) fn refuse(others: &[(&str, bool)]) -> Result<(), String> {
    match others.iter().find(|(_, given)| *given) {
        Some((key, _)) => Err(format!("unknown field `{key}`, there are no such fields for this kind")),
        None => Ok(()),
    }
}

pub(super) fn needed<T>(key: &str, value: Option<T>) -> Result<T, String> {
    value.ok_or_else(|| format!("missing field `{key}`"))
}
