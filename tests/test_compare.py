"""`wordline compare`."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import SMALL, SMALL_DRIVE, Wordline, sets

import wordline as package
from wordline.comparison import Comparison, compare
from wordline.comparison.sheets import sheets
from wordline.figures import to_three_digits

COMPARE = ("compare", "--device", "enterprise-tlc", "--workload", "mixed-70-30-8k-qd16,randread-4k-qd16")
DRIVE = {
    "device.geometry.blocks": 24,
    "device.geometry.pages": 192,
    "device.capacity.user_bytes": 8_000_000_000,
}
QUICK = {
    **DRIVE,
    "scheme.cache.policy": "none",
    "workload.source.requests": 1500,
    "workload.start.layout": "in_order",
}
"""Without a write buffer, so that few requests show what the dies do."""


def test_figures_are_those_of_single_runs_normalised_to_the_first() -> None:
    found = compare(
        "enterprise-tlc", ["fifo", "suspend", "fifo+dynamic"], ["mixed-70-30-8k-qd16"], overrides=QUICK
    )
    alone = {
        scheme: package.run("enterprise-tlc", scheme, "mixed-70-30-8k-qd16", overrides=QUICK)
        for scheme in ("fifo", "suspend")
    }
    cell = found.cell("mixed-70-30-8k-qd16", "suspend", "read.latency_ns.p99")
    assert cell is not None and cell.ratio is not None
    assert cell.value == alone["suspend"].read.latency_ns.p99
    assert cell.ratio == pytest.approx(cell.value / alone["fifo"].read.latency_ns.p99)
    assert cell.ratio < 1
    blame = found.blame("mixed-70-30-8k-qd16", "suspend", "read")
    assert sum(blame.values()) == pytest.approx(alone["suspend"].read.latency_ns.mean)


def test_it_prints_figures_blame_and_means_side_by_side(wordline: Wordline) -> None:
    outcome = wordline(*COMPARE, "--schemes", "baseline,fifo+dynamic", *sets(QUICK))
    assert (outcome.code, outcome.err) == (0, "")
    for text in (
        "where a read's time went",
        "where a write's time went",
        "2 workloads: geometric mean",
        "fifo + dynamic",
    ):
        assert text in outcome.out, text


def test_what_is_neither_good_nor_bad_has_no_best_scheme() -> None:
    load = "mixed-70-30-8k-qd16"
    found = compare("enterprise-tlc", ["fifo", "suspend"], [load], overrides=QUICK)
    metrics = ("read.latency_ns.p99", "flash.reads", "read.iops")
    (sheet, *_) = sheets(found, metrics)
    # Row and column. That one read of the flash less, or more, is no merit.
    assert {row for row, _ in sheet.best} == {0, 2} and sheet.rows[1][1] != sheet.rows[1][2]


def test_json_csv_and_markdown_say_the_same(wordline: Wordline) -> None:
    call = (
        *COMPARE,
        "--schemes",
        "fifo",
        "--schemes",
        "suspend",
        *sets(QUICK),
        "--metric",
        "read.latency_ns.p99",
    )
    data = wordline(*call, "--json").json()
    assert data["normalised_to"] == "fifo"
    figure = data["workloads"][0]["schemes"][1]["figures"]["read.latency_ns.p99"]
    rows = list(csv.DictReader(io.StringIO(wordline(*call, "--csv").out)))
    row = next(r for r in rows if r["scheme"] == "suspend" and r["metric"] == "read.latency_ns.p99")
    assert float(row["value"]) == figure["value"]
    assert float(row["ratio"]) == figure["ratio"]
    assert any(r["metric"].startswith("read.blame.mean.mean_ns.die_wait.") for r in rows)
    text = wordline(*call, "--markdown").out
    assert f"({to_three_digits(figure['ratio'])})" in text
    assert (
        wordline(*call, "--json", "--csv").error()
        == "--json, --csv, --markdown and --latex exclude each other"
    )


def test_seeds_give_intervals(wordline: Wordline) -> None:
    data = wordline(*COMPARE, "--schemes", "baseline", *sets(QUICK), "--seeds", "3", "--json").json()
    figure = data["workloads"][0]["schemes"][0]["figures"]["read.latency_ns.mean"]
    assert figure["ci95"] > 0
    assert figure["ratio"] == 1


def test_the_blame_of_seeds_adds_up_where_some_had_no_such_request() -> None:
    workload = "mixed-70-30-8k-qd16"
    few = {**QUICK, "workload.source.requests": 300, "workload.source.read_share": 0.005}
    found = compare("enterprise-tlc", ["baseline"], [workload], seeds=6, overrides=few)
    reads = [result["read"]["requests"] for result in found.results(workload, "baseline")]
    mean = found.cell(workload, "baseline", "read.latency_ns.mean")
    assert 0 in reads and any(reads) and mean is not None
    assert sum(found.blame(workload, "baseline", "read").values()) == pytest.approx(mean.value)


def test_everything_is_validated_before_the_first_run(wordline: Wordline) -> None:
    message = wordline(*COMPARE, "--schemes", "baseline,gc.trigger=0.5", *sets(QUICK)).error()
    assert "point 2 of 4" in message and "scheme.gc.trigger" in message
    assert "each once" in wordline(*COMPARE, "--schemes", "fifo,fifo", *sets(QUICK)).error()


def test_a_figure_that_no_result_has_is_refused_before_the_first_run(
    wordline: Wordline, tmp_path: Path
) -> None:
    sweep = tmp_path / "s.toml"
    sweep.write_text("scheme = ['fifo']\n")
    search = tmp_path / "t.toml"
    search.write_text(
        "objectives = { 'read.latency.p99' = 'minimize' }\n[search]\n'scheme.gc.trigger' = [0.1]\n"
    )
    said = "no run has it: did you mean `read.latency_ns.p99`?"
    for call in (("compare", "--schemes", "baseline", "--out", tmp_path / "c"), ("sweep", sweep)):
        for dry in ((), ("--dry-run",)):
            message = wordline(*call, *dry, "--metric", "waf,read.latency.p99").error()
            assert message == f"--metric read.latency.p99: {said}"
    for dry in ((), ("--dry-run",)):
        message = wordline("tune", search, *dry).error()
        assert message == f"search {search}: objectives.read.latency.p99: {said}"
    assert "allowed: numbers of result.json" in wordline("sweep", sweep, "--metric", "xyz").error()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s.toml", "t.toml"]


def test_a_run_that_fails_is_told_and_the_others_are_kept(wordline: Wordline, tmp_path: Path) -> None:
    trace = tmp_path / "trace.csv"
    trace.write_text("time_ns,op,offset_bytes,length_bytes\n0,R,0,4096\nnonsense\n")
    outcome = wordline(
        "compare",
        "--device",
        "mqsim",
        "--schemes",
        "baseline,fifo",
        "--workload",
        "randread-4k-qd16",
        "--trace",
        trace,
        *sets(SMALL_DRIVE),
    )
    assert outcome.code == 1
    assert "trace.csv, fifo" in outcome.out and "trace.csv:3: `nonsense`" in outcome.out
    assert "read mean" in outcome.out


FAILS = """
class Boom:
    "Fails at once; of several seeds that of the second alone."

    def __init__(self, seed, alone=False):
        self.fails = not alone or seed == 2

    def choose(self, blocks):
        if self.fails:
            raise ValueError("no victim")
        found = blocks.candidates
        return int(found[blocks.valid[found].argmin()]) if found.size else None
