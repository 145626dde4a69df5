"""What `--dry-run` prints: what is left to be run, and how long it takes."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wordline.study.estimate import Estimate
    from wordline.study.point import Inputs, Point

HERE = ("threads", "local")
"""Places whose cores are this machine's."""


def say_what_is_left(
    runs: Sequence[tuple[Point, Inputs]],
    status: Mapping[str, str],
    as_json: bool,
    *,
    on: str,
    jobs: int | None,
) -> None:
    """How many points are valid, how many of them aren't done, how many prepared drives those begin on, and
    an estimate of the time.
    """
    from wordline.study.estimate import SLICE_S, estimate

    left = [(point, found) for point, found in runs if status.get(found.key) != "done"]
    facts = counted([found for _, found in runs], [found for _, found in left])
    width = min(jobs or os.cpu_count() or 1, max(facts["left"], 1)) if on in HERE else 1
    found = estimate(left, width)
    if as_json:
        print(json.dumps(facts | {"estimate_s": _rounded(found.seconds), "tried": found.tried}))
        return
    print(in_words(facts))
    if facts["left"]:
        print(estimated(found, facts["left"], width if on in HERE else None, SLICE_S))


def counted(inputs: Sequence[Inputs], left: Sequence[Inputs]) -> dict[str, int]:
    """Points, those that are left, and the drives that these begin on."""
    return {
        "points": len({found.key for found in inputs}),
        "left": len({found.key for found in left}),
        "drives": len({found.drive_key for found in left if found.drive_key is not None}),
    }


def in_words(facts: Mapping[str, int]) -> str:
    """The same for a person."""
    drives = "1 drive" if facts["drives"] == 1 else f"{facts['drives']:,} drives"
    return f"{points_in_words(facts['points'], facts['left'])}, on {drives}"


def points_in_words(valid: int, left: int) -> str:
    """So many points are valid, so many of them are left."""
    points = "1 point is" if valid == 1 else f"{valid:,} points are"
    return f"{points} valid; {left:,} {'is' if left == 1 else 'are'} left"


def estimated(found: Estimate, left: int, width: int | None, slice_s: float) -> str:
    """The estimate for a person, and what it rests on. Without a `width` it is the time of one core."""
    from wordline.cli.progress import brief

    if found.seconds is None:
        return f"no estimate of the time: {found.lacks}"
    where = "of one core's time" if width is None else "on one core" if width == 1 else f"on {width} cores"
    of = f"{found.tried} of them" if found.tried < left else "each" if left > 1 else "it"
    took = f"about {brief(found.seconds)}" if found.seconds >= 1 else "less than a second"
    return f"{took} {where} (an estimate by the first {slice_s:g} s of {of}, preparation included)"


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 1)
