"""Points of load from results of fio: `--output-format=json+`, one file a point."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wordline._core import WordlineError
from wordline.calibration.protocol import DIRECTIONS, STATISTICS, WRITERS, Protocol, Run
from wordline.logs import fio as logs

PROBE = "probe"
"""The job whose response times count."""

UNLIMITED = 10.0
"""Writers without `rate_iops` or `rate` offer what the drive can't take: so many times what it took."""

UNITS = {"k": 1024, "m": 1024**2, "g": 1024**3}

OTHER_LIMITS = ("thinktime", "latency_target", "flow")
"""Options by which a job offers less than the drive takes, and doesn't say how much."""


def read(path: Path, protocol: Protocol) -> tuple[str, list[Run], Protocol]:
    """Name, runs and protocol of a folder of results, or of one file. The protocol is that of the jobs; what
    they don't say is that of `protocol`.
    """
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise WordlineError(f"{path}: no results of fio there: allowed: a folder of *.json, one file a point")
    found = [_read_file(file, protocol) for file in files]
    first = found[0][1]
    for file, (_, own) in zip(files, found, strict=True):
        if own != first:
            raise WordlineError(f"{file}: other jobs than those of {files[0]}: {_difference(own, first)}")
    return (path if path.is_dir() else path.with_suffix("")).resolve().name, [run for run, _ in found], first


def _difference(own: Protocol, first: Protocol) -> str:
    pairs = ((name, getattr(own, name), getattr(first, name)) for name in Protocol.__dataclass_fields__)
    return ", ".join(f"{name} {one} and {other}" for name, one, other in pairs if one != other)


def _read_file(path: Path, protocol: Protocol) -> tuple[Run, Protocol]:
    results = logs.read(path)
    options = [results.options(job) for job in results.jobs]
    try:
        return _run(path, results.jobs, options, protocol)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise WordlineError(f"{path}: not as fio writes it: {error!r}") from None


def _run(
    path: Path, jobs: Sequence[Mapping[str, Any]], options: Sequence[Mapping[str, Any]], protocol: Protocol
) -> tuple[Run, Protocol]:
    names = [job["jobname"] for job in jobs]
    probes = [place for place, name in enumerate(names) if name == PROBE]
    if not probes and len(jobs) == 1:
        probes = [0]
    if len(probes) != 1:
        raise WordlineError(
            f"{path}: jobs {', '.join(dict.fromkeys(names))}: allowed: one job named {PROBE}, "
            "whose response times count"
        )
    place = probes[0]
    probe, others = jobs[place], [number for number in range(len(jobs)) if number != place]
    figures = {f"{way}s_per_s": sum(float(job[way]["iops"]) for job in jobs) for way in DIRECTIONS}
    curve: dict[str, list[tuple[float, float]]] = {}
    for way in DIRECTIONS:
        latency = _latency(path, probe[way], way)
        curve[way] = sorted(latency.items())
        for name in STATISTICS:
            figures[f"{way}_{name}_us"] = _at(path, probe[way], latency, way, name)
    figures |= _writers([jobs[number] for number in others])
    own = _protocol(
        path, probe, options[place], [(jobs[number], options[number]) for number in others], protocol
    )
    rates = [_writes_offered(path, jobs[number], options[number], names) for number in range(len(jobs))]
    writes = figures["writes_per_s"]
    offered = sum(rates) if all(math.isfinite(rate) for rate in rates) else UNLIMITED * writes
    probes_own = {way: float(probe[way]["iops"]) for way in DIRECTIONS}
    return Run(max(offered, writes), figures, str(path), curve, probes_own), own


