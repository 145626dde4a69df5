//! The front's state: the requests inside, and the link that carries them.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::answers::Answers;
use super::commands::SplitRequests;
use super::requests::Request;
use crate::snapshot::{In, Out, Part, SnapshotError};
use wordline_base::ids::Lpa;
use wordline_base::request::{HostOp, HostRequest};
use wordline_base::slab;
use wordline_base::time::Ns;
use wordline_config::device::LinkConfig;

/// What the drive keeps of requests, from the link to the answer.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Front {
    /// What the link is: follows from the configuration.
    #[serde(skip)]
    pub(super) rules: LinkConfig,
    /// By number: those inside, and places that are free.
    pub(super) requests: Vec<Request>,
    pub(super) free_requests: Vec<u32>,
    pub(super) split_requests: SplitRequests,
    /// What each direction of the link carries: until when, and which request.
    pub(super) link_in: VecDeque<(Ns, u32)>,
    pub(super) link_out: VecDeque<(Ns, u32)>,
    /// Until when each direction is taken.
    pub(super) link_free: [Ns; 2],
    /// Answers that the host hasn't heard of.
    pub(super) completed: u32,
    /// Numbers of the requests that were completed, where the host asks for them.
    pub(super) answered: Option<Vec<u64>>,
    pub(super) answers: Option<Box<Answers>>,
}

impl Part for Front {
    fn save(&self, out: &mut Out<'_>) -> Result<(), SnapshotError> {
        out.put(self)
    }

    fn restore(&mut self, input: &mut In<'_>) -> Result<(), SnapshotError> {
        let saved: Self = input.take()?;
        *self = Self { rules: std::mem::take(&mut self.rules), ..saved };
        Ok(())
    }

    fn fork(&self) -> Result<Self, SnapshotError> {
        Ok(self.clone())
    }
}

impl Front {
    /// No request, behind this link.
    pub fn new(rules: LinkConfig) -> Self {
        Self {
            rules,
            requests: Vec::new(),
            free_requests: Vec::new(),
            split_requests: SplitRequests::default(),
            link_in: VecDeque::new(),
            link_out: VecDeque::new(),
            link_free: [Ns::ZERO; 2],
            completed: 0,
            answered: None,
            answers: None,
        }
    }

    /// Keeps a request in mind; returns its number.
    #[inline(always)]
    pub(super) fn insert_request(&mut self, request: Request) -> u32 {
        slab::insert(&mut self.requests, &mut self.free_requests, request)
    }

    /// A request.
    #[inline(always)]
    pub fn request(&self, number: u32) -> &Request {
        &self.requests[number as usize]
    }

    /// A request, if the number is one's.
    #[inline(always)]
    pub fn get(&self, number: u32) -> Option<&Request> {
        self.requests.get(number as usize)
    }

    /// Identity of a request, for probes.
    pub fn request_id(&self, number: u32) -> u64 {
        self.get(number).map_or(u64::MAX, |request| request.id)
    }

    /// Requests inside the drive and on the link.
    #[inline(always)]
    pub fn inside(&self) -> usize {
        self.requests.len() - self.free_requests.len() - self.split_requests.commands()
    }

    /// The bytes of a unit that a request wants: first, and behind the last.
    pub fn wanted_range(&self, number: u32, lpa: Lpa, unit_bytes: u32) -> (u32, u32) {
        let HostRequest { offset, length, .. } = self.request(number).request;
        let unit = u64::from(unit_bytes);
        let start = u64::from(lpa.0) * unit;
        (offset.saturating_sub(start) as u32, (offset + length).saturating_sub(start).min(unit) as u32)
    }

    /// Mapping units of a request from this one on; 1 where the number is none of a request's.
    pub fn units_from(&self, number: u32, lpa: Lpa, unit_bytes: u32) -> u32 {
        let Some(HostRequest { offset, length, .. }) = self.get(number).map(|it| it.request) else {
            return 1;
        };
        let end = (offset + length).div_ceil(u64::from(unit_bytes));
        end.saturating_sub(u64::from(lpa.0)).max(1) as u32
    }

    /// Whether a request is a write that is answered when it is programmed.
    pub fn is_durable(&self, number: u32) -> bool {
        self.request(number).request.op == HostOp::WriteFua
    }

    /// The firmware's work for a request: how long it waited for a core, and how long that works.
    pub fn note_work(&mut self, number: u32, wait: Ns, work: Ns) {
        let request = &mut self.requests[number as usize];
        (request.cpu_wait, request.cpu) = (wait.0, work.0);
    }

    /// Whether the lists of requests agree.
    pub fn fits(&self) -> bool {
        let (all, free) = (self.requests.len(), self.free_requests.len());
        self.split_requests.fits(all) && free + self.split_requests.commands() <= all
    }
}
