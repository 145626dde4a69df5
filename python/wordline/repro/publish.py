"""Pages of results: what the exhibits of each paper came to, for the documentation, written from the runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from wordline._core import WordlineError
from wordline.files import made_folder, usable_folder, write_text
from wordline.repro import summary, tournament
from wordline.repro.exhibit import Exhibit, path_of
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
        there_now = _sections(page) if page.exists() else []
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


def publish(found: Reproduction, folder: str | Path, *, command: str) -> list[Path]:
    """Writes a page for each paper to `folder`, its pictures beside it; returns the pages.

    Raises `WordlineError` for what was run with `--quick`: its numbers can't stand for the exhibit's.
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
        made_folder(folder)
        write_text(page, _page(Reproduction(found.folder, shown_here, numbers), paper, command))
        for shown in shown_here:
            _copy_pictures(shown, found.folder, page.parent)
        pages.append(page)
    return pages


def _page(found: Reproduction, paper: str, command: str) -> str:
    text = tournament.markdown_of(found) if paper == tournament.PAPER else summary.as_markdown(found)
    title, _, rest = text.partition("\n")
    named = f"{title}: {paper}" if paper != tournament.PAPER else title
    return f"{named}\n\n{WRITTEN}{command}`; not edited by hand.\n{rest}"


def _copy_pictures(shown: Shown, here: Path, there: Path) -> None:
    for picture in (path for path in shown.files if path.suffix == ".svg"):
        copy = there / picture.relative_to(here)
        made_folder(copy.parent)
        write_text(copy, picture.read_text(encoding="utf-8"))


def outdated(folder: Path, exhibits: Sequence[Exhibit]) -> list[str]:
    """What `folder` has of exhibits that are others now, or that are gone: `paper/name`, in order."""
    known = {(exhibit.paper, exhibit.name): exhibit.digest for exhibit in exhibits}
    found = []
    for page in sorted(folder.glob("*.md")):
        for paper, name, digest in _sections(page):
            if known.get((paper, name)) != digest:
                found.append(f"{paper}/{name}")
    return found
