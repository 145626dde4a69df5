"""What a calibration says beside its verdict: whether it converged, what lies at the edge of a range, which
figures it can't meet and which parts of the model decide them, and what to do next.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wordline.calibration.compare import Line
from wordline.calibration.fit import Fit, Value
from wordline.calibration.measured import RATES, MeasuredPoint
from wordline.calibration.verdict import Verdict
from wordline.calibration.ways import FIGURE, family, part_of
from wordline.wording import argument

FAR = 3.0
"""Standard deviations from which on a figure isn't met; from there on a fit gives response times up."""

LEAST = 0.10
"""Error, as a share, up to which a figure counts as met however well it repeats; assumed."""

NAMED = 4
"""Figures that are named, those that are furthest off first."""

DECIDES = 0.2
"""Share of a response time from which on a part is named."""

KEYS: dict[str, tuple[str, ...]] = {
    "cell": ("device.cell.read_ns",),
    "die_wait": ("device.cell.program_ns", "device.suspend.program_ns"),
    "suspend": ("device.suspend.program_ns", "device.suspend.max_per_operation"),
    "channel_wait": ("device.channel.mega_transfers_per_s",),
    "transfer": ("device.channel.mega_transfers_per_s",),
    "link": ("device.link.completion_ns", "device.link.bytes_per_s"),
    "cpu": ("scheme.firmware.read_request_ns", "scheme.firmware.write_request_ns"),
    "cpu_wait": ("scheme.firmware.read_request_ns", "scheme.firmware.write_request_ns"),
    "admission": ("scheme.cache.bytes", "scheme.gc.trigger", "scheme.cache.pause.ns"),
    "buffer": ("scheme.cache.bytes", "scheme.gc.trigger", "scheme.cache.pause.ns"),
    "space": ("scheme.gc.trigger",),
    "programs": ("device.cell.program_ns", "device.cell.erase_ns"),
    "collection": ("device.geometry.blocks", "device.capacity.user_bytes"),
}
"""Part of the model, as blame names it up to its point → keys that decide it."""


@dataclass(frozen=True)
class Miss:
    """A figure that isn't met, at the point where it is furthest off."""

    figure: str
    worst: Line
    points: int
    """At which it isn't met."""
    of: int
    parts: tuple[tuple[str, float], ...]
    """Parts of the model that decide it there, with their shares of the simulated response time; 0 of a rate,
    whose shares aren't known.
    """

    @property
    def text(self) -> str:
        """A line."""
        line = self.worst
        parts = ", ".join(f"{name} {share:.0%}" if share else name for name, share in self.parts)
        unit = " µs" if self.figure.endswith("_us") else " a second" if self.figure.endswith("_per_s") else ""
        part = part_of(line.figure)
        of, part = ("parts", f", {part} capacities written") if part else ("points", "")
        return (
            f"{self.figure} at {self.points} of {self.of} {of}, furthest at {line.point.name}{part}: "
            f"{line.simulated:,.4g}{unit} for {line.measured:,.4g}{unit}, there decided by "
            f"{parts or 'no single part'}"
        )


def missed(
    lines: Sequence[Line], sigmas: Sequence[Mapping[str, float]], figures: Sequence[Mapping[str, Any]],
    points: Sequence[MeasuredPoint], *, before: bool,
) -> list[Miss]:  # fmt: skip
    """Figures of the description that is kept (`before`: the one that nothing was fitted of) that are further
    from the measured ones than chance and floors say, the furthest first.
    """
    places = {point.name: place for place, point in enumerate(points)}
    found: dict[str, list[tuple[float, Line]]] = {}
    for line in lines:
        simulated = line.before if before else line.simulated
        sigma = sigmas[places[line.point.name]][line.figure]
        if simulated is None or not math.isfinite(sigma):
            continue
        error = abs(math.log(simulated / line.measured))
        if error > max(FAR * sigma, math.log1p(LEAST)):
            own = line if not before else line.as_before()
            found.setdefault(family(line.figure), []).append((error, own))
    made = []
    for figure, off in found.items():
        _, worst = max(off, key=lambda one: one[0])
        count = sum(family(line.figure) == figure for line in lines)
        parts = _parts(figure, figures[places[worst.point.name]])
        made.append((max(error for error, _ in off), Miss(figure, worst, len(off), count, parts)))
    return [miss for _, miss in sorted(made, key=lambda one: -one[0])]


