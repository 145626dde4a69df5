"""The description of a sweep, and the points that it stands for."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordline import schemes, toml_files
from wordline._core import WordlineError
from wordline.presets import Description, Kind, load, replay
from wordline.scenario import Scenario, begun_with
from wordline.seeds import seed_list
from wordline.study.point import Point
from wordline.sweeps.axes import Combination, combinations, values
from wordline.wording import meant, setting

KEYS = (
    "name",
    "description",
    "device",
    "scheme",
    "workload",
    "trace",
    "seeds",
    "checked",
    "set",
    "axes",
    "together",
)

CHOICES = ("device", "scheme", "workload", "trace")
"""What a point is made of. Each may be one name, a list, a table of labels and what they stand for, or an
axis.
"""


@dataclass(frozen=True)
class SweepFile:
    """A sweep, described."""

    name: str
    folder: Path
    """Where relative paths start."""
    base: Scenario
    """What every point is, but for what follows."""
    chosen: dict[str, Any]
    """Device, scheme and workload or trace that are named for every point, unless an axis names others."""
    settings: dict[str, Any]
    """Overrides of every point."""
    combinations: list[Combination]
    """Values of the axes, one mapping for each point but for seeds."""
    seeds: list[int]
    labels: dict[str, dict[str, str]]
    """Of devices, schemes, workloads or traces that have labels: what each stands for."""

    def points(self) -> list[Point]:
        """Every point: all combinations, each with all seeds."""
        made: dict[tuple[str, str], Description] = {}

        def described(kind: str, text: str) -> Description:
            if (kind, text) not in made:
                made[kind, text] = _describe(kind, text, self.folder)
            return made[kind, text]

        return [
            self._point(combination, seed, described)
            for combination in self.combinations
            for seed in self.seeds
        ]

    def _point(self, combination: Combination, seed: int, described: Any) -> Point:
        chosen = self.chosen | {name: value for name, value in combination.items() if name in CHOICES}
        settings = self.settings | {name: value for name, value in combination.items() if name not in CHOICES}
        axes = combination | ({"seed": seed} if len(self.seeds) > 1 else {})
        named = {kind: self.labels.get(kind, {}).get(text, text) for kind, text in chosen.items()}
        found = {kind: described(kind, text) for kind, text in named.items()}
        if "trace" in found:
            found["workload"] = found.pop("trace")
        return Point(self.base.changed(**found, overrides=settings, seed=seed), tuple(axes.items()))


def _describe(kind: str, text: str, folder: Path) -> Description:
    """A description by name or by a path that starts at the sweep's folder."""
    if not isinstance(text, str):
        raise WordlineError(f"{kind} = {text!r}: allowed: a name or a path")
    if kind == "trace":
        return replay(text, folder=folder)
    path = Path(text)
    near = str(folder / path) if path.suffix in (".toml", ".fio") or path.name != text else text
    if kind == "scheme" and near == text:
        return schemes.scheme(text).description
    kinds: dict[str, Kind] = {"device": "device", "scheme": "scheme", "workload": "workload"}
    return load(kinds[kind], near)


def over(
    data: Mapping[str, Any], settings: Sequence[tuple[str, str]], seeds: Sequence[int] | None
) -> dict[str, Any]:
    """What a file of a study holds, with overrides and seeds of a command line in the place of its own.
    Raises `WordlineError` for an override of what the study chooses values of.
    """
    own = table(data, "set")
    chosen = {*_flat(data.get("axes", {})), *_flat(data.get("search", {}))}
    for group in data.get("together", []):
        chosen |= {*_flat(group)} if isinstance(group, Mapping) else set()
    for path, value in settings:
        if path in chosen:
            raise WordlineError(f"{setting(path, value)}: allowed: a path that is no axis of it")
        own[path] = toml_files.value(value)
    changed = {**data, "set": own} if settings else dict(data)
    return changed if seeds is None else {**changed, "seeds": list(seeds)}


def read(
    path: str | os.PathLike[str],
    base: Scenario | None = None,
    *,
    settings: Sequence[tuple[str, str]] = (),
    seeds: Sequence[int] | None = None,
) -> SweepFile:
    """The sweep of a file; `settings` and `seeds` go before its own. Raises `WordlineError` with the file's
    name for what it may not hold.
    """
    file = Path(path)
    data = over(toml_files.read("sweep", file), settings, seeds)
    try:
        return parse(data, file.stem, file.resolve().parent, base)
    except WordlineError as error:
        raise WordlineError(f"sweep {file}: {error}") from None


