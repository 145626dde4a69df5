"""A run beside a result of fio: what was simulated and what a drive did, by job and direction."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordline._core import WordlineError
from wordline.figures import fitting, title
from wordline.logs import fio

if TYPE_CHECKING:
    from rich.console import RenderableType

    from wordline.report.runs import SavedRun

MANY = 9.0
"""Relative differences from here on are shown as factors."""

PERCENTILES = {
    "p50": 50.0, "p90": 90.0, "p95": 95.0, "p97": 97.0, "p98": 98.0, "p99": 99.0,
    "p99_5": 99.5, "p99_9": 99.9, "p99_99": 99.99,
}  # fmt: skip
"""Of a run's results, in percent."""


@dataclass
class Part:
    """One direction of one job, or of one group of jobs."""

    name: str
    """As fio calls it."""
    flows: tuple[str, ...]
    """What stands for it in the run."""
    way: str
    figures: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Figure → that of the run, that of fio; times in ns."""
    left_out: list[str] = field(default_factory=list)
    """What only one of them has, a sentence each."""


@dataclass
class Comparison:
    """The parts, and what holds for all."""

    parts: list[Part]
    notes: list[str]


def compare(run: SavedRun, path: Path) -> Comparison:
    """Raises `WordlineError` where the jobs of the one aren't the flows of the other."""
    results = fio.read(path)
    flows = _flows(run.result)
    found = Comparison([], [])
    whole = {way: run.result[way] for way in fio.WAYS}
    groups = run.result.get("groups", [])
    matched = _matched(run, results, flows)
    try:
        for name, jobs, members in matched:
            for job, own in zip(jobs, members, strict=True):
                label = name if len(jobs) == 1 else own[0]
                named = flows[own[0]].get("group")
                together = next((group for group in groups if group["name"] == named), None)
                apart = [flows[flow] for flow in own]
                simulated = apart if together is None or len(own) == 1 else [together]
                found.parts += _parts(label, own, job, simulated, whole)
                found.notes += _notes(label, job)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise WordlineError(f"{path}: not as fio writes it: {error!r}") from None
    found.notes += _of_rates(run.result)
    return found


