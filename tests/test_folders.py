"""Folders of results: they hold what was written last, whole, and one writes at a time."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from conftest import SMALL, SMALL_DRIVE, Wordline, sets, start

from wordline import WordlineError
from wordline.files import written
from wordline.folders import alone, check, listed, replaced, usable
from wordline.sweeps.api import sweep as run_sweep

FEW = {**SMALL, "workload.source.requests": 300}
RUN = ("run", "--device", "mqsim", "--workload", "mixed-70-30-8k-qd16", *sets(FEW))
MEASURED = ("--set", "workload.measure.interval_ns=1000000", "--set", "workload.measure.block_table=true")

OF_A_RUN = {
    *("result.json", "command.json", "report.txt", "report.html"),
    *("dies.parquet", "channels.parquet", "histogram.parquet", ".wordline.json"),
}


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_folder_holds_the_files_of_one_run_and_those_of_its_user(
    wordline: Wordline, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert wordline(*RUN, *MEASURED, "--out", out).code == 0
    assert names(out) == OF_A_RUN | {"series.parquet", "blocks.parquet"}
    assert "Not recorded" not in (out / "report.html").read_text()
    (out / "notes.txt").write_text("the user's")
    (out / "samples.parquet").write_text("the user's too")
    assert wordline(*RUN, "--out", out).code == 0
    assert names(out) == OF_A_RUN | {"notes.txt", "samples.parquet"}
    page = (out / "report.html").read_text()
    assert "Not recorded" in page and "valid pages of superblocks" not in page


def test_a_table_that_a_run_did_not_write_is_not_shown_as_its_own(wordline: Wordline, tmp_path: Path) -> None:
    one, other, page = tmp_path / "one", tmp_path / "other", tmp_path / "page.html"
    assert wordline(*RUN, *MEASURED, "--out", one).code == 0
    assert wordline(*RUN, "--out", other).code == 0
    (one / "series.parquet").rename(other / "series.parquet")
    assert wordline("report", other, "--out", page).code == 0
    assert "Not recorded" in page.read_text()


def test_fewer_seeds_and_a_single_run_leave_none_of_the_others(wordline: Wordline, tmp_path: Path) -> None:
    for seeds in ("3", "2"):
        assert wordline(*RUN, "--seeds", seeds, "--out", tmp_path).code == 0
        assert sorted(path.name for path in tmp_path.glob("seed-*")) == [
            f"seed-{seed}" for seed in range(1, int(seeds) + 1)
        ]
    assert "seed 3" not in (tmp_path / "report.html").read_text()
    assert wordline(*RUN, "--out", tmp_path).code == 0
    assert names(tmp_path) == OF_A_RUN and not list(tmp_path.glob("seed-*"))


def test_a_second_run_into_a_folder_is_refused_and_a_killed_one_leaves_it_free(
    wordline: Wordline, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    endless = sets(SMALL_DRIVE | {"workload.source.requests": 1_000_000_000})
    process = start("run", "--device", "mqsim", *endless, "--out", str(out))
    try:
        end = time.monotonic() + 30
        while not (out / ".lock").exists() and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.2)
        calls = (
            *(RUN, (*RUN, "--seeds", "2")),
            ("compare", "--device", "mqsim", "--schemes", "fifo", *sets(FEW)),
        )
        for call in calls:
            assert "another run or study is writing there" in wordline(*call, "--out", out).error()
    finally:
        process.kill()
        process.communicate()
    assert wordline(*RUN, "--out", out).code == 0
    assert names(out) == OF_A_RUN


def test_a_run_that_fails_leaves_no_folder_and_what_was_there_as_it_was(
    wordline: Wordline, tmp_path: Path
) -> None:
    slip = ("--set", "workload.source.requests=-1")
    wordline(*RUN, *slip, "--out", tmp_path / "new" / "folder").error()
    assert list(tmp_path.iterdir()) == []
    assert wordline(*RUN, "--out", tmp_path).code == 0
    before = {name: (tmp_path / name).read_bytes() for name in names(tmp_path)}
    wordline(*RUN, *slip, "--out", tmp_path).error()
    assert {name: (tmp_path / name).read_bytes() for name in names(tmp_path)} == before


OLD = {"result.json": "old", "a.parquet": "old", "b.parquet": "old", "seed-9/result.json": "old"}
NEW = {"result.json": "new", "b.parquet": "new", "c.parquet": "new"}


def put(folder: Path, files: dict[str, str]) -> None:
    with replaced(folder) as stage:
        for name, text in files.items():
            (stage / name).parent.mkdir(exist_ok=True)
            (stage / name).write_text(text)


def killed_at(folder: Path, step: int) -> bool:
    """Writes the new files in a process that dies at its so-manyth change of the folder; whether it died."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    left = step

    def count(event: str, _: Any) -> None:
        nonlocal left
        left -= event in ("os.rename", "os.remove", "os.rmdir", "os.mkdir")
        if left == 0:
            os._exit(9)

    sys.addaudithook(count)
    try:
        put(folder, NEW)
    finally:
        os._exit(0)


