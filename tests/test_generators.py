from __future__ import annotations

import csv
import json
import re
import sys
import tomllib
from pathlib import Path

import pytest
from conftest import SMALL_DRIVE, Wordline, sets

import wordline as package
from wordline import presets
from wordline.repro.exhibit import exhibits

ROOT = Path(__file__).resolve().parent.parent

JOBS = """
[global]
rw=randrw
rwmixread=70
bs=4k
size=64m
io_size=4m
ioengine=libaio
direct=1
group_reporting
[a]
iodepth=8
[b]
rate_iops=20000
iodepth=4
"""


def burst_trace(path: Path) -> Path:
    lines = ["time_ns,op,offset_bytes,length_bytes"]
    for burst in range(400):
        for step in range(5):
            operation = "W" if step == 4 else "R"
            offset = burst * 977 % 64 * 262_144 + step * 16_384
            lines.append(f"{burst * 5_000_000 + step * 20_000},{operation},{offset},8192")
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_job_file_of_fio_is_a_workload(wordline: Wordline, tmp_path: Path) -> None:
    jobs = tmp_path / "jobs.fio"
    jobs.write_text(JOBS)
    outcome = wordline("run", "--device", "mqsim", "--workload", jobs, "--json", *sets(SMALL_DRIVE))
    assert outcome.code == 0, outcome
    flows = outcome.json()["flows"]
    assert [flow["name"] for flow in flows] == ["a", "b"]
    assert [flow["read"]["requests"] + flow["write"]["requests"] for flow in flows] == [1024, 1024]
    (group,) = outcome.json()["groups"]
    assert (group["name"], group["read"]["requests"] + group["write"]["requests"]) == ("a", 2048)
    assert "ignored" not in outcome.err


def test_a_mistake_in_a_job_file_names_its_line(wordline: Wordline, tmp_path: Path) -> None:
    jobs = tmp_path / "jobs.fio"
    jobs.write_text("[a]\nsize=1m\nzonemode=rows\n")
    error = wordline("run", "--device", "mqsim", "--workload", jobs).error()
    assert str(jobs) in error and "line 3" in error and "zonemode=rows" in error


def test_all_mistakes_in_a_job_file_are_told_a_line_each(wordline: Wordline, tmp_path: Path) -> None:
    jobs = tmp_path / "jobs.fio"
    jobs.write_text("[a]\nrw=sideways\nzonemode=rows\n")
    outcome = wordline("run", "--device", "mqsim", "--workload", jobs)
    assert outcome.code == 2 and outcome.out == ""
    lines = outcome.err.splitlines()
    parts = ["line 2: `rw=sideways`", "line 3: `zonemode=rows`", "line 1: job a: no size"]
    assert len(lines) == len(parts)
    for line, part in zip(lines, parts, strict=True):
        assert line.startswith(f"wordline: {jobs}: {part}"), line


def test_one_section_of_a_job_file_runs_with_variables(wordline: Wordline, tmp_path: Path) -> None:
    jobs = tmp_path / "jobs.fio"
    jobs.write_text("[global]\nsize=1m\ninclude more.inc\n[bad]\nrw=sideways\n[good]\nrw=${WAY}\nbs=64k\n")
    (tmp_path / "more.inc").write_text("direct=1\n")
    line = ["run", "--device", "mqsim", "--workload", jobs, "--json", *sets(SMALL_DRIVE)]
    result = wordline(*line, "--section", "good", "--env", "WAY=write").json()
    assert (result["write"]["requests"], result["read"]["requests"]) == (16, 0)
    assert "--env WAY=" in wordline(*line, "--section", "good").error()
    assert "[bad], [good]" in wordline(*line, "--section", "god", "--env", "WAY=read").error()
    assert "NAME=VALUE" in wordline(*line, "--env", "WAY").error()
    assert "--section" in wordline("run", "--section", "good", "--device", "mqsim").error()


