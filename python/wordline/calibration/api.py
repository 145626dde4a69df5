"""A calibration from Python, and the files that it leaves."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordline._core import WordlineError, __version__
from wordline.calibration import compare, measured, pictures, reach, space
from wordline.calibration.compare import Line, Summary
from wordline.calibration.fit import Fit, Value, Watch, fit
from wordline.calibration.preset import preset
from wordline.calibration.problem import OBJECTIVE, Problem, Runner
from wordline.calibration.protocol import Protocol
from wordline.calibration.verdict import Verdict, judge
from wordline.files import write_text
from wordline.folders import replaced, usable
from wordline.presets import Given
from wordline.scenario import Overrides, Scenario, scenario_of
from wordline.study.point import Inputs
from wordline.study.runs import open_study, validate
from wordline.study.store import Store
from wordline.tuning.file import SAMPLERS

REQUESTS = 100_000
"""Of the probe at each point and choice of values: ten seconds of the measurement's."""

BUDGET = 100

LONGER = 4
"""The fitted drive is run so many times as long as a trial: its percentiles are those of the tables."""

HOLD_OUT = 0.5

PATHS = ("device", "scheme")


@dataclass(frozen=True)
class Calibration:
    """A drive that was fitted, and which description of it is kept."""

    problem: Problem
    fit: Fit
    lines: list[Line]
    """Measured and simulated figures of all points of load."""
    folder: Path
    verdict: Verdict
    """Whether the preset has the fitted values."""

    @property
    def values(self) -> list[Value]:
        """What was free, in the order in which it was named."""
        return self.fit.values

    @property
    def summaries(self) -> list[Summary]:
        """Errors by figure."""
        return compare.summaries(self.lines)

    @property
    def preset(self) -> Path:
        """The description that is kept."""
        return self.folder / _preset_name(self.problem)


PAGE = "calibration.html"

TABLES = ("comparison.csv", "values.csv", "profile.csv", "trials.csv")


def _preset_name(problem: Problem) -> str:
    # A name in a table may hold anything.
    return f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', problem.measured.name)}.toml"


def calibrate(
    device: Given | Scenario,
    measurement: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    free: Sequence[str],
    drive: str | None = None,
    scheme: Given | None = None,
    overrides: Overrides | None = None,
    hold_out: float = HOLD_OUT,
    budget: int = BUDGET,
    requests: int = REQUESTS,
    sampler: str = "tpe",
    seed: int | None = None,
    protocol: Protocol | None = None,
    on: str = "threads",
    jobs: int | None = None,
    batch: int = 4,
    retry: bool = False,
    watch: Watch | None = None,
) -> Calibration:
    """Fits values of a device to a measurement and writes preset, tables and pictures to `folder`.

    The preset has the fitted values only if they are nearer to the points of load that were held out than the
    description is: `verdict` of what is returned says so.

    Device, scheme, overrides and seed are given as to `wordline.run`; the workload is that of the
    measurement. `free` names what may change, as `PATH=LOW..HIGH` or `PATH=A,B`. Rows are kept in `folder`:
    the same call goes on where it was, and gives the same result on any machine; with `retry` runs that
    failed are run again. Raises `WordlineError` for what can't be a measurement, a range or a drive.
    """
    problem = describe(
        scenario_of(device, scheme, overrides=overrides, seed=seed), measurement, free=free, drive=drive,
        hold_out=hold_out, requests=requests, protocol=protocol or Protocol(),
    )  # fmt: skip
    if sampler not in SAMPLERS:
        raise WordlineError(f"sampler = {sampler!r}: allowed: {', '.join(SAMPLERS)}")
    usable(folder, (*TABLES, PAGE, _preset_name(problem)))
    store = Store(folder)
    with open_study(store, on=on, jobs=jobs, retry=retry) as study:
        runner = Runner(problem, study)
        found = fit(problem, runner, budget, sampler, batch, watch)
        figures = runner.figures(found.best.values, LONGER * requests)
        before = runner.described(LONGER * requests)
    lines = compare.lines(problem.measured.points, problem.fitted, figures, before)
    verdict = judge(problem, figures, before, LONGER * requests)
    made = Calibration(problem, found, lines, store.folder, verdict)
    _write(made, figures if verdict.kept == "fitted" or before is None else before)
    return made


