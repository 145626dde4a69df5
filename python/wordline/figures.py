"""How figures of results are printed: their unit for a person, their short name, whether more is better."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from wordline._core import WordlineError
from wordline.wording import meant

_PERCENTILE = re.compile(r"\b(p\d+) (\d+)\b")

_INNER_UNIT = re.compile(r"(\.latency_ns|_ns)\.")
"""What a name says in its middle and its unit says again."""

_TIMES = re.compile(r"\.(latency_ns|blame)\.")

_MORE = (
    "iops",
    "bandwidth_bytes_per_s",
    "hits",
    "hits_of_writes",
    "hit_ratio",
    "guesses_right",
    "guesses_right_of_writes",
    "speculative_share",
    "first_direct_ns",
    "spares_left",
    "logical_units",
    "lifetime.usable_terabytes",
    "lifetime.terabytes_written",
    "lifetime.years",
    "lifetime.promised_terabytes_written",
    "lifetime.promised_years",
    "rated_drive_writes_per_day",
)
"""What the names of figures end with of which more is better."""

_LESS = (
    "waf",
    "misses",
    "misses_of_writes",
    "misses_in_part",
    "guesses_wrong",
    "stalls",
    "stalled_units",
    "moved_units",
    "flash.erases",
    "erase_counts.mean",
    "erase_counts.max",
    "erase_counts.std",
    "retries",
    "raw_bit_errors",
    "mean_rber",
    "max_codeword_errors",
    "uncorrectable_pages",
    "failed_programs",
    "bad_blocks.grown",
    "retired_superblocks",
    "read_disturb.block_mean",
    "read_disturb.block_max",
    "read_disturb.block_peak",
    "read_disturb.page_max",
    "read_reclaim.at_hard_limit",
    "read_reclaim.blocks_over_hard_limit",
    "read_reclaim.mean_excess",
    "threshold_to_erase_mean_ns",
    "threshold_to_erase_max_ns",
    "pj",
    "energy.watts",
    "energy.pj_per_bit",
)
"""The same of which less is better. Times of answers and their parts aren't listed."""

_UNITS = (("_bytes_per_s", 1e6, "MB/s"), ("_pj", 1e9, "mJ"), ("_ns", 1e3, "µs"))


def unit(metric: str) -> tuple[float, str]:
    """What a figure is divided by for a table, and its unit then."""
    if "latency_ns." in metric or "mean_ns." in metric:
        return 1e3, "µs"
    if metric.endswith("iops"):
        return 1.0, "/s"
    for ending, scale, name in _UNITS:
        if _joined(metric).endswith(ending):
            return scale, name
    return 1.0, ""


def _joined(metric: str) -> str:
    """Its words behind one sign."""
    return f"_{metric}".replace(".", "_")


