"""What a fit may change: paths of the drive's description, each with its range."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wordline._core import WordlineError
from wordline.wording import argument

Value = Any
"""A number, a word or truth, or a list of numbers."""

ALLOWED = "allowed: PATH=LOW..HIGH or PATH=A,B, such as device.cell.program_ns=400_000..2_000_000"

LOG_FROM = 1.5
"""A range whose ends differ by this factor is searched in ratios."""


@dataclass(frozen=True)
class Free:
    """A value that is fitted."""

    path: str
    low: float
    high: float
    whole: bool = False
    """Whole numbers only."""
    base: Value = None
    """What the description says; `None` if it leaves the key out."""
    choices: tuple[Value, ...] = ()
    """In the place of a range."""

    @property
    def log(self) -> bool:
        """Whether ratios count, not differences."""
        return self.low > 0 and self.high / self.low >= LOG_FROM

    def space(self) -> Any:
        """As the search takes it."""
        if self.choices:
            return list(self.choices)
        ends = (round(self.low), round(self.high)) if self.whole else (float(self.low), float(self.high))
        return {"low": ends[0], "high": ends[1], "log": self.log}

    def value(self, share: float) -> float | int:
        """The number at this share of the range."""
        share = min(max(share, 0.0), 1.0)
        if self.log:
            number = self.low * (self.high / self.low) ** share
        else:
            number = self.low + (self.high - self.low) * share
        return round(number) if self.whole else float(number)

    def share(self, number: float) -> float:
        """Where a number lies in the range."""
        if self.log:
            return math.log(number / self.low) / math.log(self.high / self.low)
        return (number - self.low) / (self.high - self.low)

    def start(self) -> float | int | None:
        """What the description says, as a number; `None` where that is none within the range."""
        numbers = self.base if isinstance(self.base, list) else [self.base]
        if not numbers or any(isinstance(one, bool) or not isinstance(one, int | float) for one in numbers):
            return None
        mean = sum(numbers) / len(numbers)
        inside = self.low <= mean <= self.high
        return (round(mean) if self.whole else mean) if inside else None

    @property
    def begins_outside(self) -> bool:
        """Whether the description has a value that isn't among those that the fit may choose."""
        if self.choices:
            return self.base is not None and self.base not in self.choices
        return self.base is not None and self.start() is None

    def setting(self, value: Value) -> Value:
        """The value as the description takes it: a list, such as tR by page type, keeps its proportions
        around this mean.
        """
        if self.choices:
            return value
        if not isinstance(self.base, list):
            return _rounded(value)
        mean = sum(self.base) / len(self.base)
        numbers = [one * value / mean for one in self.base] if mean else [value for _ in self.base]
        return [
            round(one) if isinstance(old, int) else _rounded(one)
            for one, old in zip(numbers, self.base, strict=True)
        ]


def parse(texts: Sequence[str], config: Mapping[str, Any]) -> list[Free]:
    """The values that are free, from `PATH=LOW..HIGH` texts. `config` is the drive's whole description."""
    if not texts:
        raise WordlineError(f"no value is free: {argument('free')}, {ALLOWED}")
    free = [_parse(text, config) for text in texts]
    for place, one in enumerate(free):
        if one.path in (other.path for other in free[:place]):
            raise WordlineError(f"{argument('free', one.path)}: allowed: each path once")
    return free


def _parse(text: str, config: Mapping[str, Any]) -> Free:
    path, equals, rest = (part.strip() for part in text.partition("="))
    if not equals or not rest:
        raise WordlineError(f"{argument('free', text)}: {ALLOWED}")
    if path.split(".")[0] not in ("device", "scheme"):
        raise WordlineError(f"{argument('free', text)}: allowed: paths that begin with device. or scheme.")
    base = at(config, path)
    if ".." not in rest:
        return _choices(text, path, rest, base)
    low, high = (_number(text, part) for part in rest.split("..", 1))
    if low >= high:
        raise WordlineError(f"{argument('free', text)}: allowed: LOW below HIGH")
    known = base if isinstance(base, list) else [base]
    # A whole number in the description, or in the range where the description has none, stays one.
    whole = all(isinstance(one, int) for one in (known if base is not None else (low, high)))
    if base is not None and not all(_is_number(one) for one in known):
        raise WordlineError(f"{argument('free', text)}: {path} = {base!r} is no number: allowed: PATH=A,B")
    if whole and (low != round(low) or high != round(high)):
        raise WordlineError(f"{argument('free', text)}: {path} = {base}: allowed: whole numbers")
    return Free(path, low, high, whole, base)


def _choices(text: str, path: str, rest: str, base: Value) -> Free:
    words = [part.strip() for part in rest.split(",")]
    if len(words) < 2 or not all(words):
        raise WordlineError(f"{argument('free', text)}: {ALLOWED}")
    return Free(path, 0.0, 1.0, base=base, choices=tuple(_plain(word) for word in words))


def _plain(word: str) -> Value:
    if word in ("true", "false"):
        return word == "true"
    try:
        return _number(word, word)
    except WordlineError:
        return word.strip("\"'")


def _number(text: str, part: str) -> float | int:
    part = part.strip()
    try:
        return int(part)
    except ValueError:
        pass
    try:
        value = float(part)
    except ValueError:
        raise WordlineError(f"{argument('free', text)}: {part!r} is no number: {ALLOWED}") from None
    if not math.isfinite(value):
        raise WordlineError(f"{argument('free', text)}: {part}: {ALLOWED}")
    return value


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _rounded(value: float) -> float:
    """A fraction as it stands in the preset."""
    return value if isinstance(value, int) else float(f"{value:.6g}")


def at(config: Mapping[str, Any], path: str) -> Value:
    """What a resolved description has at a path; `None` where it has nothing."""
    value: Any = config
    for key in path.split("."):
        if not isinstance(value, Mapping) or key not in value:
            return None
        value = value[key]
    return value