def _parts(figure: str, simulated: Mapping[str, Any]) -> tuple[tuple[str, float], ...]:
    """Parts of blame with a fifth or more of the response time, the largest first. Of p99 and beyond those of
    the tail count.
    """
    if figure == "waf":
        return (("collection", 0.0),)
    way, _, kind = figure.removesuffix("_us").partition("_")
    if figure in (*RATES, FIGURE):
        return (
            (("programs", 0.0), ("collection", 0.0)) if way != "reads" else (("cell", 0.0), ("transfer", 0.0))
        )
    # The blame is that of the probe, whose writes wait for what those of the writers wait for.
    blame = simulated.get("blame", {}).get("read" if way == "read" else "write", {})
    tail = blame.get("tail") if kind.startswith("p99") else None
    parts: dict[str, float] = {}
    for name, value in (tail or blame.get("mean") or {}).items():
        parts[name] = parts.get(name, 0.0) + value
    total = sum(parts.values())
    shares = [(name, value / total) for name, value in parts.items() if total and value / total >= DECIDES]
    return tuple(sorted(shares, key=lambda one: -one[1]))


@dataclass(frozen=True)
class Findings:
    """All of that."""

    unfinished: str | None
    edges: tuple[Value, ...]
    undetermined: tuple[Value, ...]
    missed: tuple[Miss, ...]
    next: tuple[str, ...]

    @property
    def lines(self) -> list[str]:
        """For a person, a line each."""
        said = []
        if self.unfinished is not None:
            said.append(f"Not converged: {self.unfinished}.")
        said += [
            f"At the {one.edge} end of its range: {one.free.path} = {one.free.setting(one.value)}."
            for one in self.edges
        ]
        said += [f"Not met: {one.text}." for one in self.missed[:NAMED]]
        rest = self.missed[NAMED:]
        if rest:
            said.append(f"Not met either: {', '.join(one.figure for one in rest)}.")
        return [*said, *(f"Next: {text}." for text in self.next)]


def findings(fit: Fit, values: Sequence[Value], misses: Sequence[Miss], verdict: Verdict) -> Findings:
    """What was found, and what follows of it."""
    edges = tuple(one for one in values if one.edge)
    undetermined = tuple(one for one in values if one.state == "undetermined" and not one.edge)
    return Findings(
        fit.unfinished, edges, undetermined, tuple(misses), tuple(_next(fit, values, misses, verdict))
    )


def _next(fit: Fit, values: Sequence[Value], misses: Sequence[Miss], verdict: Verdict) -> list[str]:
    free = {one.free.path for one in values}
    made = []
    if fit.unfinished is not None:
        more = f"{argument('budget')}, {argument('minutes')}"
        made.append(f"more choices ({more}) in the same folder: it goes on where it was")
    if edges := [one.free.path for one in values if one.edge]:
        made.append(
            f"a wider range for {', '.join(edges)}, if that can be; else the model lacks what pushes it there"
        )
    if loose := [one.free.path for one in values if one.state == "undetermined" and not one.edge]:
        left = f"leave {', '.join(loose)} out of {argument('free')}"
        made.append(f"{left}: these figures don't determine it")
    keys = [
        key for miss in misses[:NAMED] for name, _ in miss.parts for key in KEYS.get(name.split(".")[0], ())
    ]
    if keys := [key for key in dict.fromkeys(keys) if key not in free]:
        made.append(f"free what decides the figures that aren't met: {', '.join(keys)}")
    elif misses:
        made.append(
            "the keys that decide the figures that aren't met are free: the model lacks what the drive does"
        )
    if verdict.outcome == "worse":
        made.append(f"fewer free values, or more points of load ({argument('hold_out')})")
    if not made:
        made.append("use the preset")
    return made
