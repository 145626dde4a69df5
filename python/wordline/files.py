"""Files that take their name when they are whole."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def written(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Where to write a file called `path`: beside it; it takes the name when the block ends well.

    A link stays a link, to the new file. What isn't an ordinary file (a device, a pipe) is written to and not
    replaced.
    """
    name = Path(path)
    if name.exists() and not name.is_file() and not name.is_dir():
        yield name
        return
    # Also where a link leads that has no end yet.
    target = Path(os.path.realpath(name))
    part = target.with_name(target.name + ".part")
    try:
        yield part
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Writes a file of text."""
    with written(path) as part:
        part.write_text(text, encoding="utf-8")
