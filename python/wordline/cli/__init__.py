"""The commands of `wordline`, a module for each group. What they need loads where it is used."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer

from wordline._core import WordlineError, __version__, nearest
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
    workload,
)
from wordline.files import check_text, reason
from wordline.streams import CLOSED, abandon, tell
from wordline.wording import of_command

app = typer.Typer(
    help="Simulates flash SSDs and their translation layers.",
    cls=common.Group,
    suggest_commands=False,
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    # Help as plain text: what would color it takes longer to load than all else.
    rich_markup_mode=None,
)

MISTAKE = 2
INTERRUPTED = 130


def execute(arguments: list[str]) -> int:
    """Runs one command line and returns the exit code. A mistake is one line on stderr."""
    common.begin(arguments)
    nothing = _named_nothing(arguments)
    if nothing is not None:
        return _fail(f"{nothing} '': allowed: a value (an empty variable of the shell?)")
    if os.environ.get(manual.COMPLETE):
        # Makes the shells known to what answers below.
        from typer.completion import get_completion_inspect_parameters

        get_completion_inspect_parameters()
    try:
        for argument in arguments:
            check_text(argument)
        with of_command():
            code = app(arguments, prog_name="wordline", standalone_mode=False)
    except WordlineError as error:
        return _fail(common.as_given(str(error)))
    except typer.TyperException as error:
        return _fail(_told(error))
    except SystemExit as ended:
        # So typer and rich tell that whoever read the output wants no more of it; exit codes are returned.
        if ended.code != 1:
            raise
        abandon(sys.stdout)
        return CLOSED
    except OSError as error:
        return _fail(f"{error.filename or 'output'}: {reason(error)}")
    if code == INTERRUPTED:
        tell("wordline: interrupted")
    return code if isinstance(code, int) else 0


def _named_nothing(arguments: list[str]) -> str | None:
    """The option that is given an empty text, or the argument that is one: as a path it is this folder."""
    for place, argument in enumerate(arguments):
        option, equals, value = argument.partition("=")
        if option.startswith("--") and equals and not value:
            return option
        if not argument:
            before = arguments[place - 1] if place else ""
            return before if before.startswith("-") else f"argument {place + 1}"
    return None


def _told(error: typer.TyperException) -> str:
    """The message, with a wrong option answered by the rule for all words."""
    slip: Any = error
    if getattr(slip, "possibilities", None):
        known = [option.lstrip("-") for option in slip.possibilities]
        near = nearest(slip.option_name.lstrip("-"), known)
        slip.possibilities = [] if near is None else [f"--{near}"]
    return error.format_message()


def _fail(message: str) -> int:
    """Tells a mistake in a line, or several in a line each."""
    for line in message.splitlines():
        if line.strip():
            tell(f"wordline: {' '.join(line.split())}")
    return MISTAKE


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"wordline {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 -- it has printed already
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    common.help_alone(context)


running.register(app)
compare.register(app)
sweep.register(app)
repro.register(app)
report.register(app)
tune.register(app)
workload.register(app)
calibrate.register(app)
mqsim.register(app)
twin.register(trace.app)
manual.register(app)
app.add_typer(show.app, name="show")
app.add_typer(trace.app, name="trace")
