//! The profile of a trace, as it is kept in a file.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use wordline_base::request::SourceError;
use wordline_config::left_out::is_default;

use crate::input::opening_fault;

use super::codes::MOST_GAPS;
use super::model::Model;
use super::pack::{Pieces, unpacked};
use super::patterns::Patterns;

/// Largest profile, bytes of TOML.
pub const PROFILE_BYTES: usize = 64 * 1024;

/// What a profile may be used for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FitFor {
    /// Fitted to a trace, request by request.
    #[default]
    Schemes,
    /// Fitted to a trace's patterns: what [`Patterns`] tells holds, each request by itself is drawn.
    Patterns,
    /// Made from published characteristics of the workload's pages or dies: what they say holds, the rest is assumed.
    PublishedCharacteristics,
    /// Made from the number of requests and the share of reads alone: not fit to test a scheme on.
    CountsOnly,
}

/// A profile: a trace's behaviour in at most [`PROFILE_BYTES`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Version of the form: 1 where `model` is, 2 where `pieces` is.
    pub form: u32,
    /// Name of the workload.
    pub name: String,
    /// What it may be used for.
    #[serde(default)]
    pub fit_for: FitFor,
    /// Where its figures come from, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// File names, without endings, that the workload's own trace is known by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace_files: Vec<String>,
    /// Bytes of address space that requests are laid out in.
    pub space_bytes: u64,
    /// For a person: what the trace was like. The generator takes `requests` only.
    pub summary: Summary,
    /// For a person: what the trace's requests do together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patterns: Option<Patterns>,
    /// Gaps between arrivals, ns; gaps of pieces are places in this list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps_ns: Vec<u64>,
    /// Pieces of the trace, and their order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pieces: Option<Packed>,
    /// Pieces of form 1, which were written otherwise.
    #[serde(default, skip_serializing)]
    pub(super) phase: Option<IgnoredAny>,
    /// Classes of pages and bursts, in the place of pieces: where no trace was at hand, or where only its patterns are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Model>,
}

/// Pieces of a trace.
///
/// **Pieces.** The trace is cut into pieces of so many requests. A piece also ends, from half its length on, where a *reference
/// queue* would have done all that was asked for. That is 64 dies that serve pages of 16 KiB, reads in 55 µs, writes in 450 µs.
/// As many as fit are kept. Their *order* says for the whole trace which comes next, after what gap; so heavy stretches stay
/// where they are. Where not all fit, like ones stand for one another. For that a piece is nine numbers. The group with the
/// largest sum of squares is divided again and again, and of each the piece nearest to the mean is kept. Of a trace of more than
/// 8,192 pieces every 2nd, 4th … stretch of 16 is kept, and comes that often (`every`).
///
/// A request of a piece is its operation, shape, gap and place. A *place* is relative to what came before:
///
/// | place | the request |
/// |---|---|
/// | fresh | goes to untouched space, at an offset that is alike modulo 16 MiB in steps of 16 KiB (its *slot*), which decides what meets on a die |
/// | sequential | goes on where the stream of some rank ended; streams rank by when they last moved |
/// | near, far | is at an exact distance from the end of a stream, or from the request before, up to 64 MiB |
/// | same, follow | begins where one of the last 63 began, or the one that came next after the one last referred to |
/// | again | begins where an older request of this length began, so many requests before; with its slot |
/// | inside | is at an exact distance from the start of the request that touched its 64 KiB last, so many requests before |
///
/// So popularity, reuse, runs and overwrites need no list of addresses. The generator remembers the last 262,144 requests,
/// 262,144 older ones by chance, and a bit for each page. In less than eight times the trace's space streams run into one
/// another.
///
/// Pieces of 16, 48 and 128 are tried. That twin is taken which waits most like the trace on the reference queue at its speed, a
/// half and a quarter of it. No simulated drive is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Packed {
    /// Each stretch of 16 entries of the order comes so many times in a row: above 1 where the trace was too long for all of it.
    pub every: u64,
    /// Shapes, requests, pieces and their order, compressed; `docs/twins.md` says how.
    pub packed: String,
}

