"""The description of a search."""

from __future__ import annotations

import math
import os
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from wordline import intervals, result_paths, toml_files
from wordline._core import WordlineError
from wordline.scenario import Scenario, begun_with
from wordline.study import sparse
from wordline.study.point import Point
from wordline.sweeps import file as sweep_file
from wordline.sweeps.axes import check_once
from wordline.wording import meant

OWN = ("search", "objectives", "trials", "batch", "sampler", "seed")

KEYS = ("name", "description", "device", "scheme", "workload", "trace", "seeds", "checked", "set", *OWN)

SAMPLERS = ("tpe", "random", "nsga2")

DIRECTIONS = ("minimize", "maximize")

RANGE = {"low", "high", "log", "step"}

ALLOWED = "allowed: numbers of result.json by their path"
NO_RUN = f"{result_paths.NO_RUN}: {ALLOWED}"


@dataclass(frozen=True)
class TuneFile:
    """A search, described."""

    name: str
    data: dict[str, Any]
    folder: Path
    search: dict[str, Any]
    """Parameters: a list of choices, or `{ low, high, log, step }`."""
    objectives: dict[str, str]
    """Figures by their path in `result.json`, and whether they are to be small or large."""
    trials: int
    batch: int
    """Trials that are chosen together, before any of their results is known."""
    sampler: str
    seed: int
    base: Scenario
    """What every run is, but for what `data` names."""

    def points(self, values: Mapping[str, Any]) -> list[Point]:
        """The runs of a trial: one for each seed."""
        rest = {key: value for key, value in self.data.items() if key not in OWN}
        axes = {name: [value] for name, value in values.items()}
        return sweep_file.parse({**rest, "axes": axes}, self.name, self.folder, self.base).points()

    def figures(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
        """The objectives of a trial from the rows of its runs: means over seeds. All of them have all
        (`lacking`).
        """
        return {name: statistics.fmean(sparse.values(rows, name)) for name in self.objectives}

    def lacking(self, rows: Sequence[Mapping[str, Any]]) -> str | None:
        """An objective that not all runs of a trial have, and how many do; `None` where they have all."""
        for name in self.objectives:
            having = len(sparse.values(rows, name))
            if having < len(rows):
                return f"objectives.{name}: {having} of {len(rows)} runs have it"
        return None

    def halves(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, float | None]:
        """Half the 95% interval of each objective, over seeds or of the only run; `None`: it has none."""
        found = {}
        for name in self.objectives:
            values = sparse.values(rows, name)
            interval = intervals.over_seeds(values) or intervals.of_row(rows[0], name)
            found[name] = None if interval is None else interval.reach(statistics.fmean(values))
        return found

    def columns(self) -> Sequence[str] | None:
        """What `figures` wants of each row; `None`: all."""
        return None

    def first(self) -> Sequence[Mapping[str, Any]]:
        """Values that are tried before the sampler chooses any."""
        return ()


def read(
    path: str | os.PathLike[str],
    base: Scenario | None = None,
    *,
    settings: Sequence[tuple[str, str]] = (),
    seeds: Sequence[int] | None = None,
) -> TuneFile:
    """The search of a file; `settings` and `seeds` go before its own. Raises `WordlineError` with the file's
    name for what it may not hold.
    """
    file = Path(path)
    data = sweep_file.over(toml_files.read("search", file), settings, seeds)
    try:
        return parse(data, file.stem, file.resolve().parent, base)
    except WordlineError as error:
        raise WordlineError(f"search {file}: {error}") from None


def parse(data: Mapping[str, Any], name: str, folder: Path, base: Scenario | None = None) -> TuneFile:
    """The search of plain data, as a file would hold it. `base` is what its runs are but for that."""
    for key in data:
        if key not in KEYS:
            hint = meant(key, KEYS, f"allowed: {', '.join(KEYS)}")
            raise WordlineError(f"{key}: unknown key: {hint}")
    search = _flat(data.get("search", {}))
    objectives = _flat(data.get("objectives", {}))
    if not search:
        raise WordlineError("search: allowed: a table of one parameter or more")
    for parameter, space in search.items():
        _check_space(f"search.{parameter}", space)
    if not 1 <= len(objectives) <= 2 or any(way not in DIRECTIONS for way in objectives.values()):
        raise WordlineError(
            f"objectives = {objectives}: allowed: one or two figures, each minimize or maximize"
        )
    result_paths.check(objectives, lambda path: f"objectives.{path}")
    named = {name: value for name, value in data.items() if name in sweep_file.CHOICES}
    sweep_file.check_named_once(named, sweep_file.table(data, "set"), search, "in the search")
    sampler = data.get("sampler", "nsga2" if len(objectives) > 1 else "tpe")
    if sampler not in SAMPLERS:
        raise WordlineError(f"sampler = {sampler!r}: allowed: {', '.join(SAMPLERS)}")
    return TuneFile(
        name=str(data.get("name", name)),
        data=dict(data),
        folder=folder,
        search=search,
        objectives=objectives,
        trials=_count(data, "trials", 50),
        batch=_count(data, "batch", 4),
        sampler=sampler,
        seed=_count(data, "seed", 1),
        base=begun_with(base),
    )


def _count(data: Mapping[str, Any], key: str, default: int) -> int:
    value = data.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise WordlineError(f"{key} = {value!r}: allowed: a whole number from 1 on")
    return value


def _flat(tree: Any, path: str = "") -> dict[str, Any]:
    if not isinstance(tree, Mapping):
        raise WordlineError(f"{path or 'search and objectives'}: allowed: a table")
    flat: dict[str, Any] = {}
    for key, value in tree.items():
        nested = isinstance(value, Mapping) and not {"low", "high"} & value.keys()
        flat |= _flat(value, f"{path}{key}.") if nested else {path + key: value}
    return flat


def _check_space(where: str, space: Any) -> None:
    if isinstance(space, list):
        if not space or not all(isinstance(choice, str | int | float | bool) for choice in space):
            raise WordlineError(f"{where} = {space}: allowed: one choice or more: numbers, words or truth")
        check_once(f"{where} = {space}", space)
        return
    allowed = "allowed: a list of choices, or { low, high, log, step }"
    if not isinstance(space, Mapping) or not {"low", "high"} <= space.keys() or space.keys() - RANGE:
        raise WordlineError(f"{where} = {space}: {allowed}")
    low, high, log, step = space["low"], space["high"], space.get("log", False), space.get("step")
    numbers = _is_number(low) and _is_number(high)
    if not numbers or low >= high or (log and (low <= 0 or step is not None)):
        raise WordlineError(f"{where} = {dict(space)}: {allowed}, low < high, log above 0 and without step")
    if not isinstance(log, bool):
        raise WordlineError(f"{where}.log = {log!r}: allowed: true or false")
    if step is None:
        return
    whole = isinstance(low, int) and isinstance(high, int)
    if not _is_number(step) or step <= 0 or (whole and not isinstance(step, int)):
        kind = "a whole number" if whole else "a number"
        raise WordlineError(f"{where}.step = {step!r}: allowed: {kind} above 0")
    # As the sampler counts: in decimals, as they were written.
    ways = (Decimal(str(high)) - Decimal(str(low))) / Decimal(str(step))
    if ways != ways.to_integral_value():
        raise WordlineError(f"{where}.step = {step!r}: allowed: steps that lead from {low} to {high}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
