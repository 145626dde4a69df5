//! A drive as another simulator holds it.

use std::vec::Drain;

use wordline_base::request::LATEST_ARRIVAL_NS;
use wordline_base::time::Ns;
use wordline_engine::device::Device;
use wordline_engine::{Setup, Volume};

use crate::builder::Builder;
use crate::error::Error;
use crate::front::Front;
use crate::request::{Completion, Limits, Request};
use crate::volume::{Inner, of_either};

/// A simulated drive, or an array of drives, with requests under way.
///
/// Its time moves with [`advance`](Self::advance) only. Requests enter in the order of their arrival, those of the same time in the
/// order in which they were submitted; when they were submitted makes no difference.
pub struct Drive {
    pub(crate) setup: Setup,
    pub(crate) inner: Inner,
    pub(crate) front: Front,
    pub(crate) limits: Limits,
    /// Whether anything was asked of it since it was prepared.
    pub(crate) is_used: bool,
    /// Why nothing more can be asked of it.
    pub(crate) failed: Option<Error>,
}

impl Drive {
    /// Describes a drive to be made.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The drive of this setup, as a run of it would find it: of the host, the window and what is measured counts the last alone.
    ///
    /// # Errors
    /// A setup that can't be.
    pub fn prepare(setup: Setup) -> Result<Self, Error> {
        let inner = Inner::prepared(&setup)?;
        Ok(Self::new(setup, inner))
    }

    /// A drive that the engine has prepared for this setup, in which no request was yet.
    pub fn of_device(setup: Setup, device: Device) -> Self {
        Self::new(setup, Inner::Device(Box::new(device)))
    }

    pub(crate) fn new(setup: Setup, inner: Inner) -> Self {
        let limits = of_either!(&inner, volume => Limits {
            bytes: Volume::logical_bytes(&**volume),
            streams: Volume::streams(&**volume),
        });
        let front = Front::new(&setup.scheme.cache);
        Self { setup, inner, front, limits, is_used: false, failed: None }
    }

    /// What it was made of.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The drive as it was prepared, for runs to begin on copies of it; `None` once something was asked of it, and for an array.
    pub fn prepared_device(&self) -> Option<&Device> {
        match &self.inner {
            Inner::Device(device) if !self.is_used => Some(device),
            _ => None,
        }
    }

    /// Bytes that the host sees.
    pub fn logical_bytes(&self) -> u64 {
        self.limits.bytes
    }

    /// Streams that it offers; `None`: it takes any, and tells none apart.
    pub fn streams(&self) -> Option<u16> {
        self.limits.streams
    }

    /// Where it is, ns: the time up to which it was advanced.
    pub fn now(&self) -> u64 {
        self.front.now
    }

    /// Requests that were submitted and have no answer yet.
    pub fn outstanding(&self) -> u64 {
        self.front.outstanding()
    }

    /// Submits a request, which enters when the drive comes to its time.
    ///
    /// # Errors
    /// [`Error::Request`]: one that the drive doesn't take; it is as if it had not been submitted.
    #[inline]
    pub fn submit(&mut self, request: Request) -> Result<(), Error> {
        self.submit_all(std::slice::from_ref(&request))
    }

    /// Submits requests, in any order of their times.
    ///
    /// # Errors
    /// [`Error::Request`] with the place of the first that the drive doesn't take; it is as if none had been submitted.
    #[inline]
    pub fn submit_all(&mut self, requests: &[Request]) -> Result<(), Error> {
        self.check_alive()?;
        let now = self.front.now;
        for (number, request) in requests.iter().enumerate() {
            if let Some(reason) = self.limits.refuses(request, now) {
                return Err(Error::Request { number, reason });
            }
        }
        self.is_used |= !requests.is_empty();
        self.front.pending.extend(requests);
        Ok(())
    }

    /// The least time, ns, to which [`advance`](Self::advance) makes something happen, in the drive or to a request that was submitted;
    /// `None`: nothing does before another request comes. Not each makes an answer.
    ///
    /// # Errors
    /// A drive that has failed, or whose life has ended.
    #[inline]
    pub fn next_event(&self) -> Result<Option<u64>, Error> {
        self.check_alive()?;
        let next = of_either!(&self.inner, volume => self.front.next_event(&**volume));
        Ok((next != Ns::NEVER).then_some(next.0))
    }

    /// Brings the drive to this time, ns: what goes before a request that arrives then and is submitted later happens.
    ///
    /// # Errors
    /// A time that has passed; [`Error::Fault`] and [`Error::EndOfLife`] when it comes to that on the way, and from then on.
    #[inline]
    pub fn advance(&mut self, time: u64) -> Result<(), Error> {
        self.check_alive()?;
        if time < self.front.now {
            return Err(Error::Backwards { time, now: self.front.now });
        }
        if time > LATEST_ARRIVAL_NS {
            return Err(Error::TooLate { time, latest: LATEST_ARRIVAL_NS });
        }
        self.run(Ns(time))
    }

    /// Brings the drive to where every request has its answer, as if no other ever came, and to no time beyond that.
    ///
    /// # Errors
    /// As [`advance`](Self::advance).
    pub fn drain(&mut self) -> Result<(), Error> {
        self.check_alive()?;
        self.run(Ns::NEVER)
    }

    #[inline]
    fn run(&mut self, limit: Ns) -> Result<(), Error> {
        self.is_used = true;
        let (front, measure) = (&mut self.front, &self.setup.measure);
        let ran = of_either!(&mut self.inner, volume => front.run(&mut **volume, limit, measure));
        if let Err(error) = &ran {
            self.failed = Some(error.clone());
            let reached = of_either!(&self.inner, volume => Volume::now(&**volume).0);
            self.front.now = self.front.now.max(reached);
        }
        ran
    }

    /// Takes the requests that were answered since this was asked last, in the order of their answers.
    ///
    /// # Errors
    /// A drive that has failed.
    #[inline]
    pub fn completions(&mut self) -> Result<Drain<'_, Completion>, Error> {
        self.take_completions(usize::MAX)
    }

    /// The same, and no more than so many of them.
    ///
    /// # Errors
    /// A drive that has failed.
    #[inline]
    pub fn take_completions(&mut self, most: usize) -> Result<Drain<'_, Completion>, Error> {
        self.check_sound()?;
        let count = self.front.completions.len().min(most);
        Ok(self.front.completions.drain(..count))
    }

    /// A second drive in the same state, requests under way included. They don't influence each other from then on.
    ///
    /// # Errors
    /// A drive that has failed; a policy of a user's own that can't be forked.
    pub fn fork(&self) -> Result<Self, Error> {
        self.check_sound()?;
        let inner = self.inner.fork()?;
        let (setup, front, failed) = (self.setup.clone(), self.front.clone(), self.failed.clone());
        Ok(Self { setup, inner, front, limits: self.limits, is_used: self.is_used, failed })
    }

    /// Refuses a drive of which nothing is to be known any more.
    #[inline]
    pub(crate) fn check_sound(&self) -> Result<(), Error> {
        match &self.failed {
            Some(error @ Error::Fault(_)) => Err(error.clone()),
            _ => Ok(()),
        }
    }

    /// Refuses a drive that takes no more requests.
    #[inline]
    pub(crate) fn check_alive(&self) -> Result<(), Error> {
        self.failed.clone().map_or(Ok(()), Err)
    }
}