def _writers(jobs: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """What the threads that write saw, medians over the entries; nothing where fio kept no percentiles."""
    seen: dict[str, list[float]] = {}
    for job in jobs:
        field = next(
            (job["write"][key] for key in ("lat_ns", "clat_ns") if _known(job["write"].get(key))), None
        )
        if field is None or not job["write"]["iops"]:
            continue
        percentiles = {float(text): value / 1e3 for text, value in field["percentile"].items()}
        for name, statistic in zip(WRITERS, STATISTICS, strict=True):
            percent = 0.0 if statistic == "mean" else float(statistic[1:].replace("_", "."))
            value = field["mean"] / 1e3 if statistic == "mean" else percentiles.get(percent)
            if value:
                seen.setdefault(name, []).append(float(value))
    return {name: statistics.median(values) for name, values in seen.items()}


def _known(field: Any) -> bool:
    return isinstance(field, dict) and bool(field.get("percentile"))


def _latency(path: Path, way: Mapping[str, Any], name: str) -> dict[float, float]:
    """Share of requests → µs."""
    field = _field(path, way, name)
    shares = {float(text) / 100: value / 1e3 for text, value in field.get("percentile", {}).items()}
    if shares:
        return shares
    bins = sorted((int(text), count) for text, count in field.get("bins", {}).items())
    total = sum(count for _, count in bins)
    if not total:
        raise WordlineError(
            f"{path}: no {name}s of the probe with percentiles: allowed: --output-format=json+"
        )
    found, below = {}, 0
    for value, count in bins:
        below += count
        found[below / total] = value / 1e3
    return found


def _field(path: Path, way: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Response times in ns: `lat_ns` where percentiles are of it (lat_percentiles=1), else `clat_ns`."""
    for key in ("lat_ns", "clat_ns"):
        field = way.get(key)
        if isinstance(field, dict) and (field.get("percentile") or field.get("bins")):
            return field
    for key in ("lat", "clat", "lat_us", "clat_us", "lat_ms", "clat_ms"):
        if key in way:
            raise WordlineError(f"{path}: {name}.{key}: allowed: lat_ns or clat_ns, as fio 3 writes them")
    raise WordlineError(f"{path}: no {name}s of the probe with percentiles: allowed: --output-format=json+")


def _at(
    path: Path, way: Mapping[str, Any], latency: Mapping[float, float], name: str, statistic: str
) -> float:
    if statistic == "mean":
        return float(_field(path, way, name)["mean"]) / 1e3
    share = float(statistic[1:].replace("_", ".")) / 100
    above = [key for key in latency if key >= share - 1e-9]
    if not above:
        raise WordlineError(
            f"{path}: no p{share * 100:g} of {name}s: allowed: percentile_list with 50:99:99.9:99.99"
        )
    return latency[min(above)]


def _protocol(
    path: Path,
    probe: Mapping[str, Any],
    options: Mapping[str, Any],
    others: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]],
    protocol: Protocol,
) -> Protocol:
    reads, writes = (float(probe[way]["iops"]) for way in DIRECTIONS)
    rates = _rates(path, options)
    per_s = sum(rates) if rates else reads + writes
    counts = [_threads(job, own, [one["jobname"] for one, _ in others]) for job, own in others]
    share = protocol.writer_read_share
    if others:
        # To a hundredth: the writers' job has a whole number of percent.
        all_reads = sum(float(job["read"]["iops"]) for job, _ in others)
        all_writes = sum(float(job["write"]["iops"]) for job, _ in others)
        share = round(all_reads / (all_reads + all_writes), 2) if all_reads + all_writes else share
    writer = others[0][1] if others else options
    return Protocol(
        writers=sum(counts) or protocol.writers,
        depth=int(writer.get("iodepth", options.get("iodepth", protocol.depth))),
        writer_read_share=share,
        probe_per_s=float(per_s),
        probe_read_share=round(rates[0] / per_s if rates else reads / per_s, 2),
        bytes=_bytes(str(options.get("bs", protocol.bytes))),
    )


def _threads(job: Mapping[str, Any], options: Mapping[str, Any], names: Sequence[str]) -> int:
    """Threads that an entry stands for: with group_reporting all of its job."""
    threads, entries = int(options.get("numjobs", 1)), names.count(job["jobname"])
    return threads if entries < threads else 1


def _rates(path: Path, options: Mapping[str, Any]) -> list[float]:
    """Reads and writes a second of a thread; empty where its job has no bound. Raises `WordlineError` for one
    that can't be told.
    """
    other = next((name for name in OTHER_LIMITS if str(options.get(name, "0")).strip("0smu") != ""), None)
    if other is not None:
        raise WordlineError(
            f"{path}: {other}={options[other]}: allowed: rate_iops or rate, which tell what is offered"
        )
    text, size = str(options.get("rate_iops", "")), 1
    if not text and options.get("rate"):
        text, size = str(options["rate"]), _bytes(str(options.get("bs", "4k")))
    if not text:
        return []
    parts = [_number(part) / size if part else 0.0 for part in text.split(",")]
    kind = str(options.get("rw", options.get("readwrite", "randrw")))
    read = 0.0 if kind.endswith("write") and kind != "readwrite" else parts[0]
    write = 0.0 if kind.endswith("read") else parts[min(1, len(parts) - 1)]
    return [read, write]


def _writes_offered(
    path: Path, job: Mapping[str, Any], options: Mapping[str, Any], names: Sequence[str]
) -> float:
    """Writes a second that an entry offers; the reads of writers count among them, as they do where rates are
    of both.
    """
    rates = _rates(path, options)
    if not rates:
        return float(job["write"]["iops"]) if job["jobname"] == PROBE else math.inf
    own = rates[1] if job["jobname"] == PROBE else sum(rates)
    return own * _threads(job, options, names)


def _bytes(text: str) -> int:
    return int(_number(text.split(",")[0]))


def _number(text: str) -> float:
    """With fio's suffixes, powers of 1024."""
    size = text.strip().lower().removesuffix("ib").removesuffix("b")
    unit = UNITS.get(size[-1:], 1)
    return float(size[:-1] if unit > 1 else size) * unit
