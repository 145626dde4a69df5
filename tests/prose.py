"""Words and sentences of a page in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

_FENCE = re.compile(r"^[ ]*(```+|~~~+).*?^[ ]*\1[ ]*$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_HTML = re.compile(r"</?[a-zA-Z][^>]*>")
_LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*\)")
_CODE = re.compile(r"(`+)(.+?)\1", re.DOTALL)
_ITEM = re.compile(r"^ *(?:[-*+]|\d+[.)]) +")
_TABLE = re.compile(r"^ *\|")
_HEADING = re.compile(r"^#{1,6} ")
_INDENTED = re.compile(r"^(?: {4}|\t)")

ABBREVIATIONS = (
    *(
        "e.g.",
        "i.e.",
        "etc.",
        "vs.",
        "cf.",
        "al.",
        "ed.",
        "vol.",
        "no.",
        "pp.",
        "p.",
        "ch.",
        "fig.",
        "eq.",
        "sec.",
    ),
    *("approx.", "ca.", "resp.", "dr.", "st.", "trans.", "proc.", "conf.", "symp.", "int.", "comput."),
)
"""A full stop behind one of these ends no sentence."""

_INITIAL = re.compile(r"(?:^|[ (])(?:[A-Z]\.)+$")
_END = re.compile(r"([.!?…][)\"'”’*_]*|:)(?=\s|$)")


def words(text: str) -> int:
    """Words of a page: whatever has a letter or a digit, in prose, tables and code alike; not where a link
    leads to.
    """
    plain = _LINK.sub(r"\1", _COMMENT.sub(" ", text))
    return sum(any(letter.isalnum() for letter in token) for token in plain.split())


def sentences(text: str) -> Iterator[str]:
    """The sentences of the prose: without tables, code blocks (fenced or indented) and headings; each item of
    a list by itself. What stands in `code` is one word that may begin a sentence, and a link its text.
    """
    for block in _blocks(_COMMENT.sub(" ", _FENCE.sub("\n\n", text))):
        yield from _sentences(_CODE.sub("Code", _HTML.sub("", _LINK.sub(r"\1", block))))


def too_long(path: Path, most: int) -> list[str]:
    """The sentences of a page that have more words than that."""
    return [one for one in sentences(path.read_text(encoding="utf-8")) if words(one) > most]


def _blocks(text: str) -> Iterator[str]:
    """Paragraphs and items of lists."""
    for kind, group in groupby(_without_code(text.split("\n")), key=_kind):
        if kind != "prose":
            continue
        held: list[str] = []
        for line in group:
            if _ITEM.match(line) and held:
                yield " ".join(held)
                held = []
            held.append(_ITEM.sub("", line).strip().lstrip("> "))
        yield " ".join(held)


def _without_code(lines: Iterable[str]) -> Iterator[str]:
    """The lines, those of indented code blocks blank: behind a blank line, and no part of a list's item."""
    blank, code, item = True, False, False
    for line in lines:
        indented = bool(_INDENTED.match(line))
        if line.strip():
            code = indented and not item and (blank or code)
            item = bool(_ITEM.match(line)) or (item and (indented or not blank or line.startswith("  ")))
        blank = not line.strip()
        yield "" if code else line


def _kind(line: str) -> str:
    if not line.strip():
        return "blank"
    if _TABLE.match(line):
        return "table"
    if _HEADING.match(line):
        return "heading"
    return "prose"


def _sentences(block: str) -> Iterator[str]:
    """A full stop ends a sentence unless it belongs to an abbreviation, an initial or a number; so does a
    colon at the end, before a list or a block, which are sentences by themselves.
    """
    begin = 0
    for match in _END.finditer(block):
        before = block[begin : match.end()]
        behind = block[match.end() :].strip()
        if match[1] == ":":
            if behind:
                continue
        elif match[1].startswith("."):
            last = before.split()[-1].lower().lstrip("(\"'“‘[")
            if last in ABBREVIATIONS or _INITIAL.search(before) or behind[:1].islower():
                continue
        yield before.strip()
        begin = match.end()
    if rest := block[begin:].strip():
        yield rest
