"""How well twins do: each trace and its twin on a plain drive, as the table of docs/twins.md.

    python scripts/twins.py TRACES [--limit N] [--only PART] [--out FILE] [--seed N]

TRACES is a folder with `norm/*.trace.gz` and `apps/*.csv.zst`. A trace is cut after its first N requests; a
profile is fitted to these, and a twin of as many requests is played. Both run on the same drive at the
trace's own times.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import wordline
from wordline import _core

BOUND = 0.15

# A sixteenth of the preset's drive, full at the start: nothing but what the trace itself does takes time.
DRIVE: dict[str, object] = {
    "device.geometry.blocks": 86,
    "device.capacity.user_bytes": 240_000_000_000,
}


@dataclass
class Row:
    """A trace and its twin: mean and 99th percentile, µs."""

    name: str
    requests: int
    original: tuple[float, float]
    twin: tuple[float, float]
    profile_bytes: int
    held: float

    def differences(self) -> tuple[float, float]:
        """How far the twin is off, of 1."""
        return self.twin[0] / self.original[0] - 1, self.twin[1] / self.original[1] - 1

    def passes(self) -> bool:
        """Whether both lie within the bound."""
        return all(abs(difference) <= BOUND for difference in self.differences())


def latency_us(result: wordline.Result) -> tuple[float, float]:
    """Mean and 99th percentile of all reads and writes."""
    total, count = 0.0, 0
    values: list[Any] = []
    weights: list[Any] = []
    for direction in ("read", "write"):
        part = getattr(result, direction)
        total += part.requests * part.latency_ns.mean
        count += part.requests
        latency, requests = result.histogram(direction)
        values.append(latency)
        weights.append(requests)
    latency, requests = np.concatenate(values), np.concatenate(weights)
    order = np.argsort(latency, kind="stable")
    rank = np.searchsorted(np.cumsum(requests[order]), 0.99 * count)
    return total / count / 1000, float(latency[order][rank]) / 1000


def replayed(source: str, folder: Path, seed: int) -> wordline.Result:
    """A source at its own times on the drive."""
    workload = folder / "workload.toml"
    workload.write_text(f'name = "twins"\n[host]\narrivals = "open"\n[source]\n{source}', encoding="utf-8")
    return wordline.run("enterprise-tlc", "baseline", workload, seed=seed, overrides=DRIVE)


def compared(trace: Path, name: str, limit: int, seed: int, fitting: dict[str, Any]) -> Row:
    """A trace and the twin of its profile."""
    source = f'kind = "trace"\npath = "{trace}"\nout_of_range = "compact"\nmax_requests = {limit}\n' + (
        'format = "mqsim"\n' if trace.parent.name == "norm" else ""
    )
    text = _core.trace_fit(
        ("trace", f'name = "{name}"\n[source]\n{source}'), [], base_dir=".", name=name, **fitting
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        (path / "profile.toml").write_text(text, encoding="utf-8")
        original = replayed(source, path, seed)
        twin = replayed('kind = "twin"\npath = "profile.toml"\n', path, seed)
    profile = tomllib.loads(text)
    return Row(
        name,
        profile["summary"]["requests"],
        latency_us(original),
        latency_us(twin),
        len(text),
        profile["summary"]["held"],
    )


def table(rows: list[Row]) -> str:
    """Markdown."""
    lines = [
        "| trace | requests | held | mean, µs | twin | | p99, µs | twin | | |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|---|",
    ]
    for row in rows:
        mean, p99 = row.differences()
        lines.append(
            f"| {row.name} | {row.requests:,} | {row.held:.0%} | {row.original[0]:,.1f} | {row.twin[0]:,.1f} "
            f"| {mean:+.1%} | {row.original[1]:,.1f} | {row.twin[1]:,.1f} | {p99:+.1%} "
            f"| {'within' if row.passes() else '**beyond**'} |"
        )
    passed = sum(row.passes() for row in rows)
    lines.append("")
    lines.append(
        f"{passed} of {len(rows)} traces ({passed / len(rows):.0%}) lie within {BOUND:.0%} in both."
        if rows
        else "No trace."
    )
    return "\n".join(lines)


def main() -> None:
    """Compares all traces and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("traces", type=Path)
    parser.add_argument("--limit", type=int, default=100_000)
    parser.add_argument("--only", default="", help="traces whose name has this in it")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--held", type=float, default=None)
    parser.add_argument("--piece", type=int, default=None)
    parser.add_argument("--phases", type=int, default=None)
    parser.add_argument("--idle-ns", type=int, default=None)
    parser.add_argument("--out", type=Path, default=None)
    arguments = parser.parse_args()
    files = [
        (path, path.name.removesuffix(".trace.gz"))
        for path in sorted((arguments.traces / "norm").glob("*.gz"))
    ]
    files += [
        (path, path.name.removesuffix(".csv.zst"))
        for path in sorted((arguments.traces / "apps").glob("*.zst"))
    ]
    fitting = {
        key: value
        for key in ("held", "piece", "phases", "idle_ns")
        if (value := getattr(arguments, key)) is not None
    }
    rows = []
    for path, name in files:
        if arguments.only not in name:
            continue
        rows.append(compared(path, name, arguments.limit, arguments.seed, fitting))
        mean, p99 = rows[-1].differences()
        print(f"{name:30} {mean:+8.1%} {p99:+8.1%}  {rows[-1].profile_bytes:6d} bytes", file=sys.stderr)
    text = table(rows)
    print(text)
    if arguments.out:
        arguments.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
