"""Spans of a trace's requests as files of their own, in the form of the trace, so that its reader tells the
response times of each span apart.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from wordline._core import WordlineError
from wordline.packed import ZSTD, opener

Span = tuple[int, int]
"""Number of the first request, and that behind the last one."""

PARQUET = b"PAR1"

NUMBER = re.compile(rb"(?:^|[\s,;|])[-+]?\d+(?:\.\d+)?(?:$|[\s,;|])")
"""A field that no line of names has."""


def cut(path: Path, spans: Sequence[Span], folder: Path) -> tuple[list[Path], int]:
    """A file for each of the spans, which are in order and apart; and how many requests there are in all.
    Raises `WordlineError` for a file that can't be cut.
    """
    with path.open("rb") as file:
        first = file.read(8)
    if first.startswith(ZSTD):
        raise WordlineError(f"{path}: compressed by zstd: allowed: as text, or by gzip, bzip2 or xz")
    if first.startswith(PARQUET):
        return _cut_parquet(path, spans, folder)
    with (opener(first) or Path.open)(path, "rb") as lines:
        return _cut_lines(lines, spans, folder)


def _cut_lines(lines: IO[bytes], spans: Sequence[Span], folder: Path) -> tuple[list[Path], int]:
    files = [folder / f"{place}" for place in range(len(spans))]
    head = b""
    count, place = 0, 0
    with contextlib.ExitStack() as opened:
        outs = [opened.enter_context(file.open("wb")) for file in files]
        for line in _filled(lines):
            if count == 0 and (line.startswith(b"#") or not NUMBER.search(line)):
                head += line
                continue
            if line.startswith(b"#"):
                continue
            if place < len(spans) and count == spans[place][0]:
                outs[place].write(head)
            if place < len(spans) and spans[place][0] <= count:
                outs[place].write(line)
            count += 1
            if place < len(spans) and count == spans[place][1]:
                place += 1
    return files, count


def _filled(lines: IO[bytes]) -> Iterator[bytes]:
    return (line for line in lines if line.strip())


def _cut_parquet(path: Path, spans: Sequence[Span], folder: Path) -> tuple[list[Path], int]:
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    files = [folder / f"{place}" for place in range(len(spans))]
    for file, (first, behind) in zip(files, spans, strict=True):
        pq.write_table(table.slice(first, behind - first), file)
    return files, table.num_rows
