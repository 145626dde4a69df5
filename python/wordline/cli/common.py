"""What the commands share: options, overrides, the progress bar, printing."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from wordline import simulation
from wordline._core import WordlineError
from wordline.presets import toml_string

if TYPE_CHECKING:
    from rich.console import RenderableType

SchemeOption = Annotated[
    str,
    typer.Option("--scheme", "-s", help="A preset, a TOML file, KEY=VALUE, or several of these joined by +."),
]
SkipOption = Annotated[
    bool,
    typer.Option("--skip-bad-lines", help="Count the bad lines of a trace and go on, instead of stopping."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout and nothing else.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="PATH=VALUE", help="Override a key, such as device.geometry.blocks=64. Repeatable."
    ),
]
TransformOption = Annotated[
    list[str] | None,
    typer.Option(
        "--transform",
        "-t",
        metavar="'KIND KEY=VALUE …'",
        help="A step between trace and drive: 'slice_time to_ns=60000000000', 'filter ops=read,trim', "
        "'target_iops iops=5000', 'repeat times=3'. Repeatable; carried out in their order.",
    ),
]
NameArgument = Annotated[str, typer.Argument(help="A preset or a TOML file.")]


def override_pairs(texts: list[str] | None, skip_bad_lines: bool = False) -> list[tuple[str, str]]:
    """Overrides as the core takes them, from `PATH=VALUE` texts."""
    pairs = [("workload.source.skip_bad_lines", "true")] if skip_bad_lines else []
    for text in texts or []:
        path, equals, value = text.partition("=")
        if not equals or not path.strip():
            raise WordlineError(f"--set {text}: allowed: PATH=VALUE, such as device.geometry.blocks=64")
        pairs.append((path.strip(), value.strip()))
    return pairs


_LIST_KEYS = ("ops", "devices", "paths")


def transform_pairs(texts: list[str] | None) -> list[tuple[str, str]]:
    """The override that `--transform` stands for. Raises `WordlineError` where a key has no value."""
    if not texts:
        return []
    return [("workload.source.transform", f"[{', '.join(_step(text) for text in texts)}]")]


def _step(text: str) -> str:
    """One step as an inline table of TOML."""
    kind, *options = text.split() or [""]
    if not kind:
        raise WordlineError("--transform '': allowed: a kind, then KEY=VALUE, without blanks inside")
    fields = [f"kind = {toml_string(kind)}"]
    for option in options:
        key, equals, value = option.partition("=")
        if not equals or not key.isidentifier():
            raise WordlineError(f"--transform {text}: allowed: a kind, then KEY=VALUE, without blanks inside")
        if key in _LIST_KEYS:
            items = ", ".join(_scalar(item) for item in value.split(","))
            fields.append(f"{key} = [{items}]")
        else:
            fields.append(f"{key} = {_scalar(value)}")
    return f"{{ {', '.join(fields)} }}"


def _scalar(text: str) -> str:
    """A number as it is, anything else as a string."""
    try:
        float(text)
    except ValueError:
        return toml_string(text)
    return text


@contextlib.contextmanager
def progress_bar() -> Iterator[simulation.Progress | None]:
    """A progress bar on stderr when that is a terminal, else nothing."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("preparing the drive", total=None)

        answered = False

        def update(requests: int, total: int | None, simulated_ns: int) -> None:
            nonlocal answered
            text = f"{requests:,} requests, {simulated_ns / 1e9:.2f} s simulated"
            if answered and total is not None and requests >= total:
                text = f"until the drive is idle, {simulated_ns / 1e9:.2f} s simulated"
            answered = total is not None and requests >= total
            bar.update(task, completed=requests, total=total, description=text)

        yield update


def command_line() -> list[str]:
    """The words of this command, as its user would type them."""
    from wordline import cli

    return ["wordline", *cli.given]


def say(notes: Iterable[str]) -> None:
    """Notes on stderr, where they disturb no output."""
    for note in notes:
        print(f"wordline: note: {note}", file=sys.stderr)


def show(renderable: RenderableType) -> None:
    """Prints for a person, as wide as the terminal."""
    from rich.console import Console

    from wordline.report import TEXT_WIDTH

    Console(highlight=False, width=None if sys.stdout.isatty() else TEXT_WIDTH).print(renderable)
