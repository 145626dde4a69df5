"""Columns of an exhibit's table: figures of a run, of its configuration, of its requests, and what follows
from them.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from wordline._core import WordlineError
from wordline.presets import Description
from wordline.repro import reclaims
from wordline.repro.exhibit import Exhibit
from wordline.repro.formulas import FORMULAS
from wordline.result_paths import may_be
from wordline.simulation import describe_trace
from wordline.study import sparse
from wordline.study.point import Point
from wordline.study.row import AXIS

FORMULA = "formula:"
RATIO = "ratio:"
PRODUCT = "product:"
SUM = "sum:"
"""`sum:A+B`: of columns that are written in any of these ways; one that a run doesn't name is nothing."""

RECLAIMS = "reclaims:"
"""A figure of the reclaims of a run with `measure.reclaims` (`repro/reclaims.py`)."""

TRACE = "trace:"
"""A figure of the requests themselves, as `wordline trace info` gives it."""

CURVE = "curve:"
"""`curve:PATH@SHARE`: of a table of repetitions, the share of all occurrences that this share of the members
makes up, the most frequent first.
"""

MEAN_RESPONSE = "response.mean_ns"
"""Mean response time of reads and writes together."""

LOGICAL_BYTES = "drive.logical_bytes"

SPECIAL = (MEAN_RESPONSE, LOGICAL_BYTES, "workload", "device", "scheme")
"""Columns of a row that aren't figures of a result."""

OTHER_FORMS = (
    *(FORMULA, RECLAIMS, TRACE, CURVE, AXIS, "config.", "part.", "probe."),
    *("relative:", "measured."),  # Of the table: `repro/table.py`.
)

Row = Mapping[str, Any]


def column(exhibit: Exhibit, path: str, row: Row, config: Mapping[str, Any], point: Point) -> Any:
    """The value of a column for a run that has ended well; `None` where it has none."""
    if path.startswith(FORMULA):
        name = path.removeprefix(FORMULA)
        if name not in FORMULAS:
            raise WordlineError(f"exhibit {exhibit.paper}/{exhibit.name}: no formula `{name}`")
        return FORMULAS[name](config)
    if path.startswith(PRODUCT):
        parts = path.removeprefix(PRODUCT).split("*")
        factors = [_factor(part) or column(exhibit, part, row, config, point) for part in parts]
        return None if None in factors else math.prod(factors)
    if path.startswith(SUM):
        parts = path.removeprefix(SUM).split("+")
        terms = [column(exhibit, part, row, config, point) for part in parts]
        there = [term for term in terms if term is not None]
        return sum(there) if there else None
    if path.startswith(RATIO):
        parts = path.removeprefix(RATIO).split("/")
        above, below = (column(exhibit, part, row, config, point) for part in parts)
        return above / below if above is not None and below else None
    if path.startswith(RECLAIMS):
        kept = _at(json.loads(row["result"]), "read_reclaim.records") or []
        return reclaims.figure(path.removeprefix(RECLAIMS), kept)
    if path.startswith(TRACE):
        return _at(_requests_of(point), path.removeprefix(TRACE))
    if path.startswith(CURVE):
        name, share = path.removeprefix(CURVE).split("@")
        return share_of_occurrences(_at(json.loads(row["result"]), name) or {}, float(share))
    if path.startswith("config."):
        return _at(config, path.removeprefix("config."))
    return _figure(row, path)


def check(exhibit: Exhibit) -> None:
    """Raises `WordlineError` for a column of a figure that no result has."""
    for name, path in exhibit.columns.items():
        wrong = next((leaf for leaf in _figures_of(path) if not may_be(leaf)), None)
        if wrong is not None:
            raise WordlineError(
                f"exhibit {exhibit.paper}/{exhibit.name}: columns.{name}: no result has `{wrong}`: allowed: "
                "a figure by its path in result.json"
            )


def _figures_of(path: str) -> Iterator[str]:
    """The paths of figures that a column is made of."""
    for form, between in ((PRODUCT, "*"), (SUM, "+"), (RATIO, "/")):
        if path.startswith(form):
            for part in path.removeprefix(form).split(between):
                yield from _figures_of(part)
            return
    if path not in SPECIAL and not path.startswith(OTHER_FORMS) and _factor(path) is None:
        yield path


def _factor(text: str) -> float | None:
    """A factor that is a number."""
    return float(text) if text.replace(".", "", 1).isdecimal() else None


def _at(tree: Any, path: str) -> Any:
    for key in path.split("."):
        tree = tree.get(key) if isinstance(tree, Mapping) else None
    return tree


def _figure(row: Row, path: str) -> Any:
    if path == LOGICAL_BYTES:
        return row["drive.logical_units"] * row["drive.mapping_unit_bytes"]
    if path == MEAN_RESPONSE:
        return row.get("latency_ns.mean")
    return row[path] if path in row else sparse.value(row, path)


def share_of_occurrences(repetitions: Mapping[str, int], share: float) -> float | None:
    """What the most frequent `share` of the members makes up. `repetitions` has how many occur how often."""
    counts = sorted(((int(often), members) for often, members in repetitions.items()), reverse=True)
    total = sum(often * members for often, members in counts)
    left, found = share * sum(members for _, members in counts), 0.0
    for often, members in counts:
        taken = min(left, members)
        left, found = left - taken, found + taken * often
    return found / total if total else None


def _requests_of(point: Point) -> Mapping[str, Any]:
    """What the requests of a run are, from one pass over them; those of one workload once."""
    overrides = tuple(pair for pair in point.scenario.settings() if pair[0].startswith("workload."))
    return _described(point.scenario.workload, overrides)


@functools.lru_cache(maxsize=64)
def _described(workload: Description, overrides: tuple[tuple[str, str], ...]) -> Mapping[str, Any]:
    return describe_trace(workload, list(overrides)).to_dict()
