"""Pages of results that are published: what they are made of, what joins them, and by which rules."""

from __future__ import annotations

import dataclasses
import re
import shutil
from pathlib import Path

import pytest
from conftest import Wordline

from wordline import WordlineError, presets
from wordline.repro import described
from wordline.repro.exhibit import exhibits, papers
from wordline.repro.exhibit import read as read_exhibit
from wordline.repro.publish import outdated, published
from wordline.repro.publish import page_of as made_page
from wordline.repro.run import reproduce


def test_published_pages_tell_which_file_was_run_and_are_outdated_when_it_changes(tmp_path: Path) -> None:
    names = ["unloaded-reads"]
    reproduce("validation", tmp_path / "runs", names=names, publish_to=tmp_path / "results")
    page = (tmp_path / "results" / "validation.md").read_text()
    assert page.startswith("# Reproduction: validation\n\nWritten by `wordline repro validation --publish`")
    assert (tmp_path / "results" / "validation" / "unloaded-reads.svg").exists()
    known = exhibits("validation")
    assert outdated(tmp_path / "results", known) == []
    changed = next(exhibit.digest for exhibit in known if exhibit.name == names[0])
    (tmp_path / "results" / "validation.md").write_text(page.replace(changed, "0" * 12))
    assert outdated(tmp_path / "results", known) == ["validation/unloaded-reads"]
    with pytest.raises(WordlineError, match="publish_to"):
        reproduce("validation", tmp_path / "runs", names=names, quick=True, publish_to=tmp_path / "results")


def test_an_exhibit_that_is_published_later_joins_those_that_are_there(tmp_path: Path) -> None:
    results = tmp_path / "results"
    reproduce("validation", tmp_path / "first", names=["unloaded-reads"], publish_to=results)
    alone = page_of(results)
    reproduce("validation", tmp_path / "second", names=["suspend"], publish_to=results)
    both = page_of(results)
    sections = [line.split(":")[0] for line in both.splitlines() if line.startswith("## ")]
    assert sections == ["## validation suspend", "## validation unloaded-reads"]
    assert both.endswith(alone[alone.index("## validation unloaded-reads") :])
    # Without its numbers a page can't be gone on with.
    (results / "validation" / "numbers.json").unlink()
    with pytest.raises(WordlineError, match=r"validation\.md has suspend, which would be lost"):
        reproduce("validation", tmp_path / "other", names=["unloaded-reads"], publish_to=results)
    assert not (tmp_path / "other").exists(), "before anything is run"


def page_of(results: Path) -> str:
    return (results / "validation.md").read_text()


def test_what_is_published_is_judged_anew_without_a_run(tmp_path: Path, wordline: Wordline) -> None:
    results = tmp_path / "results"
    reproduce("validation", tmp_path / "runs", names=["unloaded-reads"], publish_to=results)
    before, kept = page_of(results), results / "validation" / "numbers.json"
    assert "reproduced" in before
    judged_otherwise = kept.read_text().replace('"verdict": "reproduced"', '"verdict": "contradicted"')
    kept.write_text(judged_otherwise)
    call = ("repro", "validation", "--publish", str(results), "--judge-only")
    assert "validation.md" in wordline(*call).out
    assert page_of(results) == before
    assert "beside --publish DIR" in wordline("repro", "validation", "--judge-only").error()
    assert "no " in wordline("repro", "hotr", "--publish", str(results), "--judge-only").error()
    for run in (("--quick",), ("--seeds", "2"), ("--exhibit", "suspend")):
        assert "without options of a run" in wordline(*call, *run).error()


def test_a_digest_is_of_what_a_value_follows_from(tmp_path: Path) -> None:
    text = (
        'title = "x"\nabout = "a"\n[sweep]\ndevice = "d"\n[columns]\n'
        '[[number]]\nmetric = "m"\nvalue = "v"\nmark = "k"\n'
    )
    path = tmp_path / "x.toml"

    def digest(changed: str) -> str:
        path.write_text(changed)
        return dataclasses.replace(read_exhibit(path), paper="validation").digest

    first = digest(text)
    judged_by = ('about = "a"', 'about = "b"'), ('mark = "k"', 'uncounted = "fitted to it"')
    assert [digest(text.replace(*change)) == first for change in judged_by] == [True, True]
    valued = (
        ('device = "d"', 'device = "e"'),
        ('value = "v"', 'value = "w"'),
        ('title = "x"', 'title = "y"'),
    )
    assert [digest(text.replace(*change)) == first for change in valued] == [False, False, False]


