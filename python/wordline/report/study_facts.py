"""What a study's page says beside its figures: what was varied, what failed, what came out best."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from wordline import intervals, notes
from wordline.figures import better, fitting_interval, title
from wordline.names import endings
from wordline.report.differences import flat
from wordline.report.page import legend, table
from wordline.report.studies import Search, values_of
from wordline.sweeps.averages import Averaged

MOST_VALUES = 12
"""Of an axis that are named."""

MOST_ERRORS = 5
"""Different ones that are shown."""


def swept(found: Sequence[Averaged]) -> list[tuple[str, str]]:
    """Each axis and its values."""
    rows = []
    for axis in found[0].axes if found else ():
        values = [str(value) for value in values_of(found, axis)]
        rest = len(values) - MOST_VALUES
        rows.append((axis, ", ".join(values[:MOST_VALUES]) + (f" and {rest} more" if rest > 0 else "")))
    return rows


def failed(what: str, errors: Sequence[tuple[str, str]], of: int) -> str:
    """How many points or trials failed, and why: `errors` are their names and reasons."""
    if not errors:
        return ""
    reasons: dict[str, list[str]] = {}
    for name, error in errors:
        reasons.setdefault(error, []).append(name)
    lines = [f'<p class="bad lead">{len(errors):,} of {of:,} {what} failed</p>']
    for error, names in list(reasons.items())[:MOST_ERRORS]:
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        lines.append(f'<p class="bad">{escape(names[0] + more)}: {escape(error)}</p>')
    rest = len(reasons) - MOST_ERRORS
    return "".join(lines) + (f'<p class="bad">… and {rest} other reasons</p>' if rest > 0 else "")


def best(found: Sequence[Averaged], metrics: Sequence[str]) -> str:
    """The best point by each figure, and how many others differ from it by no more than chance. What a drive
    did before it died is no merit.
    """
    alive = [point for point in found if notes.when_died(point.notes) is None]
    rows = []
    for metric in metrics:
        known = [(figure, point) for point in alive if (figure := point.figure(metric))]
        way = better(metric)
        if way is None or len({figure.value for figure, _ in known}) < 2:
            continue
        choice = max if way == "more" else min
        figure, point = choice(known, key=lambda pair: pair[0].value)
        words = endings(list(point.axes))
        place = ", ".join(f"{words[axis]} {value}" for axis, value in point.axes.items())
        alike = sum(
            bool(intervals.same(figure.value, figure.interval, other.value, other.interval))
            for other, there in known
            if there is not point
        )
        text = fitting_interval(metric, figure.value, figure.half)
        rows.append([title(metric), text, place, f"{alike} of {len(known) - 1}"])
    headers = ["", "best", "at", "others within 95% of it"]
    return f"<h3>Best by each figure</h3>{table(headers, rows)}{legend(rows)}" if rows else ""


def shared(rows: Sequence[Mapping[str, Any]]) -> str:
    """The keys that all runs have with one value, folded up."""
    each = [dict(flat(json.loads(row["inputs"]))) for row in rows if row.get("inputs")]
    if not each:
        return ""
    same = {
        key: value for key, value in each[0].items() if all(other.get(key) == value for other in each[1:])
    }
    text = "\n".join(f"{key} = {json.dumps(value)}" for key, value in same.items())
    return f"<details><summary>What all runs share</summary><pre>{escape(text)}</pre></details>"


def searched(found: Search) -> list[tuple[str, str]]:
    """What was searched, for what, and how far."""
    rows = [(kind, str(value)) for kind, value in found.of.items()]
    rows += [(path, _range(told)) for path, told in found.search.items()]
    wanted = ", ".join(f"{title(name)} to {way}" for name, way in found.objectives.items())
    return [*rows, ("objectives" if len(found.objectives) > 1 else "objective", wanted)]


def _range(told: Any) -> str:
    if not isinstance(told, Mapping):
        return ", ".join(map(str, told)) if isinstance(told, list) else str(told)
    more = "".join(
        f", {name}" if value is True else f", {name} {value}"
        for name, value in told.items()
        if name not in ("low", "high") and value is not False
    )
    return f"{told.get('low')} to {told.get('high')}{more}"
