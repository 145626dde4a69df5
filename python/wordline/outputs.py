"""What a command may write, and where: never over what it reads, and of the files that are there only over
what Wordline wrote itself.

A folder that isn't there is made, whatever is written; it goes again where nothing came to be in it.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from wordline._core import WordlineError
from wordline.files import made_folder, missing, named, part_of, remove_empty, usable_folder

HEAD = 1024
"""Bytes at the beginning of a file by which it is known."""

GENERATOR = '<meta name="generator" content="Wordline '
"""In the head of every page."""

TRACE_COLUMNS = ("time_ns", "op", "offset_bytes", "length_bytes", "flow")


@dataclass(frozen=True)
class Form:
    """A kind of file that Wordline writes."""

    name: str
    """With its article."""
    is_own: Callable[[Path], bool]
    """Whether a file is one that Wordline wrote."""
    promised_by: str = ""
    """How its names end …"""
    others: tuple[str, ...] = ()
    """… and endings that promise another kind to whoever opens it."""


def _begins(*starts: bytes) -> Callable[[Path], bool]:
    return lambda path: head(path).startswith(starts)


def _has_columns(path: Path, wanted: Iterable[str]) -> bool:
    import pyarrow
    import pyarrow.parquet

    try:
        return set(wanted) <= set(pyarrow.parquet.read_schema(path).names)
    except (OSError, pyarrow.ArrowException):
        return False


def _is_trace(path: Path) -> bool:
    start = head(path)
    if start.startswith(b"PAR1"):
        return _has_columns(path, TRACE_COLUMNS)
    # Of MQSim's form nothing tells who wrote it: it is numbers and nothing else.
    return start.startswith((f"{','.join(TRACE_COLUMNS)}\n".encode(), b"fio version 3 iolog\n0 flow0 add\n"))


PAGE = Form("a page of Wordline", lambda path: GENERATOR.encode() in head(path))
STATE = Form("a state of a drive or run", _begins(b"WORDLINE"))
LOG = Form("a log of requests", lambda path: _has_columns(path, ("id", "arrival_ns", "end_ns", "measured")))
TIMELINE = Form(
    "a timeline",
    lambda path: head(path)[:1] == b"\x0a" and b"drive" in head(path) and b"requests" in head(path),
    ".pftrace",
    (".json", ".gz", ".zst", ".xz", ".bz2", ".zip"),
)
PROFILE = Form(
    "a profile", lambda path: re.match(rb"form = \d+\nname = .*\nfit_for = ", head(path)) is not None
)
LOAD = Form(
    "a workload that `wordline workload` wrote",
    lambda path: re.match(rb"# From .* by wordline workload\.\n", head(path)) is not None,
)
TRACE = Form("a trace that Wordline wrote", _is_trace)
OF_MQSIM = Form("a result file of Wordline", lambda path: b"<!-- Wordline " in head(path))
EXPORT = Form("a description that was exported", _begins(b"# wordline run --device device.toml "))


def head(path: Path) -> bytes:
    """The first bytes of a file, unpacked; none of one that can't be read."""
    try:
        with path.open("rb") as file:
            start = file.read(HEAD)
        return _unpacked(path, start)
    except (OSError, EOFError, ValueError):
        return b""


def _unpacked(path: Path, start: bytes) -> bytes:
    import bz2
    import gzip
    import lzma

    import pyarrow

    if start.startswith(b"\x28\xb5\x2f\xfd"):
        with pyarrow.input_stream(str(path), compression="zstd") as stream:
            return bytes(stream.read(HEAD))
    packings = ((b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ", lzma.open))
    for magic, opened in packings:
        if start.startswith(magic):
            try:
                with opened(path, "rb") as file:
                    return bytes(file.read(HEAD))
            except lzma.LZMAError:
                return b""
    return start


def check(option: str, path: str | os.PathLike[str], form: Form, reads: Iterable[Path] = ()) -> Path:
    """The file that an option names. Raises `WordlineError` where it, by whatever name, is one of those that
    are read; where it is there and not of Wordline's own; and where it can't be written.
    """
    name = named(path, option)
    shown = f"{option} {name}".strip()
    taken = [read for read in reads if _is_same(name, read) or _is_same(part_of(name), read)]
    if taken:
        raise WordlineError(
            f"{shown}: that is {taken[0]}, which this command reads or writes: allowed: another file"
        )
    if name.is_dir():
        raise WordlineError(f"{shown}: a folder: allowed: a file")
    if name.suffix.lower() in form.others:
        raise WordlineError(
            f"{shown}: {form.name} is no {name.suffix}: allowed: a name that ends in {form.promised_by}"
        )
    try:
        there = name.is_file() and name.stat().st_size > 0
    except OSError:
        there = False
    if there and not form.is_own(name):
        raise WordlineError(
            f"{shown}: is there and not {form.name}: allowed: another name, or remove it first"
        )
    # A device or a pipe is written to where it is.
    if name.is_file() or not name.exists():
        usable_folder(Path(os.path.realpath(name)).parent)
    return name


@contextlib.contextmanager
def output(
    option: str, path: str | os.PathLike[str], form: Form, reads: Iterable[Path] = ()
) -> Iterator[Path]:
    """Checks a file that is about to be written, and makes its folder, which goes again if it stays empty."""
    name = check(option, path, form, reads)
    folder = Path(os.path.realpath(name)).parent
    new = missing(folder)
    made_folder(folder)
    try:
        yield name
    finally:
        remove_empty(new)


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        # One that isn't there yet, as two outputs of one command.
        return os.path.realpath(one) == os.path.realpath(other)
