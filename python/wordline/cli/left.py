"""What `--dry-run` prints: what is left to be run, and how long it takes."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from wordline._core import WordlineError
from wordline.cli.common import say

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
    retry: bool = False,
) -> None:
    """How many points are valid, how many of them aren't done, how many prepared drives those begin on, and
    an estimate of the time. Raises `WordlineError` where the only one fails as soon as it is tried.
    """
    left = still_to_run(runs, status, retry)
    facts = counted([found for _, found in runs], [found for _, found in left])
    time = Time.of(left, on=on, jobs=jobs)
    if facts["points"] == 1 and time.found.failing:
        raise WordlineError(time.found.failing[0])
    time.say_what_fails()
    if as_json:
        print(json.dumps(facts | time.facts()))
        return
    print(in_words(facts))
    if facts["left"]:
        print(time.in_words())


def still_to_run(
    runs: Sequence[tuple[Point, Inputs]], status: Mapping[str, str], retry: bool
) -> list[tuple[Point, Inputs]]:
    """Those that aren't done; what failed by itself is left only with `retry`, which is said."""
    from wordline.study.row import DONE, FAILED

    failed = {found.key for _, found in runs if status.get(found.key) == FAILED}
    if failed and not retry:
        say([f"failed before: {len(failed):,}, which only --retry runs again"])
    settled = {DONE} if retry else {DONE, FAILED}
    return [(point, found) for point, found in runs if status.get(found.key) not in settled]


@dataclass(frozen=True)
class Time:
    """How long runs will take."""

    found: Estimate
    runs: int
    width: int | None
    """Cores; `None` where they are elsewhere."""

    @classmethod
    def of(
        cls,
        left: Sequence[tuple[Point, Inputs]],
        *,
        on: str,
        jobs: int | None,
        runs: int | None = None,
        at_once: int | None = None,
    ) -> Time:
        """Of these; or of so many `runs` of which these are samples, of which so many are done at once.

        Raises `WordlineError` for a place that isn't known.
        """
        from wordline.study.estimate import estimate
        from wordline.study.executors import refuse_unknown

        refuse_unknown(on)

        count = len({found.key for _, found in left})
        side_by_side = at_once or max(count, 1)
        width = min(jobs or os.cpu_count() or 1, side_by_side) if on in HERE else 1
        found = estimate(left, width if runs is None else 1)
        if runs is not None and found.seconds is not None and count:
            found = replace(found, seconds=found.seconds / count * runs / width)
        return cls(found, count if runs is None else runs, width if on in HERE else None)

    def facts(self) -> dict[str, Any]:
        """For `--json`."""
        seconds = self.found.seconds
        return {"estimate_s": None if seconds is None else round(seconds, 1), "tried": self.found.tried}

    def say_what_fails(self) -> None:
        """As a note for each reason."""
        say(f"a run that was tried fails: {reason}" for reason in self.found.failing)

    def in_words(self) -> str:
        """For a person, with what it rests on. Without a `width` it is the time of one core."""
        from wordline.cli.progress import brief
        from wordline.study.estimate import SLICE_S

        found, width = self.found, self.width
        if found.seconds is None:
            return f"no estimate of the time: {found.lacks}"
        where = (
            "of one core's time" if width is None else "on one core" if width == 1 else f"on {width} cores"
        )
        of = f"{found.tried} of them" if found.tried < self.runs else "each" if self.runs > 1 else "it"
        took = f"about {brief(found.seconds)}" if found.seconds >= 1 else "less than a second"
        return f"{took} {where} (an estimate by the first {SLICE_S:g} s of {of}, preparation included)"


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
