"""How well twins do: each trace and its twin on a plain drive, as the tables of docs/twins.md.

    python scripts/twins.py TRACES [--limit N] [--only PART] [--out FILE] [--seed N] [--schemes A,B]
                            [--patterns] [--model]

TRACES is a folder with `norm/*.trace.gz` and `apps/*.csv.zst`. A trace is cut after its first N requests; a
profile is fitted to these, and a twin of as many requests is played. Both run on the same drive at the
trace's own times. With `--schemes` the table shows what each scheme does to the mean and to the 99th
percentile of reads, of the trace and of its twin, on the drive of the scheme's paper, for traces with enough
reads and writes. Bold is a twin that doesn't carry the effect: off by more than a quarter of it, by more than
half a percent, and by more than its own interval over seeds. With `--patterns` the table shows what
`trace fit` sees of each trace and of its twin. With `--model` twins are made of models of the patterns in the
place of pieces.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np

import wordline
from wordline import _core
from wordline.intervals import student_t

BOUND = 0.15

# A sixteenth of the preset's drive, full at the start: nothing but what the trace itself does takes time.
DRIVE: dict[str, object] = {
    "device.geometry.blocks": 86,
    "device.capacity.user_bytes": 240_000_000_000,
}

# papers/004's drive, in rows of 4+1 for those that need them.
FIVE_CHANNELS: dict[str, object] = {
    "device.geometry.channels": 5,
    "device.geometry.ways": 4,
    "device.capacity.overprovisioning": 0.35,
}

# The drives of the schemes' papers; other schemes are tried on the plain drive.
DRIVES: dict[str, tuple[str, dict[str, object]]] = {
    "collision": ("collision", {}),
    "hotr": ("hotr-tlc", FIVE_CHANNELS),
    "parity-rebuild": ("hotr-tlc", FIVE_CHANNELS),
    "rails": ("hotr-tlc", FIVE_CHANNELS),
}

# A change of less than this is none.
SMALL = 0.005

# A twin carries an effect when its own differs by no more than this share of it.
SHARE = 0.25

# What a drive without a scheme leaves idle, so that both have the host's data on the same chips.
RESERVED: dict[str, dict[str, object]] = {"hotr": {"scheme.copies.reserved_dies": [38, 39]}}


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


# What `trace fit` sees of a trace, and how far that of its twin may be off: a share of it, or so much.
Seen = dict[str, float]
BOUNDS: dict[str, tuple[float, float]] = {
    "share of reads in bursts": (0.25, 0.05),
    "reads of a burst": (0.25, 1.0),
    "gap in bursts, µs": (0.25, 1.0),
    "times a sequence comes": (0.25, 0.1),
    "share of reads that come back": (0.25, 0.05),
    "share of mixed pages": (0.25, 0.02),
    "row of one kind at a mixed page": (0.25, 0.25),
    "read skew of groups": (0.25, 0.05),
}


def seen(profile: str) -> Seen:
    """What a profile says of the patterns of its trace."""
    patterns = tomllib.loads(profile)["patterns"]
    bursts = [burst for burst in patterns.get("burst", []) if burst["op"] == "read"]
    share = sum(burst["share"] for burst in bursts)
    classes = patterns.get("class", [])
    mixed = [found for found in classes if found["class"] == "mixed"]
    reads = sum(found["reads"] for found in classes)

    def of_bursts(key: str, least: float) -> float:
        return sum(burst[key] * burst["share"] for burst in bursts) / share if share else least

    return {
        "share of reads in bursts": share,
        "reads of a burst": of_bursts("requests", 1.0),
        "gap in bursts, µs": of_bursts("gap_ns", 0.0) / 1000,
        "times a sequence comes": of_bursts("times", 1.0),
        "share of reads that come back": sum(found["reads"] * found["recent_share"] for found in classes)
        / max(reads, 1e-9),
        "share of mixed pages": sum(found["pages"] for found in mixed)
        / max(sum(found["pages"] for found in classes), 1),
        "row of one kind at a mixed page": mixed[0]["run"] if mixed else 1.0,
        "read skew of groups": patterns.get("skew", {}).get("excess", 0.0),
    }


def kept(what: str, of_trace: float, of_twin: float) -> bool:
    """Whether a twin keeps a pattern."""
    share, least = BOUNDS[what]
    return abs(of_twin - of_trace) <= max(share * abs(of_trace), least)


def patterns_table(rows: list[tuple[str, Seen, Seen]]) -> str:
    """Markdown: each pattern of a trace and of its twin."""
    lines = [
        "| trace | " + " | ".join(f"{what} | twin" for what in BOUNDS) + " |",
        "|---|" + "--:|--:|" * len(BOUNDS),
    ]
    for name, of_trace, of_twin in rows:
        cells = []
        for what in BOUNDS:
            mark = "" if kept(what, of_trace[what], of_twin[what]) else "**"
            cells += [f"{of_trace[what]:.3g}", f"{mark}{of_twin[what]:.3g}{mark}"]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines.append("")
    for what in BOUNDS:
        found = sum(kept(what, of_trace[what], of_twin[what]) for _, of_trace, of_twin in rows)
        lines.append(f"{what}: {found} of {len(rows)} twins keep it.")
    return "\n".join(lines)


class Pair:
    """A trace, cut, and the twin of its profile, as sources of workloads."""

    def __init__(self, trace: Path, name: str, limit: int, fitting: dict[str, Any], folder: Path) -> None:
        form = 'format = "mqsim"\n' if trace.parent.name == "norm" else ""
        self.original = (
            f'kind = "trace"\npath = "{trace}"\nout_of_range = "compact"\nmax_requests = {limit}\n{form}'
        )
        self.twin = 'kind = "twin"\npath = "profile.toml"\n'
        self.text = _core.trace_fit(
            ("trace", f'name = "{name}"\n[source]\n{self.original}'), [], base_dir=".", name=name, **fitting
        )
        self.folder = folder
        self.name = name
        (folder / "profile.toml").write_text(self.text, encoding="utf-8")
        self.summary = tomllib.loads(self.text)["summary"]

    def patterns(self) -> tuple[Seen, Seen]:
        """What is seen of the trace, and of its twin."""
        again = _core.trace_fit(
            ("twin", f'name = "{self.name}"\n[source]\n{self.twin}'),
            [],
            base_dir=str(self.folder),
            name=self.name,
            model=True,
        )
        return seen(self.text), seen(again)

    def replayed(self, source: str, scheme: str, seed: int, drive: str | None = None) -> wordline.Result:
        """A source at its own times on the drive of the scheme `drive`; without one on the plain drive.

        With `drive` the host's data has the chips that it has with that scheme.
        """
        device, overrides = DRIVES.get(drive or scheme, ("enterprise-tlc", DRIVE))
        overrides = {**overrides, **RESERVED.get(drive or "", {})}
        workload = self.folder / "workload.toml"
        workload.write_text(
            f'name = "twins"\n[host]\narrivals = "open"\n[source]\n{source}', encoding="utf-8"
        )
        return wordline.run(device, scheme, workload, seed=seed, overrides=overrides)


def compared(pair: Pair, name: str, seed: int) -> Row:
    """A trace and its twin on the plain drive."""
    return Row(
        name,
        pair.summary["requests"],
        latency_us(pair.replayed(pair.original, "baseline", seed)),
        latency_us(pair.replayed(pair.twin, "baseline", seed)),
        len(pair.text),
        pair.summary["held"],
    )


Change = tuple[float, float]


@dataclass
class Effects:
    """What schemes do to mean and p99 of reads, of the trace and of its twin; -0.1 is 10% less."""

    name: str
    requests: int
    read_share: float
    held: float
    changes: dict[str, tuple[Change, Change]]
    reach: dict[str, Change]
    """Half the width of the 95% interval of the twin's changes over seeds; 0 with one seed."""

    def carried(self, scheme: str, which: int) -> bool:
        """Whether the twin shows what the scheme does to the mean (0), to the 99th percentile (1)."""
        original, twin = self.changes[scheme]
        return carries(original[which], twin[which], self.reach[scheme][which])


