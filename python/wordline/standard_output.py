"""Standard output where a file is to be written."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from wordline import outputs
from wordline._core import WordlineError
from wordline.streams import abandon

NAMES = ("-", "/dev/stdout", "/dev/fd/1")
"""That stand for it."""


def is_meant(out: str, as_json: bool) -> bool:
    """Whether the trace of a command goes there. Raises `WordlineError` where its JSON would, too."""
    if out in NAMES and as_json:
        raise WordlineError("--json: allowed: beside a file as OUT; the trace takes standard output")
    return out in NAMES


def trace_output(out: str, reads: Iterable[Path]) -> AbstractContextManager[Path]:
    """Where to write a trace that is called so: there, or a file, which is checked first."""
    return as_file() if out in NAMES else outputs.output("OUT", out, outputs.TRACE, reads)


@contextlib.contextmanager
def as_file() -> Iterator[Path]:
    """A name that can be opened once and written to from the beginning to the end: all of it goes to standard
    output.

    Raises `BrokenPipeError` where the reader of that wants no more, and `WordlineError` where the system has
    no such files.
    """
    import tempfile

    if not hasattr(os, "mkfifo"):
        raise WordlineError("standard output: this system has no named pipes: allowed: a file")
    failed: list[OSError] = []

    def pump(end: int) -> None:
        with open(end, "rb") as source, open(1, "wb", closefd=False) as out:
            try:
                shutil.copyfileobj(source, out)
                out.flush()
            except OSError as error:
                # The writer learns of it: the end that is read closes.
                failed.append(error)
                abandon(sys.stdout)

    with tempfile.TemporaryDirectory(prefix="wordline-") as folder:
        name = Path(folder) / "standard-output"
        os.mkfifo(name)
        read = os.open(name, os.O_RDONLY | os.O_NONBLOCK)
        os.set_blocking(read, True)
        # As long as this end is open, nothing written yet isn't the end.
        held = os.open(name, os.O_WRONLY)
        thread = threading.Thread(target=pump, args=(read,), daemon=True)
        thread.start()
        try:
            yield name
        except WordlineError as error:
            if not failed:
                raise WordlineError(str(error).replace(str(name), "standard output")) from None
        finally:
            os.close(held)
            thread.join()
    if failed:
        raise failed[0]
