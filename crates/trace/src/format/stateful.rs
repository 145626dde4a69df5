//! Forms of text that are remembered from line to line.

use super::left_out::LeftOut;
use super::{Expected, Row, Rules};

/// Longest time between an event and the answer whose line tells of it, ns: about 18 minutes. Times of lines that stand for
/// answers are moved up by it, so that no request comes before 0.
pub(super) const LONGEST_NS: u128 = 1 << 40;

/// Reads the lines of one file, from the first to the last.
pub(super) trait Stateful: Send {
    /// The request that a line holds; `None` where it holds none.
    fn parse(&mut self, line: &[u8], rules: &Rules) -> Result<Option<Row>, Expected>;

    /// Looks at the first lines before any is read.
    fn look_ahead(&mut self, _head: &[u8]) {}

    /// What was passed over since it was asked last.
    fn take_left_out(&mut self) -> LeftOut {
        LeftOut::default()
    }

    /// Names of devices that were numbered since it was asked last.
    fn take_devices(&mut self) -> Vec<String> {
        Vec::new()
    }
}
