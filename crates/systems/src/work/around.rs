//! What systems at work ask of whoever holds them.

use super::state::{ReadOf, Systems};
use crate::action::Action;
use crate::view::View;

/// Whoever holds the systems of a drive.
///
/// Systems see it as [`View`], and change nothing while they are told or asked: their list is not with the drive then. What they
/// ask for is kept until [`do_what_was_asked`](super::do_what_was_asked).
pub trait AroundSystems: View + Sized {
    /// The systems.
    fn systems(&self) -> &Systems;

    /// The systems, to change.
    fn systems_mut(&mut self) -> &mut Systems;

    /// Does what a system asks for. `read` is that of whose end it was told then.
    fn act(&mut self, system: usize, read: ReadOf, action: Action);
}
