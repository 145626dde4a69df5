"""The tournament: which schemes stand in it, what its tables say, and its page."""

import itertools
import re
from pathlib import Path
from typing import Any

import pytest

from wordline import _core, run, schemes
from wordline.presets import load
from wordline.repro.exhibit import EXHIBITS, Exhibit, exhibits
from wordline.repro.grid import cells
from wordline.repro.run import reproduce
from wordline.repro.standings import Row, loads, read, standings
from wordline.repro.tournament import html_of, load_cells, markdown_of
from wordline.study.runs import validate

TOURNAMENT = exhibits("tournament")

TRACES = Path(__file__).parents[2] / "shared" / "traces"

SYSTEMS = ("collision", "hotr", "pacp", "shuffler", "astro", "parity-rebuild", "rails-one-drive")


def plain(scheme: str) -> str:
    """A scheme without the keys that its drive needs."""
    return "+".join(part for part in scheme.split("+") if "=" not in part)


def named(exhibit: Exhibit) -> set[str]:
    sweep = exhibit.data["sweep"]
    lists = [sweep.get("scheme", []), *(group.get("scheme", []) for group in sweep["together"])]
    return {plain(scheme) for scheme in itertools.chain(*lists)} | set(exhibit.left_out)


@pytest.mark.parametrize(("superblock", "kept"), [("chip", 0.63), ("die", 1.0)])
def test_shuffling_parts_what_a_die_programs_at_once_where_a_superblock_is_two_dies(
    superblock: str, kept: float
) -> None:
    def pages_a_command(scheme: str) -> float:
        drive = EXHIBITS / "tournament" / "devices" / "enterprise.toml"
        overrides = {"workload.source.requests": 25_000, "workload.host.time_scale": 0.0091}
        more = f"+reclaim.threshold=200+blocks.superblock={superblock}"
        found = run(drive, scheme + more, "gen0", overrides=overrides).to_dict()
        assert found["read_reclaim"]["operations"] > 30
        programs = found["flash"]["by_class"]["reclaim_program"]
        return float(programs["operations"] / programs["transactions"])

    # Two planes of three pages.
    assert pages_a_command("superblock-reclaim") == 6
    assert pages_a_command("shuffler") == pytest.approx(6 * kept, rel=0.02)


def test_every_system_and_every_pair_is_run_or_left_out_with_a_reason() -> None:
    everything = {frozenset(name.split("+")) for exhibit in TOURNAMENT for name in named(exhibit)}
    wanted = {frozenset(names) for count in (1, 2) for names in itertools.combinations(SYSTEMS, count)}
    assert not wanted - everything
    # On each drive all that needs neither reclaim nor a map on flash.
    anywhere = {names for names in wanted if not names & {"shuffler", "astro"}}
    for exhibit in TOURNAMENT:
        if exhibit.name in ("enterprise", "qlc", "research"):
            found = {frozenset(name.split("+")) for name in named(exhibit)}
            assert not anywhere - found, (exhibit.name, anywhere - found)
    assert all(reason for exhibit in TOURNAMENT for reason in exhibit.left_out.values())


def test_rows_of_a_table_reclaim_alike_or_not_at_all() -> None:
    for exhibit in TOURNAMENT:
        if exhibit.missing(TRACES) is not None:
            continue
        found = set()
        for inputs in validate(exhibit.points(True, TRACES)):
            reclaim = inputs.config["scheme"]["reclaim"]
            rules = (reclaim["threshold"], reclaim["priority"], reclaim.get("hard_limit"))
            found.add(None if reclaim["policy"] == "none" else rules)
        assert len(found) == 1, (exhibit.name, found)


def test_pairs_that_are_left_out_for_a_slot_exclude_each_other() -> None:
    for exhibit in TOURNAMENT:
        for name, reason in exhibit.left_out.items():
            if "slot" in reason:
                with pytest.raises(_core.WordlineError, match="both fill the slot"):
                    schemes.scheme(name)


@pytest.mark.parametrize(("file", "preset", "own"), [
    ("enterprise", "enterprise-tlc", {"name", "scheme.blocks.superblock"}),
    ("qlc", "client-qlc", {"name", "scheme.blocks.superblock", "scheme.slc_cache", "slc_mode"}),
])  # fmt: skip
def test_drives_of_the_tournament_are_the_presets_but_for_the_keys_that_their_heads_name(
    file: str, preset: str, own: set[str]
) -> None:
    from wordline.toml_files import parse

    ours = parse((EXHIBITS / "tournament" / "devices" / f"{file}.toml").read_text())
    # What a maker promises changes no run.
    theirs = {key: value for key, value in parse(load("device", preset).text).items() if key != "rated"}
    differ = set(different(ours, theirs))
    assert {next((key for key in own if path.startswith(key)), path) for path in differ} == own


