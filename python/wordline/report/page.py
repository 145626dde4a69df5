"""The frame and the parts of a page that opens anywhere: one file, no network, readable on a phone, in the
dark and on paper.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from wordline import _core
from wordline.figures import legends
from wordline.files import write_text
from wordline.notes import Shared
from wordline.outputs import GENERATOR, PAGE, output

STYLE = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")

REPORT_STYLE = (Path(__file__).parent / "report.css").read_text(encoding="utf-8")

MOST_ROWS = 200
"""Rows of a sweep's table on a page; all are in its file."""


def page(title: str, body: str, *, style: str = "", subtitle: str = "") -> str:
    """A whole page around `body`, which is HTML; all else is text. Charts get what draws them."""
    under = f'<p class="dim">{escape(subtitle)}</p>' if subtitle else ""
    code = hint = ""
    if '<figure class="chart' in body:
        from wordline.charts import embed

        hint = f'<p class="dim hint">{escape(embed.HINT)}</p>'
        code = embed.code()
    # An icon of nothing keeps browsers from asking a server for one.
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f'{GENERATOR}{_core.__version__}">'
        f'<link rel="icon" href="data:,"><title>{escape(title)}</title><style>{STYLE}{style}</style></head>'
        f"<body><h1>{escape(title)}</h1>{under}{body}{hint}{code}</body></html>\n"
    )


def report_page(title: str, body: str, subtitle: str | None = None) -> str:
    """A page of results; without a subtitle it names the simulator's version."""
    return page(title, body, style=REPORT_STYLE, subtitle=subtitle or f"Wordline {_core.__version__}")


def write_page(out: str | os.PathLike[str], text: str) -> Path:
    """Writes a page, and its folder if that isn't there. Raises `WordlineError` where another's file is."""
    with output("", out, PAGE) as target:
        write_text(target, text)
    return target


LONGEST_FIELD = 32
"""Letters of a table's field that stay on one line."""


def _class(text: str, place: int) -> str:
    if len(text) <= LONGEST_FIELD:
        return " class=n" if place else " class=w"
    return ' class="n long"' if place else ""


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The first column is words, the others are numbers."""
    head = "".join(f"<th{_class(text, place)}>{escape(text)}</th>" for place, text in enumerate(headers))
    lines = (
        "<tr>"
        + "".join(f"<td{_class(text, place)}>{escape(text)}</td>" for place, text in enumerate(row))
        + "</tr>"
        for row in rows
    )
    body = "".join(lines)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def legend(rows: Sequence[Sequence[str]]) -> str:
    """What the words and marks mean that stand among these figures."""
    return "".join(f'<p class="dim">{escape(text)}</p>' for text in legends(rows))


def paragraphs(notes: Iterable[Shared]) -> str:
    """Notes of several runs."""
    return "".join(f'<p class="fair">{escape(note.text())}</p>' for note in notes)


def facts(rows: Sequence[tuple[str, str]]) -> str:
    """Names and what they are."""
    lines = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in rows)
    return f"<dl>{lines}</dl>"


def sections(parts: Sequence[tuple[str, str]]) -> str:
    """Headed sections; those without a body are left out."""
    return "".join(f"<section><h2>{escape(name)}</h2>{text}</section>" for name, text in parts if text)
