"""Runs schemes side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from wordline import schemes as naming
from wordline._core import WordlineError
from wordline.comparison.figures import Comparison
from wordline.presets import DEFAULT_DEVICE, Description, Given, Kind, load, replay
from wordline.scenario import Overrides, Scenario, scenario_of
from wordline.seeds import seed_list
from wordline.study.point import Inputs, Point
from wordline.study.pool import check_jobs
from wordline.study.runs import Watcher, open_study, validate
from wordline.study.store import open_store

if TYPE_CHECKING:
    from wordline.simulation import PathLike


def compare(
    device: Given | Scenario = DEFAULT_DEVICE,
    schemes: Sequence[str] | None = None,
    workloads: Sequence[Given] | None = None,
    *,
    devices: Sequence[Given] | None = None,
    traces: Sequence[PathLike] = (),
    seeds: int | Iterable[int] | None = None,
    checked: bool | None = None,
    overrides: Overrides | None = None,
    jobs: int | None = None,
    on: str = "threads",
    folder: PathLike | None = None,
    retry: bool = False,
    watch: Watcher | None = None,
) -> Comparison:
    """Runs every scheme under every workload on one drive, side by side.

    With `devices` each scheme runs on each of them, in the place of the one drive; tables have a column for
    each pair.

    Drive and workloads are given as to `wordline.run`; a `Scenario` in the place of the device says what all
    runs share, and is the one run where neither schemes nor workloads nor seeds are named. Schemes are
    presets, TOML files, `key=value`, or several of these joined by `+`; figures are normalised to the first.
    `seeds` is a list, or a number *n* for 1 to *n*. With `folder` rows are kept there, and runs that it has
    are not run again. `traces` are replayed at their own times, beside `workloads` or in their place. A run
    that fails is in `errors`. One alone may stand in the place of a list of one.
    """
    check_jobs(jobs)
    base = scenario_of(device, overrides=overrides, checked=checked)
    own = (base.workload,) if workloads is None else _listed("workloads", workloads)
    given = [named("workload", workload) for workload in own]
    given += [(Path(trace).name, replay(trace)) for trace in _listed("traces", traces)]
    listed = [naming.scheme(text) for text in _listed("schemes", () if schemes is None else schemes)]
    if schemes is None:
        listed = [naming.Named(_name("scheme", base.scheme), base.scheme)]
    return run(
        base,
        listed,
        given,
        seeds=[base.seed] if seeds is None else seed_list(seeds),
        drives=None if devices is None else [named("device", each) for each in _listed("devices", devices)],
        jobs=jobs,
        on=on,
        folder=folder,
        retry=retry,
        watch=watch,
    )


T = TypeVar("T")


def _listed(argument: str, given: Sequence[T]) -> Sequence[T]:
    """What is given; a text, a path or a description is one, and no list of its letters."""
    if isinstance(given, str | os.PathLike | Mapping | Description):
        return [given]  # type: ignore[list-item]
    if not isinstance(given, Iterable):
        raise WordlineError(f"{argument} = {given!r}: allowed: one of them, or a list")
    return list(given)


def named(kind: Kind, given: Given) -> tuple[str, Description]:
    """What tables call a description, and the description."""
    found = load(kind, given)
    return _name(kind, given), found


def _name(kind: Kind, given: Given) -> str:
    """What tables call a description: the name of a preset or file, without `.toml`, else its kind."""
    if isinstance(given, Mapping):
        return str(given.get("name", kind))
    text = given.label if isinstance(given, Description) else os.fspath(given)
    return Path(text).stem if text.endswith(".toml") else text


@dataclass(frozen=True)
class _Column:
    """What is compared: a scheme on a drive."""

    name: str
    device: Description
    scheme: Description
    axes: tuple[tuple[str, str], ...]


def _columns(
    base: Scenario, drives: Sequence[tuple[str, Description]] | None, schemes: Sequence[naming.Named]
) -> list[_Column]:
    """Each scheme on each drive, called by what tells them apart."""
    if drives is None:
        return [
            _Column(each.name, base.device, each.description, (("scheme", each.name),)) for each in schemes
        ]
    found = []
    for label, device in drives:
        for scheme in schemes:
            words = [label] if len(drives) > 1 else []
            words += [scheme.name] if len(schemes) > 1 or not words else []
            axes = (("device", label), ("scheme", scheme.name))
            found.append(_Column(", ".join(words), device, scheme.description, axes))
    return found


def run(
    base: Scenario,
    schemes: Sequence[naming.Named],
    workloads: Sequence[tuple[str, Description]],
    *,
    seeds: Sequence[int],
    jobs: int | None,
    on: str,
    folder: PathLike | None,
    watch: Watcher | None,
    drives: Sequence[tuple[str, Description]] | None = None,
    retry: bool = False,
    planned: Callable[[list[tuple[Point, Inputs]]], None] | None = None,
) -> Comparison:
    """`compare` of schemes and workloads that are loaded already, each in the place of those of `base`.
    `planned` is told of all runs once they are validated, before the first.
    """
    labels = [label for label, _ in workloads]
    given = [("scheme", [scheme.name for scheme in schemes]), ("workload", labels)]
    given += [] if drives is None else [("device", [label for label, _ in drives])]
    for kind, listed in given:
        twice = next((name for name in listed if listed.count(name) > 1), None)
        if twice is not None or not listed:
            raise WordlineError(
                f"{kind} {twice}: allowed: each once, and files by names of their own"
                if listed
                else f"no {kind}: allowed: one or more"
            )
    columns = _columns(base, drives, schemes)
    names = [column.name for column in columns]
    points = {
        (label, column.name, seed): Point(
            base.changed(device=column.device, scheme=column.scheme, workload=workload, seed=seed),
            (("workload", label), *column.axes, ("seed", seed)),
        )
        for label, workload in workloads
        for column in columns
        for seed in seeds
    }
    inputs = dict(zip(points, validate(list(points.values())), strict=True))
    if planned is not None:
        planned(list(zip(points.values(), inputs.values(), strict=True)))
    with open_store(folder) as store, open_study(store, on=on, jobs=jobs, retry=retry) as study:
        outcome = study.run(list(points.values()), inputs=list(inputs.values()), watch=watch)
        kept = store.results(found.key for found in inputs.values())
    rows = {
        (label, name): [kept[inputs[label, name, seed].key] for seed in seeds]
        for label in labels
        for name in names
    }
    of = {name: str(inputs[labels[0], name, seeds[0]].config["device"]["name"]) for name in names}
    changed = dict(base.overrides)
    return Comparison(", ".join(dict.fromkeys(of.values())), labels, names, rows, outcome.notes, of, changed)
