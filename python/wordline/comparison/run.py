"""Runs schemes side by side."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wordline import schemes as naming
from wordline._core import WordlineError
from wordline.comparison.figures import Comparison
from wordline.presets import DEFAULT_DEVICE, Description, Given, load, replay
from wordline.scenario import Overrides, Scenario, scenario_of
from wordline.seeds import seed_list
from wordline.study.point import Point
from wordline.study.runs import Watcher, open_study, validate
from wordline.study.store import open_store

if TYPE_CHECKING:
    from wordline.simulation import PathLike


def compare(
    device: Given | Scenario = DEFAULT_DEVICE,
    schemes: Sequence[str] | None = None,
    workloads: Sequence[Given] | None = None,
    *,
    traces: Sequence[PathLike] = (),
    seeds: int | Iterable[int] | None = None,
    checked: bool | None = None,
    overrides: Overrides | None = None,
    jobs: int | None = None,
    on: str = "threads",
    folder: PathLike | None = None,
    watch: Watcher | None = None,
) -> Comparison:
    """Runs every scheme under every workload on one drive, side by side.

    Drive and workloads are given as to `wordline.run`; a `Scenario` in the place of the device says what all
    runs share, and is the one run where neither schemes nor workloads nor seeds are named. Schemes are
    presets, TOML files, `key=value`, or several of these joined by `+`; figures are normalised to the first.
    `seeds` is a list, or a number *n* for 1 to *n*. With `folder` rows are kept there, and runs that it has
    are not run again. `traces` are replayed at their own times, beside `workloads` or in their place. A run
    that fails is in `errors`.
    """
    base = scenario_of(device, overrides=overrides, checked=checked)
    own = (base.workload,) if workloads is None else workloads
    described = [(workload, load("workload", workload)) for workload in own]
    given = [(_name(workload), found) for workload, found in described]
    given += [(Path(trace).name, replay(trace)) for trace in traces]
    named = [naming.scheme(text) for text in schemes or ()]
    if schemes is None:
        named = [naming.Named(_name(base.scheme), base.scheme)]
    return run(
        base,
        named,
        given,
        seeds=[base.seed] if seeds is None else seed_list(seeds),
        jobs=jobs,
        on=on,
        folder=folder,
        watch=watch,
    )


def _name(given: Given) -> str:
    """What tables call a description: the name of a preset or file, without `.toml`."""
    if isinstance(given, Mapping):
        return str(given.get("name", "workload"))
    text = given.label if isinstance(given, Description) else os.fspath(given)
    return Path(text).stem if text.endswith(".toml") else text


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
) -> Comparison:
    """`compare` of schemes and workloads that are loaded already, each in the place of those of `base`."""
    names = [scheme.name for scheme in schemes]
    labels = [label for label, _ in workloads]
    for kind, listed in (("scheme", names), ("workload", labels)):
        twice = next((name for name in listed if listed.count(name) > 1), None)
        if twice is not None or not listed:
            raise WordlineError(
                f"{kind} {twice}: allowed: each once" if listed else f"no {kind}: allowed: one or more"
            )
    points = {
        (label, scheme.name, seed): Point(
            base.changed(scheme=scheme.description, workload=workload, seed=seed),
            (("workload", label), ("scheme", scheme.name), ("seed", seed)),
        )
        for label, workload in workloads
        for scheme in schemes
        for seed in seeds
    }
    inputs = dict(zip(points, validate(list(points.values())), strict=True))
    with open_store(folder) as store, open_study(store, on=on, jobs=jobs) as study:
        outcome = study.run(list(points.values()), inputs=list(inputs.values()), watch=watch)
        kept = store.results(found.key for found in inputs.values())
    rows = {
        (label, scheme): [kept[inputs[label, scheme, seed].key] for seed in seeds]
        for label in labels
        for scheme in names
    }
    config = next(iter(inputs.values())).config
    return Comparison(config["device"]["name"], labels, names, rows, outcome.notes)
