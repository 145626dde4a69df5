"""What is written never destroys what it isn't meant to replace."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from conftest import Wordline

from wordline.files import write_text, written


def test_a_file_takes_its_name_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), written(path) as part:
        part.write_text("half")
        raise ZeroDivisionError
    assert [each.name for each in tmp_path.iterdir()] == ["a"] and path.read_text() == "old"
    write_text(path, "new")
    assert [each.name for each in tmp_path.iterdir()] == ["a"] and path.read_text() == "new"


def test_a_link_stays_a_link_and_a_device_a_device(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("target")
    for text in ("one", "two"):
        write_text(link, text)
        assert link.is_symlink() and (tmp_path / "target").read_text() == text
    write_text("/dev/null", "gone")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


RUN = ("run", "--device", "mqsim", "--workload", "randread-4k-qd16", "--set", "workload.source.requests=100")


def test_a_timeline_goes_to_a_device_without_replacing_it(wordline: Wordline) -> None:
    assert wordline(*RUN, "--timeline", "/dev/null").code == 0
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    full = Path("/dev/full")
    if full.exists():
        outcome = wordline(*RUN, "--timeline", full)
        assert outcome.code == 2 and "/dev/full: No space left on device" in outcome.err
        assert stat.S_ISCHR(full.stat().st_mode)


def test_a_timeline_is_not_called_what_it_is_not(wordline: Wordline, tmp_path: Path) -> None:
    for name in ("t.json", "t.json.gz"):
        outcome = wordline(*RUN, "--timeline", tmp_path / name)
        assert outcome.code == 2 and "allowed: a name that ends in .pftrace" in outcome.err
    assert list(tmp_path.iterdir()) == []
    assert wordline(*RUN, "--timeline", tmp_path / "t.pftrace").code == 0


def test_a_report_is_written_through_a_link(wordline: Wordline, tmp_path: Path) -> None:
    assert wordline(*RUN, "--out", tmp_path / "run").code == 0
    page = tmp_path / "page.html"
    page.symlink_to("target.html")
    assert wordline("report", tmp_path / "run", "--out", page).code == 0
    assert page.is_symlink() and "<html" in (tmp_path / "target.html").read_text()
