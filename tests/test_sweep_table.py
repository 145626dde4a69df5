"""The table of a sweep on a terminal."""

from __future__ import annotations

import io
from typing import Any, cast

import pyarrow
from rich.console import Console

from wordline.sweeps.table import render


class Swept:
    """A sweep of one point with a long value."""

    name, outcome = "s", None

    def table(self) -> pyarrow.Table:
        size = {"axis.device.capacity.user_bytes": 4 * 10**12}
        return pyarrow.Table.from_pylist([{"status": "done", "seed": 1, **size, "read.iops": 123_456.0}])


def test_a_narrow_terminal_folds_values_and_cuts_none() -> None:
    console = Console(width=22, record=True, file=io.StringIO())
    console.print(render(cast(Any, Swept()), ["read.iops"]))
    text = console.export_text()
    first = [line.split() for line in text.splitlines() if line[:1].isdigit()]
    assert "…" not in text and "".join(words[0] for words in first) == "4000000000000"
    assert first[0][1] == "123,456"
