"""What the commands share: options, overrides, the progress bar, printing."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from wordline._core import WordlineError, nearest
from wordline.folders import alone
from wordline.presets import Kind, names, toml_string
from wordline.streams import tell

if TYPE_CHECKING:
    from rich.console import RenderableType


FAILURES = 1
"""Exit code when points of a study failed: their errors are in the rows."""


def presets_of(kind: Kind) -> Callable[[str], list[str]]:
    """What completes a name of this kind."""

    def found(incomplete: str) -> list[str]:
        return [name for name in names(kind) if name.startswith(incomplete)]

    return found


def completed_settings(context: typer.Context, incomplete: str) -> list[str]:
    """What completes `--set`."""
    from wordline.cli import completing

    return completing.settings(context, incomplete)


def one_scheme(text: str) -> str:
    """The scheme of a command that has one. Raises `WordlineError` for several."""
    from wordline import schemes
    from wordline.files import is_file

    if len(schemes.split([text])) > 1 and not is_file(text):
        raise WordlineError(f"--scheme {text}: allowed: one; several: wordline compare --schemes {text}")
    return text


DeviceOption = Annotated[
    str,
    typer.Option("--device", "-d", help="A preset or a TOML file.", autocompletion=presets_of("device")),
]
SchemeOption = Annotated[
    str,
    typer.Option(
        "--scheme",
        "--schemes",
        "-s",
        callback=one_scheme,
        autocompletion=presets_of("scheme"),
        help="A preset, a TOML file, KEY=VALUE, or several of these joined by +.",
    ),
]
SkipOption = Annotated[
    bool,
    typer.Option("--skip-bad-lines", help="Count the bad lines of a trace and go on, instead of stopping."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout and nothing else.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        help="Override a key, such as device.geometry.blocks=256, or of one flow: "
        "workload.flow.NAME.queue_depth=4. Repeatable.",
        autocompletion=completed_settings,
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
MetricOption = Annotated[
    list[str] | None,
    typer.Option(
        "--metric", metavar="PATH,…", help="Figures by their path in result.json, such as waf. Repeatable."
    ),
]
FormatOption = Annotated[
    str | None,
    typer.Option("--format", "-f", help="Form of the trace, such as spc or blkparse. [default: by content]"),
]
SourceOption = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="KEY=VALUE",
        help="How the trace is read: time_unit=us, read_is=0, event=queue, columns.time=ts, … "
        "(docs/trace-formats.md). Repeatable.",
    ),
]
OnOption = Annotated[
    str,
    typer.Option(
        "--on", metavar="PLACE", help="threads, tcp://HOST:PORT (a Dask scheduler), slurm, local (processes)."
    ),
]
JobsOption = Annotated[
    int | None, typer.Option("--jobs", help="Points at once. [default: one for each processor]", min=1)
]
SeedOption = Annotated[int, typer.Option("--seed", help="Seed of everything random.", min=0)]
FirstSeedOption = Annotated[
    int | None,
    typer.Option("--seed", help="Seed of everything random.", min=0, show_default="1, or the file's"),
]
SeedsOption = Annotated[
    str | None,
    typer.Option(
        "--seeds",
        metavar="N|LIST",
        help="N seeds, from --seed on, or a list such as 3,5,7: means with 95% confidence intervals.",
    ),
]
RetryOption = Annotated[bool, typer.Option("--retry", help="Run points again that failed before.")]
DryRunOption = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Validate every point, say what would be run, and keep nothing. run, compare and sweep try a "
        "few points for a moment to say how long it takes.",
    ),
]
NameArgument = Annotated[str, typer.Argument(help="A preset or a TOML file.")]


def help_alone(context: typer.Context) -> None:
    """Prints the help of a group of commands that is named without one of them."""
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit


class Group(TyperGroup):
    """Commands of which a wrong one is answered with the nearest, by the rule for all words."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command that the first argument names."""
        try:
            found = super().resolve_command(ctx, args)
            if not ctx.resilient_parsing:
                _refuse_given_twice(found[1], found[2])
            return found
        except typer.TyperException as error:
            near = nearest(args[0], list(self.commands))
            if near is not None:
                error.message = f"{error.message} Did you mean `{near}`?"
            raise


def _refuse_given_twice(command: Any, args: list[str]) -> None:
    """Raises `WordlineError` for an option of one value that is given two."""
    options = {name: option for option in command.params for name in option.opts if name.startswith("-")}
    seen: dict[str, str] = {}
    words = iter(args)
    for word in words:
        if word == "--":
            return
        name = word.partition("=")[0] if word.startswith("--") else word[:2]
        option = options.get(name)
        if option is None or option.is_flag:
            continue
        value = word[len(name) :].removeprefix("=") or next(words, "")
        if not option.multiple and (before := seen.setdefault(option.name, value)) != value:
            raise WordlineError(f"{option.opts[0]}: {before} and {value}: allowed: one of them")


