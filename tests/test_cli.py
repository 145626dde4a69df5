from __future__ import annotations

import gzip
import io
import json
import tomllib
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from conftest import SMALL, SMALL_DRIVE, Wordline, sets, start
from rich.console import Console

import wordline as package
from wordline import report

RUN = ("run", "--device", "mqsim", "--workload", "mixed-70-30-8k-qd16", *sets(SMALL))

TRACE = "time_ns,op,offset_bytes,length_bytes\n" + "".join(
    f"{index * 20_000},{'R' if index % 3 else 'W'},{index * 4096 % 1_000_000},8192\n" for index in range(1000)
)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "trace.csv"
    path.write_text(TRACE)
    return path


def test_run_prints_a_table(wordline: Wordline) -> None:
    outcome = wordline(*RUN)
    assert outcome.code == 0
    assert outcome.err == ""
    title = (
        "mqsim, geometry.blocks=256, geometry.pages=64 · baseline · mixed-70-30-8k-qd16, source.requests=2000"
    )
    for text in (title, "p99.99", "IOPS", "WAF", "Where a read's time went"):
        assert text in outcome.out, text


def test_run_says_that_an_ideal_drive_is_not_physical(wordline: Wordline) -> None:
    note = "not physical: scheme.ideal.second_server = die"
    assert note not in wordline(*RUN).out
    assert note in wordline(*RUN, "--set", "scheme.ideal.second_server=die").out


def test_run_tells_how_busy_the_cores_were(wordline: Wordline) -> None:
    costs = ("--set", "device.cpu.cores=2", "--set", "scheme.firmware.lookup_ns=200000")
    out = wordline(*RUN, *costs).out
    for text in ("2 cores, busy", "lookup 100%", "firmware on a core"):
        assert text in out, text


def test_run_json_is_one_object_and_nothing_else(wordline: Wordline) -> None:
    outcome = wordline(*RUN, "--json", "--seed", "7", "--checked")
    assert outcome.err == ""
    result = outcome.json()
    assert result["seed"] == 7
    assert result["checked"]["reads_verified"] > 0
    assert result["config"]["workload"]["source"]["requests"] == 2000
    assert result["read"]["requests"] + result["write"]["requests"] == 2000


def test_an_installed_command_gives_the_same_json() -> None:
    process = start(*RUN, "--json")
    out, err = process.communicate()
    assert (process.returncode, err) == (0, "")
    assert json.loads(out)["version"] == package.__version__


@pytest.mark.parametrize("as_json", [True, False])
def test_out_writes_the_result_and_its_tables(wordline: Wordline, tmp_path: Path, as_json: bool) -> None:
    folder = tmp_path / "new" / "folder"
    outcome = wordline(*RUN, "--out", folder, *(["--json"] if as_json else []))
    assert outcome.code == 0
    result = json.loads((folder / "result.json").read_text())
    if as_json:
        assert outcome.json() == result
    else:
        assert str(folder) in outcome.out
    assert "Where a read's time went" in (folder / "report.txt").read_text()
    page = (folder / "report.html").read_text()
    assert "Where the time went" in page and '<figure class="chart' in page
    tables = {path.stem: pyarrow.parquet.read_table(path) for path in folder.glob("*.parquet")}
    assert sorted(tables) == ["channels", "dies", "histogram"]
    assert tables["dies"].num_rows == len(result["dies"])


def test_files_instead_of_presets(wordline: Wordline, tmp_path: Path) -> None:
    for kind, name in (("device", "mqsim"), ("scheme", "baseline"), ("workload", "mixed-70-30-8k-qd16")):
        on_drive = ["--device", "mqsim"] if kind == "scheme" else []
        (tmp_path / f"{kind}.toml").write_text(wordline("show", kind, name, *on_drive).out)
    files = [f"--{kind}={tmp_path / kind}.toml" for kind in ("device", "scheme", "workload")]
    from_files = wordline("run", *files, *sets(SMALL), "--json").json()
    from_presets = wordline(*RUN, "--json").json()
    del from_files["engine"], from_presets["engine"]
    assert from_files == from_presets


