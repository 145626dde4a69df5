"""Charts as files: SVG, PNG and PDF, without a browser."""

from __future__ import annotations

import copy
import os
import re
import textwrap
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordline._core import WordlineError
from wordline.charts.colors import INK, config
from wordline.files import written

if TYPE_CHECKING:
    from wordline.charts.specs import Chart

FORMS = ("png", "svg", "pdf")

WIDTH = 460

FONT = "Liberation Sans, DejaVu Sans, sans-serif"
"""Fonts that vl-convert brings along come last: the files look alike everywhere."""

PNG_SCALE = 2.0


def standing(chart: Chart, width: int = WIDTH) -> dict[str, Any]:
    """The specification by itself: with a width, a title and a theme, without what needs a pointer."""
    spec = copy.deepcopy(chart.spec)
    spec["width"] = width
    spec["title"] = _title(chart, width)
    spec["config"] = config("light", FONT) | {"background": "white"}
    return spec


LETTER = 7.2
"""Width of a letter of a title, pixels, at most in the mean."""


def _title(chart: Chart, width: int) -> str | dict[str, Any]:
    """What the chart says above what it shows, in as many lines as that takes."""
    if not chart.about:
        return chart.title
    lines = textwrap.wrap(chart.title, max(int(width / LETTER), 20))
    return {"text": lines, "subtitle": textwrap.wrap(chart.about, max(int(width / LETTER), 20))}


def svg(chart: Chart, width: int = WIDTH) -> str:
    """The text of an SVG."""
    import vl_convert

    text = str(vl_convert.vegalite_to_svg(standing(chart, width)))
    return _named(text, f"{zlib.crc32((chart.title + chart.about).encode()):08x}")


def themed(text: str) -> str:
    """The text of an SVG in the colors of the page that it stands in, dark ones too: what is around the data
    takes the page's own.
    """
    paper = re.compile(r'(<rect width="[\d.]+" height="[\d.]+" fill=")white(")')
    names = dict(zip(INK["light"], ("ink", "dim", "line"), strict=True))
    for color, name in names.items():
        text = text.replace(f'"{color}"', f'"var(--{name}, {color})"')
    return paper.sub(r"\1var(--paper, white)\2", text, count=1)


_NAMES = re.compile(r"\b(clip|gradient_|pattern_)(\d+)\b")


def _named(text: str, prefix: str) -> str:
    """The same with names of its own: Vega counts on from one picture to the next, and several of them may
    stand in one page.
    """
    numbers: dict[str, int] = {}

    def named(found: re.Match[str]) -> str:
        return f"{found[1]}{prefix}-{numbers.setdefault(found[0], len(numbers))}"

    return _NAMES.sub(named, text)


def save(chart: Chart, path: str | os.PathLike[str], width: int = WIDTH) -> Path:
    """Writes a picture; its ending says which form. Raises `WordlineError` but for PNG, SVG and PDF."""
    import vl_convert

    target = Path(path)
    form = target.suffix.removeprefix(".").lower()
    spec = standing(chart, width)
    if form == "svg":
        data = svg(chart, width).encode()
    elif form == "png":
        data = vl_convert.vegalite_to_png(spec, scale=PNG_SCALE)
    elif form == "pdf":
        data = vl_convert.vegalite_to_pdf(spec)
    else:
        raise WordlineError(f"{target}: allowed: a name that ends in .png, .svg or .pdf")
    with written(target) as part:
        part.write_bytes(data)
    return target
