"""Fits the twins of papers/000, papers/002 and papers/004 to what these print of workloads and baselines.

    python scripts/fit_baselines.py TARGETS collision|pacp|hotr|hotr-buffered [--only NAME]
    python scripts/fit_baselines.py TRACES recordings

TARGETS is the folder of the papers' numbers, TRACES that of recorded traces, of which twins are made in the
same way as of papers/000's volumes. Writes what was found to `scripts/fitted-PAPER.toml`, from which
`scripts/published.py` makes the profiles. Only drives without the papers' schemes are run, and of papers/002
its ideal: what a scheme does to a twin is never asked for.

Fitted of papers/000, the eight volumes of table 2: the mean length to die operations (table 2) by
requests; length of a burst, share of reads in bursts and share of a burst on the dies of its first
request to the average OCC (table 2) and imbalanced pairs by flash page reads (tables 2 and 5); how often
a sequence comes again to the mean repetition (table 2), and for HM1, USR1 and WEB2 the curves of figure
4. Of the other 26: length of a burst, or share of reads in bursts, to imbalanced pairs (table 5,
original) by reads. Of papers/002: the mean of the bursts that aren't long, alike for all seven, to hm_1's
16.0% of interference (§4.2). Of papers/004: requests of a burst (geometric), MSR_hm's and one value for
the other three, to the largest and the mean share of the reads that a program blocks (figure 1b); size of
the mixed pages, alike for all four, to the mean share of mixed pages (figure 1c); share of reads that
come back soon to 2.84 reads of a page in 26,191 reads, as in Financial1's first 50,000 requests. The same
bursts once more for a drive that buffers writes in 64 MiB (`hotr-buffered`), all else as found without.

Assumed of papers/000: two powers of two as lengths, writes alike; 3.5 µs from one request of a burst to
the next, writes in bursts as long; the mean rate of a week; 205 sequences of each kind in use at a time,
as `wordline trace fit` finds in web_3, the one volume that is there whole. Of its other 26 volumes: 8
KiB; for length and place the median of the eight; how often a pair comes as in the recordings of web_3
(1.18 times) and hm_0 (7.28), else the median of these ten. Of papers/002: 14% of the requests in bursts
of 1,390, 594 µs apart, as in 10,000 recorded requests of hm_0, the others 100 µs apart. Of papers/004:
MSR_hm, with the most written, is the one with the largest share of blocked reads; 20 µs from one request
to the next, 2,000 a second; shares of requests to mixed pages, and of requests of the other kind, as
papers/002 prints them, with θ = 0.8; a read that comes back begins where one of the latest 4,096 reads
began, each alike.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
import tomllib
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise
from math import log, log2
from pathlib import Path
from statistics import median
from typing import Any

import wordline
from wordline.presets import load, replay
from wordline.simulation import describe_trace

sys.path.insert(0, str(Path(__file__).resolve().parent))
from profiles.collision import Volume, collision_volumes, of_collisions
from profiles.counts import of_counts
from profiles.dominance import of_dominance, pacp_shares
from profiles.interference import REREADS, REREADS_OF, interference_counts, of_interference
from profiles.shape import BURST, PAGE, SIZE, Published
from profiles.written import text_of, workload_of

HERE = Path(__file__).resolve().parent

# Requests of a run that is fitted by, at most; of those that count how often pairs come again.
SHORT, LONG = 20_000, 1_000_000

SEED = 1001  # one that no exhibit uses


def measured(profile: Published, device: str, requests: int, scheme: str = "baseline") -> dict[str, Any]:
    """What the baseline makes of a profile's twin."""
    with tempfile.TemporaryDirectory() as folder:
        workload = _laid_out(profile, Path(folder))
        overrides = {
            "workload.source.requests": requests,
            "workload.measure.collisions": True,
        }
        result = wordline.run(device, scheme, workload, seed=SEED, overrides=overrides)
        return dict(result.to_dict())


def bisected(of: Callable[[float], float], target: float, low: float, high: float, steps: int) -> float:
    """Where a rising function has this value, between two places."""
    for _ in range(steps):
        middle = (low + high) / 2
        if of(middle) < target:
            low = middle
        else:
            high = middle
    return (low + high) / 2


@dataclass
class Meeting:
    """How reads of a twin meet on the dies of papers/000."""

    occ: float
    """Mean of the outstanding commands while there are any."""
    pairs: float
    """Pairs that meet unequally, by flash page reads."""
    repetition: float

    @classmethod
    def of(cls, profile: Published, requests: int) -> Meeting:
        """Of a profile's twin without a scheme."""
        found = measured(profile, "collision", requests)["collisions"]
        pairs = found["at_issue"]["new_pairs"]
        return cls(
            found["sampled"]["average_outstanding_busy"],
            pairs["occurrences"] / max(found["reads_issued"], 1),
            pairs["mean_repetition"],
        )