def test_overrides_take_words_numbers_and_lists(wordline: Wordline) -> None:
    overrides = {
        "scheme.scheduler.policy": "fifo",
        "device.cell.read_ns": "[50000]",
        "workload.source.read_share": 0.5,
    }
    config = wordline(*RUN, *sets(overrides), "--json").json()["config"]
    assert config["scheme"]["scheduler"]["policy"] == "fifo"
    assert config["device"]["cell"]["read_ns"] == [50000]
    assert config["workload"]["source"]["read_share"] == 0.5


def test_replay_of_a_trace(wordline: Wordline, trace: Path) -> None:
    arguments = ("run", "--device", "mqsim", "--trace", trace, *sets(SMALL_DRIVE), "--json")
    result = wordline(*arguments).json()
    assert result["config"]["workload"]["name"] == "trace.csv"
    assert result["config"]["workload"]["host"]["arrivals"] == "open"
    assert result["read"]["requests"] + result["write"]["requests"] == 1000
    assert result["window"]["end_ns"] >= 999 * 20_000
    twice_as_fast = wordline(*arguments, "--set", "workload.host.time_scale=0.5").json()
    assert twice_as_fast["window"]["end_ns"] < 999 * 20_000


def but_its_path(info: dict[str, Any]) -> dict[str, Any]:
    """What is told of a trace whatever its file is called."""
    (trace,) = info["traces"]
    return {**info, "traces": [{key: value for key, value in trace.items() if key != "path"}]}


def test_trace_info(wordline: Wordline, trace: Path) -> None:
    with gzip.open(f"{trace}.gz", "wt") as file:
        file.write(TRACE)
    plain = wordline("trace", "info", trace, "--json").json()
    packed = wordline("trace", "info", f"{trace}.gz", "--json").json()
    assert but_its_path(plain) == but_its_path(packed)
    assert plain["requests"] == 1000
    assert plain["reads"]["requests"] + plain["writes"]["requests"] == 1000
    assert "1,000 requests" in wordline("trace", "info", trace).out
    assert package.trace_info(trace, format="wordline").reads.requests == plain["reads"]["requests"]


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst", ".xz", ".bz2"])
def test_trace_convert(wordline: Wordline, trace: Path, tmp_path: Path, suffix: str) -> None:
    copy = tmp_path / f"copy.csv{suffix}"
    written = wordline("trace", "convert", trace, copy, "--json").json()
    assert written == {"requests": 1000, "out": str(copy), "notes": []}
    info = ("trace", "info", "--json")
    assert but_its_path(wordline(*info, copy).json()) == but_its_path(wordline(*info, trace).json())


@pytest.mark.parametrize("kind", ["device", "scheme", "workload"])
def test_show(wordline: Wordline, kind: str) -> None:
    listed = wordline("show", f"{kind}s", "--json").json()
    names = [row["name"] for row in listed]
    assert names == package.preset_names(kind)  # type: ignore[arg-type]
    assert all(row["description"] for row in listed)
    table = wordline("show", f"{kind}s").out
    assert all(name in table for name in names)
    for name in names:
        resolved = tomllib.loads(wordline("show", kind, name).out)
        assert resolved["name"] == name
        assert wordline("show", kind, name, "--json").json() == resolved


def test_show_with_an_override(wordline: Wordline) -> None:
    text = wordline("show", "device", "mqsim", "--set", "device.geometry.channels=5").out
    assert tomllib.loads(text)["geometry"]["channels"] == 5


def test_show_tells_what_a_job_file_has_beside_its_workload(wordline: Wordline, tmp_path: Path) -> None:
    job = tmp_path / "job.fio"
    job.write_text("[a]\nrw=randread\nsize=1m\nbuffer_pattern=x\n")
    shown = wordline("show", "workload", str(job))
    assert "buffer_pattern" in shown.err and "note" not in shown.out
    assert tomllib.loads(shown.out)["flow"][0]["name"] == "a"


