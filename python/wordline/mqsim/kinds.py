"""What a key of MQSim's may hold, and how its declaration says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Effect = Literal["used", "no effect", "refused"]
Value = bool | int | float | str | tuple[int, ...]


@dataclass(frozen=True)
class Whole:
    """A whole number."""

    least: int = 0
    most: int = 2**63 - 1

    def read(self, text: str) -> int | None:
        """The value; `None` if it isn't one."""
        digits = text.removeprefix("+")
        value = int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 30 else -1
        return value if self.least <= value <= self.most else None

    def allowed(self) -> str:
        """In words."""
        return f"{self.least} to {self.most}" if self.most < 2**32 else f"whole numbers from {self.least} on"


@dataclass(frozen=True)
class Real:
    """A number."""

    least: float
    most: float

    def read(self, text: str) -> float | None:
        """The value; `None` if it isn't one."""
        try:
            value = float(text)
        except ValueError:
            return None
        return value if self.least <= value <= self.most else None

    def allowed(self) -> str:
        """In words."""
        return f"{self.least:g} to {self.most:g}"


@dataclass(frozen=True)
class Flag:
    """`true` or `false`."""

    def read(self, text: str) -> bool | None:
        """The value; `None` if it isn't one."""
        return {"true": True, "false": False}.get(text.lower())

    def allowed(self) -> str:
        """In words."""
        return "true or false"


@dataclass(frozen=True)
class Word:
    """One of some words, in capitals or not."""

    words: tuple[str, ...]

    def read(self, text: str) -> str | None:
        """The value; `None` if it isn't one."""
        return text.upper() if text.upper() in self.words else None

    def allowed(self) -> str:
        """In words."""
        return self.words[0] if len(self.words) == 1 else f"{', '.join(self.words[:-1])} or {self.words[-1]}"


@dataclass(frozen=True)
class Numbers:
    """Different whole numbers, with commas between them."""

    def read(self, text: str) -> tuple[int, ...] | None:
        """The value; `None` if it isn't one."""
        parts = [part.strip() for part in text.split(",")]
        if not all(part.isascii() and part.isdecimal() and len(part) < 10 for part in parts):
            return None
        return tuple(sorted({int(part) for part in parts}))

    def allowed(self) -> str:
        """In words."""
        return "numbers such as 0,1,2"


@dataclass(frozen=True)
class Text:
    """Any text."""

    def read(self, text: str) -> str | None:
        """The value; `None` if it isn't one."""
        return text or None

    def allowed(self) -> str:
        """In words."""
        return "a text"


@dataclass(frozen=True)
class Key:
    """A key of one of MQSim's parameter sets."""

    name: str
    kind: Whole | Real | Flag | Word | Numbers | Text
    default: str | None
    """As MQSim's source gives it; `None`: it gives none, and the key is needed (or has no effect)."""
    meaning: str
    """The key that it becomes, or why it has no effect."""
    effect: Effect = "used"
    refused: tuple[tuple[str, str], ...] = ()
    """Values that MQSim knows and Wordline doesn't, with the reason."""
    optional: bool = False
    """Without effect and without default: it may be missing without a word."""