# Lengths of bursts that are tried.
LENGTHS = (2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 32, 36, 40, 44, 48)


def collision(targets: Path, only: str) -> list[dict[str, Any]]:
    """Bursts of the volumes: first those whose OCC is printed, then the others by them."""
    volumes = collision_volumes(targets)
    fits = [_of_known(volume) for volume in volumes if volume.occ is not None and only in volume.name]
    if only:
        return fits
    usual = round(median(fit["requests"] for fit in fits))
    aligned = round(median(fit["aligned"] for fit in fits), 4)
    longer = [count for count in (*LENGTHS, 64, 96, 128, 192, 256) if count >= usual]
    by_length = {count: _pairs_in_bursts(count, aligned) for count in sorted({usual, *longer})}
    others = [volume for volume in volumes if volume.occ is None]
    fits += [{**_of_others(volume, by_length), "aligned": aligned} for volume in others]
    return sorted(fits, key=lambda fit: str(fit["volume"]))


def _of_known(volume: Volume) -> dict[str, Any]:
    """Length and place of bursts, and the share of reads in them, to outstanding operations and pairs.

    For each length the pairs are met: by more requests on the dies of the first one where too few meet, by
    fewer reads in bursts where too many do. The length is that with the outstanding operations.
    """
    occ, pairs = volume.occ or 0.0, volume.pairs_for_each
    requests = min(SHORT, volume.requests)
    tried: list[tuple[float, dict[str, Any]]] = []

    def told(count: int, share: float, aligned: float) -> Meeting:
        fit = {"requests": count, "share": share, "aligned": aligned, "stretch": 1.0}
        found = Meeting.of(of_collisions(volume, fit), requests)
        off = log(found.occ / occ) ** 2 + log(max(found.pairs, 1e-9) / pairs) ** 2
        print(f"  {volume.name}: {fit}: {found}", file=sys.stderr, flush=True)
        tried.append((off, fit))
        return found

    for count in LENGTHS:
        scattered = told(count, 1.0, 0.0)
        if scattered.pairs >= pairs:
            told(count, pairs / scattered.pairs, 0.0)
        else:
            together = told(count, 1.0, 1.0)
            if together.pairs > pairs:
                told(count, 1.0, (pairs - scattered.pairs) / (together.pairs - scattered.pairs))
        if tried[-1][0] > 1.0 and scattered.occ > 1.5 * occ:
            break
    _, fit = min(tried, key=lambda one: one[0])
    long = min(LONG, volume.requests)
    for _ in range(8):
        found = Meeting.of(of_collisions(volume, fit), long)
        print(f"  {volume.name}: {fit}: {found}", file=sys.stderr, flush=True)
        if abs(found.repetition / volume.repetition - 1) < 0.03:
            break
        fit["stretch"] *= volume.repetition / found.repetition
    rounded = {key: round(value, 4) if isinstance(value, float) else value for key, value in fit.items()}
    return {
        "volume": volume.name,
        **rounded,
        "occ": round(found.occ, 2),
        "pairs": round(found.pairs, 4),
        "repetition": round(found.repetition, 2),
    }


def _pairs_in_bursts(count: int, aligned: float) -> float:
    """Pairs for each request of bursts of so many reads of the usual length."""
    alone = Volume("bursts", 1_000_000, 0.999, SIZE, None, 1.0, 10.0)
    fit = {"requests": count, "share": 1.0, "aligned": aligned, "stretch": 1.0}
    found = measured(of_collisions(alone, fit), "collision", SHORT)["collisions"]
    pairs = float(found["at_issue"]["new_pairs"]["occurrences"]) / SHORT
    print(f"  bursts of {count}: {pairs}", file=sys.stderr, flush=True)
    return pairs


def _of_others(volume: Volume, by_length: dict[int, float]) -> dict[str, Any]:
    """The usual bursts, in the share that makes the printed pairs; longer ones where these are too few."""
    lengths = sorted(by_length)
    usual, share = lengths[0], volume.pairs_for_each / by_length[lengths[0]]
    if share <= 1.0:
        return {"volume": volume.name, "requests": usual, "share": round(share, 6), "stretch": 1.0}
    for below, above in pairwise(lengths):
        low, high = by_length[below], by_length[above]
        if high >= volume.pairs_for_each:
            count = below + (above - below) * (volume.pairs_for_each - low) / (high - low)
            return {"volume": volume.name, "requests": round(count), "share": 1.0, "stretch": 1.0}
    return {"volume": volume.name, "requests": lengths[-1], "share": 1.0, "stretch": 1.0}


