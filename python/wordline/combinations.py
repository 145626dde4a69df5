"""Which parts of a scheme go together: the matrix that `wordline show combinations` prints."""

from dataclasses import dataclass

from rich.table import Table

from wordline import _core


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


def table() -> Table:
    """The matrix: a dot where two parts go together, the slot's letter where they exclude each other."""
    known = parts()
    slots = list(dict.fromkeys(slot for part in known for slot in part.slots))
    letters = {slot: chr(ord("A") + number) for number, slot in enumerate(slots)}
    legend = ", ".join(f"{letter} {slot}" for slot, letter in letters.items())
    matrix = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    matrix.caption = f"· go together; exclude each other in the slot: {legend}"
    matrix.caption_justify = "left"
    matrix.add_column("part", no_wrap=True)
    for number in range(1, len(known) + 1):
        matrix.add_column(str(number), justify="right", no_wrap=True)
    for number, part in enumerate(known, 1):
        cells = [
            "" if other is part else letters[slot] if (slot := part.excludes(other)) else "·"
            for other in known
        ]
        matrix.add_row(f"{number:2} {part.name}", *cells)
    return matrix
