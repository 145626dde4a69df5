"""Standard output and standard error, whatever became of their other ends."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from typing import TextIO

CLOSED = 141
"""Exit code where the reader of the output wants no more of it: as of a program that SIGPIPE ended."""


class Missing(io.TextIOWrapper):
    """Takes the place of a standard stream that the process was started without."""

    lost = False
    """Whether anything was written to it."""

    def write(self, text: str, /) -> int:
        """Notes it."""
        self.lost |= bool(text)
        return super().write(text)


def is_lost(stream: object) -> bool:
    """Whether something was written to a stream that leads nowhere from the start."""
    return isinstance(stream, Missing) and stream.lost


def provide() -> None:
    """Gives the process the standard streams that it was started without: nothing that is opened later takes
    their place, and what is said on them goes nowhere.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free number is the one that is missing.
            os.open(os.devnull, os.O_RDWR)
            raw = open(number, f"{mode}b", closefd=False)  # noqa: SIM115
            setattr(sys, name, Missing(raw, encoding="utf-8"))


def abandon(stream: TextIO) -> None:
    """Lets what is left of a stream, and all that follows, go nowhere: so it can't fail when Python ends."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def tell(text: str) -> None:
    """A line on standard error. That nobody can read it is no failure."""
    try:
        print(text, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        abandon(sys.stderr)
