"""Tables on pages of exhibits for which nothing is printed."""

from __future__ import annotations

from pathlib import Path

from wordline.repro import own_lines
from wordline.repro.exhibit import read as read_exhibit
from wordline.repro.reproduction import Shown

EXHIBIT = """
title = "x"
about = "a"
[sweep]
device = "mqsim"
[columns]
scheme = "axis.scheme"
pieces = "axis.pieces"
skew = "axis.skew"
full = "full"
[figure]
kind = "line"
x = "skew"
y = "full"
series = "scheme"
panel = "pieces"
labels = { page = "Page", "1" = "one block", full = "all blocks" }
"""


def table_of(tmp_path: Path, text: str) -> list[str]:
    (tmp_path / "x.toml").write_text(text)
    line = {"scheme": "page", "pieces": 1, "skew": 1.0, "full": 1.0, "full ±": 0.25}
    table = own_lines.as_markdown(Shown(read_exhibit(tmp_path / "x.toml"), means=[line]))
    return [row for row in table if row]


def test_words_of_the_picture_stand_for_kinds_and_never_for_counts(tmp_path: Path) -> None:
    assert table_of(tmp_path, EXHIBIT)[-1] == "| Page | one block | 1 | 1 ± 0.25 |"


def test_places_of_bars_are_kinds(tmp_path: Path) -> None:
    bars = EXHIBIT.replace('"line"', '"bar"')
    assert table_of(tmp_path, bars)[-1] == "| Page | one block | one block | 1 ± 0.25 |"
