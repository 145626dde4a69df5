"""Notes of results as text, of one run and of several."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Note = Mapping[str, Any]
"""As `result.json` has it: `kind`, `found`, `reason`, `remedy`."""


ABOUT = {
    "end_of_life": "the drive died before the workload ended",
    "uncorrectable": "bit errors of a page that no retry corrected: its data is lost",
    "unworn": "bit errors are counted, and no block was ever erased: what grows with P/E cycles is 0",
    "workload": "its source has something to say: bad lines of a trace, steps that left requests out",
    "no_effect": "a key was set that another setting leaves without effect: for this run, or in the file of "
    "its scheme or workload",
    "reads_only": "writes to a drive of which only reads are modelled",
    "host_memory": "look-ups in the host's memory take no time by the drive's description",
    "split": "a partition by the warm-up, and there is none",
    "streams_mixed": "a steady start, from which persistent streams are sorted for tens of drive writes",
    "measured_latencies": "a trace's measured response times are of other requests than the simulated ones",
    "empty_map_cache": "a cache of the map began empty, and so did the window",
    "series_merged": "rows of the time series were merged",
    "samples_dropped": "samples have no row",
    "empty_timeline": "the window of a timeline lies behind the end of the run",
    "idle_flow": "one of several flows has no request in the window",
    "latency_target": "a flow looks for how many of its requests may be outstanding: what it found",
    "steady_end": "flows ended as what they are measured by was steady",
    "not_steady": "flows that end when they are steady ended before they were",
    "ended_flow": "a flow ended before others that ran beside it, by 1% of the window or more",
    "later_flow": "a flow began behind the first 1% of the window: the whole run is of several loads",
    "overload": "open loop: at least twice as many requests under way in the last fifth of the batches as "
    "in the first, 16 more, and rising by the test of Mann and Kendall",
    "start_not_settled": "overwrites before the first request ended while write amplification, or the "
    "pages on which what is overwritten lay, still rose or fell",
    "not_stationary": "mean reads or writes (unless `overload` says why), or WAF, differ between the "
    "halves of the window by more than half the interval and 5%, and rise or fall by the test of Mann "
    "and Kendall",
    "stalled": "writes waited for free blocks, or for log blocks and merges, for at least 5% of their "
    "time; or for room in the buffer for as much, while units found no free block and an answer "
    "took 50 ms or longer",
    "paced": "open loop, and writes waited for room in the buffer for at least 5% of their time without "
    "stalling",
    "few_collections": "pages were overwritten, and fewer than 20 superblocks were collected in the "
    "window, those under way when it opened included; or none, where the drive began in its steady state "
    "by a formula that its requests bear out",
    "uneven_domains": "domains collect 5 superblocks or more in the mean, one of them twice the mean or "
    "half of it, beyond chance (index of dispersion, χ² of 0.1%); or WAF of one is twice that of "
    "another",
    "no_wear_levelling": "static wear levelling moved nothing in the window, and wants to in some domain at "
    "its end",
    "unfilled_pages": "programs for the host and its cache have at least 1.5 times the bytes that it wrote",
    "unwritten_reads": "a hundredth or more of the mapping units that were read hold no data, at no cost",
    "streams_together": "flows of several streams write, and the drive keeps none apart",
    "streams_unused": "the drive keeps streams apart, and all writes are of one",
    "whole_dies_collect": "reads are rebuilt by parity of pages, and collection blocks whole dies, not "
    "planes",
    "short_window": "fewer than 20 batches: no intervals",
    "not_known": "a figure of life that was asked for is known of no run, and why",
    "partly_known": "over several seeds: a figure that follows from others, as life from WAF, is withheld by "
    "some of the runs",
    "few_in_tail": "fewer than 30 requests lie behind a percentile up to p99.9; the first one is named",
}
"""Kind of note → when a result has it."""

DEATH = "end_of_life"
"""The kind of the note that the drive died, and its table in the result."""


def died(notes: Iterable[Note]) -> str | None:
    """When the drive died, in a few words; `None` for one that lives."""
    return next((str(note["found"]) for note in notes if note["kind"] == DEATH), None)


def when_died(notes: Iterable[Note]) -> str | None:
    """The same for a column of drives: `at 1.2 s, after 30 of 100 requests`."""
    found = died(notes)
    return None if found is None else found.partition(" died ")[2]


def of_row(row: Mapping[str, Any]) -> list[Note]:
    """The notes of the run that a row of a study is of; none of one that failed."""
    found: list[Note] = json.loads(row["result"])["notes"] if row.get("result") else []
    return found


@dataclass(frozen=True)
class Shared:
    """A note, and which of several runs have it or one that differs in numbers only."""

    runs: tuple[str, ...]
    first: Note
    """That of the first of these runs."""
    which: str = ""
    """These runs in a few words; empty: the names of the first ones."""
    differ: bool = False
    """Whether others of them found something else."""

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Shared:
        """From plain data."""
        first = {key: value for key, value in data.items() if key not in ("runs", "which", "differ")}
        return cls(tuple(data["runs"]), first, data.get("which", ""), data.get("differ", False))

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        which = {"which": self.which} if self.which else {}
        differ = {"differ": True} if self.differ else {}
        return {"runs": list(self.runs), **which, **differ, **self.first}

    def text(self) -> str:
        """One line. What was found is that of the first run."""
        others = len(self.runs) - 1
        names = f"{self.runs[0]} and {others} more" if others > 2 else ", ".join(self.runs)
        numbers = " (numbers of the first)" if self.differ else ""
        return f"{self.which or names}{numbers}: {text(self.first)}"


def text(note: Note) -> str:
    """One line: what was found, what that does, what helps."""
    said = ": ".join(part for part in (note["found"], note["reason"]) if part)
    return f"{said}. What helps: {note['remedy']}" if note["remedy"] else said


def starts_differ(starts: Iterable[tuple[str, Mapping[str, Any]]]) -> Shared | None:
    """Names the schemes whose drive was brought to its start by writes that were carried out, where the
    first begins otherwise; `None` if all begin alike. Each is given with `start` of its result.
    """
    carried_out: dict[str, bool] = {}
    for scheme, start in starts:
        carried_out.setdefault(scheme, bool(start["waf_of_windows"]))
    if len(set(carried_out.values())) < 2:
        return None
    first = next(iter(carried_out.values()))
    others = tuple(scheme for scheme, carried in carried_out.items() if carried != first)
    ways = ("by the formula of the steady state", "with overwrites that were carried out")
    return Shared(
        others,
        {
            "kind": "starts_differ",
            "found": f"the drive begins {ways[not first]}, that of the first scheme {ways[first]}",
            "reason": "both are drives in the same steady state, but not the same drive: chance between "
            "them is added to that within each run",
            "remedy": "several seeds (--seeds)",
        },
    )


def shared(runs: Iterable[tuple[str, Sequence[Note]]]) -> list[Shared]:
    """The notes of several runs, those together that differ in numbers only: that a drive died, then in the
    order in which they come first.
    """
    labels: dict[Alike, dict[str, None]] = {}
    first: dict[Alike, Note] = {}
    texts: dict[Alike, set[str]] = {}
    for label, found in runs:
        for alike, note in _told_apart(found):
            labels.setdefault(alike, {})[label] = None
            first.setdefault(alike, note)
            texts.setdefault(alike, set()).add(text(note))
    order = sorted(first, key=lambda alike: alike[0] != DEATH)
    return [Shared(tuple(labels[alike]), first[alike], differ=len(texts[alike]) > 1) for alike in order]


Alike = tuple[str, str, int]
"""What notes of several runs have in common that stand together: their kind, what was found without its
numbers, and which of those that are alike so in one run it is.
"""


def _told_apart(found: Sequence[Note]) -> Iterator[tuple[Alike, Note]]:
    """The notes of a run."""
    so_far: Counter[tuple[str, str]] = Counter()
    for note in found:
        kind, words = note["kind"], _NUMBER.sub("", note["found"])
        yield (kind, words, so_far[kind, words]), note
        so_far[kind, words] += 1


_NUMBER = re.compile(r"\d[\d.,]*")
