"""`wordline run` and `wordline prepare`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wordline import outputs, reads, simulation
from wordline._core import WordlineError
from wordline.cli.common import (
    DeviceOption,
    DryRunOption,
    FirstSeedOption,
    FormatOption,
    JsonOption,
    SchemeOption,
    SeedOption,
    SeedsOption,
    SetOption,
    SkipOption,
    SourceOption,
    TransformOption,
    command_line,
    override_pairs,
    presets_of,
    refuse_without_trace,
    say,
    show,
    source_pairs,
    transform_pairs,
    writing_to,
)
from wordline.cli.job_files import EnvOption, FioOption, OfJobs, SectionOption
from wordline.cli.left import counted, in_words, say_what_is_left
from wordline.cli.progress import requests_bar
from wordline.folders import usable
from wordline.presets import DEFAULT_DEVICE, DEFAULT_WORKLOAD, Given, load_workload, replay
from wordline.result import NAMES_OF_SEEDS
from wordline.scenario import Scenario

if TYPE_CHECKING:
    from wordline.result import Result
    from wordline.simulation import HowPart, Ready


def run(
    device: DeviceOption = DEFAULT_DEVICE,
    scheme: SchemeOption = "baseline",
    workload: Annotated[
        str | None,
        typer.Option(
            "--workload",
            "-w",
            help=f"A preset, a TOML file, or a job file of fio (.fio). [default: {DEFAULT_WORKLOAD}]",
            autocompletion=presets_of("workload"),
        ),
    ] = None,
    section: SectionOption = None,
    env: EnvOption = None,
    fio: FioOption = None,
    trace: Annotated[
        str | None,
        typer.Option("--trace", metavar="FILE", help="Replay this trace, at its own times."),
    ] = None,
    format: FormatOption = None,
    options: SourceOption = None,
    transform: TransformOption = None,
    traces: Annotated[
        str | None,
        typer.Option(
            "--traces", metavar="DIR", help="Take the workload's real trace from there, if it is there."
        ),
    ] = None,
    skip_bad_lines: SkipOption = False,
    overrides: SetOption = None,
    seed: FirstSeedOption = None,
    seeds: SeedsOption = None,
    jobs: Annotated[
        int | None, typer.Option(help="Runs side by side. [default: one for each processor]", min=1)
    ] = None,
    checked: Annotated[
        bool, typer.Option("--checked", help="Verify every read, audit the map at the end.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Write result.json and Parquet tables there.")
    ] = None,
    save_state: Annotated[
        Path | None,
        typer.Option("--save-state", metavar="FILE", help="Where a run is written that stops."),
    ] = None,
    stop_after: Annotated[
        int | None,
        typer.Option(
            "--stop-after",
            metavar="N",
            help="Requests of the whole run, settling and warm-up included, before it stops.",
            min=1,
        ),
    ] = None,
    load_state: Annotated[
        Path | None,
        typer.Option(
            "--load-state",
            metavar="FILE",
            help="Go on with a saved run, or begin on a prepared drive.",
        ),
    ] = None,
    timeline: Annotated[
        Path | None, typer.Option("--timeline", metavar="FILE", help="Write a trace for the Perfetto viewer.")
    ] = None,
    window: Annotated[
        str | None, typer.Option("--window", metavar="FROM..TO", help="Of the timeline, such as 1s..1.2s.")
    ] = None,
    keep: Annotated[
        bool,
        typer.Option(
            "--keep/--no-keep",
            help="Keep a drive that had to be overwritten for its start, and begin on one that was kept.",
        ),
    ] = True,
    request_log: Annotated[
        Path | None,
        typer.Option("--request-log", metavar="FILE", help="Write a row for each request there, as Parquet."),
    ] = None,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Simulate one workload on one drive."""
    if trace is not None and workload is not None:
        raise WordlineError("--trace and --workload exclude each other")
    if trace is not None and traces is not None:
        raise WordlineError("--trace and --traces exclude each other: the latter is for twins among presets")
    of_jobs = OfJobs.given(section, env, fio)
    if trace is not None and of_jobs.first is not None:
        raise WordlineError(f"{of_jobs.first} is for a job file of fio, not for --trace")
    refuse_without_trace(trace is not None, format, options)
    scenario = Scenario(
        device,
        scheme,
        replay(trace) if trace is not None else _workload(workload or DEFAULT_WORKLOAD, traces, of_jobs),
        overrides=source_pairs(format, options)
        + transform_pairs(transform)
        + override_pairs(overrides, skip_bad_lines),
        seed=1 if seed is None else seed,
        checked=checked,
    )
    numbers = seeds_of(seeds, seed) or [1]
    if jobs is not None and seeds is None:
        raise WordlineError("--jobs: allowed: with --seeds")
    if out is not None:
        usable(out, reads.written_by(scenario) if seeds is None else NAMES_OF_SEEDS)
    if window is not None and timeline is None:
        raise WordlineError("--window is for --timeline FILE")
    if timeline is not None and (seeds is not None or stop_after is not None):
        raise WordlineError("--timeline and --seeds or --stop-after exclude each other")
    if request_log is not None and (seeds is not None or stop_after is not None):
        raise WordlineError("--request-log and --seeds or --stop-after exclude each other")
    if seeds is not None and (save_state is not None or load_state is not None):
        raise WordlineError("--seeds and --save-state or --load-state exclude each other")
    how: HowPart = {
        "load_state": load_state,
        "save_state": save_state,
        "stop_after": stop_after,
        "timeline": None if timeline is None else (timeline, window_ns(window)),
        "request_log": request_log,
    }
    unkept = {"--load-state": load_state, "--seeds": seeds, "--trace": trace, "--request-log": request_log}
    beside = next((option for option, given in unkept.items() if given is not None), None)
    if not keep and beside is not None:
        raise WordlineError(f"--no-keep and {beside} exclude each other: no drive is kept then")
    if dry_run:
        from wordline.study.point import Inputs, Point

        say(scenario.workload.notes)
        points = [Point(scenario.changed(seed=number)) for number in numbers]
        runs = [(point, Inputs.of(point.scenario)) for point in points]
        simulation.check(scenario, **how)
        say_what_is_left(runs, {}, as_json, on="threads", jobs=jobs)
        return
    if seeds is not None:
        with writing_to(out):
            _run_seeds(scenario, numbers, jobs, out, as_json)
        return
    from wordline import kept_drives

    with writing_to(out):
        with requests_bar() as progress:
            how["progress"] = progress
            ready = None
            if keep and beside is None:
                ready = kept_drives.ready(scenario, progress)

            def simulate_one(ready: Ready | None) -> Result | None:
                return simulation.simulate_part(scenario, ready=ready, **how)

            try:
                result = simulate_one(ready)
            except WordlineError as error:
                if ready is None or not kept_drives.is_broken(ready, error):
                    raise
                result = simulate_one(None)
        if result is None:
            stopped = {"stopped_after": stop_after, "state": str(save_state)}
            print(json.dumps(stopped) if as_json else f"stopped after {stop_after:,} requests: {save_state}")
            return
        if save_state is not None:
            say([f"the run ended before {stop_after:,} requests had entered the drive: no state was saved"])
        written = result.save(out, command_line()) if out is not None else []
    if as_json:
        print(result.json())
        return
    from wordline import report

    show(report.render(result))
    _print_written(out, written)