def parse(data: Mapping[str, Any], name: str, folder: Path, base: Scenario | None = None) -> SweepFile:
    """The sweep of plain data, as a file would hold it. `base` is what its points are but for that."""
    if not data:
        raise WordlineError(f"nothing in it: allowed: {', '.join(KEYS)}")
    for key in data:
        if key not in KEYS:
            hint = meant(key, KEYS, f"allowed: {', '.join(KEYS)}")
            raise WordlineError(f"{key}: unknown key: {hint}")
    axes: dict[str, Any] = {}
    base = begun_with(base)
    chosen: dict[str, Any] = {}
    labels: dict[str, dict[str, str]] = {}
    for choice in CHOICES:
        given = data.get(choice)
        if isinstance(given, Mapping):
            labels[choice] = _labels(choice, given)
            axes[choice] = list(labels[choice])
        elif isinstance(given, list):
            axes[choice] = values(choice, given)
        elif given is not None:
            chosen[choice] = given
    for name_, given in table(data, "axes").items():
        if name_ in axes:
            raise WordlineError(f"axes.{name_}: allowed: each axis once")
        axes[name_] = given
    together = data.get("together", [])
    if not isinstance(together, list) or not all(isinstance(group, dict) for group in together):
        raise WordlineError("together: allowed: tables [[together]] of lists of the same length")
    groups: list[Mapping[str, object]] = [_flat(group) for group in together]
    settings = table(data, "set")
    check_named_once(chosen, settings, {*axes, *(name for group in groups for name in group)})
    checked = data.get("checked", base.checked)
    if not isinstance(checked, bool):
        raise WordlineError(f"checked = {checked!r}: allowed: true or false")
    return SweepFile(
        name=str(data.get("name", name)),
        folder=folder,
        base=base.changed(checked=checked),
        chosen=chosen,
        settings=settings,
        combinations=combinations(axes, groups),
        seeds=_seeds(data.get("seeds", [base.seed])),
        labels=labels,
    )


def check_named_once(
    chosen: Mapping[str, Any], settings: Mapping[str, Any], axes: Collection[str], what: str = "an axis"
) -> None:
    """Refuses what is named for every point although it is one of the `axes`."""
    if "trace" in {*chosen, *axes} and "workload" in {*chosen, *axes}:
        raise WordlineError("trace and workload exclude each other: a workload file can name a trace")
    for where, named in (("", chosen), ("set.", settings)):
        for name in [name for name in named if name in axes]:
            raise WordlineError(f"{where}{name} = {named[name]!r}: {name} is {what}: allowed: one of the two")


def _labels(choice: str, given: Mapping[str, Any]) -> dict[str, str]:
    """What labels stand for: `scheme = { ours = "baseline+gc.policy=fifo" }`."""
    wrong = next((label for label, text in given.items() if not isinstance(text, str) or not text), None)
    if wrong is not None or not given:
        where = choice if wrong is None else f"{choice}.{wrong}"
        raise WordlineError(f"{where} = {dict(given)!r}: allowed: labels, each with a name, path or text")
    return {str(label): str(text) for label, text in given.items()}


def table(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    """A table of what a file holds, by dotted paths."""
    found = data.get(key, {})
    if not isinstance(found, dict):
        raise WordlineError(f"{key} = {found!r}: allowed: a table")
    return _flat(found)


def _flat(tree: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    """Dotted paths, whether keys were written as `"a.b"` or as `a.b`; ranges stay whole."""
    flat: dict[str, Any] = {}
    for key, value in tree.items():
        whole = not isinstance(value, Mapping) or {"from", "to"} & value.keys()
        flat |= {path + key: value} if whole else _flat(value, f"{path}{key}.")
    return flat


def _seeds(given: object) -> list[int]:
    whole = isinstance(given, int) and not isinstance(given, bool)
    if whole or (isinstance(given, list) and all(isinstance(seed, int) for seed in given)):
        return seed_list(given)  # type: ignore[arg-type]
    raise WordlineError(f"seeds = {given!r}: allowed: a number of seeds, or a list of them")
