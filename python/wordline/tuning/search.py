"""The search itself: a sampler asks, points answer. The store remembers, so a search goes on where it was."""

from __future__ import annotations

import functools
import json
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordline import folders, notes
from wordline._core import WordlineError
from wordline.figures import is_unsure
from wordline.files import write_text, written
from wordline.folders import replaced
from wordline.notes import Note
from wordline.scenario import Scenario
from wordline.study import sparse
from wordline.study.row import Row
from wordline.study.runs import Study, open_study, validate
from wordline.study.store import Store
from wordline.sweeps.averages import CI95
from wordline.tuning import file

if TYPE_CHECKING:
    import pyarrow

    from wordline.study.point import Inputs, Point

TABLE = "trials.parquet"

DESCRIBED = folders.SEARCH
"""The file that tells of the search: its name, what is varied, its objectives, and the numbers of the best
trials.
"""

NAMES = (TABLE, DESCRIBED, "report.html")
"""Files that a search writes beside its rows."""

Watch = Callable[[int, int], None]
"""Called with the trials that are over and those in all."""


@dataclass(frozen=True)
class Trial:
    """One choice of parameters."""

    number: int
    values: dict[str, Any]
    objectives: dict[str, float] | None
    """Means over seeds; `None` if it could not be run."""
    error: str | None = None
    lacks: bool = False
    """Whether it was run, and an objective isn't in all of its runs."""
    halves: Mapping[str, float | None] = field(default_factory=dict)
    """Half the 95% interval of each objective; `None` where it has none."""
    notes: Sequence[Sequence[Note]] = ()
    """Of each of its runs."""

    @property
    def unsure(self) -> list[str]:
        """The objectives that their intervals exceed."""
        return [
            name for name, value in (self.objectives or {}).items() if is_unsure(value, self.halves.get(name))
        ]


class Tuning:
    """The trials of a search."""

    def __init__(self, described: file.TuneFile, trials: list[Trial]) -> None:
        self.described = described
        self.trials = trials
        self.notes: list[str] = []
        """What the user should know of the rows that were there, a line each."""

    def best(self) -> list[Trial]:
        """The best trial, or of two objectives those that no other beats in both, by the first."""
        done = [trial for trial in self.trials if trial.objectives is not None]
        ways = {name: 1 if way == "minimize" else -1 for name, way in self.described.objectives.items()}

        def cost(trial: Trial) -> tuple[float, ...]:
            assert trial.objectives is not None  # noqa: S101
            return tuple(ways[name] * trial.objectives[name] for name in ways)

        front: dict[tuple[float, ...], Trial] = {}
        for trial in sorted(done, key=lambda trial: (cost(trial), trial.number)):
            own = cost(trial)
            if own not in front and not any(_beats(other, own) for other in front):
                front[own] = trial
        return list(front.values())[: None if len(ways) > 1 else 1]

    def said(self) -> list[notes.Shared]:
        """What keeps figures from being what they are taken for, and of which trials, best first."""
        best = [trial.number for trial in self.best()]
        order = sorted(self.trials, key=lambda trial: (trial.number not in best, trial.number))
        done = sum(trial.objectives is not None for trial in self.trials)
        found = notes.shared((f"trial {trial.number}", of_run) for trial in order for of_run in trial.notes)
        every = [f"all {done} trials" if len(note.runs) == done > 1 else "" for note in found]
        return [replace(note, which=which) for note, which in zip(found, every, strict=True)]

    def table(self) -> pyarrow.Table:
        """A row for each trial: number, parameters, objectives with half their intervals, error."""
        import pyarrow

        search, objectives = self.described.search, self.described.objectives
        columns: dict[str, list[Any]] = {"trial": [trial.number for trial in self.trials]}
        columns |= {name: [trial.values[name] for trial in self.trials] for name in search}
        for name in objectives:
            columns[name] = [(trial.objectives or {}).get(name) for trial in self.trials]
            halves = [trial.halves.get(name) for trial in self.trials]
            if any(half is not None for half in halves):
                columns[name + CI95] = halves
        columns["error"] = [trial.error for trial in self.trials]
        return pyarrow.table({name: _array(values) for name, values in columns.items()})


