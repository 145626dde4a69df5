"""A workload from reports of iostat: rates, mix, sizes and depth as they were, the rest assumed and said."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from wordline._core import WordlineError
from wordline.logs.iostat import WAYS, Report, Way
from wordline.presets import toml_string
from wordline.wording import argument

BLOCK = 4096
"""Sizes are drawn from the multiples of it beside the mean."""

SECTOR = 512
"""The same for means below a block."""

DISAGREE = 0.1
"""Share by which depths of Little's law and of the log may differ."""


@dataclass(frozen=True)
class Load:
    """A description of a workload."""

    text: str
    """TOML, with what is known and what is assumed in its comments."""
    known: tuple[str, ...]
    """What the log says, a sentence each."""
    assumed: tuple[str, ...]
    """What it doesn't say, and what stands there instead."""


def of_iostat(
    name: str, disk: str, reports: Sequence[Report], *, requests: int, first: bool, peak: bool, closed: bool
) -> Load:
    """The mean load of a disk, or with `peak` that of its busiest report.

    The first report counts only with `first`: unless iostat was started with `-y` it has the means since the
    system started. `closed` makes a closed loop as deep as Little's law says. Raises `WordlineError` where
    nothing is left, and where `closed` lacks response times.
    """
    kept = list(reports if first else reports[1:])
    if not kept:
        raise WordlineError(
            f"{name}: one report of {disk}, which is of the time since the system started: "
            "allowed: several, or --first-report if iostat was started with -y"
        )
    rates = [report.per_s for report in kept]
    if not sum(rates):
        raise WordlineError(f"{name}: {disk} had no request: allowed: a disk that is used")
    busiest = kept[rates.index(max(rates))]
    ways = _ways([busiest] if peak else kept)
    total = sum(way.per_s for way in ways.values())
    idle = sum(not report.ways for report in kept)
    known = [
        f"{len(kept)} reports of {disk}"
        + ("" if first else "; the first, since the system started, is left out")
        + (f"; it is missing in {idle}, which count as idle (-z)" if idle else ""),
        f"rate: mean {sum(rates) / len(rates):,.1f}, least {min(rates):,.1f}, most {max(rates):,.1f} "
        f"requests/s ({busiest.place})"
        + ("; the busiest report is taken" if peak else "; the mean is taken"),
        *(_told(way, figures) for way, figures in ways.items()),
        *_depths([busiest] if peak else kept, ways),
    ]
    flushes = sum(report.flushes_per_s for report in kept) / len(kept)
    assumed = [
        "addresses: uniform over the whole drive, no skew, no sequences",
        f"sizes: the two multiples of {BLOCK} bytes ({SECTOR} below that) beside the mean, "
        "in the shares that give it",
        "order: independent of one another",
        *([f"flushes: left out ({flushes:,.1f} a second in the log)"] if flushes else []),
        f"closed loop: as deep as Little's law says, to the next whole number, with pauses that make up for "
        f"that, for the {requests / total:.3g} s that {requests:,} requests took"
        if closed
        else "arrivals: Poisson at a constant rate; bursts and changes over time are lost",
        "drive: full, written once in order; one long in use: --set workload.start.layout=steady",
    ]
    if closed:
        flows = [_closed(name, ways, requests)]
    else:
        flows = [
            _open(way, figures, max(round(requests * figures.per_s / total), 1))
            for way, figures in ways.items()
        ]
    about = f"Load of {disk} as iostat saw it: {total:,.0f} requests/s"
    body = "\n".join(
        [
            f"name = {toml_string(disk)}",
            f"description = {toml_string(about)}",
            '\n[start]\noccupancy = "all"\nlayout = "in_order"',
            *flows,
            "",
        ]
    )
    return described(name, body, known, assumed)


def described(name: str, body: str, known: Sequence[str], assumed: Sequence[str]) -> Load:
    """A description with what is known and assumed in its comments."""
    heads = [f"From {name} by wordline workload", *known, *(f"Assumed: {line}" for line in assumed)]
    lines = "".join(f"# {' '.join(line.split()).rstrip('.')}.\n" for line in heads)
    return Load(lines + body, tuple(known), tuple(assumed))


def _ways(reports: Sequence[Report]) -> dict[str, Way]:
    """Means of the directions that had requests; response times by requests."""
    found = {}
    for way in WAYS:
        own = [report.ways[way] for report in reports if way in report.ways]
        count = sum(each.per_s for each in own)
        if not count:
            continue
        waits = [each.wait_s * each.per_s for each in own if each.wait_s is not None]
        wait = sum(waits) / count if len(waits) == len(own) else None
        amount = sum(each.bytes_per_s for each in own)
        if not amount:
            raise WordlineError(f"{reports[0].place}: {way}s without bytes: allowed: both or neither")
        found[way] = Way(count / len(reports), amount / len(reports), wait)
    return found