def test_whenever_a_writer_is_killed_a_folder_holds_old_files_or_new_ones_or_no_result(
    tmp_path: Path,
) -> None:
    seen = set()
    for step in range(1, 100):
        folder = tmp_path / str(step)
        put(folder, OLD)
        (folder / "user.parquet").write_text("user")
        died = killed_at(folder, step)
        there = {name: (folder / name).read_text() for name in names(folder) if not name.startswith(".")}
        assert there.pop("user.parquet") == "user"
        try:
            check(folder)
            assert there in (OLD, NEW), step
            seen.add(there["result.json"])
        except WordlineError:
            assert set(there) <= set(listed(folder))
            seen.add("none")
        # The next one finds all that is left, and removes it.
        put(folder, {"result.json": "next"})
        assert names(folder) == {"result.json", "user.parquet", ".wordline.json"}
        if not died:
            assert there == NEW
            break
    assert seen == {"old", "none", "new"} and not died


def test_a_folder_that_is_half_written_is_told(wordline: Wordline, tmp_path: Path) -> None:
    assert wordline(*RUN, "--seeds", "2", "--out", tmp_path).code == 0
    (tmp_path / ".moving").mkdir()
    for folder in (tmp_path, tmp_path / "seed-1"):
        told = wordline("report", folder, "--out", tmp_path / "r.html").error()
        assert "its files are being replaced, or their writer was killed while it did" in told
    assert wordline(*RUN, "--seeds", "2", "--out", tmp_path).code == 0
    assert wordline("report", tmp_path, "--out", tmp_path / "r.html").code == 0


def test_a_list_that_leads_out_of_the_folder_removes_nothing_there(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    folder = tmp_path / "folder"
    folder.mkdir()
    leading = {"files": ["../mine", str(tmp_path / "mine"), "", 5]}
    (folder / ".wordline.json").write_text(json.dumps(leading))
    put(folder, NEW)
    assert (tmp_path / "mine").read_text() == "mine" and names(folder) == {*NEW, ".wordline.json"}


def test_a_sweep_takes_the_place_of_a_sweep_and_leaves_its_rows(wordline: Wordline, tmp_path: Path) -> None:
    out, file = tmp_path / "out", tmp_path / "s.toml"

    def sweep(seeds: int) -> None:
        settings = "\n".join(f'"{key}" = {json.dumps(value)}' for key, value in FEW.items())
        axes = '[axes]\n"workload.host.queue_depth" = [1, 8]'
        file.write_text(f'device = "mqsim"\nseeds = {seeds}\n[set]\n{settings}\n{axes}\n')
        assert wordline("sweep", file, "--out", out).code == 0

    def shown() -> set[str]:
        return {path.name for path in out.iterdir() if not path.name.startswith(".")}

    sweep(2)
    assert shown() == {"rows", "sweep.parquet", "averages.parquet", "report.html"}
    sweep(1)
    assert shown() == {"rows", "sweep.parquet", "report.html"}
    assert "queue depth" in (out / "report.html").read_text()


HELD = {
    "comparison.json": "a comparison",
    "search.json": "a search",
    "sweep.parquet": "a sweep",
    "calibration.html": "a calibration",
    "summary.json": "a run",
    "result.json": "a run",
}


@pytest.mark.parametrize("there", HELD)
def test_a_result_takes_the_place_of_its_own_kind_only(there: str, tmp_path: Path) -> None:
    put(tmp_path, {there: "old", "report.html": "old"})
    before = names(tmp_path)
    for new, kind in HELD.items():
        if kind == HELD[there]:
            usable(tmp_path, [new])
            continue
        told = re.escape(f"{tmp_path}: holds {HELD[there]} ({there}), whose place {kind} would take: ")
        with pytest.raises(WordlineError, match=told):
            usable(tmp_path, [new])
        with pytest.raises(WordlineError, match=told):
            put(tmp_path, {new: "new"})
        # So a study does that has its rows and writes its page.
        with pytest.raises(WordlineError, match=told), replaced(tmp_path, [new]):
            pass
    assert names(tmp_path) == before and (tmp_path / there).read_text() == "old"


def test_a_run_is_refused_before_it_begins_where_a_comparison_lies(
    wordline: Wordline, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    compare = ("compare", "--device", "mqsim", "--schemes", "fifo", *sets(FEW), "--out", out)
    assert wordline(*compare).code == 0
    before = {name: (out / name).read_bytes() for name in names(out)}
    for call in (RUN, (*RUN, "--seeds", "2"), (*RUN, "--dry-run")):
        assert "holds a comparison (comparison.json)" in wordline(*call, "--out", out).error()
    sweep = {"device": "mqsim", "set": FEW, "axes": {"workload.host.queue_depth": [1]}}
    with pytest.raises(WordlineError, match="holds a comparison"):
        run_sweep(sweep, out)
    assert {name: (out / name).read_bytes() for name in names(out)} == before


def enter(folder: Path) -> None:
    with alone(folder):
        pass


def test_one_writes_a_folder_or_a_file_at_a_time(tmp_path: Path) -> None:
    with alone(tmp_path / "a") as folder:
        (folder / "kept").write_text("")
        # The same writer may.
        with alone(tmp_path / "b" / ".." / "a"):
            pass
        with ThreadPoolExecutor(1) as pool, pytest.raises(WordlineError, match="another run or study"):
            pool.submit(enter, tmp_path / "a").result()
    with alone(tmp_path / "a"):
        pass
    page = tmp_path / "page.html"
    with written(page) as part:
        part.write_text("first")
        with pytest.raises(WordlineError, match=r"page.html: somebody else is writing it"), written(page):
            raise AssertionError
    assert page.read_text() == "first" and sorted(each.name for each in tmp_path.iterdir()) == [
        "a",
        "page.html",
    ]
