"""Descriptions of drives, schemes and workloads: the presets by name, and files by path."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from wordline import _core
from wordline._core import WordlineError
from wordline.files import check_text, is_file
from wordline.toml_files import read_text
from wordline.wording import argument, meant, replayed

Kind = Literal["device", "scheme", "workload"]

KINDS: tuple[Kind, ...] = ("device", "scheme", "workload")

DEFAULT_DEVICE = "enterprise-tlc"
"""What runs have that name no drive: one with the firmware that it is sold with, ready in milliseconds."""

DEFAULT_SCHEME = "baseline"

DEFAULT_WORKLOAD = "randread-4k-qd16"

_PRESETS = Path(__file__).parent / "presets"


@dataclass(frozen=True)
class Description:
    """The text of a description, not yet read."""

    label: str
    """What errors call it: the path of the file."""
    text: str
    """TOML."""
    folder: Path
    """Where the relative paths inside it start."""
    notes: tuple[str, ...] = ()
    """What was left out of it, one sentence each."""
    file: Path | None = None
    """What it was read from; `None` where it was made up."""


def names(kind: Kind) -> list[str]:
    """Names of the presets of one kind, sorted. Raises `WordlineError` for a kind that isn't known."""
    if kind not in KINDS:
        raise WordlineError(f"kind = {kind!r}: allowed: {', '.join(KINDS)}")
    return sorted(path.stem for path in (_PRESETS / f"{kind}s").glob("*.toml"))


def file_of(kind: Kind, name: str) -> Path | None:
    """The file of the preset of that name, if there is one."""
    path = _file(kind, name)
    return path if path.exists() else None


def _file(kind: Kind | Literal["profile"], name: str) -> Path:
    return _PRESETS / f"{kind}s" / f"{name}.toml"


Given: TypeAlias = str | os.PathLike[str] | Mapping[str, object] | Description
"""The name of a preset, the path of a file, what would stand in the file, or one that is loaded already."""


def load(kind: Kind, name_or_path: Given) -> Description:
    """The description with this preset's name, at this path, or with these tables and keys.

    A name with a folder in it or ending in `.toml` is a path; any other is a preset. A workload that ends in
    `.fio` is a job file of fio. Raises `WordlineError` when there is none, with the nearest known name.
    """
    if isinstance(name_or_path, Description):
        return name_or_path
    if isinstance(name_or_path, Mapping) and (name_or_path or kind == "scheme"):
        lines = (f"{toml_key(key)} = {toml_value(value, str(key))}" for key, value in name_or_path.items())
        return Description(label=kind, text="\n".join(lines), folder=Path.cwd())
    if not isinstance(name_or_path, str | os.PathLike):
        allowed = "the name of a preset, a path, or a mapping of its tables and keys"
        raise WordlineError(f"{kind} = {name_or_path!r}: allowed: {allowed}")
    text = os.fsdecode(name_or_path)
    path = Path(text)
    if kind == "workload" and path.suffix == ".fio":
        return fio_jobs(path)
    known = names(kind)
    if kind == "workload" and path.suffix != ".toml" and text not in known and is_file(path):
        raise WordlineError(f"{text} is no description of a workload; {replayed(text)} replays a trace")
    if path.suffix == ".toml" or path.name != text:
        return _load_file(kind, path)
    if text in known:
        return _load_file(kind, _file(kind, text), label=f"{text}.toml")
    raise WordlineError(f"no {kind} preset `{text}`: {_suggestion(text, known)}")


def _load_file(kind: Kind, path: Path, label: str | None = None) -> Description:
    text = read_text(kind, path)
    if kind == "workload" and re.search(r"^fit_for\s*=", text, re.MULTILINE):
        source = f'source = {{ kind = "twin", path = {toml_string(str(path))} }}'
        raise WordlineError(
            f"{path} is the profile of a trace, not a workload; a workload plays it with `{source}`"
        )
    return Description(label=label or str(path), text=text, folder=path.resolve().parent, file=path)


def fio_jobs(
    path: str | os.PathLike[str],
    *,
    environment: Mapping[str, str] | None = None,
    sections: Sequence[str] = (),
    settings: Sequence[str] = (),
) -> Description:
    """A job file of fio, as a workload.

    `${NAME}` in it has the value that `environment` gives, else that of the process. Of `sections` only those
    are read; all if none is named. `settings` (`["size=1g"]`) stand behind the lines of each job, and hold
    before its own. Raises `WordlineError` with all that is wrong, one a line.
    """
    path = Path(path)
    jobs = _load_file("workload", path)
    variables = {**os.environ, **(environment or {})}
    try:
        text, notes = _core.fio_workload(
            path.name, jobs.label, jobs.text, jobs.folder, variables, list(sections), list(settings)
        )
    except WordlineError as error:
        raise WordlineError(_of_jobs(str(error))) from None
    return Description(label=jobs.label, text=text, folder=jobs.folder, notes=tuple(notes))


_FIO = re.compile(r"--fio [^\s),]+(?: --fio [^\s),]+)*")

_OF_JOB = re.compile(r"(?P<file>.*?): line (?P<line>\d+): job (?P<job>.*?): (?P<text>.*)")


def _of_jobs(message: str) -> str:
    """What is wrong with several jobs alike is one line, with all of them."""
    found: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
    for text in message.splitlines():
        one = _OF_JOB.fullmatch(text)
        lines, jobs = found.setdefault((one["file"], one["text"]) if one else ("", text), ([], []))
        lines += [one["line"]] if one else []
        jobs += [one["job"]] if one else []
    return "\n".join(_told(*key, *places) for key, places in found.items())


