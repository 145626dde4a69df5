"""Notes of results as text, of one run and of several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Note = Mapping[str, Any]
"""As `result.json` has it: `kind`, `found`, `reason`, `remedy`."""


@dataclass(frozen=True)
class Shared:
    """A kind of note, and which of several runs have it."""

    runs: tuple[str, ...]
    first: Note
    """That of the first of these runs."""

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {"runs": list(self.runs), **self.first}

    def text(self) -> str:
        """One line. What was found is that of the first run."""
        others = len(self.runs) - 1
        which = f"{self.runs[0]} and {others} more" if others > 2 else ", ".join(self.runs)
        return f"{which}: {text(self.first)}"


def text(note: Note) -> str:
    """One line: what was found, what that does, what helps."""
    said = ": ".join(part for part in (note["found"], note["reason"]) if part)
    return f"{said}. What helps: {note['remedy']}" if note["remedy"] else said


def shared(runs: Iterable[tuple[str, Sequence[Note]]]) -> list[Shared]:
    """The notes of several runs by kind, in the order in which they come first."""
    labels: dict[str, dict[str, None]] = {}
    first: dict[str, Note] = {}
    for label, found in runs:
        for note in found:
            labels.setdefault(note["kind"], {})[label] = None
            first.setdefault(note["kind"], note)
    return [Shared(tuple(labels[kind]), note) for kind, note in first.items()]