def enough(summary: dict[str, Any]) -> bool:
    """Whether a scheme may show on a trace: reads to measure, and writes that they wait for."""
    reads = summary["requests"] * summary["read_share"]
    return bool(reads >= 300 and summary["read_share"] <= 0.99)


def reads(result: wordline.Result) -> Change:
    """Mean and 99th percentile of reads, ns."""
    return float(result.read.latency_ns.mean), float(result.read.latency_ns.p99)


def affected(pair: Pair, name: str, schemes: list[str], seeds: list[int]) -> Effects:
    """What schemes do to a trace, and to its twins of several seeds."""
    without: dict[str, Change] = {}

    def change(source: str, scheme: str, seed: int) -> Change:
        key = f"{DRIVES.get(scheme)} {RESERVED.get(scheme)} {seed} {source}"
        if key not in without:
            without[key] = reads(pair.replayed(source, "baseline", seed, drive=scheme))
        before, after = without[key], reads(pair.replayed(source, scheme, seed))
        return after[0] / before[0] - 1, after[1] / before[1] - 1

    summary = pair.summary
    changes: dict[str, tuple[Change, Change]] = {}
    reach: dict[str, Change] = {}
    for scheme in schemes:
        twins = [change(pair.twin, scheme, seed) for seed in seeds]
        means = fmean(mean for mean, _ in twins), fmean(p99 for _, p99 in twins)
        changes[scheme] = (change(pair.original, scheme, seeds[0]), means)
        reach[scheme] = half_width([mean for mean, _ in twins]), half_width([p99 for _, p99 in twins])
    return Effects(name, summary["requests"], summary["read_share"], summary["held"], changes, reach)


