"""The commands of `wordline`. Libraries for tables and files load where they are used, for a quick start."""

from __future__ import annotations

import json
import math
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wordline import __version__, simulation
from wordline._core import WordlineError
from wordline.console import JsonOption, SetOption, SkipOption, TransformOption, transform_pairs
from wordline.console import override_pairs as _overrides
from wordline.console import print_wide as _print
from wordline.console import progress_bar as _progress
from wordline.presets import Kind, load, names, replay
from wordline.trace_cli import trace_app

if TYPE_CHECKING:
    from wordline.result import Result

app = typer.Typer(
    help="Simulates flash SSDs and their translation layers.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
show_app = typer.Typer(help="Lists presets, or prints one with its defaults filled in.", no_args_is_help=True)
app.add_typer(show_app, name="show")
app.add_typer(trace_app, name="trace")

MISTAKE = 2
INTERRUPTED = 130


def execute(arguments: list[str]) -> int:
    """Runs one command line and returns the exit code. A mistake is one line on stderr."""
    try:
        code = app(arguments, prog_name="wordline", standalone_mode=False)
    except WordlineError as error:
        return _fail(str(error))
    except typer.TyperException as error:
        return _fail(error.format_message())
    except OSError as error:
        return _fail(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    if code == INTERRUPTED:
        print("wordline: interrupted", file=sys.stderr)
    return code if isinstance(code, int) else 0


def _fail(message: str) -> int:
    if message:
        print(f"wordline: {' '.join(message.split())}", file=sys.stderr)
    return MISTAKE


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"wordline {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None: ...


@app.command()
def run(
    device: Annotated[str, typer.Option("--device", "-d", help="A preset or a TOML file.")] = "mqsim",
    scheme: Annotated[str, typer.Option("--scheme", "-s", help="A preset or a TOML file.")] = "baseline",
    workload: Annotated[
        str | None,
        typer.Option("--workload", "-w", help="A preset or a TOML file. [default: randread-4k-qd16]"),
    ] = None,
    trace: Annotated[
        str | None,
        typer.Option("--trace", metavar="FILE", help="Replay this trace, at its own times."),
    ] = None,
    transform: TransformOption = None,
    skip_bad_lines: SkipOption = False,
    overrides: SetOption = None,
    seed: Annotated[int, typer.Option(help="Seed of everything random.", min=0)] = 1,
    seeds: Annotated[
        str | None,
        typer.Option(
            "--seeds",
            metavar="N|LIST",
            help="N seeds, from --seed on, or a list such as 3,5,7: means with 95% confidence intervals.",
        ),
    ] = None,
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
        int | None, typer.Option("--stop-after", metavar="N", help="Requests before the run stops.", min=1)
    ] = None,
    load_state: Annotated[
        Path | None,
        typer.Option(
            "--load-state",
            metavar="FILE",
            help="Go on with a saved run, or begin on a prepared drive.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Simulate one workload on one drive."""
    if trace is not None and workload is not None:
        raise WordlineError("--trace and --workload exclude each other")
    descriptions = (
        load("device", device),
        load("scheme", scheme),
        replay(trace) if trace is not None else load("workload", workload or "randread-4k-qd16"),
    )
    pairs = transform_pairs(transform) + _overrides(overrides, skip_bad_lines)

    def simulate(seed: int, progress: simulation.Progress | None) -> Result:
        return simulation.simulate(
            *descriptions, overrides=pairs, seed=seed, checked=checked, progress=progress
        )

    if seeds is not None:
        if save_state is not None or load_state is not None:
            raise WordlineError("--seeds and --save-state or --load-state exclude each other")
        _run_seeds(simulate, _seed_list(seeds, seed), jobs, out, as_json)
        return
    with _progress() as progress:
        result = simulation.simulate_part(
            *descriptions,
            overrides=pairs,
            seed=seed,
            checked=checked,
            progress=progress,
            load_state=load_state,
            save_state=save_state,
            stop_after=stop_after,
        )
    if result is None:
        stopped = {"stopped_after": stop_after, "state": str(save_state)}
        print(json.dumps(stopped) if as_json else f"stopped after {stop_after:,} requests: {save_state}")
        return
    written = result.save(out) if out is not None else []
    if as_json:
        print(result.json())
        return
    from wordline import report

    _print(report.render(result))
    _print_written(out, written)


@app.command()
def prepare(
    device: Annotated[str, typer.Argument(help="A preset or a TOML file.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Write the drive there.")],
    scheme: Annotated[str, typer.Option("--scheme", "-s", help="A preset or a TOML file.")] = "baseline",
    workload: Annotated[
        str, typer.Option("--workload", "-w", help="A preset or a TOML file: its start counts.")
    ] = "randread-4k-qd16",
    overrides: SetOption = None,
    seed: Annotated[int, typer.Option(help="Seed of everything random.", min=0)] = 1,
    checked: Annotated[bool, typer.Option("--checked", help="For runs that are checked.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Prepare a drive once, for any number of runs with --load-state."""
    descriptions = (load("device", device), load("scheme", scheme), load("workload", workload))
    with _progress() as progress:
        drive = simulation.prepare_drive(
            *descriptions, overrides=_overrides(overrides), seed=seed, checked=checked, progress=progress
        )
    drive.save(out)
    size = out.stat().st_size
    print(json.dumps({"state": str(out), "bytes": size}) if as_json else f"{size:,} bytes written to {out}")


def _print_written(out: Path | None, written: list[Path]) -> None:
    if written:
        print(f"\nWritten to {out}: {', '.join(path.name for path in written)}")


def _seed_list(text: str, first: int) -> list[int]:
    """`N` for as many seeds from the first on, or `3,5,7`."""
    from wordline.seeds import seed_list

    numbers = [number.strip() for number in text.removesuffix(",").split(",")]
    if not all(number.isdecimal() for number in numbers):
        raise WordlineError(f"--seeds {text}: allowed: a number of seeds, or a list such as 3,5,7")
    if "," in text:
        return seed_list([int(number) for number in numbers])
    return seed_list(range(first, first + int(text)))


def _run_seeds(
    simulate: Callable[[int, simulation.Progress | None], Result],
    seeds: list[int],
    jobs: int | None,
    out: Path | None,
    as_json: bool,
) -> None:
    from wordline.seeds import side_by_side

    with _progress() as progress:
        results = side_by_side(simulate, seeds, jobs, progress)
    written = results.save(out) if out is not None else []
    if as_json:
        print(json.dumps(results.to_dict()))
        return
    from wordline import report

    _print(report.render_seeds(results))
    _print_written(out, written)


@show_app.command("devices")
def show_devices(as_json: JsonOption = False) -> None:
    """List the drives."""
    rows = []
    for name in names("device"):
        device = tomllib.loads(simulation.resolve("device", name))
        geometry = device["geometry"]
        pages = math.prod(geometry[key] for key in ("channels", "ways", "dies", "planes", "blocks", "pages"))
        rows.append(
            {
                "name": name,
                "cell": device["cell"]["technology"],
                "channels": geometry["channels"],
                "dies": math.prod(geometry[key] for key in ("channels", "ways", "dies")),
                "planes": geometry["planes"],
                "page_bytes": geometry["page_bytes"],
                "raw_bytes": pages * geometry["page_bytes"],
                "description": device["description"],
            }
        )
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for header in ("name", "cell"):
        table.add_column(header, no_wrap=True)
    for header in ("channels", "dies", "planes", "page", "raw GiB"):
        table.add_column(header, justify="right", no_wrap=True)
    table.add_column("description")
    for row in rows:
        table.add_row(
            row["name"],
            row["cell"].upper(),
            *(str(row[key]) for key in ("channels", "dies", "planes")),
            f"{row['page_bytes'] // 1024} KiB",
            f"{row['raw_bytes'] / 2**30:,.0f}",
            row["description"],
        )
    _print(table)


@show_app.command("schemes")
def show_schemes(as_json: JsonOption = False) -> None:
    """List the schemes."""
    _list("scheme", as_json)


@show_app.command("workloads")
def show_workloads(as_json: JsonOption = False) -> None:
    """List the workloads."""
    _list("workload", as_json)


@show_app.command("combinations")
def show_combinations(as_json: JsonOption = False) -> None:
    """Show which parts of a scheme go together."""
    from wordline import combinations

    if as_json:
        print(json.dumps(combinations.rows(), indent=2))
    else:
        _print(combinations.table())


def _list(kind: Kind, as_json: bool) -> None:
    rows = []
    for name in names(kind):
        resolved = tomllib.loads(simulation.resolve(kind, name))
        rows.append({"name": name, "description": resolved.get("description", "")})
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("name", no_wrap=True)
    table.add_column("description")
    for row in rows:
        table.add_row(row["name"], row["description"])
    _print(table)


NameArgument = Annotated[str, typer.Argument(help="A preset or a TOML file.")]


@show_app.command("device")
def show_device(name: NameArgument, overrides: SetOption = None, as_json: JsonOption = False) -> None:
    """Print a drive, defaults filled in, as TOML."""
    _show("device", name, overrides, as_json)


@show_app.command("scheme")
def show_scheme(
    name: NameArgument,
    device: Annotated[
        str | None, typer.Option("--device", "-d", help="Show the scheme with the defaults of this drive.")
    ] = None,
    overrides: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print a scheme, defaults filled in, as TOML."""
    _show("scheme", name, overrides, as_json, device)


@show_app.command("workload")
def show_workload(name: NameArgument, overrides: SetOption = None, as_json: JsonOption = False) -> None:
    """Print a workload, defaults filled in, as TOML."""
    _show("workload", name, overrides, as_json)


def _show(
    kind: Kind, name: str, overrides: list[str] | None, as_json: bool, device: str | None = None
) -> None:
    text = simulation.resolve_text(kind, name, _overrides(overrides), device)
    print(json.dumps(tomllib.loads(text), indent=2) if as_json else text.rstrip())
