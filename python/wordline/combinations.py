"""Which parts of a scheme go together: the matrix that `wordline show combinations` prints."""

from dataclasses import dataclass

from rich.text import Text

from wordline import _core

GROUP = 10
"""Columns that stand together, so that the eye finds one."""


@dataclass(frozen=True)
class Part:
    """A part that a scheme may have."""

    name: str
    slots: tuple[str, ...]
    """The decisions that it makes. Two parts that make the same one exclude each other."""
    without: tuple[str, ...]
    """Decisions that must be left as by default beside it."""
    keys: str
    """Its keys, TOML relative to the scheme."""

    def excludes(self, other: "Part") -> str | None:
        """The slot that both fill, or that one fills and the other can't have filled, if there is one."""
        pairs = ((self.slots, other.slots), (self.without, other.slots), (self.slots, other.without))
        return next((slot for ours, theirs in pairs for slot in ours if slot in theirs), None)


def parts() -> list[Part]:
    """Every part, in the order of the slots."""
    return [Part(name, tuple(slots), tuple(without), keys) for name, slots, without, keys in _core.parts()]


def rows() -> list[dict[str, object]]:
    """The matrix as data: each part with those that it excludes, and by which slot."""
    known = parts()
    return [
        {
            "name": part.name,
            "slots": list(part.slots),
            "without": list(part.without),
            "keys": part.keys,
            "excludes": {
                other.name: slot
                for other in known
                if other is not part and (slot := part.excludes(other)) is not None
            },
        }
        for part in known
    ]


def matrix() -> Text:
    """A dot where two parts go together, the slot's letter where they exclude each other.

    A letter wide for each part, so that a terminal of 80 columns has room for all.
    """
    known = parts()
    slots = list(dict.fromkeys(slot for part in known for slot in part.slots))
    letters = {slot: chr(ord("A") + number) for number, slot in enumerate(slots)}
    labels = [f"{number:2} {part.name}" for number, part in enumerate(known, 1)]
    wide = max(map(len, labels)) + 1
    numbers = [f"{number:2}" for number in range(1, len(known) + 1)]
    lines = [_line("part" if row == 0 else "", wide, [number[row] for number in numbers]) for row in (0, 1)]
    text = Text("\n".join(lines) + "\n", style="bold")
    for label, part in zip(labels, known, strict=True):
        cells = (" " if other is part else _cell(letters, part.excludes(other)) for other in known)
        text.append(_line(label, wide, list(cells)) + "\n", style="not bold")
    legend = ", ".join(f"{letter} {slot}" for slot, letter in letters.items())
    return text.append(f"· go together; exclude each other in the slot: {legend}", style="not bold italic")


def _cell(letters: dict[str, str], slot: str | None) -> str:
    return "·" if slot is None else letters[slot]


def _line(label: str, wide: int, cells: list[str]) -> str:
    groups = ("".join(cells[start : start + GROUP]) for start in range(0, len(cells), GROUP))
    return f"{label:{wide}}{' '.join(groups)}".rstrip()
