//! The drive's front: the requests inside, and the link that carries them.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::answers::Answers;
use super::requests::Request;
use super::split_requests::SplitRequests;
use wordline_base::time::Ns;

/// What the drive keeps of requests, from the link to the answer.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Front {
    /// By number: those inside, and places that are free.
    pub requests: Vec<Request>,
    pub free_requests: Vec<u32>,
    pub split_requests: SplitRequests,
    /// What each direction of the link carries: until when, and which request.
    pub link_in: VecDeque<(Ns, u32)>,
    pub link_out: VecDeque<(Ns, u32)>,
    /// Until when each direction is taken.
    pub link_free: [Ns; 2],
    /// Answers that the host hasn't heard of.
    pub completed: u32,
    /// Numbers of the requests that were completed, where the host asks for them.
    pub answered: Option<Vec<u64>>,
    pub answers: Option<Box<Answers>>,
}

impl Default for Front {
    fn default() -> Self {
        Self {
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
}