def test_a_comparison_takes_of_job_files_what_a_run_takes(wordline: Wordline, tmp_path: Path) -> None:
    jobs = tmp_path / "jobs.fio"
    jobs.write_text("[other]\nrw=sideways\n[mine]\nrw=${WAY}\nbs=64k\n")
    options = ["--device", "mqsim", "--section", "mine", "--env", "WAY=write", "--fio", "size=1m"]
    ran = wordline("run", "--workload", jobs, *options, "--json", *sets(SMALL_DRIVE)).json()
    line = ["compare", "--scheme", "baseline", *options, "--json", *sets(SMALL_DRIVE)]
    compared = wordline(*line, "--workload", jobs, "--metric", "write.latency_ns.mean").json()
    assert str(ran["write"]["latency_ns"]["mean"]) in json.dumps(compared)
    assert "--section is for a job file of fio" in wordline(*line, "--workload", "randread-4k-qd16").error()


def test_a_job_file_without_sizes_and_with_batches_runs_as_set_beside_it(
    wordline: Wordline, tmp_path: Path
) -> None:
    jobs = tmp_path / "jobs.fio"
    jobs.write_text(
        "[global]\nfilename=f\nbs=4k\nioengine=libaio\niodepth=8\niodepth_batch_complete_min=8\n"
        "[there]\nrw=read\nflow=2\n[back]\nrw=read:-8k\nflow=2\n"
    )
    line = ["run", "--device", "mqsim", "--workload", jobs, "--json", *sets(SMALL_DRIVE)]
    result = wordline(*line, "--fio", "size=1m", "--fio", "number_ios=100").json()
    assert [flow["read"]["requests"] for flow in result["flows"]] == [100, 100]
    deep = wordline(*line, "--fio", "size=1m", "--fio", "number_ios=100", "--fio", "iodepth_batch_complete=1")
    # Eight that are waited for together leave the drive idle in between.
    assert result["window"]["end_ns"] > 1.1 * deep.json()["window"]["end_ns"]
    assert "--fio: `bs=q`" in wordline(*line, "--fio", "size=1m", "--fio", "bs=q").error()
    assert "--fio is for a job file" in wordline("run", "--fio", "size=1m", "--device", "mqsim").error()


def test_jobs_behind_a_stonewall_run_when_the_others_have_ended(wordline: Wordline, tmp_path: Path) -> None:
    jobs = tmp_path / "jobs.fio"
    jobs.write_text(
        "[global]\nsize=4m\nbs=64k\ndirect=1\nstonewall\nfilename=f\n[fill]\nrw=write\nverify=md5\n[use]\nrw=randread\n"
    )
    result = wordline("run", "--device", "mqsim", "--workload", jobs, "--json", *sets(SMALL_DRIVE)).json()
    fill, use = result["flows"]
    assert (fill["write"]["requests"], fill["read"]["requests"], use["read"]["requests"]) == (64, 64, 64)
    assert fill["window"]["end_ns"] == use["window"]["start_ns"] < use["window"]["end_ns"]
    kinds = [note["kind"] for note in result["notes"]]
    assert kinds.count("later_flow") == 1 and "ended_flow" not in kinds


def test_a_run_ends_at_its_run_time(wordline: Wordline, tmp_path: Path) -> None:
    jobs = tmp_path / "jobs.fio"
    jobs.write_text(
        "[a]\nrw=randread\nbs=4k\nsize=16m\nruntime=10ms\ntime_based\niodepth=4\nioengine=libaio\n"
    )
    result = wordline("run", "--device", "mqsim", "--workload", jobs, "--json", *sets(SMALL_DRIVE)).json()
    assert 100 < result["read"]["requests"] < 10_000
    assert 0.009e9 < result["window"]["end_ns"] < 0.012e9


