"""What is wrong with a result is said wherever it is shown: a drive that died, notes, mere chance."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from conftest import SMALL, SMALL_DRIVE, Wordline, sets

import wordline as package
from wordline import derived, figures, notes
from wordline.figures import formatted_interval, number
from wordline.notes import died
from wordline.sweeps.averages import Averaged, said
from wordline.tuning import tune

WRITES = "randwrite-4k-qd16"

WORN: dict[str, object] = {
    **{f"device.geometry.{key}": 1 for key in ("channels", "ways", "dies")},
    "device.geometry.blocks": 64,
    "device.geometry.pages": 16,
    "device.capacity.overprovisioning": 0.2,
    "device.bad_blocks.endurance_spread": 0.2,
    "device.bad_blocks.spare_blocks_per_plane": 2,
    "workload.source.requests": 8000,
}
DIES = {**WORN, "device.bad_blocks.endurance_cycles": 12}
"""A drive that dies in the first half of its requests."""

LIVES = {**WORN, "device.bad_blocks.endurance_cycles": 1_000_000}

SENTENCE = "the drive died at "

FEW: dict[str, object] = {**SMALL_DRIVE, "workload.source.requests": 200}


def as_toml(
    path: Path, settings: Mapping[str, Any], tables: Mapping[str, Mapping[str, Any]], **keys: Any
) -> Path:
    lines = [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
    for table, entries in {"set": settings, **tables}.items():
        lines += [f"[{table}]", *(f'"{key}" = {json.dumps(value)}' for key, value in entries.items())]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_drive_that_died_is_said_first_by_a_run(wordline: Wordline, tmp_path: Path) -> None:
    call = ("run", "-d", "mqsim", "-w", WRITES, *sets(DIES), "--out", tmp_path)
    shown = wordline(*call).out
    result = json.loads((tmp_path / "result.json").read_text())
    assert result["end_of_life"]["time_ns"] > 0
    first = shown.splitlines()[0]
    assert first == (tmp_path / "report.txt").read_text().splitlines()[0] == died(result["notes"])
    assert first.startswith(SENTENCE) and first.endswith(" of 8000 requests")
    answered = int(first.split()[-4])
    assert 0 <= result["write"]["requests"] - answered <= 1 and answered < 4000
    note = result["notes"][0]
    assert note["reason"] and note["remedy"] and note["reason"] in " ".join(shown.split())
    page = (tmp_path / "report.html").read_text()
    assert page.index(SENTENCE) < page.index("write p99") and note["remedy"] in page
    assert SENTENCE in package.run("mqsim", "baseline", WRITES, overrides=DIES)._repr_html_()


def test_a_drive_that_lives_says_nothing_of_it(wordline: Wordline) -> None:
    assert "died" not in wordline("run", "-d", "mqsim", "-w", WRITES, *sets(LIVES)).out


def test_a_drive_that_died_is_said_first_by_several_seeds(wordline: Wordline, tmp_path: Path) -> None:
    call = ("run", "-d", "mqsim", "-w", WRITES, *sets(DIES), "--seeds", "2", "--out", tmp_path)
    first, second = wordline(*call).out.splitlines()[:2]
    assert first.startswith(f"seed 1: {SENTENCE}") and second.startswith(f"seed 2: {SENTENCE}")
    assert f"seed 2: {SENTENCE}" in (tmp_path / "report.html").read_text()


def test_a_drive_that_died_is_said_beside_the_figures_of_those_that_live(
    wordline: Wordline, tmp_path: Path
) -> None:
    out, mixed = tmp_path / "c", "mixed-70-30-8k-qd16"
    schemes = "baseline,gc.policy=fifo"
    call = ("compare", "-d", "mqsim", "-w", f"{WRITES},{mixed}", "--schemes", schemes, *sets(DIES))
    for form in ((), ("--markdown",), ("--latex",)):
        shown = wordline(*call, *form).out
        assert "drive died" in shown and SENTENCE in " ".join(shown.split())
        # A mean over workloads of drives that died is none.
        mean = shown[shown.index("geometric mean") :]
        row = next(line for line in mean.splitlines() if "write mean" in line)
        assert "–" in row or "--" in row
    assert wordline(*call, "--out", out).code == 0
    page = (out / "report.html").read_text()
    assert "drive died" in page and SENTENCE in page
    workloads = wordline(*call, "--json").json()["workloads"]
    assert [bool(entry["died"]) for entry in workloads[0]["schemes"]] == [True, True]
    assert [entry["died"] for entry in workloads[1]["schemes"]] == [None, None]
    assert workloads[0]["notes"][0]["kind"] == "end_of_life"
    rows = csv.DictReader(io.StringIO(wordline(*call, "--csv").out))
    assert len([row for row in rows if row["metric"] == "end_of_life.time_ns"]) == 2


def test_the_best_of_a_comparison_is_a_drive_that_lives() -> None:
    from wordline.comparison import compare, sheets

    found = compare("mqsim", ["baseline", "fifo"], [WRITES], overrides=DIES)
    assert found.died(WRITES, "baseline") is not None and found.died(WRITES, "fifo") is not None
    (sheet, *_) = sheets.sheets(found, ["write.latency_ns.mean"])
    assert sheet.rows[0][0] == "drive died" and sheet.best == frozenset()


def test_a_sweep_and_a_search_say_which_drives_died(wordline: Wordline, tmp_path: Path) -> None:
    cycles = "device.bad_blocks.endurance_cycles"
    file = as_toml(
        tmp_path / "s.toml", WORN, {"axes": {cycles: [12, 100_000]}}, device="mqsim", workload=WRITES
    )
    shown = " ".join(wordline("sweep", file).out.split())
    assert "drive died" in shown and f"note: endurance_cycles 12: {SENTENCE}" in shown
    page = (tmp_path / "s" / "report.html").read_text()
    assert "drive died" in page and f"endurance_cycles 12: {SENTENCE}" in page
    kinds = [note["kind"] for note in wordline("sweep", file, "--json").json()["notes"]]
    assert kinds[0] == "end_of_life"
    again = tmp_path / "again.html"
    assert wordline("report", tmp_path / "s", "--out", again).code == 0
    assert SENTENCE in again.read_text()
    search = {
        **{"device": "mqsim", "workload": WRITES, "trials": 2, "set": WORN, "search": {cycles: [12]}},
        "objectives": {"waf": "minimize"},
    }
    found = tune(search, tmp_path / "t")
    assert [note.runs for note in found.said() if note.first["kind"] == "end_of_life"] == [
        ("trial 0", "trial 1")
    ]
    assert wordline("report", tmp_path / "t", "--out", again).code == 0
    assert f"all 2 trials: {SENTENCE}" in again.read_text()


def test_a_difference_says_that_a_drive_died(wordline: Wordline, tmp_path: Path) -> None:
    for name, settings in (("dies", DIES), ("lives", LIVES)):
        call = ("run", "-d", "mqsim", "-w", WRITES, *sets(settings), "--out", tmp_path / name)
        assert wordline(*call).code == 0
    shown = wordline("diff", tmp_path / "dies", tmp_path / "lives").out
    dies = "mqsim, bad_blocks.endurance_cycles=12"
    assert shown.startswith(f"{dies}: {SENTENCE}") and f"note: {dies}: the drive died" in " ".join(
        shown.split()
    )
    kinds = [
        note["kind"]
        for note in wordline("diff", tmp_path / "dies", tmp_path / "lives", "--json").json()["notes"]
    ]
    assert kinds[0] == "end_of_life"


def point(notes: list[str], **axes: Any) -> Averaged:
    result = {"notes": [{"kind": kind, "found": kind, "reason": "", "remedy": ""} for kind in notes]}
    return Averaged(axes, [{"result": json.dumps(result)}], [])


def test_notes_of_points_are_said_once_by_the_axes_that_tell_them() -> None:
    points = [
        point(
            ["all", *(["deep"] if depth > 4 else []), *(["one"] if (depth, scheme) == (1, "b") else [])],
            depth=depth,
            scheme=scheme,
        )
        for depth in (1, 4, 16, 64)
        for scheme in ("a", "b")
    ]
    points.append(point(["all", "odd"], depth=1, scheme="c"))
    points[3] = point(["all", "odd"], depth=4, scheme="b")
    found = {note.first["kind"]: note for note in said(points)}
    assert found["all"].text() == "all 9 points: all"
    assert found["deep"].text() == "depth 16 or 64: deep" and len(found["deep"].runs) == 4
    assert found["one"].text() == "depth 1, scheme b: one"
    assert found["odd"].text() == "depth 4, scheme b, and 1 more of 9 points: odd"
    assert said([]) == []


def test_a_note_of_several_runs_says_where_its_numbers_are_of_the_first_alone() -> None:
    def note(found: str) -> list[dict[str, str]]:
        return [{"kind": "short_window", "found": found, "reason": "", "remedy": ""}]

    (same,) = notes.shared([("a", note("2 requests")), ("b", note("2 requests"))])
    (other,) = notes.shared([("a", note("2 requests")), ("b", note("3 requests"))])
    assert same.text() == "a, b: 2 requests"
    assert other.text() == "a, b (numbers of the first): 2 requests"
    assert notes.Shared.of(other.to_dict()) == other


def test_of_several_notes_of_a_kind_each_is_told_and_those_alike_but_for_numbers_together() -> None:
    def run(*found: str) -> list[dict[str, str]]:
        return [{"kind": "no_effect", "found": one, "reason": "", "remedy": ""} for one in found]

    first = run("a = 3 has no effect", "b = 3 has no effect")
    told = notes.shared([("one", first), ("two", run("b = 4 has no effect"))])
    assert [note.text() for note in told] == [
        "one: a = 3 has no effect",
        "one, two (numbers of the first): b = 3 has no effect",
    ]
    flows = run("flow 1 is idle", "flow 2 is idle")
    assert [note.text() for note in notes.shared([("one", flows), ("two", flows)])] == [
        "one, two: flow 1 is idle",
        "one, two: flow 2 is idle",
    ]


def test_a_figure_that_some_seeds_withhold_is_noted() -> None:
    runs: list[dict[str, Any]] = [
        {"lifetime.years": 3.0, "energy.watts": 5.0},
        {"lifetime.years": None, "energy.watts": 5.0},
    ]
    (told,) = derived.withheld(runs)
    assert told["found"] == "lifetime.years is known of 1 of 2 seeds"
    assert derived.withheld(runs[:1]) == derived.withheld(runs[1:]) == []


LASTS = {
    **{**SMALL_DRIVE, "workload.source.requests": 2000, "workload.start.layout": "at_trigger"},
    "device.bad_blocks.endurance_cycles": 3000,
}
YEARS = "lifetime.years"


def unsure_waf(row: dict[str, Any]) -> dict[str, Any]:
    """The row of a run whose WAF is chance."""
    from wordline.study.row import figures as flat

    result = json.loads(row["result"])
    result["intervals"]["figures"]["waf"] = {"low": -1.0, "high": 3 * result["waf"], "degrees": 9}
    kept = {name: value for name, value in row.items() if "lifetime" not in name}
    ends = dict(flat(result["intervals"], "intervals."))
    return {**kept, **ends, **derived.figures(result), "result": json.dumps(result)}


def test_a_comparison_and_a_sweep_say_why_no_run_has_a_figure_of_life() -> None:
    from wordline.comparison import compare
    from wordline.comparison.sheets import markdown
    from wordline.report.folders import sweep_body
    from wordline.sweeps.averages import averages

    found = compare("mqsim", ["baseline", "fifo"], [WRITES], overrides=LASTS)
    asked = ["waf", YEARS]
    reason = f"{YEARS} is not known: WAF is unsure"
    found.wanted = found.metrics(asked)
    assert reason not in markdown(found, asked)
    pair = WRITES, "fifo"
    rows = {**found._rows, pair: [unsure_waf(row) for row in found._rows[pair]]}  # type: ignore[arg-type]
    found._rows, found._notes = rows, {}
    text = markdown(found, asked)
    (line,) = (line for line in text.splitlines() if line.startswith("| lifetime years"))
    assert line.endswith("| – |") and f"fifo: {reason}" in text
    # What isn't asked for is not explained.
    found.wanted = found.metrics(["waf"])
    assert reason not in markdown(found, ["waf"])
    # Of all schemes, too, it isn't refused as a figure that there is not.
    rows[WRITES, "baseline"] = rows[pair]
    assert found.metrics(asked) == asked
    with pytest.raises(package.WordlineError, match=r"energy\.watts: no run has it"):
        found.metrics(["energy.watts"])
    points = [{**row, "axis.a.b": place} for place, (row,) in enumerate(rows.values())]
    (note,) = (note for note in said(averages(points), asked) if note.first["kind"] == "not_known")
    assert note.text() == f"all 2 points: {reason}"
    page = sweep_body(points, asked)
    assert reason in page and "lifetime years" in page


def test_a_sweep_whose_figures_of_life_are_all_missing_says_why(wordline: Wordline, tmp_path: Path) -> None:
    axes: dict[str, Any] = {"axes": {"workload.host.queue_depth": [1, 8]}}
    file = as_toml(tmp_path / "s.toml", FEW, axes, device="mqsim")
    call = ("sweep", file, "--set", "device.bad_blocks.endurance_cycles=3000", "--metric", YEARS)
    reason = f"all 2 points: {YEARS} is not known: "
    assert reason in " ".join(wordline(*call).out.split())
    assert reason in (tmp_path / "s" / "report.html").read_text()
    assert "not_known" in {note["kind"] for note in wordline(*call, "--json").json()["notes"]}


def test_numbers_of_tables_have_three_digits_however_small() -> None:
    told = {0.00148306: "0.00148", 0.0999: "0.0999", 0.5: "0.500", 3.1e-11: "0.000000000031", 0.0: "0"}
    assert {value: number(value) for value in told} == told
    assert formatted_interval("errors.mean_rber", 0.00148306, 0.00001) == "0.00148 ±0.00001"


def test_a_sweep_and_a_search_show_their_notes(wordline: Wordline, tmp_path: Path) -> None:
    axes: dict[str, Any] = {"workload.host.queue_depth": [1, 8]}
    file = as_toml(tmp_path / "s.toml", FEW, {"axes": axes}, device="mqsim")
    shown = " ".join(wordline("sweep", file).out.split())
    assert "note: all 2 points: 200 requests were measured" in shown
    assert "all 2 points: 200 requests were measured" in (tmp_path / "s" / "report.html").read_text()
    (note, *_) = wordline("sweep", file, "--json").json()["notes"]
    assert note["runs"] == ["queue_depth 1", "queue_depth 8"] and note["kind"] == "short_window"
    assert "all 2 points" in package.open_sweep(file, tmp_path / "s")._repr_html_()
    tables = {"search": axes, "objectives": {"read.latency_ns.mean": "minimize"}}
    file = as_toml(tmp_path / "t.toml", FEW, tables, device="mqsim", trials=4)
    shown = " ".join(wordline("tune", file).out.split())
    assert "note: all 4 trials: 200 requests were measured" in shown
    assert "all 4 trials: 200 requests were measured" in (tmp_path / "t" / "report.html").read_text()
    assert wordline("tune", file, "--json").json()["notes"][0]["kind"] == "short_window"


def test_a_figure_that_its_interval_exceeds_is_none() -> None:
    path = "read.latency_ns.mean"
    assert figures.fitting_interval(path, 410.1e3, 2469e3) == figures.UNSURE
    assert figures.formatted_interval(path, 410.1e3, 2469e3) == figures.UNSURE
    assert figures.fitting_interval(path, 410.1e3, 410.1e3) == "410.1 ±410.1 µs"
    assert figures.formatted_interval(path, 410.1e3, None) == "410.1"
    assert figures.formatted_interval(path, None, None) == "–"
    # An interval has the decimals of its figure.
    for value, half, told in (
        (1_234_567.0, 5678.0, "1,235 ±6"),
        (123_456.0, 7.0, "123.5 ±<0.1"),
        (12_345.0, 1234.5, "12.35 ±1.23"),
        (1_234.5, 0.0, "1.234 ±0.000"),
    ):
        assert figures.formatted_interval(path, value, half) == told
    assert not figures.is_unsure(0.0, 0.0) and figures.is_unsure(0.0, 1.0)


CHANCE = {
    **{**SMALL_DRIVE, "workload.source.requests": 100, "workload.source.read_share": 0.9},
    **{"scheme.scheduler.policy": "fifo", "workload.start.layout": "at_trigger"},
}
"""A few writes of a drive that begins to collect: the means of two seeds differ by more than they are."""


@pytest.fixture(scope="module")
def chance() -> dict[str, Any]:
    """Figures of two seeds, by their path."""
    found = package.run_seeds("mqsim", workload="mixed-70-30-8k-qd16", overrides=CHANCE, seeds=2)
    return dict(found.summary())


def test_every_form_shows_that_a_figure_is_chance(
    wordline: Wordline, tmp_path: Path, chance: dict[str, Any]
) -> None:
    unsure = [name for name, row in chance.items() if row.unsure]
    assert unsure, {name: (row.mean, row.ci95) for name, row in chance.items()}
    metric = next(name for name in unsure if "latency" in name)
    call = ("-d", "mqsim", "-w", "mixed-70-30-8k-qd16", *sets(CHANCE), "--seeds", "2")
    run = wordline("run", *call, "--out", tmp_path / "run")
    assert "unsure" in run.out and figures.LEGEND in run.out
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())["summary"]
    assert [name for name, row in summary.items() if row["unsure"]] == unsure
    assert summary[metric]["mean"] == chance[metric].mean
    compare = ("compare", *call, "--schemes", "baseline,fifo", "--metric", metric)
    for form in ((), ("--markdown",), ("--latex",)):
        shown = wordline(*compare, *form).out
        assert "unsure" in shown and figures.LEGEND in " ".join(shown.split()), form
    assert wordline(*compare, "--out", tmp_path / "compare").code == 0
    assert figures.LEGEND in (tmp_path / "compare" / "report.html").read_text()
    (entry,) = wordline(*compare, "--json").json()["workloads"]
    assert entry["schemes"][0]["figures"][metric]["unsure"] is True
    assert entry["schemes"][0]["figures"][metric]["value"] == pytest.approx(chance[metric].mean)
    file = as_toml(tmp_path / "s.toml", CHANCE, {}, device="mqsim", workload="mixed-70-30-8k-qd16", seeds=2)
    shown = wordline("sweep", file, "--metric", metric).out
    assert "unsure" in shown and figures.LEGEND in shown
    assert (
        "unsure" in wordline("sweep", file).out
        and figures.LEGEND in (tmp_path / "s" / "report.html").read_text()
    )
    tables: dict[str, Any] = {"search": {"scheme.gc.policy": ["greedy"]}, "objectives": {metric: "minimize"}}
    file = as_toml(
        tmp_path / "t.toml", CHANCE, tables, device="mqsim", workload="mixed-70-30-8k-qd16", seeds=2, trials=2
    )
    shown = wordline("tune", file).out
    assert "unsure" in shown and figures.LEGEND in shown
    assert figures.LEGEND in (tmp_path / "t" / "report.html").read_text()
    assert wordline("tune", file, "--json").json()["best"][0]["unsure"] == [metric]


def wide(folder: Path, path: str) -> None:
    """Makes the interval of a figure wider than the figure."""
    file = folder / "result.json"
    result = json.loads(file.read_text())
    result["intervals"]["figures"][path]["high"] = 3 * figures.at(result, path)  # type: ignore[operator]
    file.write_text(json.dumps(result))


def test_a_run_whose_interval_exceeds_a_figure_shows_none(wordline: Wordline, tmp_path: Path) -> None:
    from rich.console import Console

    from wordline import report

    for name in ("one", "other"):
        call = (
            "run",
            "-d",
            "mqsim",
            *sets({**SMALL, "workload.source.requests": 4000}),
            "--seed",
            name == "one",
        )
        assert (
            wordline(*map(str, call[:-1]), "1" if name == "one" else "2", "--out", tmp_path / name).code == 0
        )
    for path in ("read.latency_ns.mean", "read.iops"):
        wide(tmp_path / "one", path)
    result = json.loads((tmp_path / "one" / "result.json").read_text())
    screen = io.StringIO()
    Console(file=screen, width=120).print(report.render(result))
    lines = [line.split() for line in screen.getvalue().splitlines()]
    rates, times = (line for line in lines if line[:1] == ["read"])
    assert rates[2] == "unsure" and times[1] == "unsure" and "unsure" not in times[2:]
    assert figures.LEGEND in screen.getvalue()
    shown = wordline("diff", tmp_path / "one", tmp_path / "other").out
    row = next(line for line in shown.splitlines() if line.startswith("read mean"))
    assert row.split()[2] == "unsure" and row.split()[-1] == "–" and figures.LEGEND in shown
    found = wordline("diff", tmp_path / "one", tmp_path / "other", "--json").json()["figures"]
    assert found["read.latency_ns.mean"]["unsure"] == [True, False]
    page = tmp_path / "r.html"
    assert wordline("report", tmp_path / "one", "--out", page).code == 0
    # The two figures in their tables, and where the page begins.
    assert page.read_text().count(">unsure<") == 4 and figures.LEGEND in page.read_text()
