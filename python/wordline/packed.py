"""Files that are packed, told by their first bytes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

ZSTD = b"\x28\xb5\x2f\xfd"
"""What a file begins with that zstd has packed."""


def opener(start: bytes) -> Callable[[Path, str], IO[Any]] | None:
    """What opens a file with these first bytes; `None` where it isn't packed by gzip, bzip2 or xz."""
    import bz2
    import gzip
    import lzma

    packings: tuple[tuple[bytes, Callable[..., Any]], ...] = (
        (b"\x1f\x8b", gzip.open),
        (b"BZh", bz2.open),
        (b"\xfd7zXZ", lzma.open),
    )
    return next((opened for magic, opened in packings if start.startswith(magic)), None)