def test_a_profile_is_fitted_and_its_twin_runs(wordline: Wordline, tmp_path: Path) -> None:
    trace, profile, twin = burst_trace(tmp_path / "trace.csv"), tmp_path / "p.toml", tmp_path / "twin.csv.gz"
    fitted = wordline("trace", "fit", trace, "--out", profile, "--json").json()
    assert fitted["summary"]["requests"] == 2000 and fitted["bytes"] <= 64 * 1024
    assert wordline("trace", "gen", profile, twin, "--requests", "5000", "--json").json()["requests"] == 5000
    info = wordline("trace", "info", twin, "--json").json()
    assert info["requests"] == 5000 and abs(info["read_share"] - 0.8) < 0.01
    workload = tmp_path / "workload.toml"
    workload.write_text('source = { kind = "twin", path = "p.toml" }\n[host]\narrivals = "open"\n')
    one = wordline("run", "--device", "mqsim", "--workload", workload, "--json", *sets(SMALL_DRIVE)).json()
    real = wordline("run", "--device", "mqsim", "--trace", trace, "--json", *sets(SMALL_DRIVE)).json()
    for direction in ("read", "write"):
        mean = one[direction]["latency_ns"]["mean"] / real[direction]["latency_ns"]["mean"]
        assert 0.85 < mean < 1.15, (direction, mean)
    error = wordline("trace", "gen", "no-such-preset", twin).error()
    assert "no-such-preset" in error


def test_a_model_of_the_patterns_is_fitted_and_its_twin_runs(wordline: Wordline, tmp_path: Path) -> None:
    trace, profile, twin = burst_trace(tmp_path / "trace.csv"), tmp_path / "p.toml", tmp_path / "twin.csv"
    outcome = wordline("trace", "fit", trace, "--model", "--out", profile)
    assert "a model of their patterns" in outcome.out
    described = tomllib.loads(profile.read_text())
    assert (
        described["fit_for"] == "patterns" and described["model"]["class"] and described["patterns"]["class"]
    )
    assert wordline("trace", "gen", profile, twin, "--requests", "3000", "--json").json()["requests"] == 3000
    info = wordline("trace", "info", twin, "--json").json()
    assert abs(info["read_share"] - described["summary"]["read_share"]) < 0.05


def test_real_traces_take_the_place_of_their_twins(wordline: Wordline, tmp_path: Path) -> None:
    folder = tmp_path / "traces" / "msr"
    folder.mkdir(parents=True)
    (folder / "HM_0.csv").write_text(
        "128166372003061629,hm,0,Read,383496192,32768,413\n128166372016382155,hm,0,Write,2822144,4096,5\n"
    )
    assert presets.real_trace("msr-hm_0", tmp_path) == folder / "HM_0.csv"
    assert presets.real_trace("msr-hm_1", tmp_path) is None
    assert presets.real_trace("rr8", tmp_path) is None
    outcome = wordline(
        "run",
        "--device",
        "mqsim",
        "--workload",
        "msr-hm_0",
        "--traces",
        tmp_path,
        "--json",
        *sets(SMALL_DRIVE),
    )
    assert outcome.json()["read"]["requests"] == 1
    assert "in the place of the twin" in outcome.json()["notes"][0]["found"]
    result = package.run("mqsim", workload="msr-hm_0", traces=tmp_path, overrides=SMALL_DRIVE)
    assert result.write.requests == 1
    assert "in the place of the twin" in result.to_dict()["notes"][0]["found"]
    seeds = package.run_seeds("mqsim", workload="msr-hm_0", traces=tmp_path, overrides=SMALL_DRIVE, seeds=1)
    assert seeds[1].write.requests == 1
    error = wordline(
        "run", "--device", "mqsim", "--workload", "msr-hm_0", "--traces", tmp_path / "none"
    ).error()
    assert "no such folder" in error


def test_profiles_say_what_they_are_fit_for() -> None:
    assert presets.fit_for("msr-web_2") == "counts_only"
    assert presets.fit_for("lun3") == "published_characteristics"
    assert presets.fit_for("randread-4k-qd16") == "schemes"


@pytest.mark.parametrize("name", ["ycsb-a", "varmail", "gen1", "rr8"])
def test_presets_of_the_papers_run(wordline: Wordline, name: str) -> None:
    few = {"workload.source.requests": 2000, "workload.start.occupancy": '"all"'}
    outcome = wordline("run", "--device", "enterprise-tlc", "--workload", name, "--json", *sets(few))
    assert outcome.code == 0, outcome
    result = outcome.json()
    done = sum(result[kind]["requests"] for kind in ("read", "write", "trim"))
    assert done > 1000