def _as_argument(options: re.Match[str]) -> str:
    settings = ", ".join(f'"{each}"' for each in options[0].split()[1::2])
    return f"fio_jobs(…, settings=[{settings}])"


def _told(file: str, text: str, lines: list[str], jobs: list[str]) -> str:
    if not _core.speaks_of_options():
        text = _FIO.sub(_as_argument, text)
    if not lines:
        return text
    several = "s" if len(jobs) > 1 else ""
    return f"{file}: line{several} {', '.join(lines)}: job{several} {', '.join(jobs)}: {text}"


FORM = 1
"""Of results; it grows when a reader of the old form would fail with the new one."""


def schema_id(results: str) -> str:
    """The name of that schema, which results bear in their field `schema`."""
    return f"urn:wordline:{results}:{FORM}"


def schema(results: str) -> str:
    """The JSON schema of `result`, `seeds` or `comparison`, as text."""
    return (Path(__file__).parent / "schemas" / f"{results}.json").read_text(encoding="utf-8")


def profile(name: str) -> Path | None:
    """The profile that a workload preset plays, if it plays one."""
    path = _file("profile", name)
    return path if path.exists() else None


def fit_for(name: str) -> str:
    """What a workload preset may be used for: `schemes`, `published_characteristics`, or `counts_only`.

    A workload of the last kind stands for a trace of which only the number of requests and the share of reads
    are known (and perhaps their size): no test of a scheme, and to be left out of averages.
    """
    import tomllib

    path = profile(name)
    if path is None:
        return "schemes"
    return str(tomllib.loads(path.read_text(encoding="utf-8")).get("fit_for", "schemes"))


def real_trace(name: str, folder: str | os.PathLike[str]) -> Path | None:
    """The file below `folder` with the workload's own trace, known by its name; `None` if there is none.

    Names are compared without their endings (`.csv.gz` …) and in any case. Of several the first counts.
    """
    import tomllib

    path = profile(name)
    if path is None:
        return None
    known = {
        stem.casefold() for stem in tomllib.loads(path.read_text(encoding="utf-8")).get("trace_files", [])
    }
    files = sorted(file for file in Path(folder).rglob("*") if file.is_file())
    return next((file for file in files if stem(file).casefold() in known), None)


def stem(file: Path) -> str:
    """The name without its endings: what stands behind a dot and isn't a number."""
    name = file.name
    while "." in name and not name.rpartition(".")[2].isdecimal():
        name = name.rpartition(".")[0]
    return name


def load_workload(name_or_path: Given, traces: str | os.PathLike[str] | None = None) -> Description:
    """A workload; with `traces`, the real trace in the place of its twin where that folder has it.

    Raises `WordlineError` when the folder isn't there.
    """
    described = load("workload", name_or_path)
    if traces is None:
        return described
    if not Path(traces).is_dir():
        raise WordlineError(f"{argument('traces', os.fspath(traces))}: no such folder")
    if isinstance(name_or_path, Mapping | Description):
        return described
    name = os.fspath(name_or_path)
    found = real_trace(name, traces)
    if found is None:
        return replace(described, notes=(*described.notes, f"no trace of {name} in {os.fspath(traces)}"))
    text = "\n".join(
        (
            f"name = {toml_string(name)}",
            'source.kind = "trace"',
            f"source.path = {toml_string(str(found.resolve()))}",
            'source.out_of_range = "compact"',
            'host.arrivals = "open"',
            'start.occupancy = "footprint"',
        )
    )
    notes = (*described.notes, f"{found} in the place of the twin of {name}")
    return Description(label=str(found), text=text, folder=described.folder, notes=notes)


def _suggestion(text: str, known: list[str]) -> str:
    return meant(text, known, f"known: {', '.join(known)}" if known else "none are installed")


def replay(
    trace: str | os.PathLike[str],
    overrides: Sequence[tuple[str, str]] = (),
    folder: Path | None = None,
) -> Description:
    """A workload that replays a trace at its own arrival times, onto a drive that is full at the start.

    `overrides` are of this workload alone: dotted paths from `workload.` on and their values. Files that it
    names, the trace among them, are found from `folder` on; left out: from where the process is.
    """
    path = Path(trace)
    text = "\n".join(
        (
            f"name = {toml_string(path.name)}",
            'source.kind = "trace"',
            f"source.path = {toml_string(str(path))}",
            'host.arrivals = "open"',
        )
    )
    if overrides:
        text = _core.resolve("workload", (argument("trace"), text), list(overrides))
    return Description(label=argument("trace"), text=text, folder=folder or Path.cwd())


def toml_string(text: str) -> str:
    """A string as TOML writes it. Raises `WordlineError` for a file's name that is no text."""
    import json

    check_text(text)
    return json.dumps(text, ensure_ascii=False)


def toml_value(value: object, key: str = "a value") -> str:
    """A value as TOML writes it. Raises `WordlineError`, which names the key, for none, which TOML hasn't."""
    if value is None:
        raise WordlineError(f"{key} = None: allowed: a value; what is left out has its default")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | os.PathLike):
        return toml_string(os.fspath(value))
    if isinstance(value, list | tuple):
        return f"[{', '.join(toml_value(item, key) for item in value)}]"
    if isinstance(value, Mapping):
        entries = (f"{toml_key(name)} = {toml_value(item, f'{key}.{name}')}" for name, item in value.items())
        return f"{{ {', '.join(entries)} }}"
    return str(value)


def toml_key(key: object) -> str:
    """A key as TOML writes it."""
    text = str(key)
    bare = text.isascii() and text.replace("_", "").replace("-", "").isalnum()
    return text if bare else toml_string(text)