def describe(
    scenario: Scenario,
    measurement: str | os.PathLike[str],
    *,
    free: Sequence[str],
    drive: str | None,
    hold_out: float,
    requests: int,
    protocol: Protocol,
) -> Problem:
    """The fit, checked: whatever can be refused before the first run is."""
    if not 0.0 <= hold_out < 1.0:
        raise WordlineError(f"--hold-out {hold_out:g}: allowed: a share from 0 on, below 1")
    if requests < 1000:
        raise WordlineError(f"--requests {requests}: allowed: 1,000 or more")
    for path, _ in scenario.overrides:
        if path.split(".")[0] not in PATHS:
            raise WordlineError(f"--set {path}: allowed: paths that begin with device. or scheme.")
    found = measured.read(Path(measurement), drive, protocol)
    held = measured.held_out(found.points, hold_out)
    problem = Problem(
        scenario=scenario,
        measured=found,
        fitted=[not one for one in held],
        free=[],
        requests=requests,
    )
    (inputs,) = validate(problem.points({}, found.points[:1]))
    whole = Problem(**{**problem.__dict__, "free": space.parse(free, inputs.config)})
    _check_paths(whole)
    reach.check(whole)
    return whole


def _check_paths(problem: Problem) -> None:
    """Refuses a path that no description has, with the engine's own words, which name the nearest."""
    for one in problem.free:
        errors = []
        for value in one.choices or (one.value(0.0), one.value(1.0)):
            try:
                (point,) = problem.points({one.path: value}, problem.measured.points[:1])
                Inputs.of(point.scenario, whole_drive=False)
            except WordlineError as error:
                errors.append(str(error))
        if len(errors) == len(one.choices or (0, 1)):
            raise WordlineError(f"--free {one.path}: {errors[0]}")


def _write(made: Calibration, figures: Sequence[dict[str, Any]]) -> None:
    problem, points = made.problem, made.problem.measured.points
    about, kept = _about(made), made.values if made.verdict.kept == "fitted" else []
    text = preset(problem.scenario.device.text, kept, problem.scenario.overrides, problem.measured, about)
    subtitle = (
        f"{problem.scenario.device.label}, fitted to {problem.measured.source}, Wordline {__version__}. "
        f"Kept, and shown as simulated: {made.verdict.text(problem.scenario.device.label)}"
    )
    page = pictures.write_page(problem.measured.name, subtitle, points, problem.fitted, figures)
    written = {
        "comparison.csv": compare.table_text(made.lines),
        "values.csv": _values_text(made.values),
        "profile.csv": _profile_text(made.values),
        "trials.csv": _trials_text(made),
        made.preset.name: text,
        PAGE: page,
    }
    with replaced(made.folder) as stage:
        for name, content in written.items():
            write_text(stage / name, content)


def _about(made: Calibration) -> str:
    problem = made.problem
    seen = [point.name for point in problem.seen()]
    held = [point.name for point, own in zip(problem.measured.points, problem.fitted, strict=True) if not own]
    own = "with values fitted" if made.verdict.kept == "fitted" else "as it is described, held against a fit"
    return (
        f"{problem.measured.name}: {problem.scenario.device.label} {own} to {problem.measured.source} by "
        f"`wordline calibrate` {__version__}.\n"
        f"Kept: {made.verdict.text(problem.scenario.device.label)}.\n"
        f"Points of load that the fit saw: {', '.join(seen)}; held out: {', '.join(held) or 'none'}.\n"
        f"{made.fit.count} choices of values, {problem.requests:,} requests of the probe each.\n"
    )


def _csv(headers: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(headers)
    writer.writerows(rows)
    return out.getvalue()


def _values_text(values: Sequence[Value]) -> str:
    headers = ("path", "value", "interval_low", "interval_high", "state", "range_low", "range_high", "before")
    rows = [
        (
            one.free.path,
            one.free.setting(one.value),
            "" if one.low is None else f"{one.low:.6g}",
            "" if one.high is None else f"{one.high:.6g}",
            one.state,
            "" if one.free.choices else f"{one.free.low:g}",
            "" if one.free.choices else f"{one.free.high:g}",
            "" if one.free.base is None else one.free.base,
        )
        for one in values
    ]
    return _csv(headers, rows)


def _profile_text(values: Sequence[Value]) -> str:
    rows = [
        (one.free.path, f"{value:.6g}", f"{objective:.6g}")
        for one in values
        for value, objective in one.profile
    ]
    return _csv(("path", "value", OBJECTIVE), rows)


def _trials_text(made: Calibration) -> str:
    paths = [one.path for one in made.problem.free]
    rows = [[*(one.values[path] for path in paths), f"{one.objective:.6g}"] for one in made.fit.tried]
    return _csv([*paths, OBJECTIVE], rows)
