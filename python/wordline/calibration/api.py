"""A calibration from Python, and the files that it leaves."""

from __future__ import annotations

import csv
import io
import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordline._core import WordlineError, __version__
from wordline.calibration import compare, pictures
from wordline.calibration.compare import Line, Summary
from wordline.calibration.extent import LONGER
from wordline.calibration.findings import Findings, findings, missed
from wordline.calibration.fit import Fit, Value, Watch
from wordline.calibration.plan import BUDGET, HOLD_OUT, MINUTES, describe
from wordline.calibration.preset import preset
from wordline.calibration.problem import OBJECTIVE, Problem, Runner
from wordline.calibration.protocol import Protocol
from wordline.calibration.settle import staged
from wordline.calibration.tables import rates_table, summary_table, values_table, ways_table
from wordline.calibration.verdict import Verdict, judge
from wordline.files import write_text
from wordline.folders import CALIBRATION, replaced, usable
from wordline.presets import Given
from wordline.scenario import Overrides, Scenario, scenario_of
from wordline.study.runs import open_study
from wordline.study.store import Store
from wordline.tuning.file import SAMPLERS


@dataclass(frozen=True)
class Calibration:
    """A drive that was fitted, and which description of it is kept."""

    problem: Problem
    fit: Fit
    """Of what rates left open."""
    values: list[Value]
    """What was free, in the order in which it was named."""
    lines: list[Line]
    """Measured and simulated figures of all points of load."""
    folder: Path
    verdict: Verdict
    """Whether the preset has the fitted values."""
    findings: Findings
    """Whether it converged, what isn't met, and what to do next."""

    @property
    def summaries(self) -> list[Summary]:
        """Errors by figure."""
        return compare.summaries(self.lines)

    @property
    def preset(self) -> Path:
        """The description that is kept."""
        return self.folder / _preset_name(self.problem)


PAGE = CALIBRATION

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
    also: Sequence[str | os.PathLike[str]] = (),
    drive: str | None = None,
    scheme: Given | None = None,
    overrides: Overrides | None = None,
    hold_out: float = HOLD_OUT,
    budget: int = BUDGET,
    requests: int | None = None,
    minutes: float = MINUTES,
    sampler: str = "tpe",
    seed: int | None = None,
    protocol: Protocol | None = None,
    on: str = "threads",
    jobs: int | None = None,
    batch: int = 4,
    retry: bool = False,
    watch: Watch | None = None,
    say: Callable[[Sequence[str]], None] | None = None,
) -> Calibration:
    """Fits values of a device to a measurement and writes preset, tables and pictures to `folder`.

    The preset has the fitted values only if they are better than the description at the points of load that
    were held out: `verdict` of what is returned says so.

    Device, scheme, overrides and seed are given as to `wordline.run`; the workload is that of the
    measurement: a table of points of load, results of fio, or traces that hold response times. `free`
    names what may change, as `PATH=LOW..HIGH` or `PATH=A,B`; `also` are tables of what else was measured.
    Rows are kept in `folder`: the same call goes on where it was, with the same result on any machine
    unless `minutes` ended it: then `findings` says so. Without `requests` so many are taken that two
    cores are done in that time. With `retry` runs that failed are run again. Raises `WordlineError` for
    what can't be a measurement, a range or a drive. `say` is told before the first run of what looks
    wrong in the measurement.
    """
    problem = describe(
        scenario_of(device, scheme, overrides=overrides, seed=seed), measurement, free=free, also=also,
        drive=drive, hold_out=hold_out, budget=budget, requests=requests, minutes=minutes,
        protocol=protocol or Protocol(),
    )  # fmt: skip
    if sampler not in SAMPLERS:
        raise WordlineError(f"sampler = {sampler!r}: allowed: {', '.join(SAMPLERS)}")
    usable(folder, (*TABLES, PAGE, _preset_name(problem)))
    if say is not None:
        say(problem.measured.doubts)
    store, begun, longer = Store(folder), time.monotonic(), LONGER * problem.requests
    with open_study(store, on=on, jobs=jobs, retry=retry) as study:
        rest, found, settled = staged(
            problem, study, budget, sampler, batch, watch, lambda: time.monotonic() - begun > 60 * minutes
        )
        values = {**dict(rest.settled_values), **(found.best.values if rest.free else {})}
        runner = Runner(problem, study)
        figures = runner.figures(values, longer)
        before = runner.described(longer)
    made = {one.free.path: one for one in (*found.values, *settled)}
    ordered = [made[one.path] for one in problem.free]
    lines = compare.lines(problem.measured.points, problem.fitted, figures, before)
    verdict = judge(problem, figures, before, longer)
    kept = figures if verdict.kept == "fitted" or before is None else before
    points = problem.measured.points
    misses = missed(lines, problem.sigmas_of(longer), kept, points, before=kept is before)
    said = findings(found, ordered, misses, verdict)
    whole = Calibration(problem, found, ordered, lines, store.folder, verdict, said)
    _write(whole, kept)
    return whole


def _write(made: Calibration, figures: Sequence[dict[str, Any]]) -> None:
    problem, points = made.problem, made.problem.measured.points
    about, kept = _about(made), made.values if made.verdict.kept == "fitted" else []
    text = preset(problem.scenario.device.text, kept, problem.scenario.overrides, problem.measured, about)
    device = problem.scenario.device.label
    subtitle = f"{device}, fitted to {problem.measured.source}, Wordline {__version__}"
    sentence = made.verdict.sentence(device)
    said = [f"{sentence[0].upper()}{sentence[1:]}.", *made.findings.lines]
    tables = (
        summary_table(made.summaries),
        values_table(made.values),
        rates_table(made.lines),
        ways_table(made.lines),
    )
    page = pictures.write_page(problem.measured.name, subtitle, said, tables, points, problem.fitted, figures)
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
    seen = [point.name for point in problem.seen() if point.timed]
    rates = "; ".join(point.name for point in problem.seen() if point.rate)
    held = [point.name for point, own in zip(problem.measured.points, problem.fitted, strict=True) if not own]
    own = "with values fitted" if made.verdict.kept == "fitted" else "as it is described, held against a fit"
    return (
        f"{problem.measured.name}: {problem.scenario.device.label} {own} to {problem.measured.source} by "
        f"`wordline calibrate` {__version__}.\n"
        f"Verdict: {made.verdict.sentence(problem.scenario.device.label)}.\n"
        f"Rates that were fitted first: {rates or 'none'}.\n"
        f"Points of load that the fit saw: {', '.join(seen)}; held out: {', '.join(held) or 'none'}.\n"
        f"{made.fit.count} choices of values, {problem.extent} each.\n"
    )


def _csv(headers: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(headers)
    writer.writerows(rows)
    return out.getvalue()


def _values_text(values: Sequence[Value]) -> str:
    headers = (
        "path",
        "value",
        "interval_low",
        "interval_high",
        "state",
        "range_low",
        "range_high",
        "before",
        "by",
    )
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
            "rates" if one.by_rates else "all",
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
    paths = list(made.fit.best.values)
    rows = [[*(one.values[path] for path in paths), f"{one.objective:.6g}"] for one in made.fit.tried]
    return _csv([*paths, OBJECTIVE], rows)
