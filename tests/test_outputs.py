"""What is written goes never over what is read, and of what is there only over what Wordline wrote itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import SMALL, SMALL_DRIVE, Wordline, sets

import wordline as package
from wordline import WordlineError

TRACE = "time_ns,op,offset_bytes,length_bytes,flow\n0,R,0,4096,0\n20,W,4096,4096,0\n"

RUN = ("run", "--device", "mqsim", "--workload", "mixed-70-30-8k-qd16", *sets(SMALL))


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "a.csv"
    path.write_text(TRACE)
    return path


def test_a_trace_is_never_converted_onto_itself_however_it_is_called(wordline: Wordline, trace: Path) -> None:
    hard, soft, far = (
        trace.with_name("hard.csv"),
        trace.with_name("soft.csv"),
        trace.parent / "x" / ".." / "a.csv",
    )
    hard.hardlink_to(trace)
    soft.symlink_to(trace)
    (trace.parent / "x").mkdir()
    for one, other in ((trace, trace), (trace, hard), (trace, soft), (soft, trace), (trace, far)):
        told = wordline("trace", "convert", one, other).error()
        assert f"OUT {other}: that is {one}, which this command reads or writes" in told
        assert trace.read_text() == TRACE
    # What is written has this name before it is whole.
    part = trace.with_name("b.csv.part")
    part.write_text(TRACE)
    assert "reads or writes" in wordline("trace", "convert", part, trace.with_name("b.csv")).error()
    assert part.read_text() == TRACE


@pytest.mark.parametrize(
    "arguments",
    [
        ("trace", "convert", "@", "#"),
        ("trace", "info", "@", "--html", "#"),
        ("trace", "fit", "@", "--out", "#"),
        (*RUN, "--request-log", "#"),
        (*RUN, "--timeline", "#.pftrace"),
        (*RUN, "--save-state", "#", "--stop-after", "10"),
        ("prepare", "mqsim", *sets(SMALL_DRIVE), "--out", "#"),
    ],
    ids=lambda words: " ".join(str(word) for word in words[:2]) + " " + str(words[-2]),
)
@pytest.mark.parametrize(
    "content", ["mine", "time,op\n1,R\n", "PAR1", "\x1f\x8b", "BZh", "\xfd7zXZ", "(\xb5/\xfd"]
)
def test_a_file_of_another_origin_is_kept_and_its_own_replaced(
    wordline: Wordline, trace: Path, arguments: tuple[str, ...], content: str
) -> None:
    folder = trace.parent / "new" / "inner"
    words = [word.replace("@", str(trace)).replace("#", str(folder / "out")) for word in arguments]
    (path,) = (Path(word) for word in words if word.startswith(str(folder)))
    folder.mkdir(parents=True)
    path.write_bytes(content.encode("latin-1"))
    told = wordline(*words).error()
    assert f"{path}: is there and not a" in told and "allowed: another name" in told
    assert [each.name for each in folder.iterdir()] == [path.name]
    assert path.read_bytes() == content.encode("latin-1")
    path.unlink()
    folder.rmdir()
    # Its folder is made; what it wrote itself, and an empty file, are replaced.
    for _ in range(2):
        assert wordline(*words).code == 0
        assert path.stat().st_size > 0
    path.write_bytes(b"")
    assert wordline(*words).code == 0


@pytest.mark.parametrize("name", ["t.csv.gz", "t.csv.zst", "t.csv.xz", "t.csv.bz2", "t.parquet", "t.iolog"])
def test_a_converted_trace_is_known_again_in_every_form(wordline: Wordline, trace: Path, name: str) -> None:
    for _ in range(2):
        assert wordline("trace", "convert", trace, trace.with_name(name)).code == 0


def test_a_state_is_not_saved_over_the_one_that_was_loaded(wordline: Wordline, tmp_path: Path) -> None:
    state = tmp_path / "s"
    stop = ("--save-state", state, "--stop-after")
    assert wordline(*RUN, *stop, "100").code == 0
    before = state.read_bytes()
    assert "which this command reads" in wordline(*RUN, "--load-state", state, *stop, "200").error()
    assert state.read_bytes() == before


def test_a_trace_that_a_workload_names_is_an_input_too(trace: Path) -> None:
    workload = {"source": {"kind": "trace", "path": str(trace)}, "host": {"arrivals": "open"}}
    with pytest.raises(
        WordlineError, match=r"request_log .*a.csv: that is .*a.csv, which this command reads"
    ):
        package.run("mqsim", workload=workload, overrides=SMALL_DRIVE, request_log=trace)
    assert trace.read_text() == TRACE


def test_two_outputs_are_not_one_file(wordline: Wordline, tmp_path: Path) -> None:
    path = tmp_path / "x.pftrace"
    told = wordline(*RUN, "--request-log", path, "--timeline", tmp_path / "y" / ".." / "x.pftrace").error()
    assert "which this command reads or writes" in told and list(tmp_path.iterdir()) == []


def test_a_report_and_a_folder_keep_files_of_the_user(wordline: Wordline, tmp_path: Path) -> None:
    run, page = tmp_path / "run", tmp_path / "page.html"
    run.mkdir()
    (run / "result.json").write_text("mine")
    assert "result.json: is there and not written by Wordline" in wordline(*RUN, "--out", run).error()
    assert [each.name for each in run.iterdir()] == ["result.json"]
    (run / "result.json").unlink()
    assert wordline(*RUN, "--out", run).code == 0
    for path in (page, run / "result.json"):
        if path == page:
            page.write_text("<html>mine</html>")
        before = path.read_bytes()
        assert "is there and not a page of Wordline" in wordline("report", run, "--out", path).error()
        assert path.read_bytes() == before
    page.unlink()
    for _ in range(2):
        assert wordline("report", run, "--out", page).code == 0


def test_nothing_is_no_name(wordline: Wordline, trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = trace.parent / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    for words in (("--out", ""), ("--out=",), ("--request-log", ""), ("--traces", "")):
        assert f"{words[0].rstrip('=')} '': allowed: a value" in wordline(*RUN, *words).error()
    assert "argument 4 ''" in wordline("trace", "convert", trace, "").error()
    result = package.run("mqsim", workload="mixed-70-30-8k-qd16", overrides=SMALL)
    with pytest.raises(WordlineError, match="'': allowed: a name"):
        result.save("")
    assert list(empty.iterdir()) == []


def test_a_folder_that_a_command_made_goes_where_it_fails(wordline: Wordline, tmp_path: Path) -> None:
    for option in ("--out", "--request-log"):
        wordline(*RUN, option, tmp_path / "a" / "b", "--set", "workload.source.requests=-1").error()
        assert list(tmp_path.iterdir()) == []
