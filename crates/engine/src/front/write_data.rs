//! The data of a write that crosses the link page by page: the command comes alone, and when the firmware has done its work for
//! it, its data follows, each flash page for itself. A page enters the cache, or is programmed, when it has come.
//!
//! A page of several is a part of its write as a command is of a split request (`commands.rs`), but has no command, no work
//! of the firmware and no answer of its own.

use super::link::take_link;
use super::parts::data_came;
use super::requests::Carried;
use super::{AroundFront, Direction};
use wordline_base::request::HostRequest;

/// The data of a write follows its command.
#[inline(never)]
pub(super) fn take_data<A: AroundFront>(around: &mut A, number: u32) {
    let page = u64::from(around.geometry().page_bytes);
    let front = around.front_mut();
    let HostRequest { offset, length, .. } = *front.request(number).asked();
    let pages = (offset + length).div_ceil(page) - offset / page;
    if pages > 1 {
        return take_pages(around, number, page, pages as u32);
    }
    front.requests[number as usize].carried = Carried::Data;
    let time = front.link_time(length, 0);
    if front.comes_at_once(time) {
        data_came(around, number);
    } else {
        take_link(around, Direction::ToDrive, number, time);
    }
}

/// Its data lies on several flash pages of `page` bytes. Together they take the link for as long as in one piece.
fn take_pages<A: AroundFront>(around: &mut A, whole: u32, page: u64, pages: u32) {
    let front = around.front_mut();
    let request = *front.request(whole);
    let HostRequest { offset, length, .. } = request.request;
    front.requests[whole as usize].left = pages;
    let mut first = 0;
    while first < length {
        let end = length.min((offset + first) / page * page + page - offset);
        let mut part = request.command(first, end - first);
        part.carried = Carried::Page;
        let front = around.front_mut();
        let number = front.insert_part(whole, part);
        let time = front.link_time(end, 0) - front.link_time(first, 0);
        take_link(around, Direction::ToDrive, number, time);
        first = end;
    }
}