# Recordings that have pairs enough, whose own effect a twin must predict.
RECORDINGS = {"web_3": "msr_web_3", "hm_0_rw7016": "msr_hm_0_rw7016", "mayun2": "diskmon_mayun2"}


def recordings(traces: Path) -> list[dict[str, Any]]:
    """Bursts of the twins of recordings, to what the baseline makes of these."""
    return [_of_recording(name, traces / "norm" / f"{file}.trace.gz") for name, file in RECORDINGS.items()]


def _of_recording(name: str, trace: Path) -> dict[str, Any]:
    workload = {
        "source": {"kind": "trace", "path": str(trace.resolve())},
        "host": {"arrivals": "open"},
        "start": {"occupancy": "footprint"},
        "measure": {"collisions": True},
    }
    result = wordline.run("collision", "baseline", workload, seed=SEED).to_dict()
    found, reads, writes = result["collisions"], result["read"], result["write"]
    pairs = found["at_issue"]["new_pairs"]
    requests = reads["requests"] + writes["requests"]
    length = PAGE + 4 * PAGE * (found["reads_issued"] / reads["requests"] - 1)
    volume = Volume(
        name,
        requests,
        round(reads["requests"] / requests, 4),
        round(length, 1),
        round(found["sampled"]["average_outstanding_busy"], 2),
        round(pairs["occurrences"] / found["reads_issued"], 4),
        round(pairs["mean_repetition"], 2),
        round(float(describe_trace(replay(trace), []).to_dict()["span_ns"])),
    )
    of = {
        "of_requests": volume.requests,
        "of_read_share": volume.read_share,
        "of_bytes": volume.bytes,
        "of_occ": volume.occ,
        "of_pairs": volume.pairs_for_each,
        "of_repetition": volume.repetition,
        "of_span_ns": volume.span_ns,
    }
    return {**_of_known(volume), **of}


# papers/002, §4.2, hm_1: "the performance degradation owing to R/W interference was relatively low at 16.0%".
INTERFERENCE = 0.16


def pacp(targets: Path) -> list[dict[str, Any]]:
    """Length of the bursts that aren't long, of hm_1 and so of all, to what it gains without interference."""
    with (targets / "msr_volumes.csv").open(encoding="utf-8") as file:
        requests = {row["volume"]: int(row["requests"]) for row in csv.DictReader(file)}
    share = pacp_shares(targets)["hm_1"]
    counts = of_counts("msr-hm_1", "", "", requests["hm_1"], share, SIZE, 1.0, [])

    def gain(burst: float) -> float:
        profile = of_dominance(counts, "pacp-hm_1", "", share, burst)
        with tempfile.TemporaryDirectory() as folder:
            workload = _laid_out(profile, Path(folder))
            means = [
                wordline.run("pacp", scheme, workload, seed=SEED, overrides=STEADY).to_dict()["read"]
                for scheme in ("dynamic", "dynamic+ideal-reads")
            ]
        found = 1 - means[1]["latency_ns"]["mean"] / means[0]["latency_ns"]["mean"]
        print(f"  bursts of {burst:.2f}: {found:.4f}", file=sys.stderr, flush=True)
        return float(found)

    burst = round(bisected(gain, INTERFERENCE, 1.0, 32.0, 8), 2)
    return [{"burst": burst, "interference": round(gain(burst), 4)}]


# How figure 7 runs (exhibits/pacp/fig7.toml).
STEADY = {
    "workload.source.requests": 300_000,
    "workload.source.space_bytes": 614_400_000,
    "workload.window.warmup_requests": 100_000,
    "workload.start.occupancy": "all",
    "workload.start.layout": "steady",
}


# papers/004, figures 1b and 1c: reads that are blocked in the mean and at most, mixed pages.
BLOCKED, MOST_BLOCKED, MIXED_PAGES = 0.33, 0.559, 0.096
# The one with the most writes, 8.3 KB long, is taken for the most blocked one.
MOST = "msr-hm"


def hotr(targets: Path) -> list[dict[str, Any]]:
    """Bursts of each workload, to the reads that are blocked; mixed pages to theirs, alike for all four."""
    counts = [profile.name for profile in interference_counts(targets)]
    fits: dict[str, dict[str, Any]] = {
        name: {"workload": name, "burst": BURST, "mixed_share": 0.05, "soon": 0.5} for name in counts
    }

    def twin(name: str) -> Published:
        profiles = {profile.name: profile for profile in interference_counts(targets)}
        return of_interference(profiles[name], fits[name])

    def set_all(key: str, value: float) -> None:
        for fit in fits.values():
            fit[key] = value

    def rereads(soon: float) -> float:
        set_all("soon", soon)
        financial = twin("financial2")
        requests = round(REREADS_OF / financial.read_share)
        found = _described(financial, requests).read_popularity.mean_accesses
        print(f"  soon {soon:.4f}: {found}", file=sys.stderr, flush=True)
        return float(found)

    def mixed(mixed_share: float) -> float:
        set_all("mixed_share", mixed_share)
        found = [float(_described(twin(name)).page_classes.mixed.pages) for name in counts]
        print(f"  mixed {mixed_share:.4f}: {found}", file=sys.stderr, flush=True)
        return sum(found) / len(found)

    set_all("soon", round(bisected(rereads, REREADS, 0.0, 0.99, 8), 4))
    set_all("mixed_share", round(bisected(mixed, MIXED_PAGES, 0.001, 0.3, 7), 4))
    return _blocking(targets, list(fits.values()), "baseline", 128.0)