def group(about: str) -> typer.Typer:
    """A group of commands."""
    made = typer.Typer(help=about, cls=Group, suggest_commands=False, invoke_without_command=True)
    made.callback()(help_alone)
    return made


def override_pairs(texts: list[str] | None, skip_bad_lines: bool = False) -> list[tuple[str, str]]:
    """Overrides as the core takes them, from `PATH=VALUE` texts."""
    pairs = [("workload.source.skip_bad_lines", "true")] if skip_bad_lines else []
    for text in texts or []:
        path, equals, value = text.partition("=")
        if not equals or not path.strip():
            raise WordlineError(f"--set {text}: allowed: PATH=VALUE, such as device.geometry.blocks=256")
        pairs.append((path.strip(), value.strip()))
    return pairs


def pairs_of(table: str, texts: list[str] | None, skip_bad_lines: bool = False) -> list[tuple[str, str]]:
    """The same, of keys in one table only: the others would have no effect."""
    pairs = override_pairs(texts, skip_bad_lines)
    for path, value in pairs:
        if not path.startswith(f"{table}."):
            raise WordlineError(f"--set {path}={value}: allowed: {table}.KEY=VALUE")
    return pairs


def source_pairs(format: str | None, options: list[str] | None) -> list[tuple[str, str]]:
    """The overrides that `--format` and `--option` stand for."""
    pairs = [("workload.source.format", format)] if format is not None else []
    for path, value in pairs:
        _stood_for[f"--set {path}={value}"] = f"--format {value}"
    for text in options or []:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise WordlineError(f"--option {text}: allowed: KEY=VALUE, such as time_unit=us")
        pairs.append((f"workload.source.{key.strip()}", value.strip()))
        _stood_for["--set {}={}".format(*pairs[-1])] = f"--option {text}"
    return pairs


_stood_for: dict[str, str] = {}
"""Settings that options of this command stand for, and these."""


def begin(arguments: list[str]) -> None:
    """A command is carried out."""
    given[:] = arguments
    _stood_for.clear()


def as_given(message: str) -> str:
    """A message with the options that were given in the place of the settings that they stand for."""
    for setting, option in _stood_for.items():
        path = re.escape(setting.removeprefix("--set ").partition("=")[0])
        told = re.compile(rf"{re.escape(setting)}: (?:{path} = [^:]*: )?")
        message = f"{option}: ".join(told.split(message))
    return message


def refuse_without_trace(traced: bool, format: str | None, options: list[str] | None) -> None:
    """Raises `WordlineError` where `--format` or `--option` has no trace to act on."""
    for name, given in (("--format", format is not None), ("--option", bool(options))):
        if given and not traced:
            raise WordlineError(f"{name}: allowed: beside --trace FILE; else --set workload.source.KEY=VALUE")


_LIST_KEYS = ("ops", "devices", "paths")


def transform_pairs(texts: list[str] | None) -> list[tuple[str, str]]:
    """The override that `--transform` stands for. Raises `WordlineError` where a key has no value."""
    if not texts:
        return []
    pair = ("workload.source.transform", f"[{', '.join(_step(text) for text in texts)}]")
    _stood_for["--set {}={}".format(*pair)] = f"--transform {', '.join(texts)}"
    return [pair]


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


def listed_metrics(texts: list[str] | None) -> list[str] | None:
    """The figures of `--metric`, each once; `None` where it wasn't given. Raises `WordlineError` for one that
    no result can have.
    """
    if not texts:
        return None
    from wordline import result_paths

    named = (path.strip() for text in texts for path in text.split(","))
    paths = list(dict.fromkeys(path for path in named if path))
    result_paths.check(paths, lambda path: f"--metric {path}")
    return paths


def writing_to(out: Path | None) -> AbstractContextManager[object]:
    """Nobody else writes to the folder of the results meanwhile, if there is one."""
    return nullcontext() if out is None else alone(out)


given: list[str] = []
"""The arguments of the command that is being carried out."""


def command_line() -> list[str]:
    """The words of this command, as its user would type them."""
    return ["wordline", *given]


def say(notes: Iterable[str]) -> None:
    """Notes on stderr, where they disturb no output."""
    for note in notes:
        tell(f"wordline: note: {note}")


def show(renderable: RenderableType) -> None:
    """Prints for a person, as wide as the terminal."""
    from rich.console import Console

    from wordline.report import TEXT_WIDTH

    Console(highlight=False, width=None if sys.stdout.isatty() else TEXT_WIDTH).print(renderable)
