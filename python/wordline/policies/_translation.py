"""Address translation as the simulator asks it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wordline._core import WordlineError
from wordline.policies._asked import Asked, number, yes_or_no
from wordline.policies.actions import whole
from wordline.policies.mapping import Guess, Load, Lookup, MapSizes

_TOLD = ("loaded", "updated", "erased", "wrong_guess")


class Translation(Asked):
    """A policy of address translation, as the simulator asks it."""

    _sizes: MapSizes | None = None
    """What it was told of last; `None` before the first question."""

    def told(self) -> list[bool]:
        return [callable(getattr(self.policy, method, None)) for method in _TOLD]

    def find(self, asked: tuple[Any, ...]) -> tuple[int, int]:
        lookup = _lookup(asked)
        counts = self._sizes = lookup.sizes
        answer = self.policy.find(lookup)
        if answer is None:
            return 0, 0
        if isinstance(answer, Load):
            wanted = answer.translation_page
            return 1, number("find", wanted, counts.translation_pages, "translation page")
        if isinstance(answer, Guess):
            return 2, number("find", answer.place, counts.places, "place")
        raise WordlineError(f"find() = {answer!r}: allowed: None (its entry is in DRAM), Load or Guess")

    def loaded(self, translation_page: int, asked: tuple[Any, ...]) -> list[tuple[int, bool]]:
        lookup = _lookup(asked)
        self._sizes = lookup.sizes
        return _writes("loaded", self.policy.loaded(translation_page, lookup), lookup.sizes)

    def updated(
        self, page: int, old: int | None, new: int | None, cause: str, sizes: tuple[int, int, int, int]
    ) -> list[tuple[int, bool]]:
        counts = self._sizes = MapSizes(*sizes)
        return _writes("updated", self.policy.updated(page, old, new, cause, counts), counts)

    def erased(self) -> list[tuple[int, bool]]:
        return _writes("erased", self.policy.erased(), self._sizes)

    def wrong_guess(self, page: int, guessed: int, found: int | None) -> bool:
        self.policy.wrong_guess(page, guessed, found)
        return True

    def cached_entries(self) -> int:
        return whole("cached_entries", getattr(self.policy, "cached_entries", 0), 64)

    def dirty_entries(self) -> int:
        return whole("dirty_entries", getattr(self.policy, "dirty_entries", 0), 64)

    def memory_bytes(self) -> int:
        return whole("memory_bytes", getattr(self.policy, "memory_bytes", 0), 64)


def _lookup(asked: tuple[Any, ...]) -> Lookup:
    page, write, place, pages, flow, sizes = asked
    return Lookup(page, write, place, pages, flow, MapSizes(*sizes))


def _writes(method: str, asked: Any, sizes: MapSizes | None) -> list[tuple[int, bool]]:
    """Translation pages to be written, those of which all entries are in DRAM as `(page, True)`."""
    if asked is None:
        return []
    if not isinstance(asked, Iterable):
        raise WordlineError(f"{method}() = {asked!r}: allowed: None, or a list of translation pages")
    most = 2**32 - 1 if sizes is None else sizes.translation_pages
    found = []
    for one in asked:
        page, whole = one if isinstance(one, tuple) and len(one) == 2 else (one, False)
        found.append(
            (number(method, page, most, "translation page"), yes_or_no(f"{method}() = ({page!r}, …)", whole))
        )
    return found
