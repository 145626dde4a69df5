//! What the front asks of whoever holds it, and what it tells them.

use std::ops::Range;

use super::{Direction, Front, Units};
use wordline_base::parts::{Part, Parts};
use wordline_base::time::Ns;
use wordline_flash::nand::Geometry;

/// Whoever holds the front of a drive.
///
/// The front knows requests, which it numbers, and the link; the firmware, the data cache, the map and operations are known here
/// only. Every method is called in the middle of an event. A request that is handed on always comes back: once worked for through
/// [`deliver`](super::deliver), and each of its units through [`part_done`](super::part_done) or [`unit_done`](super::unit_done),
/// at once or later.
pub(crate) trait AroundFront: Sized {
    /// What a unit of a request ended with, by which the parts of its time are found.
    type Served: Copy;

    /// The front.
    fn front(&self) -> &Front;

    /// The front, to change.
    fn front_mut(&mut self) -> &mut Front;

    /// The time.
    fn now(&self) -> Ns;

    /// The first transfer of a direction of the link ends then ([`transfer_ended`](super::transfer_ended)). A timer that is set
    /// anew replaces itself.
    fn set_timer(&mut self, direction: Direction, at: Ns);

    /// The drive can't go on.
    fn fail(&mut self, what: String);

    /// Counts of the drive.
    fn geometry(&self) -> &Geometry;

    // Requests are handed on.

    /// The firmware works for a request, which is then delivered ([`deliver`](super::deliver)).
    fn work_for(&mut self, request: u32);

    /// Reads the units of a request.
    fn read(&mut self, request: u32, units: Units);

    /// Writes the units of a request, or of a page of it, whose data has come.
    fn write(&mut self, request: u32, units: Units);

    /// Forgets these units, by order of a request. No part of it is told to be done.
    fn trim(&mut self, request: u32, units: Range<u32>);

    /// Whether writes that were answered may be elsewhere than in flash.
    fn holds_writes(&self) -> bool;

    /// Sends all that is written to flash, for a request of one part.
    fn flush(&mut self, request: u32);

    // Where the time of requests went.

    /// Whether the parts of a request's time are to be added up.
    fn is_checked(&self) -> bool;

    /// Whether answers are told of requests that aren't measured, too.
    fn is_watched(&self) -> bool;

    /// The front, and the parts of a request's time from its delivery on: those of the unit that it ended with, and those of the
    /// command that served it.
    fn front_and_inside(&mut self, served: Option<Self::Served>) -> (&mut Front, [Option<&Parts>; 2]);

    // News.

    /// A request has entered the drive.
    fn entered(&mut self, request: u32);

    /// It is certain when the host has the answer of a request, and where its time went: beside the parts inside those outside.
    fn answer_is_certain(
        &mut self,
        request: u32,
        end: Ns,
        served: Option<Self::Served>,
        outside: &[(Part, u64)],
    );

    /// The host has the answer of a request.
    fn completed(&mut self, request: u32);

    /// No request is inside any more, or one is again.
    fn note_idle(&mut self, idle: bool);
}
