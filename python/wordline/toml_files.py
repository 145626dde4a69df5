"""TOML that anybody may have written: bounded in size and depth, mistakes in one line."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Any

from wordline._core import WordlineError

MOST_BYTES = 16 << 20
"""Larger files are no descriptions. A device that never ends stops here, too."""

MOST_PARTS = 64
"""Parts of a dotted key: reading takes time and memory with their square."""

_TEXTS = re.compile(
    r'"""(?:\\.|[^\\])*?(?:"""|\Z)'
    r"|'''.*?(?:'''|\Z)"
    r'|"(?:\\.|[^"\\\n])*+"?'
    r"|'[^'\n]*+'?"
    r"|#[^\n]*+",
    re.DOTALL,
)
_DOTTED = re.compile(r"[\w-]++(?:[ \t]*+\.[ \t]*+[\w-]++)++")


def read_text(what: str, path: str | os.PathLike[str]) -> str:
    """The text of a file; `what` is what errors call it. Raises `WordlineError` for what is no text."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise WordlineError(f"{what} {_shown(path)}: {error.strerror or error}") from None
    except ValueError as error:
        raise WordlineError(f"{what} {_shown(path)}: {error}") from None
    if len(data) > MOST_BYTES:
        raise WordlineError(f"{what} {_shown(path)}: allowed: at most {MOST_BYTES >> 20} MiB of text")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise WordlineError(f"{what} {_shown(path)}: not UTF-8 text (byte {error.start})") from None


def _shown(path: str | os.PathLike[str]) -> str:
    return os.fspath(path).replace("\0", "\\0")


def parse(text: str) -> dict[str, Any]:
    """What the text holds. Raises `WordlineError` for what isn't TOML, or is nested beyond all use."""
    bare = _TEXTS.sub("s", text)
    if any(match[0].count(".") >= MOST_PARTS for match in _DOTTED.finditer(bare)):
        raise WordlineError(f"a key of more than {MOST_PARTS} parts: allowed: at most so many")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise WordlineError("nested too deep: allowed: some tens of levels") from None
    except (tomllib.TOMLDecodeError, ValueError) as error:
        # A number of many thousand digits is a plain ValueError.
        raise WordlineError(str(error)) from None


def read(what: str, path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a file holds. Raises `WordlineError` with the file's name."""
    text = read_text(what, path)
    try:
        return parse(text)
    except WordlineError as error:
        raise WordlineError(f"{what} {_shown(path)}: {error}") from None


def value(text: str) -> Any:
    """A value as TOML, a bare word as a string: as the core takes overrides."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return text
