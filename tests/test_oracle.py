"""The oracle (scripts/oracle): every event, answer and table of drives that cover all pairs of features."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts" / "oracle"))

import courses  # noqa: E402
import descriptions  # noqa: E402
import further  # noqa: E402

FURTHER: dict[str, str] = json.loads((ROOT / "tests" / "oracle" / "further.json").read_text())
RECORDED: dict[str, str] = json.loads((ROOT / "tests" / "oracle" / "recorded.json").read_text())
ROWS = list(descriptions.known())


@pytest.mark.parametrize("first", range(4))
def test_the_descriptions_do_what_was_recorded(first: int) -> None:
    """After a change that is meant to change results: `python scripts/oracle record`."""
    rows = ROWS[first::4]
    differing = [row.name for row in rows if courses.whole(row).digest != RECORDED[row.name]]
    assert not differing, "python scripts/oracle compare MODULE names the first event"


@pytest.mark.parametrize("kind", ["array", "policy", "trace", "load", "unchecked"])
def test_arrays_own_policies_traces_generated_loads_and_unchecked_runs_do_what_was_recorded(
    kind: str,
) -> None:
    wanted = [name for name in FURTHER if name.startswith(kind)]
    rows = [row for row in further.rows() if row.name in wanted]
    if kind == "trace" and not rows:
        pytest.skip("no recorded traces beside the repository")
    assert len(rows) == len(wanted) >= 20
    differing = [row.name for row in rows if courses.whole(row).digest != FURTHER[row.name]]
    assert not differing, "python scripts/oracle compare MODULE names the first event"


def test_nothing_that_is_recorded_was_refused() -> None:
    assert [name for name, digest in RECORDED.items() if digest.startswith("refused")] == []
    assert sorted(RECORDED) == sorted(row.name for row in ROWS)


def test_the_descriptions_have_all_pairs_of_features_that_go_together() -> None:
    have = set().union(*(descriptions.pairs_of(tuple(map(int, row.name))) for row in ROWS))
    left = {descriptions.named(pair) for pair in descriptions.all_pairs() - have}
    # One that doesn't go with the base may go with other features.
    assert left <= set(json.loads(descriptions.DRAWN.read_text())["pairs_that_do_not_go"])


@pytest.mark.parametrize("number", range(0, 400, 50))
def test_a_run_that_is_saved_and_goes_on_does_the_same(number: int) -> None:
    random = descriptions.Random(number)
    stops = sorted({1 + random.below(600), 1 + random.below(600)})
    assert not courses.differs_in_parts(ROWS[number], tuple(stops))


@pytest.mark.parametrize("number", range(10, 400, 50))
def test_a_run_on_a_fork_of_a_prepared_drive_does_the_same(number: int) -> None:
    assert not courses.differs_on_a_fork(ROWS[number])


def test_the_course_tells_what_was_done_between_two_hashes() -> None:
    row = ROWS[0]
    course = courses.whole(row)
    first, last = courses.events(row, 0), courses.events(row, len(course.hashes) - 1)
    assert len(first) == courses.EVENTS
    assert 0 < len(last) <= courses.EVENTS
    assert "request 0 comes" in "".join(first)


def oracle(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "scripts" / "oracle"), *arguments]
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


OTHER_BUILD = """
from wordline import _core
from wordline._core import *
from wordline._core import __build__, __version__


def run(*texts, overrides, **how):
    return _core.run(*texts, overrides=[*overrides, ("device.cell.erase_ns", "2_900_000")], **how)
"""


def test_the_first_event_of_another_build_that_differs_is_shown(tmp_path: Path) -> None:
    (tmp_path / "quicker_erases.py").write_text(OTHER_BUILD)
    done = oracle("compare", "quicker_erases", "--share", "200", folder=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "of the course differs" in done.stdout
    assert "  there: " in done.stdout
    assert "  here: " in done.stdout


def test_what_it_cannot_take_is_told_in_a_line(tmp_path: Path) -> None:
    missing = oracle("compare", "no_such_build", "--share", "200", folder=tmp_path)
    assert (missing.returncode, missing.stderr.count("\n")) == (1, 1)
    assert "no_such_build" in missing.stderr
    assert "--share 0" in oracle("check", "--share", "0", folder=tmp_path).stderr
    assert oracle("compare", folder=tmp_path).returncode == 2
