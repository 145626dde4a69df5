"""What charts say, as the sentence that stands above them: from the figures that they show, rounded as in
tables. Empty where there is nothing to say.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from wordline import intervals
from wordline.charts import Change
from wordline.charts.axis import Kind
from wordline.figures import at, fitting, is_unsure, short
from wordline.names import KINDS, PERCENTILES, doing

LEVELS = (("p99", 0.01), ("p95", 0.05), ("p90", 0.1), ("p50", 0.5))
"""Percentiles that a sentence may tell, and the share of requests behind each."""

LEAST_BEHIND = 30
"""Requests behind a percentile that make it more than single requests: the notes of a run say so, too."""

MOST_NAMED = 3
"""Of runs; of more the sentence has the least and the largest."""

MOST_KINDS = 2
"""Of requests in one sentence."""

Parts = Mapping[str, float]
Told = tuple[str, float, str]
"""Whose it is, a figure, and its text."""


def each(told: Sequence[Told]) -> str:
    """Figures with whose they are behind them: `1 ms (fifo) and 2 ms (suspend)`."""
    texts = [text for _, _, text in told]
    if len(told) == 1:
        return texts[0]
    if len(set(texts)) == 1:
        return f"{texts[0]} (all)"
    if len(told) > MOST_NAMED:
        ordered = sorted(told, key=lambda one: one[1])
        low, high = (f"{text} ({label})" for label, _, text in (ordered[0], ordered[-1]))
        return f"{low} to {high}"
    *first, last = [f"{text} ({label})" for label, _, text in told]
    return f"{', '.join(first)} and {last}"


def percent(share: float) -> str:
    """A share of one in whole percent; what isn't all or nothing never looks so."""
    text = f"{share:.0%}"
    if text == "100%" and share < 1:
        return "more than 99%"
    return "less than 1%" if text == "0%" and share > 0 else text


def response_times(result: Mapping[str, Any]) -> str:
    """Of one run: the kinds of requests of which there are most."""
    most = sorted((kind for kind in KINDS if result[kind]["requests"]), key=lambda k: -result[k]["requests"])
    told = []
    for kind in (kind for kind in KINDS if kind in most[:MOST_KINDS]):
        level = _level([result], kind)
        if level is not None:
            value = result[kind]["latency_ns"][level]
            told.append(f"{level[1:]}% of {KINDS[kind]} took at most {fitting('latency_ns.', value)}")
    return ", ".join(told)


