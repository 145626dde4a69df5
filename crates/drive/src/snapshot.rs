//! A drive as bytes, and back.

use serde::{Deserialize, Serialize};
use wordline_base::VERSION;
use wordline_base::request::LATEST_ARRIVAL_NS;
use wordline_config::{DeviceConfig, MeasureConfig, SchemeConfig, StartConfig};
use wordline_engine::snapshot::{In, Out, SnapshotError};
use wordline_engine::{Kept, Setup, Volume, WritePattern};

use crate::front::Front;
use crate::inside::Inside;
use crate::pending::Pending;
use crate::request::{Completion, Request};
use crate::volume::{Inner, of_either};
use crate::{Drive, Error};

const KIND: &str = "a drive with its requests";

/// What it was made of, in the snapshot: unlike that of a run it needs nothing beside it.
#[derive(Serialize, Deserialize)]
struct Made {
    device: DeviceConfig,
    scheme: SchemeConfig,
    start: StartConfig,
    measure: MeasureConfig,
    seed: u64,
    kept: Kept,
    pattern: Option<WritePattern>,
}

/// What the front keeps.
#[derive(Serialize, Deserialize)]
struct State {
    pending: Pending,
    inside: Inside,
    completions: Vec<Completion>,
    now: u64,
    answered: u64,
    has_begun: bool,
    window_open: bool,
    is_used: bool,
    ended: Option<u64>,
}

fn misfit(what: &str) -> Error {
    SnapshotError::Misfit(what.to_owned()).into()
}

impl Drive {
    /// The whole state, requests under way and completions that weren't taken included.
    ///
    /// # Errors
    /// A drive that has failed; a policy of a user's own that can't be stored.
    pub fn save(&self) -> Result<Vec<u8>, Error> {
        self.check_sound()?;
        let mut bytes = Vec::new();
        let mut out = Out::begin(&mut bytes)?;
        let made = serde_json::to_string(&Made::of(&self.setup))
            .map_err(|error| SnapshotError::Write(error.to_string()))?;
        out.put(&(VERSION, KIND, made))?;
        of_either!(&self.inner, volume => Volume::save(&**volume, &mut out))?;
        out.put(&self.state())?;
        out.finish()?;
        Ok(bytes)
    }

    fn state(&self) -> State {
        let Front { pending, inside, completions, now, answered, has_begun, window_open, .. } =
            self.front.clone();
        let ended = match self.failed {
            Some(Error::EndOfLife { time }) => Some(time),
            _ => None,
        };
        let is_used = self.is_used;
        State { pending, inside, completions, now, answered, has_begun, window_open, is_used, ended }
    }

    /// The drive that was saved, by the same version of the simulator.
    ///
    /// # Errors
    /// Bytes that are no such snapshot, are damaged, or of another version.
    pub fn restore(mut bytes: &[u8]) -> Result<Self, Error> {
        let mut input = In::begin(&mut bytes)?;
        let (version, kind, made): (String, String, String) = input.take()?;
        if version != VERSION {
            return Err(SnapshotError::Version(version).into());
        }
        if kind != KIND {
            return Err(SnapshotError::Kind { found: kind, wanted: KIND }.into());
        }
        let made: Made = serde_json::from_str(&made).map_err(|error| misfit(&error.to_string()))?;
        let setup = made.setup();
        let mut inner = Inner::empty(&setup)?;
        of_either!(&mut inner, volume => Volume::restore(&mut **volume, &mut input))?;
        let state = input.take()?;
        input.finish()?;
        let mut drive = Self::new(setup, inner);
        drive.take_up(state)?;
        Ok(drive)
    }

    fn take_up(&mut self, state: State) -> Result<(), Error> {
        let State { pending, inside, completions, now, answered, has_begun, window_open, is_used, ended } =
            state;
        let (requests, clock) = of_either!(&self.inner, volume => {
            (Volume::requests_inside(&**volume), Volume::now(&**volume).0)
        });
        if !inside.is_consistent() || inside.count() != requests as u64 || now > LATEST_ARRIVAL_NS {
            return Err(misfit("the number of requests in flight"));
        }
        // Of a drive whose life has ended, or that waits for places for writes, some have arrived.
        let waits = ended.is_some() || self.setup.scheme.cache.max_writes > 0;
        let earliest = if waits { 0 } else { now };
        let refused = pending.iter().find_map(|request| self.limits.refuses(&request, earliest));
        let entered = inside
            .iter()
            .find_map(|entered| self.limits.refuses(&Request::of_engine(&entered.request, entered.tag), 0));
        if let Some(reason) = refused.or(entered) {
            return Err(misfit(&format!("a request: {reason}")));
        }
        if clock > now || !pending.iter().map(|request| request.time).is_sorted() {
            return Err(misfit("the times of its requests"));
        }
        inside.iter().for_each(|entered| self.front.writes.enter(entered.request.op));
        let front = &mut self.front;
        (front.pending, front.inside, front.completions) = (pending, inside, completions);
        (front.now, front.answered) = (now, answered);
        (front.has_begun, front.window_open) = (has_begun, window_open);
        self.is_used = is_used;
        self.failed = ended.map(|time| Error::EndOfLife { time });
        Ok(())
    }
}

impl Made {
    fn of(setup: &Setup) -> Self {
        let Setup { device, scheme, start, measure, seed, kept, pattern, .. } = setup.clone();
        Self { device, scheme, start, measure, seed, kept, pattern }
    }

    fn setup(self) -> Setup {
        let Self { device, scheme, start, measure, seed, kept, pattern } = self;
        Setup { start, measure, seed, kept, pattern, ..Setup::of(device, scheme) }
    }
}