def _array(values: list[Any]) -> pyarrow.Array:
    import pyarrow

    kinds = {type(value) for value in values if value is not None}
    mixed = len(kinds - {int, float}) > 1 or (kinds & {str, bool} and kinds & {int, float})
    return pyarrow.array([None if v is None else str(v) for v in values] if mixed else values)


def _beats(other: tuple[float, ...], own: tuple[float, ...]) -> bool:
    return all(a <= b for a, b in zip(other, own, strict=True))


def tune(
    description: str | os.PathLike[str] | Mapping[str, Any] | file.TuneFile,
    folder: str | os.PathLike[str],
    *,
    scenario: Scenario | None = None,
    on: str = "threads",
    jobs: int | None = None,
    retry: bool = False,
    watch: Watch | None = None,
) -> Tuning:
    """Searches over parameters. The same description, seed and simulator give the same trials on any machine.

    `description` is a file, or a mapping that holds what a file would; a run is what `scenario` says, but for
    what the description names. Rows are kept in `folder`. A search that is started again asks for the same
    trials and finds those that are done; so it goes on where it was, and more `trials` continue it. With
    `retry` runs that failed are run again.
    """
    if isinstance(description, file.TuneFile):
        described = description
    elif isinstance(description, Mapping):
        described = file.parse(description, "search", Path.cwd(), scenario)
    else:
        described = file.read(description, scenario)
    folders.usable(folder, NAMES)

    def take(tuning: Tuning) -> None:
        _write(tuning, Path(folder))
        if watch is not None:
            watch(len(tuning.trials), described.trials)

    with open_study(Store(folder), on=on, jobs=jobs, retry=retry) as study:
        return search(described, study, watch=take)


def search(
    described: file.TuneFile,
    study: Study,
    *,
    watch: Callable[[Tuning], None],
    stop: Callable[[], bool] = lambda: False,
) -> Tuning:
    """The search itself, in a study that is open already, until `stop` says that it is enough. `watch` is
    told of it after each batch.
    """
    sampling = _sampling(described)
    check_ends(described)
    for values in described.first():
        sampling.enqueue_trial(dict(values))
    tuning = Tuning(described, [])
    while len(tuning.trials) < described.trials and not (tuning.trials and stop()):
        count = min(described.batch, described.trials - len(tuning.trials))
        asked = [sampling.ask() for _ in range(count)]
        for one, trial in zip(asked, _run_batch(described, asked, study), strict=True):
            tuning.trials.append(trial)
            _tell(sampling, one, trial, described)
        tuning.notes = study.store.notes()
        _check_names(tuning)
        watch(tuning)
    _check_objectives(tuning)
    return tuning


def _check_names(tuning: Tuning) -> None:
    """Raises `WordlineError` where no trial so far had all objectives: one may be a name that there isn't."""
    if all(trial.lacks for trial in tuning.trials):
        raise WordlineError(f"{tuning.trials[0].error}: {file.ALLOWED}")


def _check_objectives(tuning: Tuning) -> None:
    """Raises `WordlineError` for an entry of a map that no run has: it may be a name that there isn't."""
    values = [trial.objectives for trial in tuning.trials if trial.objectives is not None]
    for name in tuning.described.objectives:
        if values and sparse.is_entry(name) and not any(found[name] for found in values):
            raise WordlineError(f"objectives.{name}: {file.NO_RUN}")


