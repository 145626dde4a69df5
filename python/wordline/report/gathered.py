"""What folders of folders hold: runs, comparisons, sweeps, searches, other pages, and what can't be read."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any

from wordline import folders, labels, outputs
from wordline._core import WordlineError
from wordline.comparison.figures import Comparison
from wordline.comparison.saved import SAVED as COMPARISON
from wordline.comparison.saved import load as load_comparison
from wordline.files import reason
from wordline.kept_results import RESULT
from wordline.loading import SUMMARY
from wordline.report.kept_studies import load_search, rows_of
from wordline.report.lines import Line, of_comparison, of_results
from wordline.report.runs import load_runs
from wordline.report.studies import Search
from wordline.study.store import ROWS
from wordline.sweeps.api import TABLE as SWEEP
from wordline.sweeps.averages import Averaged, averages
from wordline.tuning.search import DESCRIBED as SEARCH

PAGE = "report.html"
"""The page that every command writes into its folder."""

MARKS = (COMPARISON, SEARCH, SWEEP, SUMMARY, RESULT)
"""Files by which a folder is known, the first that is there."""


@dataclass(frozen=True)
class Swept:
    """A sweep."""

    rows: list[dict[str, Any]]
    points: list[Averaged]


@dataclass
class Gathered:
    """What was found, each with its folder as it is called, in the order of their names."""

    places: dict[str, Path] = field(default_factory=dict)
    """Folders of results."""
    lines: list[Line] = field(default_factory=list)
    """Runs, seeds, and each scheme under each workload of comparisons."""
    comparisons: dict[str, Comparison] = field(default_factory=dict)
    sweeps: dict[str, Swept] = field(default_factory=dict)
    searches: dict[str, Search] = field(default_factory=dict)
    pages: dict[str, tuple[Path, str]] = field(default_factory=dict)
    """Other pages of Wordline, and their titles."""
    unreadable: dict[str, str] = field(default_factory=dict)
    """Folders that can't be read, and why."""


def is_of_folders(folder: Path) -> bool:
    """Whether a folder holds no result itself, and folders that may."""
    if not folder.is_dir() or any((folder / name).is_file() for name in MARKS):
        return False
    if any(folder.glob(f"seed-*/{RESULT}")):
        return False
    return any(inner.is_dir() and not inner.name.startswith(".") for inner in folder.iterdir())


def gather(tops: Sequence[Path], own: Path) -> Gathered:
    """All that lies in these folders and in those inside of them. `own` is the page that this is for.

    Raises `WordlineError` where one of them isn't there, or nothing is in any.
    """
    found = Gathered()
    for top in tops:
        if not top.is_dir():
            raise WordlineError(f"{top}: no such folder: allowed: a folder that a run wrote (--out)")
        for folder, names in _below(top, found.unreadable):
            _add(found, _called(folder, top, alone=len(tops) == 1), folder, names, own)
    if not (found.places or found.pages or found.unreadable):
        told = ", ".join(map(str, tops))
        raise WordlineError(f"{told}: no results in there: allowed: folders that a run wrote (--out)")
    return found


def _called(folder: Path, top: Path, *, alone: bool) -> str:
    inner = folder.relative_to(top).as_posix()
    head = top.resolve().name if alone else top.as_posix()
    if inner == ".":
        return head
    return inner if alone else f"{head}/{inner}"


def _below(top: Path, unreadable: dict[str, str]) -> Iterator[tuple[Path, list[str]]]:
    """A folder and those inside of it with the names of their files, in an order that is always the same."""

    def refused(error: OSError) -> None:
        unreadable[str(error.filename)] = reason(error)

    for folder, inner, files in os.walk(top, onerror=refused):
        # Of several seeds the folder stands for all.
        seeds = SUMMARY in files
        kept = [name for name in inner if not name.startswith(".") and not (seeds and name[:5] == "seed-")]
        inner[:] = sorted(kept, key=_natural)
        yield Path(folder), sorted(files, key=_natural)


def _natural(name: str) -> tuple[list[Any], str]:
    """Numbers in names by their size."""
    parts = re.split(r"(\d+)", name)
    return [int(part) if place % 2 else part.lower() for place, part in enumerate(parts)], name


def _add(found: Gathered, place: str, folder: Path, names: Sequence[str], own: Path) -> None:
    mark = next((name for name in MARKS if name in names), None)
    for name in names:
        page = folder / name
        known = name == PAGE and mark is not None
        if not known and page.suffix == ".html" and outputs.PAGE.is_own(page) and not _is(page, own):
            found.pages[f"{place}/{name}"] = page, _title(page)
    if mark is None and not (folder / folders.MOVING).exists():
        if any((folder / ROWS).glob("*.parquet")):
            found.unreadable[place] = "a study that hasn't ended: the same command goes on with it"
        return
    try:
        folders.check(folder)
        if mark is not None:
            READERS[mark](found, place, folder)
            found.places[place] = folder
    except (WordlineError, LookupError, TypeError, ValueError, AttributeError) as error:
        told = str(error) if isinstance(error, WordlineError) else f"{mark}: not whole: {error!r}"
        found.unreadable[place] = told


def _is(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _title(page: Path) -> str:
    told = re.search(rb"<title>(.*?)</title>", outputs.head(page), re.DOTALL)
    return unescape(told[1].decode("utf-8", "replace")) if told else page.stem


def _comparison(found: Gathered, place: str, folder: Path) -> None:
    comparison, _ = load_comparison(folder)
    found.lines += of_comparison(place, comparison)
    found.comparisons[place] = comparison


def _search(found: Gathered, place: str, folder: Path) -> None:
    found.searches[place] = load_search(folder)


def _sweep(found: Gathered, place: str, folder: Path) -> None:
    rows = rows_of(folder / SWEEP)
    points = averages(rows)
    # What a page shows of it is there, notes too, or this table is another's.
    names = (*labels.KINDS, "seed")
    if not all(name in row for row in rows for name in names) or any(point.notes is None for point in points):
        raise WordlineError(
            f"{folder / SWEEP}: not the table of a sweep: allowed: columns {', '.join(names)}"
        )
    found.sweeps[place] = Swept(rows, points)


def _run(found: Gathered, place: str, folder: Path) -> None:
    found.lines.append(of_results(place, [run.result for run in load_runs([folder])]))


READERS: dict[str, Callable[[Gathered, str, Path], None]] = {
    COMPARISON: _comparison,
    SEARCH: _search,
    SWEEP: _sweep,
    SUMMARY: _run,
    RESULT: _run,
}
