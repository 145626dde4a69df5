"""What was reproduced into a folder before, beside which exhibits that are run later stand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from wordline._core import WordlineError
from wordline.files import usable_folder, write_text
from wordline.repro import own_lines
from wordline.repro.exhibit import path_of, read
from wordline.repro.numbers import Number
from wordline.repro.reproduction import Reproduction, Shown

NAME = "reproduction.json"

WRITTEN = ("summary.html", "summary.md", "numbers.csv", "headline.csv", "tournament.html", "tournament.md")
"""Files that may stand beside it."""

FORM = 2


def write(found: Reproduction, path: Path | None = None) -> None:
    """Writes what the folder holds, to `path` if that is given."""
    known = {number.key_with_place for shown in found.shown for number in shown.numbers}
    data = {
        "form": FORM,
        "exhibits": [_described(shown, found.folder) for shown in found.shown],
        "without_exhibit": [asdict(number) for number in found.numbers if number.key_with_place not in known],
    }
    write_text(path or found.folder / NAME, json.dumps(data, indent=1, ensure_ascii=False) + "\n")


def check(folder: Path) -> None:
    """Raises `WordlineError` where what is written would replace files of another origin."""
    usable_folder(folder)
    for name in () if (folder / NAME).exists() else WRITTEN:
        if (folder / name).exists():
            raise WordlineError(
                f"{folder / name}: is there and wasn't written by `wordline repro`: allowed: another folder"
            )


def _described(shown: Shown, folder: Path) -> dict[str, Any]:
    return {
        "paper": shown.exhibit.paper,
        "exhibit": shown.exhibit.name,
        "scale": shown.scale,
        "seeds": shown.seeds,
        "version": shown.version,
        "build": shown.build,
        "digest": shown.digest,
        "reason": shown.reason,
        "errors": shown.errors,
        "files": [path.relative_to(folder).as_posix() for path in shown.files],
        "numbers": [asdict(number) for number in shown.numbers],
        "means": own_lines.of(shown),
    }


def with_earlier(found: Reproduction, path: Path | None = None) -> Reproduction:
    """The same, with the exhibits that stood in the folder before (by `path` if that is given) and weren't
    run again.

    An exhibit that is gone from this version is left out. Raises `WordlineError` where the file can't be
    read.
    """
    path = path or found.folder / NAME
    if not path.exists():
        return found
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["form"] != FORM:
            raise KeyError("form")
        shown, rest = _earlier(data, found)
    except (OSError, ValueError, KeyError, TypeError) as error:
        allowed = "what this version of `wordline repro` wrote; another folder, or this file removed"
        raise WordlineError(f"{path}: {error!r}: allowed: {allowed}") from None
    numbers = [number for one in shown for number in one.numbers]
    known = {number.key_with_place for number in (*found.numbers, *numbers)}
    rest = [number for number in rest if number.key_with_place not in known]
    return Reproduction(found.folder, _ordered([*found.shown, *shown]), [*found.numbers, *numbers, *rest])


def _earlier(data: dict[str, Any], found: Reproduction) -> tuple[list[Shown], list[Number]]:
    again = {shown.key for shown in found.shown}
    shown = [
        Shown(
            exhibit=read(path_of(one["paper"], one["exhibit"])),
            scale=one["scale"],
            seeds=one["seeds"],
            version=one["version"],
            build=one["build"],
            digest=one["digest"],
            reason=one["reason"],
            errors=one["errors"],
            files=[found.folder / name for name in one["files"]],
            numbers=[_number(each) for each in one["numbers"]],
            means=one.get("means", []),
        )
        for one in data["exhibits"]
        if (one["paper"], one["exhibit"]) not in again and path_of(one["paper"], one["exhibit"]).exists()
    ]
    return shown, [_number(each) for each in data["without_exhibit"]]


def _number(data: dict[str, Any]) -> Number:
    return Number(**{field.name: data[field.name] for field in fields(Number) if field.name in data})


def _ordered(shown: Sequence[Shown]) -> list[Shown]:
    """By paper and, within it, in the order in which exhibits are listed."""
    from wordline.repro.exhibit import exhibits

    papers = sorted({one.exhibit.paper for one in shown})
    order = [(paper, exhibit.name) for paper in papers for exhibit in exhibits(paper)]
    places = {key: place for place, key in enumerate(order)}
    return sorted(shown, key=lambda one: places.get(one.key, len(order)))