def _sampling(described: file.TuneFile) -> Any:
    try:
        import optuna
    except ImportError:
        raise WordlineError("a search needs optuna: pip install 'wordline[tune]'") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    samplers: dict[str, Callable[[], Any]] = {
        "tpe": lambda: optuna.samplers.TPESampler(seed=described.seed),
        "random": lambda: optuna.samplers.RandomSampler(seed=described.seed),
        "nsga2": lambda: optuna.samplers.NSGAIISampler(
            seed=described.seed, population_size=max(described.batch, 8)
        ),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        sampler = samplers[described.sampler]()
    return optuna.create_study(directions=list(described.objectives.values()), sampler=sampler)


def _suggest(trial: Any, name: str, space: Any) -> Any:
    if isinstance(space, list):
        return trial.suggest_categorical(name, space)
    low, high, log, step = space["low"], space["high"], bool(space.get("log", False)), space.get("step")
    if isinstance(low, int) and isinstance(high, int):
        return trial.suggest_int(name, low, high, step=step or 1, log=log)
    return trial.suggest_float(name, low, high, step=step, log=log)


def ends(space: Any) -> list[Any]:
    """The values of a parameter between which all others lie; all where it is a list."""
    return list(space) if isinstance(space, list) else [space["low"], space["high"]]


def first_ends(described: file.TuneFile) -> dict[str, Any]:
    """Each parameter at the first end of its range."""
    return {name: ends(space)[0] for name, space in described.search.items()}


def check_ends(described: file.TuneFile) -> list[tuple[Point, Inputs]]:
    """Refuses a search of which no end of a parameter can be run, before anything is. Returns the runs at the
    ends that can, each once.
    """
    first = first_ends(described)
    valid: dict[str, tuple[Point, Inputs]] = {}
    for name, space in described.search.items():
        errors = []
        for value in ends(space):
            points = described.points({**first, name: value})
            try:
                found = validate(points)
            except WordlineError as error:
                errors.append(str(error))
            else:
                valid |= {one.key: (point, one) for point, one in zip(points, found, strict=True)}
        if len(errors) == len(ends(space)):
            raise WordlineError(f"search.{name}: {errors[0]}")
    return list(valid.values())


def _run_batch(described: file.TuneFile, asked: list[Any], study: Study) -> list[Trial]:
    chosen = [
        {name: _suggest(trial, name, space) for name, space in described.search.items()} for trial in asked
    ]
    groups = (functools.partial(described.points, values) for values in chosen)
    # Some combinations of values that are fine alone can't be built: the sampler learns that.
    found = study.run_groups(groups, described.columns())
    return [
        _trial(described, trial.number, values, rows)
        for trial, values, rows in zip(asked, chosen, found, strict=True)
    ]


def _trial(
    described: file.TuneFile,
    number: int,
    values: dict[str, Any],
    rows: list[Row] | WordlineError,
) -> Trial:
    if isinstance(rows, WordlineError):
        return Trial(number, values, None, str(rows))
    error = next((str(row["error"]) for row in rows if "error" in row), None)
    if error is not None:
        return Trial(number, values, None, error)
    lacking = described.lacking(rows)
    if lacking is not None:
        return Trial(number, values, None, lacking, lacks=True)
    said = [notes.of_row(row) for row in rows]
    return Trial(number, values, described.figures(rows), halves=described.halves(rows), notes=said)


def _tell(sampling: Any, asked: Any, trial: Trial, described: file.TuneFile) -> None:
    import optuna

    if trial.objectives is None:
        sampling.tell(asked, state=optuna.trial.TrialState.FAIL)
    else:
        sampling.tell(asked, [trial.objectives[name] for name in described.objectives])


def _described(data: Mapping[str, Any]) -> dict[str, str]:
    """What a description names beside its search, as text; settings each by its path."""
    named = [name for name in ("device", "scheme", "workload", "trace", "seeds", "sampler") if name in data]
    settings = {f"set {path}": str(value) for path, value in data.get("set", {}).items()}
    return {name: str(data[name]) for name in named} | settings


def _write(tuning: Tuning, folder: Path) -> None:
    import pyarrow.parquet

    told = {
        "name": tuning.described.name,
        "objectives": tuning.described.objectives,
        "search": tuning.described.search,
        "of": _described(tuning.described.data),
        "best": [trial.number for trial in tuning.best()],
        "notes": [note.to_dict() for note in tuning.said()],
    }
    with replaced(folder) as stage:
        write_text(stage / DESCRIBED, json.dumps(told, indent=1) + "\n")
        with written(stage / TABLE) as part:
            pyarrow.parquet.write_table(tuning.table(), part)