@pytest.mark.parametrize(("file", "old", "new", "same"), [
    ("devices/pacp.toml", "channels = 8", "channels = 4", False),
    ("devices/pacp.toml", 'description = "', 'description = "Other: ', True),
    ("schemes/pacp.toml", "[partition]", '[gc]\npolicy = "fifo"\n[partition]', False),
    ("profiles/pacp-hm_0.toml", "form = 1", "form = 2", False),
    ("devices/astro.toml", "[geometry]", "[geometry] #", True),
])  # fmt: skip
def test_a_digest_is_of_the_presets_that_an_exhibit_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, old: str, new: str, same: bool
) -> None:
    exhibit = next(one for one in exhibits("pacp") if one.name == "busy")
    before = exhibit.digest
    copy = tmp_path / "presets"
    shutil.copytree(Path(presets.__file__).parent / "presets", copy)
    text = (copy / file).read_text()
    assert old in text
    (copy / file).write_text(text.replace(old, new, 1))
    monkeypatch.setattr(presets, "_PRESETS", copy)
    assert (exhibit.digest == before) == same


def test_a_name_counts_where_descriptions_are_named_and_a_path_with_what_it_names(tmp_path: Path) -> None:
    (tmp_path / "profiles").mkdir()
    (tmp_path / "workloads").mkdir()
    (tmp_path / "profiles/x.toml").write_text("form = 1")
    text = '[source]\nkind = "twin"\npath = "../profiles/x.toml"'
    (tmp_path / "workloads/x.toml").write_text(text)

    def names(tree: object) -> list[str]:
        return [str(table.get("name", table)) for table in described.of(tree, tmp_path)]

    assert names({"link": {"read_data": "page"}, "title": "pacp", "scheme": "gc.policy=fifo"}) == []
    assert names({"device": ["pacp", "enterprise-tlc"]}) == ["enterprise-tlc", "pacp"]
    assert names({"together": [{"scheme": "page+write-buffer+reclaim.threshold=9"}]}) == [
        "page",
        "write-buffer",
    ]
    twin = {"source": {"kind": "twin", "path": "../profiles/x.toml"}}
    assert names({"workload": ["workloads/x.toml", "none.toml"]}) == ["{'form': 1}", str(twin)]


def test_pages_are_published_into_a_folder_and_never_over_what_is_somebodys_own(tmp_path: Path) -> None:
    def refused(folder: Path) -> str:
        with pytest.raises(WordlineError) as error:
            reproduce("validation", tmp_path / "runs", names=["unloaded-reads"], publish_to=folder)
        assert not (tmp_path / "runs").exists(), "before anything is run"
        return str(error.value)

    own = tmp_path / "own"
    own.mkdir()
    (own / "validation.md").write_text("mine")
    assert "another folder" in refused(own) and (own / "validation.md").read_text() == "mine"
    (own / "validation.md").rename(own / "validation")
    assert "another folder" in refused(own)
    assert "is not a folder" in refused(own / "validation")


def test_published_results_are_of_the_exhibits_as_they_are() -> None:
    folder = Path(__file__).parent.parent / "docs" / "results"
    assert outdated(folder, [exhibit for paper in papers() for exhibit in exhibits(paper)]) == []


def test_published_pages_are_judged_by_the_rules_as_they_are() -> None:
    folder = Path(__file__).parent.parent / "docs" / "results"
    found = [path.parent.name for path in folder.glob("*/numbers.json")]
    assert {"collision", "hotr", "shuffler"} <= set(found)
    for paper in found:
        assert made_page(published(folder, paper), paper) == (folder / f"{paper}.md").read_text(), paper


def test_published_files_name_no_folder_of_a_machine() -> None:
    folder = Path(__file__).parent.parent / "docs" / "results"
    texts = (path for path in folder.rglob("*") if path.suffix in (".md", ".svg", ".json", ".html"))
    named = [path.name for path in texts if re.search(r"/(work|tmp|home|root)/", path.read_text())]
    assert named == []