/// What the trace was like. Pages are of 4 KiB.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Summary {
    /// Requests; where the profile holds a model, reads and writes alone.
    pub requests: u64,
    /// Requests of the trace that a model has none of: trims and flushes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub left_out: u64,
    /// From the first arrival to the last, ns.
    pub span_ns: u64,
    /// Reads among reads and writes.
    pub read_share: f64,
    /// Mean length of reads, bytes.
    pub mean_read_bytes: f64,
    /// Mean length of writes, bytes.
    pub mean_write_bytes: f64,
    /// Pages touched.
    pub pages: u64,
    /// Pages read.
    pub pages_read: u64,
    /// Pages written.
    pub pages_written: u64,
    /// Pages read at least twice, as a share of `pages` (papers/001, hot ratio).
    pub reread_share: f64,
    /// Pages at least 90% of whose requests are reads, as a share of `pages` (papers/002 and 004).
    pub read_intensive: f64,
    /// Pages at least 90% of whose requests are writes.
    pub write_intensive: f64,
    /// Requests that go on where one of the 512 streams that moved last ended, as a share of all.
    pub sequential: f64,
    /// Of the others, those that the fit takes for repeating an earlier one of the same length, as a share of all.
    pub reused: f64,
    /// Requests of the pieces that the profile holds, as a share of the trace's.
    pub held: f64,
}

impl Profile {
    /// Reads a profile.
    ///
    /// # Errors
    /// A file that can't be read, is larger than [`PROFILE_BYTES`], or isn't a profile; the message begins with the path.
    pub fn read(path: &Path) -> Result<Self, SourceError> {
        let fail = |what: String| SourceError(format!("{}: {what}", path.display()));
        let mut text = Vec::new();
        // No further, since a path may name what has no end.
        File::open(path)
            .and_then(|file| file.take(PROFILE_BYTES as u64 + 1).read_to_end(&mut text))
            .map_err(|error| fail(opening_fault(&error)))?;
        if text.len() > PROFILE_BYTES {
            return Err(fail(format!("a profile has {PROFILE_BYTES} bytes at most")));
        }
        let text = String::from_utf8(text).map_err(|_| fail("not UTF-8 text".into()))?;
        Self::from_toml(&text).map_err(fail)
    }

    /// Reads a profile's text.
    ///
    /// # Errors
    /// What is wrong with it, in one line.
    pub fn from_toml(text: &str) -> Result<Self, String> {
        let profile: Self = toml::from_str(text).map_err(|error| {
            let line = error
                .span()
                .map_or(0, |span| 1 + text.chars().take(span.start).filter(|c| *c == '\n').count());
            format!("line {line}: {}", error.message())
        })?;
        profile.validate()?;
        Ok(profile)
    }

    /// The profile as TOML.
    pub fn to_toml(&self) -> String {
        wordline_config::to_toml(self)
    }

    fn validate(&self) -> Result<(), String> {
        let within = |name: &str, value: u64, low: u64, high: u64| {
            if (low..=high).contains(&value) {
                return Ok(());
            }
            Err(format!("{name} = {value}: allowed: {low} to {high}"))
        };
        within("form", u64::from(self.form), 1, 2)?;
        if self.phase.is_some() {
            return Err("phase: pieces of form 1 can't be played any more; fit the trace again".into());
        }
        within("space_bytes", self.space_bytes, 1 << 20, 1 << 50)?;
        within("summary.requests", self.summary.requests, 1, 1 << 48)?;
        if let Some(model) = &self.model {
            if self.pieces.is_some() {
                return Err("model: allowed: nothing beside pieces".into());
            }
            return model.validate();
        }
        let Some(pieces) = &self.pieces else {
            return Err("neither model nor pieces".into());
        };
        within("form of pieces", u64::from(self.form), 2, 2)?;
        within("pieces.every", pieces.every, 1, 1 << 40)?;
        within("values of gaps_ns", self.gaps_ns.len() as u64, 1, MOST_GAPS as u64)?;
        for gap in &self.gaps_ns {
            within("gaps_ns", *gap, 0, 1 << 60)?;
        }
        self.unpacked().map(drop)
    }

    /// The pieces, with gaps that the table has; what is wrong, in words.
    pub(super) fn unpacked(&self) -> Result<Pieces, String> {
        let text = self.pieces.as_ref().map_or("", |pieces| pieces.packed.as_str());
        let pieces = unpacked(text).map_err(|error| format!("pieces.packed: {error}"))?;
        let gap = |code: u8| usize::from(code) < self.gaps_ns.len();
        let known = pieces.order.iter().all(|entry| gap(entry.1))
            && pieces.pieces.iter().flatten().all(|token| gap(token.gap));
        if pieces.order.is_empty() || !known {
            return Err("pieces.packed: allowed: requests with gaps that gaps_ns has".into());
        }
        Ok(pieces)
    }
}