def test_keys_of_another_table_are_refused(wordline: Wordline, tmp_path: Path) -> None:
    trace = tmp_path / "a.csv"
    trace.write_text("128166372003061629,hm,0,Read,0,4096,1\n")
    set_in_vain = ("--set", "workload.host.time_scale=2.0")
    for command in (("info", trace), ("convert", trace, tmp_path / "b.csv"), ("fit", trace)):
        assert "allowed: workload.source.KEY=VALUE" in wordline("trace", *command, *set_in_vain).error()
    assert "allowed: scheme.KEY=VALUE" in wordline("show", "scheme", "fifo", *set_in_vain).error()


def test_a_seed_beside_a_list_of_seeds_is_refused(wordline: Wordline) -> None:
    for command in (["run"], ["compare", "-s", "baseline,fifo"]):
        error = wordline(*command, "--seed", 7, "--seeds", "3,5", "--dry-run").error()
        assert "--seed 7: allowed: beside --seeds N" in error
    assert "--jobs: allowed: with --seeds" in wordline("run", "--jobs", 3, "--dry-run").error()


def test_version_and_help(wordline: Wordline) -> None:
    assert wordline("--version").out == f"wordline {package.__version__}\n"
    assert wordline("run", "--help").code == 0
    assert "--checked" in wordline("run", "--help").out


def test_a_report_says_of_what_its_counts_are() -> None:
    data = package.run("mqsim", workload="mixed-70-30-8k-qd16", overrides=SMALL).to_dict()
    data["gc"] |= {"victims": 2, "moved_units": 1234}
    data["config"]["device"]["geometry"]["mapping_unit_bytes"] = 4096
    screen = io.StringIO()
    Console(file=screen, width=120).print(report.render(data))
    flash = data["flash"]
    counts = f"{flash['reads']:,} pages read, {flash['programs']:,} programmed, 0 blocks erased in"
    assert counts in screen.getvalue() and "2 victims, 1,234 units of 4 KiB moved" in screen.getvalue()


def test_a_report_fits_80_columns() -> None:
    result = package.run("mqsim", workload="mixed-70-30-8k-qd16", overrides=SMALL)
    screen = io.StringIO()
    Console(file=screen, width=80).print(report.render(result))
    assert "…" not in screen.getvalue()
    assert "p99.99" in screen.getvalue()


@pytest.mark.parametrize("name", ["client-qlc", "hotr-tlc", "pacp", "7450pro-960"])
def test_the_list_of_drives_has_what_the_host_sees_of_each(wordline: Wordline, name: str) -> None:
    rows = {row["name"]: row for row in wordline("show", "devices", "--json").json()}
    drive = package.Drive(name, start={"occupancy": "none"})
    assert rows[name]["user_bytes"] == drive.logical_bytes
    spare = rows[name]["overprovisioning"]
    assert rows[name]["raw_bytes"] * (1 - spare) == pytest.approx(rows[name]["user_bytes"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--format", "nope"), "--format nope: allowed: auto, msr"),
        (("--option", "foo=1"), "--option foo=1: allowed: a known key: kind"),
        (
            ("--set", "workload.source.format=nope"),
            "--set workload.source.format=nope: workload.source.format",
        ),
    ],
)
def test_a_message_names_the_option_that_was_given(
    wordline: Wordline, trace: Path, words: tuple[str, ...], said: str
) -> None:
    assert wordline("run", "--trace", trace, *words).error().startswith(said)
    if words[0] != "--set":
        assert wordline("trace", "info", trace, *words).error().startswith(said)
        compared = wordline("compare", "--scheme", "fifo", "--trace", trace, *words).error()
        assert said in compared and "workload.source" not in compared


def test_a_message_names_the_step_that_was_given(wordline: Wordline, trace: Path) -> None:
    said = wordline("run", "--trace", trace, "--transform", "slice_tme to_ns=5").error()
    assert said.startswith("--transform slice_tme to_ns=5: ")