def different(ours: Any, theirs: Any, path: str = "") -> list[str]:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        keys = sorted(ours.keys() | theirs.keys())
        return [name for key in keys for name in different(ours.get(key), theirs.get(key), f"{path}.{key}")]
    return [] if ours == theirs else [path.removeprefix(".")]


def row(scheme: str, workload: str, read_mean: float, writes: float, p99: float | None = 10.0) -> Row:
    return {
        "scheme": scheme, "workload": workload, "read_mean_ns": read_mean, "read_p99_ns": p99,
        "behind_writes_ns": writes, "logical_bytes": 100.0 if scheme == "plain" else 50.0,
        "dram_bytes": 4.0, "reclaims": 3.0,
    }  # fmt: skip


def test_standings_are_ratios_waits_and_the_wait_that_gains_go_with() -> None:
    names = "abcdef"
    base = [row("plain", name, 100.0, 10.0 * number) for number, name in enumerate(names)]
    # What waits for writes is saved, half of it.
    other = [
        row("better", name, 100.0 - 5.0 * number, 5.0 * number, None) for number, name in enumerate(names)
    ]
    first, second = standings([*base, *other])
    assert first.means["read_mean_ns"] == 0.0 and first.best == ("a", 0.0) and first.goes_with is None
    ratio = 1.0
    for number in range(6):
        ratio *= 1.0 - 0.05 * number
    assert second.means["read_mean_ns"] == pytest.approx(ratio ** (1 / 6) - 1)
    assert second.means["read_p99_ns"] is None
    assert second.best is not None and second.best[0] == "f" and second.best[1] == pytest.approx(-0.25)
    assert second.saves == ("writes", 12.5) and second.costs is None
    assert second.goes_with is not None
    assert second.goes_with[0] == "writes" and second.goes_with[1] == pytest.approx(1.0)
    assert (second.dram_bytes, second.capacity) == (4.0, 0.5)


def test_workloads_are_told_by_what_their_reads_wait_for_and_by_who_helps() -> None:
    lines = [row("plain", "a", 100.0, 40.0), row("plain", "b", 50.0, 0.0)]
    lines += [row("better", "a", 70.0, 0.0), row("better", "b", 50.0, 0.0), row("best", "a", 60.0, 0.0)]
    lines.append(row("ideal-reads", "a", 50.0, 0.0))
    first, second = loads(lines)
    assert (first.workload, first.read_mean_ns, first.reclaims) == ("a", 100.0, 3.0)
    assert first.shares == {"writes": 0.4} and first.helped is not None
    assert load_cells(first)[:4] == ["a", "0.1 µs", "", "40%"] and load_cells(first)[-1] == "best (-40.0%)"
    assert second.shares == {"writes": 0.0} and load_cells(second)[-1] == ""


def test_gains_in_no_order_go_with_nothing() -> None:
    gains = [3.0, 1.0, 4.0, 1.5, 2.0, 2.5]
    base = [row("plain", name, 100.0, 10.0 * number) for number, name in enumerate("abcdef")]
    other = [row("other", name, 100.0 - gain, 0.0) for gain, name in zip(gains, "abcdef", strict=True)]
    assert standings([*base, *other])[1].goes_with is None


def test_a_grid_has_the_change_of_each_cell_and_none_without_a_figure() -> None:
    lines = [row("plain", "a", 100.0, 0.0), row("other", "a", 80.0, 0.0), row("other", "b", 80.0, 0.0)]
    found = cells(lines, "workload", "scheme", "read_mean_ns", {"scheme": "plain"})
    assert found == [("a", "plain", 0.0), ("a", "other", pytest.approx(-0.2)), ("b", "other", None)]


def test_the_page_tells_what_was_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Exhibit.points

    def few(self: Exhibit, *args: Any) -> Any:
        return [
            point
            for point in whole(self, *args)
            if dict(point.axes)["scheme"] in ("baseline", "pacp", "rails-one-drive", "parity-rebuild")
            and dict(point.axes)["workload"] in ("ali0", "rr8")
        ]

    monkeypatch.setattr(Exhibit, "points", few)
    found = reproduce("tournament", tmp_path, names=["research"], quick=True)
    text = (tmp_path / "tournament.md").read_text()
    lines = {cells[1].strip(): cells for line in text.splitlines() if len(cells := line.split("|")) > 10}
    assert lines["baseline"][2].strip() == "+0.0%"
    assert lines["rails-one-drive"][11].strip() == "50.0%"
    assert "not exercised" not in text and "| pacp |" in text and "both fill the slot" in text
    assert "(tournament.html)" in text and "(tournament/ask.html)" in markdown_of(found)
    page = (tmp_path / "tournament.html").read_text()
    assert page == html_of(found)
    assert re.search(r'<script type="application/json" id="data">\{"figures"', page) and "NaN" not in page
    assert len(read(tmp_path / "tournament" / "research.csv")) == 8
    assert (tmp_path / "tournament" / "research.svg").exists()
