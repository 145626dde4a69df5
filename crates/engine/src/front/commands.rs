//! Requests larger than a command may carry (MDTS, maximum data transfer size): the host splits them along their range, as
//! the block layer above NVMe does, and has the answer when it has that of the last command.
//!
//! Behind the link a command is a request like any other: it has a number among the drive's requests, and its own work of
//! the firmware, pages and answer. The request itself stands beside its commands, and takes the place of the last of them
//! when that is answered; so what is recorded and told is of requests only.

use serde::{Deserialize, Serialize};

use super::Front;
use super::requests::{Carried, Request};
use wordline_base::request::{HostOp, HostRequest};

/// No request.
const NONE: u32 = u32::MAX;

/// Which of the drive's requests are commands of others.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct SplitRequests {
    /// By number of the command: the request that it is of, or [`NONE`]. As long as the largest such number asks for.
    whole: Vec<u32>,
    commands: usize,
}

impl SplitRequests {
    /// Commands inside the drive and on the link.
    #[inline(always)]
    pub(super) fn commands(&self) -> usize {
        self.commands
    }

    /// Whether this number is that of a command of a larger request.
    #[inline(always)]
    pub(super) fn has_command(&self, number: u32) -> bool {
        self.whole_of(number).is_some()
    }

    #[inline(always)]
    fn whole_of(&self, number: u32) -> Option<u32> {
        self.whole.get(number as usize).copied().filter(|&whole| whole != NONE)
    }

    fn add(&mut self, command: u32, whole: u32) {
        let index = command as usize;
        if self.whole.len() <= index {
            self.whole.resize(index + 1, NONE);
        }
        self.whole[index] = whole;
        self.commands += 1;
    }

    fn remove(&mut self, command: u32) {
        self.whole[command as usize] = NONE;
        self.commands -= 1;
    }

    /// Whether it can be that of a drive with so many requests.
    pub(super) fn fits(&self, requests: usize) -> bool {
        let commands = self.whole.iter().filter(|&&whole| whole != NONE);
        self.whole.len() <= requests
            && commands.clone().count() == self.commands
            && commands.into_iter().all(|&whole| (whole as usize) < requests)
    }
}

impl Front {
    /// The most that one command of this request carries, if it must be split. What carries no data is never.
    #[inline(always)]
    pub(super) fn most_of_a_command(&self, request: &HostRequest) -> Option<u64> {
        let most = self.rules.max_transfer_bytes?;
        let carries = request.op == HostOp::Read || request.op.is_write();
        (carries && request.length > most).then_some(most)
    }

    /// Keeps a command of a request in mind, or a page of its data; returns its number.
    pub(super) fn insert_part(&mut self, whole: u32, part: Request) -> u32 {
        let number = self.insert_request(part);
        self.split_requests.add(number, whole);
        number
    }

    /// What is answered when all pages of `number` are done: the request that it was the last command of, otherwise itself.
    #[inline(always)]
    pub(super) fn whole_if_last(&mut self, number: u32) -> u32 {
        match self.split_requests.whole_of(number) {
            Some(whole) => self.command_done_of(whole, number),
            None => number,
        }
    }

    #[inline(never)]
    fn command_done_of(&mut self, whole: u32, number: u32) -> u32 {
        let command = self.requests[number as usize];
        let request = &mut self.requests[whole as usize];
        request.left -= 1;
        if request.left > 0 {
            return number;
        }
        request.ends_with(&command);
        self.end_command(number);
        whole
    }

    /// The write whose answer is due when all of `number` is done: itself, or that of which it was the last page to come from the
    /// host; `None` while other pages of that are under way.
    #[inline(always)]
    pub(super) fn write_of_page(&mut self, number: u32) -> Option<u32> {
        if self.requests[number as usize].carried != Carried::Page {
            return Some(number);
        }
        self.page_done_of(number)
    }

    #[inline(never)]
    fn page_done_of(&mut self, number: u32) -> Option<u32> {
        let whole = self.split_requests.whole_of(number)?;
        let done = self.command_done_of(whole, number);
        if done == whole {
            return Some(whole);
        }
        self.end_command(number);
        None
    }

    /// Nothing is left of a command; its number may be another's.
    #[inline(never)]
    pub(super) fn end_command(&mut self, number: u32) {
        self.split_requests.remove(number);
        self.free_requests.push(number);
    }
}
