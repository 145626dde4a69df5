"""Drives that a single run overwrote, kept for the next one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import SMALL, Wordline, sets

from wordline import kept_drives

RUN = (
    "run",
    "--device",
    "mqsim",
    "-w",
    "mixed-70-30-8k-qd16",
    *sets({**SMALL, "workload.start.overwrite": 0.05}),
    "--json",
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(kept_drives.FOLDER_VARIABLE, str(tmp_path / "drives"))
    monkeypatch.setattr(kept_drives, "KEPT_FROM_S", 0.0)
    return tmp_path / "drives"


def measured(wordline: Wordline, *more: str) -> tuple[dict[str, object], str | None]:
    """All but the figures of the wall clock, and what became of the drive."""
    outcome = wordline(*RUN, *more)
    assert outcome.code == 0, outcome.err
    data = outcome.json()
    drive = data["engine"].pop("drive", None)
    for key in ("prepare_s", "wall_s", "flash_operations_per_s"):
        del data["engine"][key]
    return data, drive


def test_a_drive_is_kept_and_the_next_run_on_it_has_the_same_result(wordline: Wordline, folder: Path) -> None:
    alone, none = measured(wordline, "--no-keep")
    assert none is None and not folder.exists()
    assert measured(wordline) == (alone, "prepared and kept")
    (file,) = folder.iterdir()
    os.utime(file, (1, 1))
    assert measured(wordline) == (alone, "kept from a run before")
    assert file.stat().st_mtime > 1, "it was used"
    other, how = measured(wordline, "--seed", "2")
    assert how == "prepared and kept" and other != alone
    assert len(list(folder.iterdir())) == 2


def test_a_drive_that_is_ready_at_once_is_not_kept(
    wordline: Wordline, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = wordline("run", "--device", "mqsim", *sets(SMALL), "--json")
    assert "drive" not in outcome.json()["engine"] and not folder.exists()
    monkeypatch.setattr(kept_drives, "KEPT_FROM_S", 1e9)
    assert measured(wordline)[1] == "prepared" and not folder.exists()


def test_a_damaged_file_is_removed_and_the_drive_prepared_anew(wordline: Wordline, folder: Path) -> None:
    expected = measured(wordline)[0]
    (file,) = folder.iterdir()
    file.write_bytes(file.read_bytes()[:1000])
    assert measured(wordline) == (expected, None)
    assert not file.exists()


def test_files_are_bounded_and_those_not_used_for_longest_go(
    wordline: Wordline, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured(wordline)
    (first,) = folder.iterdir()
    os.utime(first, (1, 1))
    monkeypatch.setattr(kept_drives, "MOST_BYTES", first.stat().st_size * 3 // 2)
    measured(wordline, "--seed", "2")
    (second,) = folder.iterdir()
    assert second != first


def test_a_folder_that_can_not_be_written_is_no_mistake(
    wordline: Wordline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(kept_drives.FOLDER_VARIABLE, str(tmp_path / "file" / "drives"))
    monkeypatch.setattr(kept_drives, "KEPT_FROM_S", 0.0)
    assert measured(wordline)[1] == "prepared"