def response_times_of(kind: str, runs: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """Of several runs, each with its label: one kind of requests."""
    having = [(label, result) for label, result in runs if result[kind]["requests"]]
    level = _level([result for _, result in having], kind)
    if level is None:
        return ""
    values = [(label, result[kind]["latency_ns"][level]) for label, result in having]
    told = each([(label, value, fitting("latency_ns.", value)) for label, value in values])
    return f"{level[1:]}% of {KINDS[kind]} took at most {told}"


def _level(results: Sequence[Mapping[str, Any]], kind: str) -> str | None:
    """The highest percentile that enough requests lie behind, in each of these, and that is no `unsure`."""
    for level, share in LEVELS:
        path = f"{kind}.latency_ns.{level}"
        if results and all(_tells(result, path, share * result[kind]["requests"]) for result in results):
            return level
    return None


def _tells(result: Mapping[str, Any], path: str, behind: float) -> bool:
    value, interval = at(result, path), intervals.of_result(result, path)
    if value is None or behind < LEAST_BEHIND:
        return False
    return interval is None or not is_unsure(value, interval.reach(value))


def percentile(kind: str, level: str, values: Sequence[tuple[str, float]]) -> str:
    """Of several schemes: means over seeds."""
    told = each([(label, value, fitting("latency_ns.", value)) for label, value in values])
    return f"{PERCENTILES[level]} of {KINDS[kind]}: {told}"


def _shares(parts: Parts) -> dict[str, float]:
    """The share of each activity, the largest first."""
    total = sum(parts.values())
    found: dict[str, float] = {}
    for name, value in parts.items():
        found[doing(name)] = found.get(doing(name), 0.0) + value / total
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def parts_of_kinds(rows: Sequence[tuple[str, Parts]], tail: bool) -> str:
    """What takes most of the time of each kind of requests of a run; rows are named by kinds."""
    named = {several: kind for kind, several in KINDS.items()}
    told = []
    for several, parts in [row for row in rows if sum(row[1].values())][:MOST_KINDS]:
        work, share = next(iter(_shares(parts).items()))
        told.append((work, percent(share), f"a {named[several]}'s"))
    if not told:
        return ""
    (work, share_, whose), *rest = told
    text = f"{share_} of {whose} time is {work}"
    for other, share_, whose in rest:
        text += f", {share_} of {whose}" + ("" if other == work else f" is {other}")
    return _from_p99(text, tail)


def parts_of(kind: str, rows: Sequence[tuple[str, Parts]], tail: bool) -> str:
    """What takes most of the time of one kind of requests, and its share of that of each run."""
    each_of = [(label, _shares(parts)) for label, parts in rows if sum(parts.values())]
    if not each_of:
        return ""
    works = dict.fromkeys(work for _, shares in each_of for work in shares)
    work = max(works, key=lambda work: sum(shares.get(work, 0.0) for _, shares in each_of))
    told = [(label, shares.get(work, 0.0), percent(shares.get(work, 0.0))) for label, shares in each_of]
    if len(told) == 1:
        return _from_p99(f"{told[0][2]} of a {kind}'s time is {work}", tail)
    text = f"{work} takes {each(told)} of a {kind}'s time"
    return _from_p99(text, tail) if tail else text[0].upper() + text[1:]


def _from_p99(text: str, tail: bool) -> str:
    return f"From p99 on, {text}" if tail else text


def over_time(subject: str, kind: Kind, curves: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """How far a figure went over time, of each run."""
    ends = {label: (min(ys), max(ys)) for label, curve in curves.items() if (ys := [y for _, y in curve])}
    if not ends:
        return ""
    if len(ends) > MOST_NAMED:
        ends = {"": (min(low for low, _ in ends.values()), max(high for _, high in ends.values()))}
    told = []
    for label, (low, high) in ends.items():
        texts = [value_of(kind, end) for end in (low, high)]
        text = texts[0] if texts[0] == texts[1] else " to ".join(texts)
        told.append(f"{text} ({label})" if len(ends) > 1 else text)
    return f"{subject}: {', '.join(told)}"


def value_of(kind: Kind, value: float) -> str:
    """A value of an axis, as tables have it."""
    metrics = {"time": "latency_ns.", "rate": "bandwidth_bytes_per_s"}
    if kind == "share":
        return percent(value)
    return fitting(metrics[kind], value) if kind in metrics else short(value)


CAUSES = {"gc": "garbage collection", "host": "the host"}


def write_amplification(runs: Sequence[tuple[str, float, Mapping[str, float]]]) -> str:
    """Bytes programmed for each byte written: of each run, its label, WAF, and that by cause."""
    if not runs:
        return ""
    told = each([(label, waf, fitting("waf", waf)) for label, waf, _ in runs])
    one = told in ("1", "1 (all)")
    text = f"{told} {'byte was' if one else 'bytes were'} programmed for each byte written"
    if len(runs) > 1:
        return text
    _, waf, causes = runs[0]
    cause, most = max(causes.items(), key=lambda pair: pair[1])
    share = percent(most / waf)
    of = "all" if share == "100%" else f"{share} of {'it' if one else 'them'}"
    return f"{text}, {of} for {CAUSES.get(cause, cause.replace('_', ' '))}"


def busy(shares: Sequence[float]) -> str:
    """How much of the window dies were busy."""
    if not shares:
        return ""
    low, high, mean = percent(min(shares)), percent(max(shares)), percent(sum(shares) / len(shares))
    if len(shares) == 1:
        return f"The die was busy {mean} of the window"
    if low == high:
        return f"Each die was busy {mean} of the window"
    return f"Dies were busy {low} to {high} of the window, {mean} in the mean"


def valid(shares: Sequence[float]) -> str:
    """How much of superblocks is valid."""
    low, high, mean = percent(min(shares)), percent(max(shares)), percent(sum(shares) / len(shares))
    if low == high:
        return f"{mean} of each superblock's pages are valid"
    return f"{mean} of superblocks' pages are valid, {low} to {high} of each"


def erased(counts: Sequence[float]) -> str:
    """How often superblocks were erased."""
    low, high = min(counts), max(counts)
    if high == 0:
        return "No superblock was erased"
    times = "once" if high == 1 else f"{short(high)} times"
    if low == high:
        return f"Each superblock was erased {times}"
    mean = short(sum(counts) / len(counts))
    return f"Superblocks were erased {short(low)} to {short(high)} times, {mean} in the mean"


def changes(found: Sequence[Change]) -> str:
    """How many changes exceed chance, and which is the largest of them."""
    known = [change for change in found if change.half is not None]
    sure = [change for change in known if not change.same]
    if not known:
        return "Without intervals, which change is more than chance is unknown"
    if not sure:
        return f"No change {'exceeds' if len(known) == len(found) else 'is known to exceed'} chance"
    top = max(sure, key=lambda change: abs(math.log(change.ratio)))
    several = len({change.series for change in found}) > 1
    name = top.row.rstrip(" ↑↓") + (f" of {top.series}" if several else "")
    size = f"{name} ({_change(top.ratio)})"
    if len(found) == 1:
        return f"The change of {size} exceeds chance"
    if len(sure) == 1:
        return f"1 of {len(found)} changes exceeds chance: {size}"
    return f"{len(sure)} of {len(found)} changes exceed chance, the largest that of {size}"


def _change(ratio: float) -> str:
    return f"×{short(ratio)}" if ratio >= 10 else f"{ratio - 1:+.1%}".replace("-", "−")


def differences(name: str, first: str, sames: Sequence[bool | None]) -> str:
    """How many differences of one figure from the first scheme's exceed chance."""
    if not sames:
        return ""
    sure = sum(same is False for same in sames)
    one = sure == 1
    verb = "exceeds" if one else "exceed"
    if None in sames:
        verb = f"{'is' if one else 'are'} known to exceed"
    return f"{name}: {sure or 'none'} of {len(sames)} differences from {first} {verb} chance"