def test_published_profiles_are_what_the_script_writes() -> None:
    targets = ROOT.parent / "shared" / "targets"
    if not targets.is_dir():
        pytest.skip("no shared targets beside the repository")
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        import published
        from profiles import written
    finally:
        sys.path.pop(0)
    for place, profiles in published.places(targets):
        for profile in profiles:
            path = place / "profiles" / f"{profile.name}.toml"
            assert path.read_text() == written.text_of(profile), profile.name
            workload = place / "workloads" / f"{profile.name}.toml"
            assert workload.read_text() == written.workload_of(profile), profile.name


def test_twins_of_read_collisions_have_as_many_sequences_in_use_as_web_3_and_its_own_twin(
    wordline: Wordline, tmp_path: Path
) -> None:
    trace = ROOT.parent / "shared" / "traces" / "norm" / "msr_web_3.trace.gz"
    if not trace.is_file():
        pytest.skip("no shared traces beside the repository")

    def in_use(of: Path) -> float:
        profile = tmp_path / "profile.toml"
        assert wordline("trace", "fit", of, "--out", profile).code == 0
        bursts = tomllib.loads(profile.read_text())["patterns"]["burst"]
        reads = [burst for burst in bursts if burst["op"] == "read"]
        shares = sum(burst["share"] for burst in reads)
        return float(sum(burst["share"] * burst["sequences"] for burst in reads) / shares)

    recorded = in_use(trace)
    twin = tmp_path / "twin.csv.gz"
    assert wordline("trace", "gen", tmp_path / "profile.toml", twin).code == 0
    assert in_use(twin) == pytest.approx(recorded, rel=0.1)
    published = tomllib.loads((ROOT / "presets" / "profiles" / "collision-web_3.toml").read_text())
    again = [burst["again"] for burst in published["model"]["burst"] if "again" in burst]
    assert [one["sequences"] for one in again] == [round(recorded)]


@pytest.mark.parametrize(
    ("name", "trace"),
    [("web_3", "msr_web_3"), ("hm_0_rw7016", "msr_hm_0_rw7016"), ("mayun2", "diskmon_mayun2")],
)
def test_a_twin_made_as_those_of_read_collisions_predicts_its_recordings_own_effect(
    name: str, trace: str
) -> None:
    path = ROOT.parent / "shared" / "traces" / "norm" / f"{trace}.trace.gz"
    if not path.is_file():
        pytest.skip("no shared traces beside the repository")
    exhibits = ROOT / "python" / "wordline" / "repro" / "exhibits" / "collision"
    twin = exhibits / "workloads" / f"recorded-{name}.toml"
    recording: dict[str, object] = {"workload.source.kind": "trace", "workload.source.path": str(path)}

    def change(overrides: dict[str, object]) -> float:
        set_ = {"workload.measure.collisions": True, **overrides}
        before, after = (
            package.run("collision", scheme, twin, overrides=set_).to_dict()["collisions"]["at_issue"]
            for scheme in ("baseline", "collision")
        )
        pairs = [found["new_pairs"]["occurrences"] for found in (before, after)]
        return float(pairs[1] / pairs[0] - 1)

    # Eight sequences in use made 28 points too many of hm_0's piece, and 14 of mayun2.
    assert change({}) == pytest.approx(change(recording), abs=0.07)


def test_twins_of_read_collisions_play_no_more_requests_than_their_volume_has() -> None:
    targets = ROOT.parent / "shared" / "targets"
    if not targets.is_dir():
        pytest.skip("no shared targets beside the repository")
    with (targets / "msr_volumes.csv").open() as file:
        volumes = {f"collision-{row['volume']}": int(row["requests"]) for row in csv.DictReader(file)}
    checked = 0
    for exhibit in exhibits("collision"):
        for quick in (False, True):
            for point in exhibit.points(quick, ROOT.parent / "shared" / "traces"):
                name = str(dict(point.axes).get("workload", ""))
                if name in volumes:
                    requests = int(dict(point.scenario.overrides)["workload.source.requests"])
                    assert 0 < requests <= volumes[name], (exhibit.name, name)
                    checked += 1
    assert checked > 300


