"""The commands of `wordline`, a module for each group. What they need loads where it is used."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from wordline._core import WordlineError, __version__
from wordline.cli import (
    calibrate,
    common,
    compare,
    manual,
    mqsim,
    report,
    repro,
    running,
    show,
    sweep,
    trace,
    tune,
    twin,
)
from wordline.files import reason

app = typer.Typer(
    help="Simulates flash SSDs and their translation layers.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    # Help as plain text: what would color it takes longer to load than all else.
    rich_markup_mode=None,
)

MISTAKE = 2
INTERRUPTED = 130
CLOSED = 141
"""As a program that SIGPIPE ended."""


def execute(arguments: list[str]) -> int:
    """Runs one command line and returns the exit code. A mistake is one line on stderr."""
    common.given[:] = arguments
    if os.environ.get(manual.COMPLETE):
        # Makes the shells known to what answers below.
        from typer.completion import get_completion_inspect_parameters

        get_completion_inspect_parameters()
    try:
        code = app(arguments, prog_name="wordline", standalone_mode=False)
    except WordlineError as error:
        return _fail(str(error))
    except typer.TyperException as error:
        return _fail(error.format_message())
    except BrokenPipeError:
        # Whoever read the output wants no more of it. What is left must not fail at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED
    except OSError as error:
        return _fail(f"{error.filename or 'output'}: {reason(error)}")
    if code == INTERRUPTED:
        print("wordline: interrupted", file=sys.stderr)
    return code if isinstance(code, int) else 0


def _fail(message: str) -> int:
    """Tells a mistake in a line, or several in a line each."""
    for line in message.splitlines():
        if line.strip():
            print(f"wordline: {' '.join(line.split())}", file=sys.stderr)
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


running.register(app)
compare.register(app)
sweep.register(app)
repro.register(app)
report.register(app)
tune.register(app)
calibrate.register(app)
mqsim.register(app)
twin.register(trace.app)
manual.register(app)
app.add_typer(show.app, name="show")
app.add_typer(trace.app, name="trace")
