//! The requests of a twin.

use wordline_base::request::{HostOp, HostRequest, LATEST_ARRIVAL_NS, RequestSource, SourceError};
use wordline_base::time::Ns;
use wordline_config::error::ConfigError;

use super::codes::{Place, Token};
use super::history::{History, Wanted};
use super::model_source::ModelSource;
use super::overrides;
use super::play::Deck;
use super::profile::Profile;
use super::shapes::Shape;
use super::space::FreshSpace;
use crate::config::TwinConfig;
use crate::notes::Notes;
use crate::opened::{OpenContext, OpenError, Opened};
use crate::rng::stream;
use crate::transform::{Boxed, Repeat};

/// A twin is laid out in so many times the space that the trace took, where the drive has it: a place is drawn before it is known how
/// far what begins there will go on, and what is cut short by something else loses its relations.
const ROOM: u64 = 8;

/// Bytes that a twin is laid out in, where the drive has them.
pub(super) fn roomy(profile: &Profile) -> u64 {
    profile.space_bytes.saturating_mul(ROOM)
}

/// Opens the profile that a source names.
pub(crate) fn open_twin(config: &TwinConfig, context: &OpenContext<'_>) -> Result<Opened, OpenError> {
    let path = context.base_dir.join(&config.path);
    let profile = Profile::read(&path)?;
    let roomy = if profile.model.is_some() { profile.space_bytes } else { roomy(&profile) };
    let usual = roomy.min(context.drive_bytes.max(profile.space_bytes));
    let share = config.share.unwrap_or(1.0);
    let space = config.space_bytes.unwrap_or(part_of(usual, share));
    if space > context.drive_bytes {
        let allowed = format!(
            "at most the drive's {} bytes; space_bytes lays the twin out in less",
            context.drive_bytes
        );
        return Err(ConfigError::new("source.space_bytes", space, allowed).into());
    }
    let mut profile = profile;
    overrides::set(&mut profile, config)?;
    let requests = config.requests.unwrap_or(part_of(profile.summary.requests, share).max(1));
    let seed = context.seed;
    let play = move || played(&profile, requests, space, seed);
    let fail = move |what: String| SourceError(format!("{}: {what}", path.display()));
    let first = play().map_err(&fail)?;
    let source = match config.repeat {
        None | Some(0 | 1) => first,
        Some(times) => Box::new(Repeat::new(first, times, Box::new(move || play().map_err(&fail)))),
    };
    Ok(Opened { source, notes: Notes::default() })
}

/// A share of an amount.
fn part_of(amount: u64, share: f64) -> u64 {
    if share < 1.0 { (amount as f64 * share) as u64 } else { amount }
}

/// A profile's requests from the first.
fn played(profile: &Profile, requests: u64, space: u64, seed: u64) -> Result<Boxed, String> {
    Ok(match &profile.model {
        Some(model) => Box::new(ModelSource::new(model, requests, space, profile.space_bytes, seed)?),
        None => Box::new(TwinSource::new(profile, requests, space, seed)?),
    })
}

/// Plays a profile: its pieces in order, again from the first when more requests are asked for than the trace had.
pub(super) struct TwinSource {
    deck: Deck,
    gaps: Vec<u64>,
    shapes: Vec<Shape>,
    /// Requests still to come, and in all.
    left: u64,
    total: u64,
    now: u64,
    history: History,
    fresh: FreshSpace,
}

impl TwinSource {
    /// A twin of so many requests in `space` bytes.
    pub(super) fn new(profile: &Profile, requests: u64, space: u64, seed: u64) -> Result<Self, String> {
        let fresh = FreshSpace::new(space, stream(seed, "twin.places")).ok_or("space_bytes: too large")?;
        let mut deck = Deck::new(profile, requests)?;
        Ok(Self {
            shapes: deck.take_shapes(),
            deck,
            gaps: profile.gaps_ns.clone(),
            left: requests,
            total: requests,
            now: 0,
            history: History::new(stream(seed, "twin.history")),
            fresh,
        })
    }

    /// Appends the requests of the next piece.
    fn piece(&mut self, batch: &mut Vec<HostRequest>) {
        let Some((tokens, gap)) = self.deck.next(self.left) else {
            self.left = 0;
            return;
        };
        let mut first_gap = Some(gap);
        for token in tokens {
            let code = first_gap.take().unwrap_or(token.gap);
            let gap = self.gaps.get(usize::from(code)).copied().unwrap_or_default();
            // The first request of all arrives at 0.
            if self.left < self.total {
                self.now = self.now.saturating_add(gap).min(LATEST_ARRIVAL_NS);
            }
            self.left -= 1;
            let now = Ns(self.now);
            let (offset, length) = placed(token, &self.shapes, &mut self.history, &mut self.fresh);
            batch.push(HostRequest { time: now, op: token.op, offset, length, flow: 0, stream: 0 });
        }
    }
}

/// Where the request of a token goes, and its length.
fn placed(token: &Token, shapes: &[Shape], history: &mut History, fresh: &mut FreshSpace) -> (u64, u64) {
    if token.op == HostOp::Flush {
        return (0, 0);
    }
    let (length, alignment) = shapes.get(usize::from(token.shape)).copied().unwrap_or((512, 0));
    let length = length.clamp(1, fresh.bytes());
    let fits = |offset: &u64| offset.saturating_add(length) <= fresh.bytes();
    let told = history.offset(token.place, Wanted { length, alignment, space: fresh }).filter(fits);
    let slot = if let Place::Fresh(slot) = token.place { Some(u64::from(slot)) } else { None };
    let offset = told.unwrap_or_else(|| fresh.draw(length, alignment, slot).min(fresh.bytes() - length));
    if token.op != HostOp::Trim {
        fresh.touch(offset, length);
    }
    history.add(offset, length, token.op.is_write(), told.is_some());
    (offset, length)
}

impl RequestSource for TwinSource {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        let before = batch.len();
        while self.left > 0 && batch.len() - before < 512 {
            self.piece(batch);
        }
        Ok(())
    }

    fn size_hint(&self) -> Option<u64> {
        Some(self.total)
    }
}