def _flows(result: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The flows of a run by name; of one that has a single flow, the run."""
    if result.get("flows"):
        return {flow["name"]: flow for flow in result["flows"]}
    workload = result["config"]["workload"]
    named = workload.get("flow") or [{"name": workload["name"]}]
    return {named[0]["name"]: result}


Matched = list[tuple[str, list[dict[str, Any]], list[tuple[str, ...]]]]


def _matched(run: SavedRun, results: fio.Results, flows: Mapping[str, Any]) -> Matched:
    """Jobs by name with their entries, and for each entry its flows."""
    entries: dict[str, list[dict[str, Any]]] = {}
    for job in results.jobs:
        entries.setdefault(str(job["jobname"]), []).append(job)
    matched: Matched = []
    left = dict(flows)
    for name, jobs in entries.items():
        own = [name] if name in left else [flow for flow in left if _is_copy(flow, name)]
        if len(jobs) == 1 and own and (group := flows[own[0]].get("group")):
            # fio calls a group as its first job.
            own = [flow for flow in left if flows[flow].get("group") == group]
        if not own or len(jobs) not in (1, len(own)):
            raise _mismatch(run, results, flows)
        for flow in own:
            del left[flow]
        members: list[tuple[str, ...]] = [tuple(own)] if len(jobs) == 1 else [(flow,) for flow in own]
        matched.append((name, jobs, members))
    if left:
        raise _mismatch(run, results, flows)
    return matched


def _is_copy(flow: str, name: str) -> bool:
    return flow.startswith(f"{name}.") and flow.removeprefix(f"{name}.").isdecimal()


def _mismatch(run: SavedRun, results: fio.Results, flows: Mapping[str, Any]) -> WordlineError:
    jobs = ", ".join(str(job["jobname"]) for job in results.jobs)
    return WordlineError(
        f"{results.path}: jobs {jobs}; {run.folder}: flows {', '.join(flows)}: "
        "allowed: the same names, with numbers behind those of numjobs (run the job file itself)"
    )


def _parts(
    name: str,
    own: tuple[str, ...],
    job: Mapping[str, Any],
    of_run: Sequence[Mapping[str, Any]],
    whole: Mapping[str, Any],
) -> list[Part]:
    found = []
    for way in fio.WAYS:
        measured = job.get(way, {})
        simulated = [flow[way] for flow in of_run if flow[way]["requests"]]
        had = float(measured.get("iops", 0)) > 0
        if not had and not simulated:
            continue
        part = Part(name, own, way)
        found.append(part)
        if not had or not simulated:
            side = "the run" if simulated else "fio"
            part.left_out.append(f"{way}s: only {side} has any")
            continue
        _compare(part, simulated, measured, whole[way])
    return found


def _compare(
    part: Part, simulated: Sequence[Mapping[str, Any]], measured: Mapping[str, Any], whole: Mapping[str, Any]
) -> None:
    rate = measured["bw_bytes"] if "bw_bytes" in measured else float(measured["bw"]) * 1024
    for key, theirs in (("iops", measured["iops"]), ("bandwidth_bytes_per_s", rate)):
        part.figures[key] = (sum(flow[key] for flow in simulated), _number(theirs))
    counts = [flow["requests"] for flow in simulated]
    key, latency = _latency(measured)
    if latency is None:
        part.left_out.append(f"{part.way}s: fio has no response times in ns")
        return
    means = [flow["latency_ns"]["mean"] * count for flow, count in zip(simulated, counts, strict=True)]
    part.figures["latency_ns.mean"] = (sum(means) / sum(counts), _number(latency["mean"]))
    theirs = {float(share): _number(value) for share, value in latency.get("percentile", {}).items()}
    if len(simulated) == 1:
        ours = simulated[0]["latency_ns"]
    elif whole["requests"] == sum(counts):
        # Of all flows together the run has its own.
        ours = whole["latency_ns"]
    else:
        part.left_out.append(f"{part.way}s: percentiles of several flows can't be added to those of a group")
        return
    named = {share: name for name, share in PERCENTILES.items() if name in ours}
    for share, name in named.items():
        if share in theirs:
            part.figures[f"latency_ns.{name}"] = (ours[name], theirs[share])
    for side, one, other in (("the run", named, theirs), ("fio", theirs, named)):
        alone = [f"p{share:g}" for share in one if share not in other]
        if alone:
            part.left_out.append(f"{part.way}s: only {side} has {', '.join(alone)} ({key})")


def _latency(measured: Mapping[str, Any]) -> tuple[str, Mapping[str, Any] | None]:
    """That of which fio has percentiles; from the submission where neither has."""
    for key in ("lat_ns", "clat_ns"):
        if measured.get(key, {}).get("percentile"):
            return key, measured[key]
    return "clat_ns", measured.get("clat_ns")


def _number(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number) or number < 0:
        raise ValueError(f"{value} is no figure")
    return number


def _notes(name: str, job: Mapping[str, Any]) -> list[str]:
    found = [
        f"{name}: {way}s: response times of fio are its {_latency(job[way])[0]}"
        for way in fio.WAYS
        if float(job.get(way, {}).get("iops", 0)) > 0
    ]
    if job.get("error"):
        found.append(f"{name}: fio ended with error {job['error']}")
    return found


def _of_rates(result: Mapping[str, Any]) -> list[str]:
    flows = result["config"]["workload"].get("flow") or []
    rated = [flow["name"] for flow in flows if flow.get("arrivals") == "open"]
    if not rated:
        return []
    return [
        f"{', '.join(rated)}: the run counts from when a request was due, fio from when it was issued: "
        "where a rate isn't met, its waiting is in the run's response times alone"
    ]


def render(run: SavedRun, path: Path, found: Comparison) -> RenderableType:
    """For a terminal."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for place, header in enumerate(("Job", "Figure", run.label, path.name, "run by fio")):
        table.add_column(header, justify="right" if place > 1 else "left", overflow="fold")
    for part in found.parts:
        for key, (ours, theirs) in part.figures.items():
            metric = f"{part.way}.{key}"
            values = (fitting(metric, ours), fitting(metric, theirs), shown(ours, theirs))
            table.add_row(*map(Text, (part.name, title(metric), *values)))
    left = [f"{part.name}: {what}" for part in found.parts for what in part.left_out]
    lines = [Text(f"left out: {what}", style="dim") for what in left]
    return Group(table, Text(), *lines, *(Text(f"note: {note}", style="yellow") for note in found.notes))


def change(ours: float, theirs: float) -> float | None:
    """By how much of fio's the run's figure differs; `None` where fio's is nothing."""
    return ours / theirs - 1 if theirs else None


def shown(ours: float, theirs: float) -> str:
    """The relative difference, for a person."""
    found = change(ours, theirs)
    if found is None:
        return "–"
    return f"{found:+.1%}" if found < MANY else f"×{found + 1:,.0f}"


def to_dict(found: Comparison) -> dict[str, Any]:
    """For JSON."""
    return {
        "jobs": [
            {
                "job": part.name,
                "flows": list(part.flows),
                "direction": part.way,
                "figures": {
                    key: {"run": ours, "fio": theirs, "change": change(ours, theirs)}
                    for key, (ours, theirs) in part.figures.items()
                },
                "left_out": part.left_out,
            }
            for part in found.parts
        ],
        "notes": found.notes,
    }
