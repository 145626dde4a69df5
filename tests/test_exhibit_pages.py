"""What pages of results say of exhibits beside their numbers."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from one_exhibit import exhibit_of

from wordline.repro import own_lines
from wordline.repro.exhibit import read as read_exhibit
from wordline.repro.reproduction import Reproduction, Shown
from wordline.repro.summary import as_html, as_markdown

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
    assert table_of(tmp_path, EXHIBIT)[-1] == "| Page | one block | 1 | 1 ±0.25 |"


def test_places_of_bars_are_kinds(tmp_path: Path) -> None:
    bars = EXHIBIT.replace('"line"', '"bar"')
    assert table_of(tmp_path, bars)[-1] == "| Page | one block | one block | 1 ±0.25 |"


def test_an_exhibit_without_printed_numbers_has_its_table_on_the_page(tmp_path: Path) -> None:
    exhibit = dataclasses.replace(exhibit_of(tmp_path, ""), numbers=[], figure={"labels": {"a": "A"}})
    means = [
        {"s": "a", "share": 0.5, "v": 1234.5, "v ±": 12.25, "seed": 1},
        {"s": "b|c", "share": 1.0, "v": None},
    ]
    shown = Shown(exhibit, means=means, seeds=3)
    page = as_markdown(Reproduction(tmp_path, [shown], []))
    table = "| s | share | v |\n|---|---:|---:|\n| A | 0.5 | 1,234 ±12 |\n| b\\|c | 1 |  |\n"
    assert table in page
    html = as_html(Reproduction(tmp_path, [shown], []))
    assert "<td class=n>1,234 ±12</td>" in html and "<td class=w>b|c</td>" in html
    shown.means = means * 41
    assert table not in as_markdown(Reproduction(tmp_path, [shown], [])), "82 lines are for the picture"


def test_what_is_said_of_many_exhibits_is_said_once(tmp_path: Path) -> None:
    exhibit = exhibit_of(tmp_path, 'metric = "m"\nvalue = "v"\ntarget = 1.0')
    abouts = [f"Figure {number}. Of all of them. Own." for number in range(4)]
    shown = [Shown(dataclasses.replace(exhibit, about=about)) for about in abouts]
    page = as_markdown(Reproduction(tmp_path, shown, []))
    assert page.count("Of all of them.") == 1 and "(a) Of all of them." in page
    assert page.count("Figure 2. (a)") == 1
    assert as_markdown(Reproduction(tmp_path, shown[:3], [])).count("Of all of them.") == 3
