"""Runs exhibits one after the other, and writes what they came to. Points that are finished are not run
again.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wordline import _core
from wordline._core import WordlineError
from wordline.files import written
from wordline.repro import (
    columns,
    draw,
    grid,
    kept,
    many,
    numbers,
    publish,
    summary,
    table,
    targets,
    tournament,
)
from wordline.repro.exhibit import Exhibit, exhibits, papers
from wordline.repro.reproduction import Reproduction, Shown
from wordline.seeds import seed_list
from wordline.study.point import Inputs, Point
from wordline.study.runs import Outcome, Study, open_study, validate
from wordline.study.store import Store
from wordline.wording import argument

ALL = "all"

Watch = Callable[[str, Outcome], None]
"""Called with the exhibit that is run and what it has come to."""


@dataclass(frozen=True)
class Plan:
    """An exhibit that is to be run."""

    exhibit: Exhibit
    points: list[Point]
    inputs: list[Inputs]
    reason: str = ""
    """Why it can't be run; empty if it can."""


def choose(
    paper: str, names: Sequence[str], printed: Sequence[targets.Line]
) -> tuple[list[Exhibit], list[str]]:
    """The exhibits that are asked for, and the papers whose printed numbers count."""
    known = papers()
    systems = sorted({line["system"] for line in printed} - set(known))
    if paper not in (ALL, *known, *systems):
        raise WordlineError(f"no paper `{paper}`: known: {', '.join([*known, *systems, ALL])}")
    chosen = [*known, *systems] if paper == ALL else [paper]
    found = [exhibit for name in chosen if name in known for exhibit in exhibits(name)]
    if names:
        unknown = [name for name in names if name not in {exhibit.name for exhibit in found}]
        if unknown:
            allowed = ", ".join(exhibit.name for exhibit in found) or "none"
            wanted = argument("names", unknown[0], "--exhibit")
            raise WordlineError(f"{wanted}: {paper} has no such exhibit: allowed: {allowed}")
        return [exhibit for exhibit in found if exhibit.name in names], []
    return found, chosen


def reproduce(
    paper: str,
    folder: str | Path,
    *,
    names: Sequence[str] = (),
    quick: bool = False,
    traces: Path | None = None,
    targets_folder: Path | None = None,
    measured_folder: Path | None = None,
    publish_to: Path | None = None,
    seeds: int | Iterable[int] = 1,
    on: str = "threads",
    jobs: int | None = None,
    retry: bool = False,
    watch: Watch | None = None,
    planned: Callable[[Sequence[Plan]], None] | None = None,
) -> Reproduction:
    """Runs the exhibits of a paper, or of `all`, and writes tables, figures and a summary to `folder`.

    Everything is validated first. Rows are kept in `folder`, so that a run that was killed goes on where it
    was; and so is what was reproduced there before: the summary has it beside these exhibits. Returned are
    these. `seeds` is a list of them, or a number *n* for 1 to *n*. With `retry` points that failed are run
    again. `publish_to` gets a page for each paper of what `folder` then holds, all of it run in full.
    `planned` is told of all exhibits once they are validated, before the first is run.
    """
    if publish_to is not None and quick:
        raise WordlineError(
            f"{argument('publish_to', option='--publish')}: with {argument('quick')}: allowed: runs in full"
        )
    printed = targets.read(targets_folder)
    chosen, systems = choose(paper, names, printed)
    for exhibit in chosen:
        columns.check(exhibit)
    target = Path(folder)
    kept.check(target)
    if publish_to is not None:
        before = kept.with_earlier(Reproduction(target, [], [])).shown
        keys = [(exhibit.paper, exhibit.name) for exhibit in chosen]
        publish.check(publish_to, [*keys, *(shown.key for shown in before)])
    numbered = seed_list(seeds)
    plans = [_plan(exhibit, quick, traces, numbered, measured_folder) for exhibit in chosen]
    if planned is not None:
        planned(plans)
    found = Reproduction(target, [], [])
    with open_study(Store(target), on=on, jobs=jobs, retry=retry) as study:
        for plan in plans:
            lines = [line for line in printed if _is_about(line, plan.exhibit)]
            shown = _run(plan, study, watch, measured_folder)
            found_numbers = numbers.numbers(plan.exhibit, shown.lines, lines, measured_folder, quick=quick)
            shown.numbers = many.judged(found_numbers)
            shown.scale, shown.seeds = "quick" if quick else "full", len(numbered)
            shown.version, shown.build = _core.__version__, _core.__build__
            shown.digest = plan.exhibit.digest
            _draw(shown, target, quick)
            found.shown.append(shown)
            found.numbers += shown.numbers
            # After each, so that a run that is killed leaves a summary of what is there.
            _write(found)
    found.numbers += targets.without_exhibit(printed, found.numbers, systems)
    _write(found)
    if publish_to is not None:
        publish.publish(kept.with_earlier(found), publish_to)
    return found


