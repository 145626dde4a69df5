"""From the table of an exhibit to its printed numbers, each with ours beside it."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wordline.repro import measured, real_drives
from wordline.repro.analyses import ANALYSES, SEED, fits
from wordline.repro.exhibit import WORKLOADS, Exhibit
from wordline.repro.table import Record, half_width
from wordline.repro.verdict import Kind, Target, Verdict, judge, kind_of, parsed

Place = tuple[str, str]
"""A paper and one of its exhibits."""

ANOTHER_READING = "another reading of a number that is there"


@dataclass(frozen=True)
class Number:
    """A printed number with ours beside it."""

    paper: str
    exhibit: str
    workload: str
    metric: str
    against: str
    unit: str
    target: float | str
    ours: float | str | None
    verdict: Verdict
    workload_is: str
    note: str = ""
    kind: Kind = "level"
    within: float | None = None
    factor: float | None = None
    interval: float | None = None
    """Half the width of the 95% interval over seeds; `None` with one seed."""
    comparable: bool = True
    uncounted: str = ""
    """Why it is shown and not counted, if so: another reading of a number, what a choice was fitted to, …"""
    mark: str = ""
    """Numbers of one run of ours that share this name give one mark, the worst of them."""
    exercised: bool = True
    """Whether what it is about happened in the run at all."""
    quick: bool = False
    """Whether the run was scaled down."""

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells it from the exhibit's other numbers."""
        return (self.workload, self.metric, self.against, self.unit, str(self.target))

    @property
    def place(self) -> Place:
        """Its paper and its exhibit."""
        return (self.paper, self.exhibit)

    @property
    def key_with_place(self) -> tuple[Any, ...]:
        """What tells it from all others."""
        return (*self.place, *self.key)

    @property
    def difference(self) -> float | None:
        """Ours less the printed one."""
        if isinstance(self.target, str) or isinstance(self.ours, str) or self.ours is None:
            return None
        return self.ours - self.target


def numbers(
    exhibit: Exhibit,
    lines: Sequence[Record],
    printed: Sequence[Mapping[str, str]],
    drives: Path | None = None,
    *,
    quick: bool = False,
) -> list[Number]:
    """Every printed number of an exhibit. `printed` are the lines of the targets that are about it.

    Of several seeds a number is the mean of those of each, with its interval; an order that of their means.
    What the exhibit's `quick_needs` names must have happened in half of the runs that a number is of. Where
    it hasn't, nothing is reproduced, and a run that was scaled down contradicts nothing either.
    """
    if "quick_needs" in exhibit.data:
        exhibit = _with_exercised(exhibit, lines)
    found = _of_seeds(exhibit, lines, printed, drives)
    return [_judged(replace(number, quick=True)) for number in found] if quick else found


def _of_seeds(
    exhibit: Exhibit, lines: Sequence[Record], printed: Sequence[Mapping[str, str]], drives: Path | None
) -> list[Number]:
    seeds = sorted({line[SEED] for line in lines})
    if len(seeds) < 2:
        return _numbers(exhibit, lines, printed, drives)
    each = [
        _numbers(exhibit, [line for line in lines if line[SEED] == seed], printed, drives) for seed in seeds
    ]
    whole = _numbers(exhibit, lines, printed, drives) if _has_orders(each[0]) else each[0]
    by_seed: list[dict[tuple[Any, ...], Number]] = [{n.key: n for n in numbers_} for numbers_ in each]
    return [
        _over_seeds(first, [found[first.key] for found in by_seed if first.key in found], whole)
        for first in each[0]
    ]


def _with_exercised(exhibit: Exhibit, lines: Sequence[Record]) -> Exhibit:
    """The exhibit, its numbers marked by whether what they are about happened in half of their runs."""
    needs = exhibit.data["quick_needs"]
    needed = needs.get("where", {})

    def happened(number: Mapping[str, Any]) -> bool:
        wanted = {name: value for name, value in number.get("where", {}).items() if name != "by"}
        if not fits({name: needed.get(name, value) for name, value in wanted.items()}, wanted):
            # A number of other lines, of which nothing is needed.
            return True
        own = [line for line in lines if fits(line, {**wanted, **needed})]
        in_these: int = sum((line.get(needs["column"]) or 0) > needs["above"] for line in own)
        return bool(own) and 2 * in_these >= len(own)

    found = [{**number, "exercised": happened(number)} for number in exhibit.numbers]
    return replace(exhibit, numbers=found)


def _has_orders(found: Sequence[Number]) -> bool:
    return any(isinstance(number.target, str) for number in found)


def _over_seeds(first: Number, each: Sequence[Number], whole: Sequence[Number]) -> Number:
    """One number out of those of several seeds."""
    if isinstance(first.target, str):
        return next((number for number in whole if number.key == first.key), first)
    words = next((number for number in each if isinstance(number.ours, str)), None)
    if words is not None:
        return words
    values = [number.ours for number in each if isinstance(number.ours, int | float)]
    if len(values) < 2:
        return first
    return _judged(replace(first, ours=statistics.fmean(values), interval=half_width(values)))


