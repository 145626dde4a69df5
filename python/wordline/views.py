"""How results are shown: as a cell of a notebook, as the files of a folder.

A result knows these functions alone. What draws a kind of result registers itself for its class, and loads
when the first one is shown.
"""

from __future__ import annotations

import functools
import importlib
import os
from collections.abc import Sequence
from pathlib import Path

DRAWN_BY: dict[str, str] = {}
"""By the module of a class of results the module that draws it: there `draw_cell` and `write_folder` are
registered.
"""


def cell(found: object) -> str:
    """A result as HTML for a notebook."""
    _load(found)
    return draw_cell(found)


def save(found: object, folder: str | os.PathLike[str], command: Sequence[str]) -> list[Path]:
    """Writes a result, with its page, into a folder in the place of what Wordline wrote there before; returns
    the paths. Raises `WordlineError` where that can't be done.
    """
    _load(found)
    return write_folder(found, folder, command)


@functools.singledispatch
def draw_cell(found: object) -> str:
    """`cell`, by the class of the result."""
    raise TypeError(f"{type(found).__name__}: nothing draws it")


@functools.singledispatch
def write_folder(found: object, folder: str | os.PathLike[str], command: Sequence[str]) -> list[Path]:  # noqa: ARG001
    """`save`, by the class of the result."""
    raise TypeError(f"{type(found).__name__}: nothing writes it")


def _load(found: object) -> None:
    for kind in type(found).__mro__:
        if kind.__module__ in DRAWN_BY:
            importlib.import_module(DRAWN_BY[kind.__module__])