def _workload(name: str, traces: str | None, of_jobs: OfJobs) -> Given:
    """The workload that is named; of a job file of fio the sections, with the variables and settings."""
    of_jobs.refuse_without_job([name])
    return of_jobs.read(name) if of_jobs.first else load_workload(name, traces)


def prepare(
    device: Annotated[
        str, typer.Argument(help="A preset or a TOML file.", autocompletion=presets_of("device"))
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Write the drive there.")],
    scheme: SchemeOption = "baseline",
    workload: Annotated[
        str, typer.Option("--workload", "-w", help="A preset or a TOML file: its start counts.")
    ] = DEFAULT_WORKLOAD,
    overrides: SetOption = None,
    seed: SeedOption = 1,
    checked: Annotated[bool, typer.Option("--checked", help="For runs that are checked.")] = False,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Prepare a drive once, for any number of runs with --load-state."""
    scenario = Scenario(
        device, scheme, workload, overrides=override_pairs(overrides), seed=seed, checked=checked
    )
    say(scenario.workload.notes)
    if dry_run:
        from wordline.study.point import Inputs

        outputs.check("--out", out, outputs.STATE, reads.of_scenario(scenario))
        simulation.check_prepare(scenario)
        inputs = [Inputs.of(scenario)]
        facts = counted(inputs, inputs)
        print(json.dumps(facts) if as_json else in_words(facts))
        return
    with outputs.output("--out", out, outputs.STATE, reads.of_scenario(scenario)):
        with requests_bar() as progress:
            drive = simulation.prepare_drive(scenario, progress)
        drive.save(out)
    size = out.stat().st_size
    print(json.dumps({"state": str(out), "bytes": size}) if as_json else f"{size:,} bytes written to {out}")


_UNITS_NS = {"ns": 1, "us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}


def window_ns(text: str | None) -> tuple[int, int]:
    """`1s..1.2s` in ns; an end that is left out is the run's."""
    if text is None:
        return simulation.ALL_TIME
    first, dots, last = text.partition("..")
    begin = _time_ns(text, first) if first.strip() else 0
    end = _time_ns(text, last) if last.strip() else simulation.ALL_TIME[1]
    if not dots or begin >= end:
        raise WordlineError(f"--window {text}: {_WINDOW}")
    return begin, end


_WINDOW = "allowed: FROM..TO with the units ns, us, ms or s, such as 1s..1.2s"


def _time_ns(whole: str, text: str) -> int:
    from decimal import Decimal, InvalidOperation

    bare = text.strip()
    unit = next((unit for unit in _UNITS_NS if bare.endswith(unit)), None)
    try:
        time = Decimal(bare.removesuffix(unit or "")) * _UNITS_NS[unit or ""]
    except (InvalidOperation, KeyError):
        raise WordlineError(f"--window {whole}: {_WINDOW}") from None
    if not 0 <= time < 2**63:
        raise WordlineError(f"--window {whole}: {_WINDOW}")
    return int(time)


def _print_written(out: Path | None, written: list[Path]) -> None:
    if written:
        print(f"\nWritten to {out}: {', '.join(path.name for path in written)}")


MOST_DIGITS = 20
"""Of a seed."""


def seeds_of(seeds: str | None, seed: int | None, first: int = 1) -> list[int] | None:
    """The seeds that `--seeds` and `--seed` name together, from `first` on where only their number is given;
    `None` where neither is.
    """
    if seeds is None:
        return None if seed is None else [seed]
    if seed is not None and "," in seeds:
        raise WordlineError(f"--seed {seed}: allowed: beside --seeds N, and not beside a list of seeds")
    return seed_numbers(seeds, first if seed is None else seed)


def seed_numbers(text: str, first: int) -> list[int]:
    """`N` for as many seeds from the first on, or `3,5,7`."""
    from wordline.seeds import MOST_SEEDS, seed_list

    words = [number.strip() for number in text.removesuffix(",").split(",")]
    allowed = f"allowed: a number of seeds from 1 to {MOST_SEEDS:,}, or a list such as 3,5,7"
    if not all(word.isdecimal() and len(word) <= MOST_DIGITS for word in words):
        raise WordlineError(f"--seeds {text}: {allowed}")
    numbers = [int(word) for word in words]
    if "," in text:
        return seed_list(numbers)
    if not 1 <= numbers[0] <= MOST_SEEDS:
        raise WordlineError(f"--seeds {text}: {allowed}")
    return seed_list(range(first, first + numbers[0]))


def _run_seeds(
    scenario: Scenario, seeds: list[int], jobs: int | None, out: Path | None, as_json: bool
) -> None:
    from wordline.seeds import side_by_side

    with requests_bar() as progress:
        results = side_by_side(scenario, seeds, jobs, progress)
    written = results.save(out, command_line()) if out is not None else []
    if as_json:
        print(json.dumps(results.to_dict()))
        return
    from wordline import report

    show(report.render_seeds(results))
    _print_written(out, written)


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command()(run)
    app.command(short_help="Prepare a drive once, for any number of runs.")(prepare)