def _numbers(
    exhibit: Exhibit,
    lines: Sequence[Record],
    printed: Sequence[Mapping[str, str]],
    drives: Path | None = None,
) -> list[Number]:
    found: list[Number] = []
    for number in exhibit.numbers:
        if "analysis" in number or "against" in number:
            found += _compared(exhibit, number, lines, printed)
        else:
            found += _of_lines(exhibit, number, lines)
    if "load" in exhibit.data and drives is not None:
        known = real_drives.lines(drives, exhibit.data["measured"]["table"])
        for order in real_drives.orders(exhibit.data["load"], known):
            if {line["device"] for line in lines if line["load"] == order["where"]["load"]} >= set(
                exhibit.data["load"]["drives"]
            ):
                found += _compared(exhibit, order, lines, printed)
    return found + _of_measured(exhibit, lines, drives)


def _of_measured(exhibit: Exhibit, lines: Sequence[Record], drives: Path | None) -> list[Number]:
    """A number for each measured figure whose line was run."""
    found = []
    for one in measured.read(exhibit, drives):
        for line in lines:
            if one.is_about(line):
                described = {
                    "metric": f"{', '.join(one.line.values())}: {one.figure}",
                    "unit": one.unit,
                    "note": one.note,
                    "within": one.within,
                    "factor": one.factor,
                    "kind": "level",
                }
                found.append(_number(exhibit, described, one.value, line.get(one.figure), {}))
    return found


def _of_lines(exhibit: Exhibit, number: Mapping[str, Any], lines: Sequence[Record]) -> list[Number]:
    """A number for each line of the table: a column beside another, or beside a fixed value."""
    found = []
    for line in lines:
        if any(line.get(name) != value for name, value in number.get("where", {}).items()):
            continue
        given = number["target"]
        target = line.get(given) if isinstance(given, str) and given in exhibit.columns else given
        if target is not None:
            words = {name: _short(value) for name, value in line.items()}
            found.append(_number(exhibit, number, target, line.get(number["value"]), words))
    return found


def _compared(
    exhibit: Exhibit, number: Mapping[str, Any], lines: Sequence[Record], printed: Sequence[Mapping[str, str]]
) -> list[Number]:
    """A number over several lines: the mean change against others, or the order of a column's values."""
    target = number.get("target")
    if "line" in number:
        target = _printed(number["line"], printed)
    if target is None:
        return []
    ours = ANALYSES[number.get("analysis", "mean")]({**number, "target": target}, lines)
    return [_number(exhibit, number, target, ours, {})]


def _printed(wanted: Mapping[str, str], printed: Sequence[Mapping[str, str]]) -> float | str | None:
    for line in printed:
        if all(line.get(key) == value for key, value in wanted.items()):
            return parsed(line["value"])
    return None


def _number(
    exhibit: Exhibit,
    number: Mapping[str, Any],
    target: float | str,
    ours: float | str | None,
    words: Mapping[str, str],
) -> Number:
    metric, unit = str(number["metric"]).format_map(words), str(number.get("unit", ""))
    kind: Kind = number.get("kind") or kind_of(metric, unit, target)
    return _judged(
        Number(
            paper=exhibit.paper,
            exhibit=exhibit.name,
            workload=str(number.get("line", {}).get("workload", "")),
            metric=metric,
            against=str(number.get("line", {}).get("against", "")),
            unit=unit,
            target=target,
            ours=ours,
            verdict="not run",
            workload_is=WORKLOADS[exhibit.workload_is],
            kind=kind,
            factor=number.get("factor"),
            **_taken_for(number),
            exercised=number.get("exercised", True),
        )
    )


def _judged(number: Number) -> Number:
    """The same with its verdict."""
    target = Target(number.target, number.unit, number.kind, number.within, number.factor)
    verdict = judge(target, number.ours, number.interval)
    if not number.exercised and (
        (number.quick and verdict != "not run") or verdict in ("reproduced", "direction")
    ):
        verdict = "not exercised"
    elif verdict != "not run" and not number.comparable:
        verdict = "not comparable"
    return replace(number, verdict=verdict, note=number.note if verdict != "reproduced" else "")


def judged_anew(number: Number, exhibit: Exhibit) -> Number:
    """The same value, taken for what its exhibit's file says of it now."""
    found = next((one for one in exhibit.numbers if _is_of(number, one)), None)
    if found is None:
        return _judged(number)
    return _judged(
        replace(
            number,
            kind=found.get("kind") or kind_of(number.metric, number.unit, number.target),
            **_taken_for(found),
        )
    )


def _is_of(number: Number, described: Mapping[str, Any]) -> bool:
    """Whether a number was made by this description; of names in braces any stand there."""
    line = described.get("line", {})
    if (number.workload, number.against) != (str(line.get("workload", "")), str(line.get("against", ""))):
        return False
    words = re.split(r"\{[^{}]*\}", str(described["metric"]))
    return re.fullmatch(".*".join(map(re.escape, words)), number.metric) is not None


def _taken_for(described: Mapping[str, Any]) -> dict[str, Any]:
    """What decides what a number is taken for, but its kind."""
    return {
        "note": str(described.get("note", "")),
        "within": described.get("within"),
        "comparable": not described.get("not_comparable", False),
        "uncounted": described.get("uncounted", ANOTHER_READING if described.get("variant") else ""),
        "mark": str(described.get("mark", "")),
    }


def _short(value: object) -> str:
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:.4g}"
    return str(value)
