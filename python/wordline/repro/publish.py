"""Pages of results: what the exhibits of each paper came to, for the documentation, written from the runs.

Beside a page's pictures its numbers are kept: exhibits that are run later join those that are there, and all
are judged anew without a run where the rules of marks have changed.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from wordline._core import WordlineError
from wordline.files import made_folder, usable_folder, write_text
from wordline.repro import kept, many, summary, tournament
from wordline.repro.exhibit import Exhibit, path_of
from wordline.repro.numbers import judged_anew
from wordline.repro.reproduction import Reproduction
from wordline.wording import argument

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from wordline.repro.reproduction import Shown

OF = "exhibit file"
"""Before the hash of the file that an exhibit was run from."""

PUBLISHED = re.compile(rf"## (\S+) (\S+): .*{OF} ([0-9a-f]+)", re.DOTALL)
"""Of the section of an exhibit."""

WRITTEN = "Written by `wordline repro"
"""In every page that was published."""

NUMBERS = "numbers.json"
"""What a page is made of, beside its pictures."""


def check(folder: str | Path, keys: Collection[tuple[str, str]]) -> None:
    """Raises `WordlineError` where the pages of these exhibits (paper, name) can't be written, or would
    replace others', or would lose other exhibits.
    """
    there = Path(folder)
    usable_folder(there)
    for paper in dict.fromkeys(paper for paper, _ in keys):
        page = there / f"{paper}.md"
        if page.exists():
            is_ours = page.is_file() and WRITTEN in page.read_text(encoding="utf-8", errors="replace")
        else:
            is_ours = not (there / paper).exists()
        if not is_ours:
            raise WordlineError(
                f"{argument('publish_to', there, '--publish')}: {page} or its pictures weren't published: "
                "allowed: another folder"
            )
        there_now = [] if not page.exists() or _numbers_of(there, paper).exists() else _sections(page)
        # An exhibit that is gone from this version is left out.
        lost = [name for of, name, _ in there_now if (of, name) not in keys and path_of(of, name).exists()]
        if lost:
            raise WordlineError(
                f"{argument('publish_to', there, '--publish')}: {page} has {', '.join(lost)}, which would be "
                "lost: allowed: those beside, in the same folder of results; another folder"
            )


def _sections(page: Path) -> list[tuple[str, str, str]]:
    """The exhibits of a page: paper, name, and the hash of the file that each was run from."""
    text = page.read_text(encoding="utf-8", errors="replace")
    sections = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    found = (PUBLISHED.match(section) for section in sections)
    return [(run[1], run[2], run[3]) for run in found if run is not None]


def _numbers_of(folder: Path, paper: str) -> Path:
    return folder / paper / NUMBERS


def publish(found: Reproduction, folder: str | Path) -> list[Path]:
    """Writes a page for each paper to `folder`, its pictures and numbers beside it; returns the pages.

    Exhibits that were published there before and aren't among these stay. Raises `WordlineError` for what
    was run with `--quick`: its numbers can't stand for the exhibit's.
    """
    quick = [shown for shown in found.shown if shown.scale == "quick" and not shown.reason]
    if quick:
        name = "/".join(quick[0].key)
        raise WordlineError(
            f"{argument('publish_to', option='--publish')}: {name} was run with {argument('quick')}: "
            "allowed: runs in full"
        )
    papers = list(dict.fromkeys(shown.exhibit.paper for shown in found.shown))
    check(folder, [shown.key for shown in found.shown])
    pages = []
    for paper in papers:
        shown_here = [shown for shown in found.shown if shown.exhibit.paper == paper]
        page = Path(folder) / f"{paper}.md"
        numbers = [number for number in found.numbers if number.paper == paper]
        made_folder(page.parent / paper)
        if paper == tournament.PAPER:
            for shown in shown_here:
                _copied(shown, found.folder, page.parent)
            standings = Reproduction(found.folder, shown_here, numbers)
            write_text(page.parent / paper / tournament.ASKED, tournament.html_of(standings))
            write_text(page, page_of(standings, paper))
        else:
            copied = [_copied(shown, found.folder, page.parent) for shown in shown_here]
            kept_at = _numbers_of(page.parent, paper)
            _write(_judged(kept.with_earlier(Reproduction(page.parent, copied, numbers), kept_at)), paper)
        pages.append(page)
    return pages


def published(folder: str | Path, paper: str) -> Reproduction:
    """What a page of `folder` is made of, judged by the rules as they are.

    Raises `WordlineError` where its numbers aren't there, or can't be read.
    """
    there = Path(folder)
    path = _numbers_of(there, paper)
    if not path.is_file():
        allowed = "a paper, and where it was published with its numbers"
        raise WordlineError(f"{argument('publish_to', there, '--publish')}: no {path}: allowed: {allowed}")
    return _judged(kept.with_earlier(Reproduction(there, [], []), path))


def _judged(found: Reproduction) -> Reproduction:
    of_exhibits = []
    for shown in found.shown:
        shown.numbers = many.judged([judged_anew(number, shown.exhibit) for number in shown.numbers])
        of_exhibits += shown.numbers
    known = {number.key_with_place for number in of_exhibits}
    rest = [number for number in found.numbers if number.key_with_place not in known]
    return Reproduction(found.folder, found.shown, [*of_exhibits, *rest])


def judge_anew(folder: str | Path, paper: str) -> Reproduction:
    """Writes a page of `folder` once more, without a run: its numbers judged by the rules as they are.

    What was published of an exhibit that has changed since stays what it was.
    """
    found = published(folder, paper)
    _write(found, paper)
    return found


def _write(found: Reproduction, paper: str) -> None:
    kept.write(found, _numbers_of(found.folder, paper))
    write_text(found.folder / f"{paper}.md", page_of(found, paper))


def page_of(found: Reproduction, paper: str) -> str:
    """A page as Markdown."""
    text = tournament.markdown_of(found) if paper == tournament.PAPER else summary.as_markdown(found)
    title, _, rest = text.partition("\n")
    named = f"{title}: {paper}" if paper != tournament.PAPER else title
    folders = "".join(f" {option} DIR" for option in _folders_of(found))
    again = f"wordline repro {paper} --exhibit NAME --seeds N{folders} --publish DIR"
    said = (
        f"{WRITTEN} {paper} --publish`; not edited by hand. One exhibit again, seeds as it says: `{again}`."
    )
    return f"{named}\n\n{said}\n{rest}"


def _folders_of(found: Reproduction) -> list[str]:
    """Options of the folders without which these exhibits lack something."""
    shown = [one.exhibit for one in found.shown]
    needed = {
        "--targets": any("line" in number for exhibit in shown for number in exhibit.numbers),
        "--traces": any(exhibit.needs for exhibit in shown),
        "--measured": any(exhibit.table is not None for exhibit in shown),
    }
    return [option for option, needs in needed.items() if needs]


def _copied(shown: Shown, here: Path, there: Path) -> Shown:
    """The same exhibit with its pictures beside the page, and without its table."""
    copies = []
    for picture in (path for path in shown.files if path.suffix == ".svg"):
        copy = there / picture.relative_to(here)
        made_folder(copy.parent)
        write_text(copy, picture.read_text(encoding="utf-8"))
        copies.append(copy)
    return replace(shown, files=copies)


def outdated(folder: Path, exhibits: Sequence[Exhibit]) -> list[str]:
    """What `folder` has of exhibits that are others now, or that are gone: `paper/name`, in order."""
    known = {(exhibit.paper, exhibit.name): exhibit.digest for exhibit in exhibits}
    found = []
    for page in sorted(folder.glob("*.md")):
        for paper, name, digest in _sections(page):
            if known.get((paper, name)) != digest:
                found.append(f"{paper}/{name}")
    return found