def hotr_buffered(targets: Path) -> list[dict[str, Any]]:
    """Bursts that block as many reads where 64 MiB of DRAM take the writes; all else as found without."""
    found = tomllib.loads((HERE / "fitted-hotr.toml").read_text(encoding="utf-8"))["fit"]
    return _blocking(targets, found, "baseline+write-buffer", 8192.0)


def _blocking(
    targets: Path, found: list[dict[str, Any]], scheme: str, longest: float
) -> list[dict[str, Any]]:
    """Bursts of each workload of papers/004, at most so long, to the reads that are blocked."""
    fits = {fit["workload"]: fit for fit in found}
    profiles = {profile.name: profile for profile in interference_counts(targets)}

    def blocked(name: str, burst: float) -> float:
        fits[name]["burst"] = round(burst, 1)
        twin = of_interference(deepcopy(profiles[name]), fits[name])
        counted = measured(twin, "hotr-tlc", 200_000, scheme)["collisions"]
        share = float(counted["programs_ahead"] / counted["reads_issued"])
        print(f"  {name} bursts of {burst:.1f}: {share:.4f} blocked", file=sys.stderr, flush=True)
        return share

    steps = 8 + round(log2(longest / 128))
    most = bisected(lambda burst: blocked(MOST, burst), MOST_BLOCKED, 1.0, longest, steps)
    shares = {MOST: blocked(MOST, most)}
    others = [name for name in fits if name != MOST]
    left = (4 * BLOCKED - shares[MOST]) / len(others)

    def mean_blocked(burst: float) -> float:
        return sum(blocked(name, burst) for name in others) / len(others)

    alike = bisected(mean_blocked, left, 1.0, longest, steps)
    shares |= {name: blocked(name, alike) for name in others}
    return [{**fit, "blocked": round(shares[name], 3)} for name, fit in fits.items()]


def _described(profile: Published, requests: int | None = None) -> Any:
    """What `wordline trace info` says of a profile's twin."""
    overrides = [] if requests is None else [("workload.source.requests", str(requests))]
    with tempfile.TemporaryDirectory() as folder:
        return describe_trace(load("workload", _laid_out(profile, Path(folder))), overrides)


def _laid_out(profile: Published, folder: Path) -> Path:
    """Writes a profile and the workload that plays it; the workload's file."""
    for name, text in (
        ("profiles", text_of(profile)),
        ("workloads", workload_of(profile)),
    ):
        (folder / name).mkdir()
        (folder / name / f"{profile.name}.toml").write_text(text, encoding="utf-8")
    return folder / "workloads" / f"{profile.name}.toml"


def written(path: Path, about: str, rows: list[dict[str, Any]]) -> None:
    """Writes what was found."""
    lines = [f"# Written by scripts/fit_baselines.py. {about}"]
    for row in rows:
        lines += ["", "[[fit]]"]
        lines += [
            f'{key} = "{value}"' if isinstance(value, str) else f"{key} = {value}"
            for key, value in row.items()
        ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Fits the twins of one paper."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("targets", type=Path)
    parser.add_argument("paper", choices=("collision", "pacp", "hotr", "hotr-buffered", "recordings"))
    parser.add_argument("--only", default="", help="workloads whose name has this in it; writes nothing")
    arguments = parser.parse_args()
    if arguments.paper == "collision":
        rows = collision(arguments.targets, arguments.only)
        about = "occ, pairs and repetition are what the baseline makes of it."
    elif arguments.paper == "recordings":
        rows = recordings(arguments.targets)
        about = "of_… is what the baseline makes of a recording, the others what it makes of its twin."
    elif arguments.paper == "pacp":
        rows = pacp(arguments.targets)
        about = "interference is what hm_1 gains where reads wait for no write."
    else:
        rows = (hotr if arguments.paper == "hotr" else hotr_buffered)(arguments.targets)
        about = "blocked is what the baseline makes of it."
    if arguments.only:
        print(rows)
    else:
        written(HERE / f"fitted-{arguments.paper}.toml", about, rows)


if __name__ == "__main__":
    main()
