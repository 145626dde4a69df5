//! What the firmware knows of the map: look-ups, pages of the map, guesses.

pub(crate) mod guesses;
pub(crate) mod look_ups;
pub(crate) mod map_pages;
