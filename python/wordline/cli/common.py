"""What the commands share: options, overrides, the progress bar, printing."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from wordline import simulation
from wordline._core import WordlineError

if TYPE_CHECKING:
    from rich.console import RenderableType

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

        def update(requests: int, total: int | None, simulated_ns: int) -> None:
            text = f"{requests:,} requests, {simulated_ns / 1e9:.2f} s simulated"
            bar.update(task, completed=requests, total=total, description=text)

        yield update


def show(renderable: RenderableType) -> None:
    """Prints for a person, as wide as the terminal."""
    from rich.console import Console

    from wordline.report import TEXT_WIDTH

    Console(highlight=False, width=None if sys.stdout.isatty() else TEXT_WIDTH).print(renderable)
