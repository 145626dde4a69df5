"""`wordline repro`: the exhibits of papers, run again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wordline._core import WordlineError
from wordline.cli.common import FAILURES, DryRunOption, JobsOption, JsonOption, OnOption, RetryOption
from wordline.cli.left import Time, counted, in_words, points_in_words, still_to_run
from wordline.cli.progress import exhibits_bar
from wordline.cli.running import seed_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wordline.repro.reproduction import Reproduction
    from wordline.repro.run import Plan


def repro(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="validation, a system, or all.")],
    exhibit: Annotated[
        list[str] | None, typer.Option("--exhibit", metavar="NAME", help="This one only. Repeatable.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Scale the work down to minutes.")] = False,
    traces: Annotated[
        Path | None, typer.Option("--traces", metavar="DIR", help="Where the papers' traces are.")
    ] = None,
    targets: Annotated[
        Path | None,
        typer.Option(
            "--targets", metavar="DIR", help="Folder of headline.csv: the numbers that papers print."
        ),
    ] = None,
    measured: Annotated[
        Path | None,
        typer.Option("--measured", metavar="DIR", help="Folder of what was measured on real drives."),
    ] = None,
    publish: Annotated[
        Path | None,
        typer.Option("--publish", metavar="DIR", help="Write a page of results for each paper to DIR, too."),
    ] = None,
    judge_only: Annotated[
        bool,
        typer.Option(
            "--judge-only", help="Run nothing: judge anew what --publish DIR has, by the rules as they are."
        ),
    ] = False,
    seeds: Annotated[
        str | None,
        typer.Option(
            "--seeds",
            metavar="N|LIST",
            help="Seeds 1 to N, or a list such as 3,5,7: numbers with 95% intervals.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Tables, figures, summary, rows. [default: repro]"),
    ] = None,
    on: OnOption = "threads",
    jobs: JobsOption = None,
    retry: RetryOption = False,
    dry_run: DryRunOption = False,
    only_list: Annotated[bool, typer.Option("--list", help="List the exhibits and run nothing.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Run the exhibits of a paper: a CSV and a figure each, and every printed number with ours beside it.

    What is finished in DIR is not run again, so a run that was killed goes on where it was.
    """
    from wordline.repro import run as reproduction

    placed = out is not None or on != "threads"
    numbered = seeds is not None or jobs is not None
    chosen = bool(exhibit or quick or traces or targets or measured)
    of_run = chosen or placed or numbered or dry_run or retry
    if only_list:
        if of_run or judge_only or publish is not None:
            raise WordlineError("--list: allowed: without options of a run, --judge-only and --publish")
        _list(paper, as_json)
        return
    if judge_only:
        if of_run:
            raise WordlineError("--judge-only: allowed: beside --publish DIR, without options of a run")
        _judge(paper, publish, as_json)
        return
    folder = Path("repro") if out is None else out

    def planned(plans: Sequence[Plan]) -> None:
        _say_planned(plans, folder, as_json, on=on, jobs=jobs, retry=retry)
        raise typer.Exit

    with exhibits_bar() as watch:
        found = reproduction.reproduce(
            paper,
            folder,
            names=exhibit or [],
            quick=quick,
            traces=traces,
            targets_folder=targets,
            measured_folder=measured,
            publish_to=publish,
            seeds=1 if seeds is None else seed_numbers(seeds, 1),
            on=on,
            jobs=jobs,
            retry=retry,
            watch=watch,
            planned=planned if dry_run else None,
        )
    _say(found, as_json)
    if any(shown.errors for shown in found.shown):
        raise typer.Exit(FAILURES)


def _judge(paper: str, publish: Path | None, as_json: bool) -> None:
    from wordline.repro.publish import judge_anew
    from wordline.repro.run import choose

    choose(paper, [], [])
    if publish is None:
        raise WordlineError("--judge-only: allowed: beside --publish DIR")
    _say(judge_anew(publish, paper), as_json, f"{paper}.md")


def _say_planned(
    plans: Sequence[Plan], out: Path, as_json: bool, *, on: str, jobs: int | None, retry: bool
) -> None:
    from wordline.study.store import Store

    status = Store(out).status() if out.is_dir() else {}
    runs = [run for plan in plans for run in zip(plan.points, plan.inputs, strict=True)]
    left = still_to_run(runs, status, retry)
    facts = counted([found for _, found in runs], [found for _, found in left])
    keys = {found.key for _, found in left}
    counts = [counted(plan.inputs, [found for found in plan.inputs if found.key in keys]) for plan in plans]
    if not as_json:
        for plan, found in zip(plans, counts, strict=True):
            said = plan.reason or points_in_words(found["points"], found["left"])
            print(f"{plan.exhibit.paper:12} {plan.exhibit.name:20} {said}")
        print(f"\n{in_words(facts)}")
    time = Time.of(left, on=on, jobs=jobs)
    time.say_what_fails()
    if as_json:
        rows = [
            {
                "paper": plan.exhibit.paper,
                "exhibit": plan.exhibit.name,
                "points": found["points"],
                "left": found["left"],
                "reason": plan.reason,
            }
            for plan, found in zip(plans, counts, strict=True)
        ]
        print(json.dumps({"exhibits": rows, **facts, **time.facts()}))
    elif facts["left"]:
        print(time.in_words())


def _list(paper: str, as_json: bool) -> None:
    from wordline.repro.run import choose

    found, _ = choose(paper, [], [])
    rows = [{"paper": one.paper, "exhibit": one.name, "title": one.title} for one in found]
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    for row in rows:
        print(f"{row['paper']:12} {row['exhibit']:20} {row['title']}")


def _say(found: Reproduction, as_json: bool, written: str = "summary.html, summary.md, numbers.csv") -> None:
    from wordline.repro import summary

    if as_json:
        numbers = [{**number.__dict__, "difference": number.difference} for number in found.numbers]
        print(json.dumps({"folder": str(found.folder), "quick": found.scale == "quick", "numbers": numbers}))
        return
    for shown in found.shown:
        exhibit = shown.exhibit
        numbers_ = [
            n
            for n in found.numbers
            if (n.paper, n.exhibit) == (exhibit.paper, exhibit.name) and not n.uncounted
        ]
        signs = "".join(summary.SIGNS[number.verdict] for number in numbers_)
        print(f"{exhibit.paper:12} {exhibit.name:20} {shown.reason or signs}")
        for error in shown.errors:
            print(f"  failed: {error}")
    scale = "quick; " if found.scale == "quick" else ""
    print(f"\n{scale}{summary.counted(found)}")
    print(f"Written to {found.folder}: {written}")


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(short_help="Run the exhibits of a paper, its numbers beside ours.")(repro)
