"""What the exhibits that were run came to."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from wordline.repro.exhibit import Exhibit
from wordline.repro.numbers import Number, Place
from wordline.repro.table import Record
from wordline.repro.verdict import VERDICTS, Verdict

Scale = Literal["quick", "full"]


@dataclass
class Shown:
    """An exhibit that was run, or the reason why not."""

    exhibit: Exhibit
    lines: list[Record] = field(default_factory=list)
    means: list[Record] = field(default_factory=list)
    """The lines, those of several seeds as one."""
    files: list[Path] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    reason: str = ""
    numbers: list[Number] = field(default_factory=list)
    scale: Scale = "full"
    seeds: int = 1
    version: str = ""
    """Of the simulator."""
    build: str = ""
    """Hash of the sources that ran it."""
    digest: str = ""
    """Of the exhibit's file and the descriptions that it names."""

    @property
    def key(self) -> Place:
        """Its paper and its name."""
        return (self.exhibit.paper, self.exhibit.name)


@dataclass
class Reproduction:
    """All exhibits that were asked for, and every printed number with ours."""

    folder: Path
    shown: list[Shown]
    numbers: list[Number]

    @property
    def scale(self) -> Literal["quick", "full", "mixed"]:
        """Of its exhibits."""
        scales = {shown.scale for shown in self.shown}
        return "mixed" if len(scales) > 1 else next(iter(scales), "full")

    def scale_of(self, number: Number) -> Scale:
        """Of the exhibit of a number."""
        return next((shown.scale for shown in self.shown if shown.key == number.place), "full")

    @property
    def counts(self) -> dict[str, int]:
        """Marks by verdict: numbers that aren't counted have none, those of one run have one, the worst."""
        found: dict[str, int] = {}
        shared: dict[tuple[str, str], Verdict] = {}
        for number in self.numbers:
            if number.uncounted:
                continue
            if number.mark:
                key = (number.paper, number.mark)
                shared[key] = max(shared.get(key, number.verdict), number.verdict, key=_badness)
            else:
                found[number.verdict] = found.get(number.verdict, 0) + 1
        for verdict in shared.values():
            found[verdict] = found.get(verdict, 0) + 1
        return found


def _badness(verdict: Verdict) -> int:
    """What is worse is larger; a verdict that says nothing is behind all that do."""
    place = VERDICTS.index(verdict)
    return place if place <= VERDICTS.index("contradicted") else -place