"""

OVERWRITTEN = {**SMALL_DRIVE, "workload.source.requests": 1500, "workload.start.layout": "at_trigger"}


def with_failing_scheme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: str = "") -> tuple[str, ...]:
    """A comparison of two schemes, the second of which fails."""
    (tmp_path / "boom.py").write_text(FAILS)
    monkeypatch.syspath_prepend(tmp_path)
    schemes = f"baseline,custom.python_gc={{class='boom:Boom'{more}}}"
    load = ("--device", "mqsim", "--workload", "mixed-70-30-8k-qd16", *sets(OVERWRITTEN))
    return ("compare", *load, "--schemes", schemes)


def test_a_run_that_failed_has_no_blame(
    wordline: Wordline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = wordline(*with_failing_scheme(tmp_path, monkeypatch), "--markdown")
    assert outcome.code == 1 and outcome.out.rstrip().splitlines()[-1].endswith("no victim")
    blame = outcome.out.split("where a read's time went")[1].split("\n\n")[1].splitlines()
    assert len(blame) > 3 and all(line.endswith("| – |") for line in blame[2:])
    assert blame[-1].startswith("| sum | ") and "– | –" not in blame[-1]


@pytest.mark.parametrize("form", ["--csv", "--json"])
def test_forms_for_programs_say_on_stderr_what_failed(
    form: str, wordline: Wordline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = wordline(*with_failing_scheme(tmp_path, monkeypatch), form)
    assert outcome.code == 1 and "Boom" in outcome.err and "no victim" in outcome.err
    assert "seeds" not in outcome.err


def test_means_of_fewer_seeds_than_were_asked_for_are_told(
    wordline: Wordline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = (*with_failing_scheme(tmp_path, monkeypatch, ",alone=true"), "--seeds", "3")
    out = tmp_path / "out"
    told = "figures are of 2 of 3 seeds, the others failed"
    for form in ((), ("--markdown",), ("--latex",)):
        assert " ".join(wordline(*call, *form, "--out", out).out.split()).count(told) == 1, form
    *above, failed, fewer = wordline(*call, "--markdown", "--out", out).out.strip().split("\n\n")
    assert above and "\n" not in failed + fewer and "no victim" in failed and told in fewer
    for data in ("--csv", "--json"):
        assert wordline(*call, data, "--out", out).err.count(told) == 1, data
    assert (out / "report.html").read_text().count(told) == 1


def test_out_keeps_the_rows(wordline: Wordline, tmp_path: Path) -> None:
    call = (*COMPARE, "--schemes", "baseline,fifo", *sets(QUICK), "--out", tmp_path / "rows", "--json")
    first = wordline(*call).out
    before = sorted(path.stat().st_mtime_ns for path in (tmp_path / "rows" / "rows").iterdir())
    assert len(before) == 4
    assert wordline(*call).out == first
    assert before == sorted(path.stat().st_mtime_ns for path in (tmp_path / "rows" / "rows").iterdir())


def test_schemes_are_compared_on_several_drives(wordline: Wordline, tmp_path: Path) -> None:
    both = ("compare", "--device", "mqsim,hotr-slc", "--workload", "mixed-70-30-8k-qd16", *sets(SMALL))
    out = tmp_path / "out"
    data = wordline(*both, "--scheme", "baseline,fifo", "--json", "--out", out).json()
    (workload,) = data["workloads"]
    columns = ["mqsim, baseline", "mqsim, fifo", "hotr-slc, baseline", "hotr-slc, fifo"]
    assert [entry["scheme"] for entry in workload["schemes"]] == columns
    assert [entry["device"] for entry in workload["schemes"]] == ["mqsim", "mqsim", "hotr-slc", "hotr-slc"]
    assert (data["device"], data["normalised_to"]) == ("mqsim, hotr-slc", "mqsim, baseline")
    alone = package.run("hotr-slc", "fifo", "mixed-70-30-8k-qd16", overrides=SMALL)
    figure = workload["schemes"][3]["figures"]["read.latency_ns.mean"]
    assert figure["value"] == alone.read.latency_ns.mean
    # Drives alone are called by their names; the folder and the package know them as well.
    drives = wordline(*both, "--json").json()["workloads"][0]["schemes"]
    assert [entry["scheme"] for entry in drives] == ["mqsim", "hotr-slc"]
    assert package.load(out).to_dict() == data  # type: ignore[union-attr]
    called = compare(
        schemes=["baseline", "fifo"],
        workloads=["mixed-70-30-8k-qd16"],
        devices=["mqsim", "hotr-slc"],
        overrides=SMALL,
    )
    assert called.to_dict() == data
    assert "hotr-slc, fifo" in wordline(*both, "--scheme", "baseline,fifo", "--csv").out


def test_scheme_and_schemes_are_one_option(wordline: Wordline) -> None:
    outs = {
        wordline("compare", "--device", "mqsim", *sets(SMALL), *words, "--csv").out
        for words in (("--schemes", "baseline,fifo"), ("--scheme", "baseline", "-s", "fifo"))
    }
    assert len(outs) == 1
    assert "no scheme: allowed: --scheme" in wordline("compare", "--device", "mqsim").error()
    twice = wordline("compare", "--device", "mqsim,mqsim", *sets(SMALL))
    assert "device mqsim: allowed: each once" in twice.error()


def test_one_alone_is_no_list_of_its_letters() -> None:
    few = {**SMALL_DRIVE, "workload.source.requests": 200}
    alone = package.compare(schemes="baseline", workloads="randread-4k-qd16", devices="mqsim", overrides=few)
    listed = package.compare(
        schemes=["baseline"], workloads=["randread-4k-qd16"], devices=["mqsim"], overrides=few
    )
    assert (alone.schemes, alone.workloads) == (listed.schemes, listed.workloads)
    assert alone.to_dict()["workloads"][0]["workload"] == "randread-4k-qd16"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (lambda found: found.cell("x", "fifo", "waf"), "workload = 'x': allowed: mixed"),
        (lambda found: found.values("mixed", "nope", "waf"), "scheme = 'nope': allowed: baseline, fifo"),
        (lambda found: found.interval("mixed", "nope", "waf"), "scheme = 'nope': allowed: baseline, fifo"),
        (lambda found: found.keys("x", "fifo"), "workload = 'x': allowed: mixed"),
        (lambda found: found.notes("x"), "workload = 'x': allowed: mixed"),
        (lambda found: found.blame("mixed", "fifo", "foo"), "direction = 'foo': allowed: read, write"),
        (lambda found: found.blame("mixed", "fifo", "read", "foo"), "part = 'foo': allowed: mean, tail"),
    ],
)
def test_a_comparison_is_asked_for_what_it_has(asked: Callable[[Comparison], object], said: str) -> None:
    names = ["baseline", "fifo"]
    found = Comparison("mqsim", ["mixed"], names, {("mixed", name): [] for name in names})
    with pytest.raises(package.WordlineError, match=re.escape(said)):
        asked(found)