def test_the_table_of_twins_beyond_the_bound_has_all_of_them() -> None:
    text = (ROOT / "docs" / "twins.md").read_text()
    passed, traces = map(int, re.findall(r"(\d+) of (\d+) traces", text)[0])
    beyond = re.findall(r"^\| \w+.*%.*\| .*% \|$", text.partition("The others:")[2], re.MULTILINE)
    assert len(beyond) == traces - passed


def test_a_job_that_keeps_a_latency_says_how_many_requests_do(wordline: Wordline, tmp_path: Path) -> None:
    jobs = tmp_path / "jobs.fio"
    jobs.write_text(
        "[drive]\nfilename=/dev/sda\nrw=randread\nbs=4k\ndirect=1\nioengine=libaio\niodepth=64\nsize=64m\n"
        "time_based=1\nruntime=60\nlatency_target=400\nlatency_window=5000\nlatency_percentile=90\n"
    )
    line = ["run", "--device", "mqsim", "--workload", jobs, "--json", *sets(SMALL_DRIVE)]
    result = wordline(*line).json()
    (found,) = result["latency_targets"]
    depth = found["queue_depth"]
    assert found["is_found"] and 1 < depth < 64 and found["flow"] == "drive"
    # The job is over long before its run time.
    assert result["window"]["end_ns"] < 1e9
    (note,) = [note for note in result["notes"] if note["kind"] == "latency_target"]
    assert found["too_many"] == depth + 1
    assert (
        f"{depth} requests outstanding keep 90% of the answers within 400000 ns, {depth + 1} don't"
        in note["found"]
    )
    # What comes within the ramp isn't among what is tried.
    later = wordline(*line, "--fio", "ramp_time=20ms").json()
    assert later["latency_targets"][0]["is_found"] and later["read"]["requests"] > 100
    fixed = ["--fio", "latency_target=0", "--fio", "runtime=0.1", "--fio"]
    p90 = [
        wordline(*line, *fixed, f"iodepth={n}").json()["read"]["latency_ns"]["p90"]
        for n in (depth // 2, 2 * depth)
    ]
    assert p90[0] < 400_000 < p90[1]


def test_jobs_of_a_group_end_when_they_are_steady_together(wordline: Wordline, tmp_path: Path) -> None:
    jobs = tmp_path / "jobs.fio"
    jobs.write_text(
        "[global]\nfilename=/dev/sda\nrw=randread\nbs=4k\ndirect=1\nsize=64m\ntime_based\nruntime=60\n"
        "group_reporting\nss=iops:5%\nss_dur=20ms\nss_interval=2ms\nss_ramp=2ms\n[one]\nnumjobs=2\n"
    )
    line = ["run", "--device", "mqsim", "--workload", jobs, "--json", *sets(SMALL_DRIVE)]
    result = wordline(*line).json()
    (end,) = result["steady_ends"]
    assert end["flows"] == ["one.0", "one.1"] and end["attained"] and end["distance"] < 0.05 == end["limit"]
    assert end["at_ns"] == pytest.approx(22e6, rel=0.01)
    # Of the window of 20 ms alone.
    assert end["mean"] == pytest.approx(result["read"]["iops"], rel=0.05)
    assert [note["kind"] for note in result["notes"]].count("steady_end") == 1
    ramped = wordline(*line, "--fio", "ramp_time=10ms").json()["steady_ends"][0]
    assert ramped["at_ns"] == pytest.approx(32e6, rel=0.01)
    # A flush moves nothing.
    synced = wordline(*line, "--fio", "rw=randwrite", "--fio", "fsync=1", "--fio", "ss=iops:50%").json()
    assert synced["steady_ends"][0]["mean"] == pytest.approx(synced["write"]["iops"], rel=0.2)
    never = wordline(*line, "--fio", "ss=iops:0.001", "--fio", "runtime=0.1").json()
    assert not never["steady_ends"][0]["attained"]
    assert "not_steady" in [note["kind"] for note in never["notes"]]