def half_width(values: list[float]) -> float:
    """Half the width of the 95% interval of their mean; 0 of one."""
    if len(values) < 2:
        return 0.0
    return student_t(len(values) - 1) * stdev(values) / sqrt(len(values))


def carries(original: float, twin: float, reach: float = 0.0) -> bool:
    """Whether a scheme does to the twin what it does to the trace.

    Within a quarter of its effect on the trace, within what is no effect at all, or within `reach`: half the
    width of the interval of the twin's own effect over seeds.
    """
    return abs(twin - original) <= max(SHARE * abs(original), SMALL, reach)


def effects_table(rows: list[Effects], schemes: list[str]) -> str:
    """Markdown: for each scheme the changes of the mean and of the 99th percentile, trace and twin."""
    lines = [
        "| trace | requests | reads | held | "
        + " | ".join(f"{scheme}: mean | twin | p99 | twin" for scheme in schemes)
        + " |",
        "|---|--:|--:|--:|" + "--:|--:|--:|--:|" * len(schemes),
    ]
    for row in rows:
        cells = []
        for scheme in schemes:
            for which, (original, twin) in enumerate(zip(*row.changes[scheme], strict=True)):
                mark = "" if row.carried(scheme, which) else "**"
                cells += [f"{original:+.1%}", f"{mark}{twin:+.1%}{mark}"]
        lines.append(
            f"| {row.name} | {row.requests:,} | {row.read_share:.0%} | {row.held:.0%} | {' | '.join(cells)} |"
        )
    lines.append("")
    for scheme in schemes:
        for which, what in enumerate(("mean", "p99")):
            carried = sum(row.carried(scheme, which) for row in rows)
            shown = [row for row in rows if abs(row.changes[scheme][0][which]) >= SMALL]
            of_shown = sum(row.carried(scheme, which) for row in shown)
            lines.append(
                f"{scheme}, {what}: {carried} of {len(rows)} twins carry the effect; of the {len(shown)} "
                f"traces with one of at least {SMALL:.1%}, {of_shown}."
            )
    return "\n".join(lines)


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
    parser.add_argument("--seeds", type=int, default=1, help="with --schemes: twins of so many seeds")
    parser.add_argument("--held", type=float, default=None)
    parser.add_argument("--piece", type=int, default=None)
    parser.add_argument("--model", action="store_true", default=None, help="models in the place of pieces")
    parser.add_argument("--patterns", action="store_true", help="what is seen of trace and twin")
    parser.add_argument("--schemes", default="", help="schemes to compare with baseline, with commas")
    parser.add_argument("--out", type=Path, default=None)
    arguments = parser.parse_args()
    files = [
        (path, path.name.removesuffix(".trace.gz"))
        for path in sorted((arguments.traces.resolve() / "norm").glob("*.gz"))
    ]
    files += [
        (path, path.name.removesuffix(".csv.zst"))
        for path in sorted((arguments.traces.resolve() / "apps").glob("*.zst"))
    ]
    fitting = {
        key: value for key in ("held", "piece", "model") if (value := getattr(arguments, key)) is not None
    }
    schemes = arguments.schemes.split(",") if arguments.schemes else []
    rows: list[Row] = []
    effects: list[Effects] = []
    patterns: list[tuple[str, Seen, Seen]] = []
    for path, name in files:
        if arguments.only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            pair = Pair(path, name, arguments.limit, fitting, Path(folder))
            if arguments.patterns:
                patterns.append((name, *pair.patterns()))
                said = str(patterns[-1][1:])
            elif not schemes:
                rows.append(compared(pair, name, arguments.seed))
                mean, p99 = rows[-1].differences()
                said = (
                    f"{mean:+8.1%} {p99:+8.1%}  {rows[-1].profile_bytes:6d} bytes {rows[-1].held:7.0%} held"
                )
            elif enough(pair.summary):
                effects.append(
                    affected(
                        pair, name, schemes, [arguments.seed + number for number in range(arguments.seeds)]
                    )
                )
                said = str(effects[-1].changes)
            else:
                said = "too few reads or writes"
        print(f"{name:30} {said}", file=sys.stderr, flush=True)
    if arguments.patterns:
        text = patterns_table(patterns)
    else:
        text = effects_table(effects, schemes) if schemes else table(rows)
    print(text)
    if arguments.out:
        arguments.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