def _is_about(line: targets.Line, exhibit: Exhibit) -> bool:
    return line["system"] == exhibit.paper and line["exhibit"] == exhibit.name


def _plan(
    exhibit: Exhibit, quick: bool, traces: Path | None, seeds: Sequence[int], drives: Path | None
) -> Plan:
    reason = exhibit.missing(traces, drives)
    if reason is not None:
        return Plan(exhibit, [], [], reason)
    points = exhibit.points(quick, traces, seeds, drives)
    try:
        return Plan(exhibit, points, validate(points))
    except WordlineError as error:
        raise WordlineError(f"exhibit {exhibit.paper}/{exhibit.name}: {error}") from None


def _run(plan: Plan, study: Study, watch: Watch | None, drives: Path | None) -> Shown:
    exhibit = plan.exhibit
    shown = Shown(exhibit, reason=plan.reason)
    if plan.reason:
        return shown
    told = None if watch is None else lambda outcome: watch(f"{exhibit.paper}/{exhibit.name}", outcome)
    study.run(plan.points, inputs=plan.inputs, watch=told)
    results = study.store.results(found.key for found in plan.inputs)
    rows = [results.get(found.key) for found in plan.inputs]
    shown.errors = list(
        dict.fromkeys(str(row["error"]) for row in rows if row is not None and "error" in row)
    )
    shown.lines = table.records(exhibit, plan.points, rows, drives)
    # Several lines of one run are drawn as they are.
    several = "parts" in exhibit.data
    shown.means = shown.lines if several else table.means(plan.points, rows, shown.lines)
    return shown


def _draw(shown: Shown, folder: Path, quick: bool) -> None:
    """Writes the table and the figure."""
    exhibit = shown.exhibit
    if shown.reason:
        return
    place = folder / exhibit.paper / exhibit.name
    place.parent.mkdir(parents=True, exist_ok=True)
    table.write_csv(place.with_suffix(".csv"), shown.lines, list(exhibit.columns))
    shown.files = [place.with_suffix(".csv")]
    if exhibit.figure is None or not shown.lines:
        return
    title = exhibit.title + (" (quick)" if quick else "")
    if exhibit.figure.get("kind") == grid.GRID:
        shown.files += grid.draw_grid(exhibit.figure, shown.means, title, place)
    elif exhibit.figure.get("kind") == draw.NUMBERS:
        shown.files += draw.draw_numbers(exhibit.figure, shown.numbers, title, place, exhibit.targets_are)
    else:
        shown.files += draw.draw(
            exhibit.figure, shown.means, title, place, shown.numbers, exhibit.targets_are
        )


NUMBER_COLUMNS = (
    "paper", "exhibit", "workload", "metric", "against", "unit", "target", "ours", "interval", "difference",
    "verdict", "uncounted", "mark", "workload_is", "scale", "note",
)  # fmt: skip


def _write(now: Reproduction) -> None:
    found = kept.with_earlier(now)
    path = found.folder / "numbers.csv"
    found.folder.mkdir(parents=True, exist_ok=True)
    with written(path) as part, part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(NUMBER_COLUMNS)
        for number in found.numbers:
            values = {
                **number.__dict__,
                "difference": number.difference,
                "scale": found.scale_of(number),
            }
            writer.writerow(["" if values[name] is None else values[name] for name in NUMBER_COLUMNS])
    summary.write(found)
    tournament.write(found)
    kept.write(found)
