"""Tables as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from wordline.figures import LEGEND, UNSURE
from wordline.notes import Shared

MOST_ROWS = 200
"""Rows of a sweep's table on a page; all are in its file."""


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The first column is words, the others are numbers."""
    head = "".join(
        f"<th{' class=n' if place else ''}>{escape(text)}</th>" for place, text in enumerate(headers)
    )
    lines = (
        "<tr>"
        + "".join(f"<td{' class=n' if place else ''}>{escape(text)}</td>" for place, text in enumerate(row))
        + "</tr>"
        for row in rows
    )
    body = "".join(lines)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def legend(rows: Sequence[Sequence[str]]) -> str:
    """What the word means that stands in the place of some figures, if it does."""
    there = any(UNSURE in row for row in rows)
    return f'<p class="dim">{escape(LEGEND)}</p>' if there else ""


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
