"""What a policy of address translation is asked, and its answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class MapSizes(NamedTuple):
    """Counts of the map."""

    pages: int
    """Logical pages, each with an entry."""
    places: int
    """Physical pages."""
    translation_pages: int
    """Pages that keep the map on flash; 0 where `scheme.mapping.policy` keeps it in DRAM alone."""
    entries_per_page: int
    """Entries of a translation page."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """A page that the host reads or writes."""

    page: int
    write: bool
    """Whether its entry is about to change."""
    place: int | None
    """Where it is: what its entry says, if that is in DRAM. `None` for a page that holds nothing."""
    pages: int
    """Pages of the same request from this one on, itself among them; 1 for what no request asks."""
    flow: int | None
    """Flow of that request; `None` for what the data cache writes back."""
    sizes: MapSizes

    @property
    def translation_page(self) -> int:
        """The translation page that its entry is on."""
        return self.page // max(self.sizes.entries_per_page, 1)


@dataclass(frozen=True, slots=True)
class Load:
    """Answer to a look-up: this translation page must be read. Then `loaded` is told, and `find` asked
    again: a policy that doesn't remember the page asks for it until the run ends.
    """

    translation_page: int


@dataclass(frozen=True, slots=True)
class Guess:
    """Answer to a look-up: the page may be at this place. The drive reads it, and compares what it finds."""

    place: int
