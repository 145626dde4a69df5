"""What the exhibits that were run came to."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from wordline.repro.exhibit import Exhibit
from wordline.repro.table import Number, Record


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


@dataclass
class Reproduction:
    """All exhibits that were asked for, and every printed number with ours."""

    folder: Path
    quick: bool
    shown: list[Shown]
    numbers: list[Number]

    @property
    def counts(self) -> dict[str, int]:
        """Numbers by verdict; other readings of a number that is there aren't counted."""
        found: dict[str, int] = {}
        for number in self.numbers:
            if not number.variant:
                found[number.verdict] = found.get(number.verdict, 0) + 1
        return found
