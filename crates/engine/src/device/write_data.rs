//! The data of a write that crosses the link page by page: the command comes alone, and when the firmware has done its work for
//! it, its data follows, each flash page for itself. A page enters the cache, or is programmed, when it has come.
//!
//! A page of several is a part of its write as a command is of a split request (`split_requests.rs`), but has no command, no work
//! of the firmware and no answer of its own.

use super::Device;
use super::requests::Carried;
use crate::host::HostRequest;
use wordline_base::time::Ns;

impl Device {
    /// The data of a write follows its command.
    #[inline(never)]
    pub(super) fn take_data(&mut self, number: u32) {
        let HostRequest { offset, length, .. } = self.front.requests[number as usize].request;
        let page = u64::from(self.geometry.page_bytes);
        let pages = (offset + length).div_ceil(page) - offset / page;
        if pages > 1 {
            return self.take_pages(number, page, pages as u32);
        }
        self.front.requests[number as usize].carried = Carried::Data;
        let time = self.link_time(length, 0);
        if time == Ns::ZERO && self.front.link_in.is_empty() {
            self.deliver_data(number);
        } else {
            self.take_link(false, number, time);
        }
    }

    /// Its data lies on several flash pages of `page` bytes. Together they take the link for as long as in one piece.
    fn take_pages(&mut self, whole: u32, page: u64, pages: u32) {
        let request = self.front.requests[whole as usize];
        let HostRequest { offset, length, .. } = request.request;
        self.front.requests[whole as usize].left = pages;
        let mut first = 0;
        while first < length {
            let end = length.min((offset + first) / page * page + page - offset);
            let mut part = request.command(first, end - first);
            part.carried = Carried::Page;
            let number = self.front.insert_part(whole, part);
            let time = self.link_time(end, 0) - self.link_time(first, 0);
            self.take_link(false, number, time);
            first = end;
        }
    }
}
