"""`wordline man` and `wordline completion`: the manual page, and what shells need to complete commands."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any

import typer

from wordline._core import __version__

COMPLETE = "_WORDLINE_COMPLETE"
"""The variable by which a shell asks for completions."""

EXITS = (
    ("0", "done"),
    ("1", "points of a study failed; their errors are in its rows"),
    ("2", "a mistake in the input: one line on stderr says which, and nothing was written"),
    ("129, 130, 143", "hung up, interrupted, terminated: what was begun is removed"),
    ("141", "the reader of the output wants no more of it"),
)

VARIABLES = (
    ("WORDLINE_CORE", "module with policies of a user's own, in the place of the built-in one"),
    ("XDG_CACHE_HOME", "where the code of charts is kept that pages hold (default: ~/.cache)"),
)


FILES = (
    (
        "what is written",
        "in a folder that isn't there: it is made, and goes again where nothing came to be in it",
    ),
    (
        "what is there",
        "is replaced only where Wordline wrote it, in the same form, and never where the command reads it; a "
        "device or a pipe is written to",
    ),
)


class Shell(StrEnum):
    """Shells whose completion is known."""

    bash = "bash"
    zsh = "zsh"
    fish = "fish"


def completion(shell: Annotated[Shell, typer.Argument(help="The shell.")]) -> None:
    """Print what makes a shell complete commands, options and presets.

    Into ~/.bashrc: source <(wordline completion bash). Into ~/.zshrc: eval "$(wordline completion zsh)". For
    fish: wordline completion fish > ~/.config/fish/completions/wordline.fish.
    """
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    print(get_completion_script(prog_name="wordline", complete_var=COMPLETE, shell=shell.value))


def man(context: typer.Context) -> None:
    """Print the manual page: wordline man > wordline.1, or wordline man | man -l -."""
    print(page(context.find_root().command), end="")


def page(root: Any) -> str:
    """The manual page of a command line, in the macros of man(7)."""
    lines = [
        f'.TH WORDLINE 1 "" "Wordline {_text(__version__)}" "User Commands"',
        ".SH NAME",
        r"wordline \- simulates flash SSDs and their translation layers",
        ".SH SYNOPSIS",
        ".B wordline",
        r"[\-\-version] [\-\-help] \fICOMMAND\fR [\fIARGUMENT\fR ...]",
        ".SH DESCRIPTION",
        "A drive, a scheme (the firmware's policies) and a workload go in; latency percentiles, write",
        "amplification and blame come out: for each nanosecond of a response time, what it was spent on or",
        "whom it waited for.",
        ".SH COMMANDS",
    ]
    for path, command in _commands(root):
        lines += _command(path, command)
    for title, rows in (("EXIT STATUS", EXITS), ("FILES", FILES), ("ENVIRONMENT", VARIABLES)):
        lines.append(f".SH {title}")
        for name, about in rows:
            lines += [".TP", rf"\fB{_text(name)}\fR", _text(about)]
    return "\n".join(lines) + "\n"


def _commands(command: Any, path: str = "wordline") -> Iterator[tuple[str, Any]]:
    """Every command with its words; groups are only their commands."""
    below = getattr(command, "commands", None)
    if below is None:
        yield path, command
        return
    for name, each in below.items():
        yield from _commands(each, f"{path} {name}")


def _command(path: str, command: Any) -> list[str]:
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option"]
    names = "".join(rf" \fI{_text(_metavar(one))}\fR" for one in arguments)
    lines = [f".SS {_text(path)}", rf"\fB{_text(path)}\fR [\fIOPTION\fR ...]{names}", ".PP"]
    for paragraph in (command.help or "").split("\n\n"):
        lines += [_text(" ".join(paragraph.split())), ".PP"]
    for one in arguments:
        lines += [".TP", rf"\fI{_text(_metavar(one))}\fR", _text(getattr(one, "help", None) or "")]
    for one in options:
        flags = ", ".join(rf"\fB{_text(flag)}\fR" for flag in (*one.opts, *one.secondary_opts))
        value = "" if one.is_flag else rf" \fI{_text(_metavar(one))}\fR"
        known = isinstance(one.default, str | int) and not one.is_flag
        default = f" [default: {one.default}]" if known else ""
        lines += [".TP", flags + value, _text((one.help or "") + default)]
    return lines


def _metavar(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name.upper())


def _text(text: str) -> str:
    """Without what roff takes for its own."""
    plain = text.replace("\\", r"\e").replace("-", r"\-")
    plain = "".join(sign if sign.isascii() else rf"\[u{ord(sign):04X}]" for sign in plain)
    return rf"\&{plain}" if plain.startswith((".", "'")) else plain


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command(short_help="Print what makes a shell complete commands.")(completion)
    app.command(short_help="Print the manual page.")(man)