_FITTING = {
    "µs": ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")),
    "MB/s": ((1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s")),
    "mJ": ((1e12, "J"), (1e9, "mJ"), (1e6, "µJ")),
}
"""Units that a figure may have instead of its usual one, the largest first."""


def fitting(metric: str, value: float | None) -> str:
    """A figure with the unit that fits its size: `320 ms`, `1.2 GB/s`."""
    if value is None:
        return "–"
    if value == 0:
        return "0"
    scale, name = _scale(metric, value)
    return f"{short(value / scale)} {name}".strip()


def fitting_interval(metric: str, value: float | None, half: float | None) -> str:
    """A figure and half of its interval in the unit that fits the figure: `1.43 ±0.12 ms`."""
    if value is None or half is None:
        return fitting(metric, value)
    own, about, name = fitting_parts(metric, value, half)
    return sure(f"{own} ±{about} {name}".strip(), value, half)


def fitting_parts(metric: str, value: float, half: float) -> tuple[str, str, str]:
    """A figure, half of its interval with no more decimals than that has, and the unit of both."""
    scale, name = _scale(metric, value)
    own, reach = value / scale, half / scale
    about = short(reach) if own == 0 else rounded(reach, _places_of_short(own), bare=True)
    return short(own), about, name


def rounded(half: float, places: int, *, bare: bool = False) -> str:
    """Half an interval, with as many decimals as its figure has: more would say what nobody knows. `bare`:
    without zeros at the end.
    """
    if 0 < half < 0.5 * 10.0**-places:
        return f"<{10.0**-places:.{places}f}"
    text = f"{half:,.{places}f}"
    return text.rstrip("0").rstrip(".") if bare and places else text


def _places_of_short(value: float) -> int:
    """The decimals of `short`, those that are left out included."""
    return max(0, 3 - math.floor(math.log10(abs(value))))


UNSURE = "unsure"
"""Stands in the place of a figure that is smaller than half its interval."""

LEGEND = "unsure: a figure that its 95% interval exceeds: chance is all it tells. More requests or seeds help"


CHANCE = "≈"
"""Stands before a difference within its 95% interval."""

UNKNOWN = "?"
"""Stands before a difference that has no interval."""

LEGEND_OF_DIFFERENCES = (
    f"{CHANCE}: no more than the 95% interval of the difference. "
    f"{UNKNOWN}: a difference without an interval, which may be chance"
)


_MARKED = re.compile(rf"(?:^|\()[{CHANCE}{UNKNOWN}]")


def mark(same: bool | None, one: float | None, other: float | None) -> str:
    """What stands before the difference of two figures: nothing where it exceeds its interval, nor where
    there is none.
    """
    if same is None:
        return UNKNOWN if one != other else ""
    return CHANCE if same else ""


def legends(rows: Iterable[Sequence[str]]) -> list[str]:
    """What the words and marks mean that stand among figures; the first of each row is its name."""
    texts = [text for row in rows for text in row[1:]]
    marked = any(map(_MARKED.search, texts))
    return [*([LEGEND] if UNSURE in texts else []), *([LEGEND_OF_DIFFERENCES] if marked else [])]


def is_unsure(value: float, half: float | None) -> bool:
    """Whether the interval of a figure reaches farther from it than it is from nothing."""
    return half is not None and half > abs(value)


def sure(text: str, value: float, half: float | None) -> str:
    """The text of a figure, or `unsure`."""
    return UNSURE if is_unsure(value, half) else text


def _scale(metric: str, value: float) -> tuple[float, str]:
    """The largest unit that isn't larger than the figure, or the smallest: its size and name."""
    usual = unit(metric)[1]
    choice = _FITTING.get(usual, ((1.0, usual),))
    return next(((scale, name) for scale, name in choice if abs(value) >= scale), choice[-1])


def short(value: float) -> str:
    """A number with four digits, trailing zeros left out; whole from a thousand on."""
    if value == 0 or abs(value) >= 1000:
        return f"{value:,.0f}"
    digits = f"{value:.4g}"
    return f"{float(digits):f}".rstrip("0").rstrip(".") if "e" in digits else digits


def to_three_digits(value: float) -> str:
    """A ratio: with three decimals, below a tenth with three digits."""
    return f"{value:.3f}" if value == 0 or abs(value) >= 0.1 else short(float(f"{value:.3g}"))


def title(metric: str) -> str:
    """A short name without its unit."""
    return heading(metric).partition(",")[0]


def kind(metric: str) -> Literal["time", "rate", "number"]:
    """What an axis of this figure holds: nanoseconds, bytes a second, or a plain number."""
    usual = unit(metric)[1]
    return "time" if usual == "µs" else "rate" if usual == "MB/s" else "number"


def heading(metric: str) -> str:
    """A short name with its unit: `read p99, µs`."""
    named = _joined(_INNER_UNIT.sub(".", metric))
    for ending, _, _ in _UNITS:
        named = named.removesuffix(ending)
    words = _PERCENTILE.sub(r"\1.\2", named.replace("_", " ").strip())
    name = " ".join(_SHORT.get(word, word) for word in words.split(" "))
    symbol = unit(metric)[1]
    return f"{name}, {symbol}" if symbol else name


_SHORT = {"iops": "IOPS", "waf": "WAF"}


def formatted(metric: str, value: float | None) -> str:
    """A figure in the unit of its heading, with three digits or so."""
    return number(value / unit(metric)[0]) if value is not None else "–"


def formatted_interval(metric: str, value: float | None, half: float | None) -> str:
    """The same with half its interval, where that is known."""
    text = formatted(metric, value)
    if value is None or half is None:
        return text
    scale = unit(metric)[0]
    return sure(f"{text} ±{rounded(half / scale, _places(value / scale))}", value, half)


def short_interval(metric: str, value: float, half: float | None) -> str:
    """A figure in the unit of its heading, a count as a whole number, with half its interval, where known."""
    scale = unit(metric)[0]
    text = short(value / scale)
    if half is None:
        return text
    about = rounded(half / scale, 3 if value == 0 else _places_of_short(value / scale), bare=True)
    return sure(f"{text} ±{about}", value, half)


def number(value: float) -> str:
    """A number for a table: whole from a thousand on, else with three or four digits that aren't leading
    zeros.
    """
    return "0" if value == 0 else f"{value:,.{_places(value)}f}"


def _places(value: float) -> int:
    """The decimals of `number`."""
    if 0 < abs(value) < 0.1:
        return min(2 - math.floor(math.log10(abs(value))), MOST_PLACES)
    return next((places for places, least in enumerate((1000, 100, 10)) if abs(value) >= least), 3)


MOST_PLACES = 12
"""Decimals of the smallest numbers, such as rates of bit errors."""


def better(metric: str) -> Literal["more", "less"] | None:
    """Which of two figures is the better one; `None` for what is neither good nor bad, as a count."""
    if _ends_with(metric, _MORE):
        return "more"
    is_time = not metric.endswith("requests") and bool(_TIMES.search(f".{metric}"))
    return "less" if is_time or _ends_with(metric, _LESS) else None


def best_of(metric: str, values: Iterable[float]) -> float | None:
    """The best of these figures; `None` of none, and where none is better than another."""
    way, found = better(metric), list(values)
    if way is None or not found:
        return None
    return max(found) if way == "more" else min(found)


def _ends_with(metric: str, names: tuple[str, ...]) -> bool:
    """Whether it is one of these, by whole words of its name."""
    return any(_joined(metric).endswith(_joined(name)) for name in names)


def check_known(
    wanted: Iterable[str], names: Iterable[str], has: Callable[[str], bool], option: str = "figure"
) -> None:
    """Raises `WordlineError` for a figure that none of the results has, with the nearest of their names."""
    missing = next((name for name in wanted if not has(name)), None)
    if missing is not None:
        hint = meant(missing, dict.fromkeys(names), "allowed: numbers of result.json by their path")
        raise WordlineError(f"{option} {missing}: no run has it: {hint}")


def check_path(result: Mapping[str, Any], path: str) -> None:
    """Raises `WordlineError` for a path that leads nowhere in a result, with what there is beside it."""
    value: Any = result
    for key in path.split("."):
        if isinstance(value, Mapping) and value.get("requests") == 0:
            return
        if not isinstance(value, Mapping) or key not in value:
            there = ", ".join(map(str, value)) if isinstance(value, Mapping) else "nothing below a number"
            raise WordlineError(f"figure {path}: no `{key}` there: allowed: {there}")
        value = value[key]


def at(result: Mapping[str, Any], path: str) -> float | None:
    """The figure at a dotted path; `None` where a run has none, such as the latency of reads without any."""
    value: Any = result
    for key in path.split("."):
        if not isinstance(value, Mapping) or value.get("requests") == 0 or key not in value:
            return None
        value = value[key]
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
