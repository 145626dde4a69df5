"""Descriptions of drives, schemes and workloads: the presets by name, and files by path."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from wordline._core import WordlineError

Kind = Literal["device", "scheme", "workload"]

KINDS: tuple[Kind, ...] = ("device", "scheme", "workload")

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


def names(kind: Kind) -> list[str]:
    """Names of the presets of one kind, sorted."""
    return sorted(path.stem for path in (_PRESETS / f"{kind}s").glob("*.toml"))


def load(kind: Kind, name_or_path: str | os.PathLike[str]) -> Description:
    """The description with this preset's name or at this path.

    A name with a folder in it or ending in `.toml` is a path; any other is a preset.
    Raises `WordlineError` when there is none, with the nearest known name.
    """
    text = os.fspath(name_or_path)
    path = Path(text)
    if path.suffix == ".toml" or path.name != text:
        return _load_file(kind, path)
    known = names(kind)
    if text in known:
        return _load_file(kind, _PRESETS / f"{kind}s" / f"{text}.toml", label=f"{text}.toml")
    raise WordlineError(f"no {kind} preset `{text}`: {_suggestion(text, known)}")


def _load_file(kind: Kind, path: Path, label: str | None = None) -> Description:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise WordlineError(f"{kind} {path}: not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise WordlineError(f"{kind} {path}: {error.strerror or error}") from None
    return Description(label=label or str(path), text=text, folder=path.resolve().parent)


def _suggestion(text: str, known: list[str]) -> str:
    import difflib

    near = difflib.get_close_matches(text, known, n=1, cutoff=0.5)
    if near:
        return f"did you mean `{near[0]}`?"
    return f"known: {', '.join(known)}" if known else "none are installed"


def replay(trace: str | os.PathLike[str]) -> Description:
    """A workload that replays a trace at its own arrival times, onto a drive that is full at the start."""
    path = Path(trace)
    text = "\n".join(
        (
            f"name = {toml_string(path.name)}",
            'source.kind = "trace"',
            f"source.path = {toml_string(str(path))}",
            'host.arrivals = "open"',
        )
    )
    return Description(label="--trace", text=text, folder=Path.cwd())


def toml_string(text: str) -> str:
    """A string as TOML writes it."""
    import json

    return json.dumps(text, ensure_ascii=False)


def toml_value(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | os.PathLike):
        return toml_string(os.fspath(value))
    if isinstance(value, list | tuple):
        return f"[{', '.join(toml_value(item) for item in value)}]"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {toml_value(item)}' for key, item in value.items())} }}"
    return str(value)