def _told(way: str, figures: Way) -> str:
    size = figures.bytes_per_s / figures.per_s
    wait = "" if figures.wait_s is None else f", mean response time {figures.wait_s * 1e3:.3f} ms"
    return f"{way}s: {figures.per_s:,.1f}/s, mean size {size:,.0f} bytes{wait}"


def _depths(reports: Sequence[Report], ways: dict[str, Way]) -> list[str]:
    waits = [way.per_s * way.wait_s for way in ways.values() if way.wait_s is not None]
    queues = [report.queue for report in reports if report.queue is not None]
    told = []
    if len(waits) == len(ways):
        told.append(f"requests under way by Little's law (rate × response time): {sum(waits):.2f}")
    if queues:
        told.append(f"requests under way by the log (aqu-sz): {sum(queues) / len(queues):.2f}")
    if len(told) == 2:
        one, other = sum(waits), sum(queues) / len(queues)
        # The log rounds to two digits behind the point.
        if abs(one - other) > max(DISAGREE * max(one, other), 0.05):
            told.append("these two differ by more than a tenth: don't trust either")
    return told


def _open(way: str, figures: Way, requests: int) -> str:
    shares = {
        "read": "read_share = 1.0",
        "write": "read_share = 0.0",
        "trim": "read_share = 0.0\ntrim_share = 1.0",
    }
    mean = figures.bytes_per_s / figures.per_s
    return (
        f'\n[[flow]]\nname = "{way}s"\narrivals = "open"\n[flow.source]\nkind = "synthetic"\n'
        f"requests = {requests}\n{shares[way]}\nalignment_bytes = {_unit(mean)}\n"
        f"sizes = {_sizes(mean)}\n"
        'pattern = { kind = "uniform" }\n'
        f'interarrival = {{ kind = "poisson", iops = {figures.per_s!r} }}'
    )


def _closed(name: str, ways: dict[str, Way], requests: int) -> str:
    """One flow for both directions: two would keep their depths and lose the mix."""
    if "trim" in ways:
        raise WordlineError(
            f"{argument('closed')}: {name} has trims: allowed: reads and writes; trims need open arrivals"
        )
    waits = [way.per_s * way.wait_s for way in ways.values() if way.wait_s is not None]
    if len(waits) < len(ways):
        raise WordlineError(f"{argument('closed')}: {name} has no response times: allowed: open arrivals")
    total = sum(way.per_s for way in ways.values())
    depth = max(math.ceil(round(sum(waits), 3)), 1)
    # As many a second as the log has, at the log's response times.
    pause_ns = round(max(depth - sum(waits), 0.0) / total * 1e9)
    read_share = ways["read"].per_s / total if "read" in ways else 0.0
    parts = []
    for way, figures in ways.items():
        mean = figures.bytes_per_s / figures.per_s
        sizes = _sizes(mean)
        listed = sizes if sizes.startswith("[") else f"[{{ bytes = {sizes}, weight = 1.0 }}]"
        parts.append(
            f'[flow.source.fio.{way}]\naccess = "random"\nrandom_share = 1.0\n'
            f"align_bytes = {_unit(mean)}\nsizes = {listed}"
        )
    seconds = requests / total
    return "\n".join(
        [
            f'\n[[flow]]\nname = "{"-and-".join(f"{way}s" for way in ways)}"\narrivals = "closed"',
            f"queue_depth = {depth}\nthink_time_ns = {pause_ns}\nstop_ns = {round(seconds * 1e9)}",
            '[flow.source]\nkind = "fio"',
            f"[flow.source.fio]\nread_share = {read_share:.6f}\nruntime_s = {seconds!r}",
            *parts,
        ]
    )


def _unit(mean: float) -> int:
    return BLOCK if mean >= BLOCK else SECTOR


def _sizes(mean: float) -> str:
    """The multiples of a block, or of a sector, beside the mean, weighted so that it is kept."""
    unit = _unit(mean)
    below = int(mean // unit) * unit
    share = (mean - below) / unit
    # Rates are rounded to two digits behind the point: a mean has no more than three or four.
    if below == 0 or share < 0.001:
        return str(max(below, unit))
    weighted = ((below, 1 - share), (below + unit, share))
    listed = ", ".join(f"{{ bytes = {size}, weight = {weight:.6f} }}" for size, weight in weighted)
    return f"[{listed}]"
