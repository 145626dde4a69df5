"""`wordline tune`."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from conftest import SMALL, Wordline

from wordline import WordlineError
from wordline.tuning import file, tune

SEARCH: dict[str, Any] = {
    "device": "mqsim",
    "workload": "mixed-70-30-8k-qd16",
    "trials": 8,
    "set": {**SMALL, "workload.source.requests": 400},
    "search": {
        "scheme.scheduler.policy": ["fifo", "read_first"],
        "workload.host.queue_depth": {"low": 1, "high": 64, "log": True},
    },
    "objectives": {"read.latency_ns.mean": "minimize"},
}


def write(path: Path, **changes: Any) -> Path:
    data = SEARCH | changes
    lines = [f"{key} = {json.dumps(value)}" for key, value in data.items() if not isinstance(value, dict)]
    for table in ("set", "search", "objectives"):
        lines.append(f"[{table}]")
        for key, value in data[table].items():
            inline = (
                ", ".join(f"{k} = {json.dumps(v)}" for k, v in value.items())
                if isinstance(value, dict)
                else None
            )
            lines.append(f'"{key}" = {f"{{ {inline} }}" if inline else json.dumps(value)}')
    path.write_text("\n".join(lines) + "\n")
    return path


def test_the_best_trial_is_the_least_of_all_and_is_what_a_run_gives(tmp_path: Path) -> None:
    found = tune(SEARCH, tmp_path)
    (best,) = found.best()
    assert best.objectives is not None
    costs = [trial.objectives["read.latency_ns.mean"] for trial in found.trials if trial.objectives]
    assert len(costs) == 8 and best.objectives["read.latency_ns.mean"] == min(costs)
    import wordline

    again = wordline.run("mqsim", workload=SEARCH["workload"], overrides={**SEARCH["set"], **best.values})
    assert again.read.latency_ns.mean == best.objectives["read.latency_ns.mean"]
    table = pyarrow.parquet.read_table(tmp_path / "trials.parquet")
    assert table["read.latency_ns.mean"].to_pylist() == costs


def test_a_search_goes_on_where_it_was_and_does_not_depend_on_jobs(
    wordline: Wordline, tmp_path: Path
) -> None:
    file = write(tmp_path / "t.toml", trials=4)
    wordline("tune", file, "--json", "--jobs", "1")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "t" / "rows").iterdir()}
    write(file)
    more = wordline("tune", file, "--json", "--jobs", "2").json()
    after = {path: path.stat().st_mtime_ns for path in (tmp_path / "t" / "rows").iterdir()}
    assert before.items() <= after.items()
    whole = wordline("tune", file, "--json", "--jobs", "2", "--out", tmp_path / "whole").json()
    assert more == whole and whole["trials"] == 8


def test_two_objectives_give_a_front(wordline: Wordline, tmp_path: Path) -> None:
    objectives = {"read.latency_ns.mean": "minimize", "read.iops": "maximize"}
    file = write(tmp_path / "t.toml", objectives=objectives, trials=16)
    best = wordline("tune", file, "--json").json()["best"]
    pairs = [(one["objectives"]["read.latency_ns.mean"], -one["objectives"]["read.iops"]) for one in best]
    # More requests at a time give more of them a second, and each takes longer.
    assert len(pairs) > 1
    assert pairs == sorted(pairs) and [b for _, b in pairs] == sorted((b for _, b in pairs), reverse=True)
    out = wordline("tune", file).out
    assert "16 trials, front" in out and "read IOPS" in out


def test_what_can_not_be_built_is_a_failed_trial(tmp_path: Path) -> None:
    search = {"device.geometry.blocks": {"low": 2, "high": 256}}
    rest = {path: value for path, value in SEARCH["set"].items() if path not in search}
    found = tune(SEARCH | {"search": search, "set": rest, "trials": 12, "sampler": "random"}, tmp_path)
    failed = [trial for trial in found.trials if trial.objectives is None]
    assert 0 < len(failed) < 12
    assert all("device." in str(trial.error) or "scheme." in str(trial.error) for trial in failed)


def test_a_trial_without_its_objective_is_a_failed_trial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = file.TuneFile.lacking

    def lacking(self: file.TuneFile, rows: list[dict[str, Any]]) -> str | None:
        """As where WAF of a run is unsure."""
        withheld = [row for row in rows if int(row["axis.workload.host.queue_depth"]) < 32]
        return whole(self, [*(row | {"read.latency_ns.mean": None} for row in withheld), *rows])

    monkeypatch.setattr(file.TuneFile, "lacking", lacking)
    search = {"workload.host.queue_depth": [1, 64]}
    found = tune(SEARCH | {"search": search, "trials": 8, "sampler": "random", "batch": 8}, tmp_path)
    kinds = {(trial.values["workload.host.queue_depth"], trial.error) for trial in found.trials}
    assert kinds == {(1, "objectives.read.latency_ns.mean: 1 of 2 runs have it"), (64, None)}


def test_a_search_without_one_good_trial_is_no_success(wordline: Wordline, tmp_path: Path) -> None:
    file = write(tmp_path / "t.toml", set={**SMALL, "workload.source.requests": 400}, trials=2)
    text = file.read_text().replace('workload = "mixed-70-30-8k-qd16"', 'trace = "bad.csv"')
    file.write_text(text.replace('"workload.source.requests" = 400\n', ""))
    (tmp_path / "bad.csv").write_text("time_ns,op,offset_bytes,length_bytes\n0,R,0,4096\nnonsense\n")
    outcome = wordline("tune", file)
    assert outcome.code == 1 and "2 trials have no objectives; the first:" in outcome.out


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"search": {"scheme.gc.polcy": ["fifo"]}}, "did you mean .*policy"),
        ({"search": {"workload.host.queue_depth": {"low": 9, "high": 4}}}, "low < high"),
        (
            {"search": {"device.geometry.blocks": {"min": 9, "low": 4, "high": 9}}},
            "allowed: a list of choices",
        ),
        ({"search": {}}, "one parameter or more"),
        *(
            ({"search": {"workload.host.queue_depth": {"low": 64, "high": 256} | more}}, message)
            for more, message in (
                ({"step": 0}, "step = 0: allowed: a whole number above 0"),
                ({"step": 1.5}, "step = 1.5: allowed: a whole number above 0"),
                ({"step": 100}, "step = 100: allowed: steps that lead from 64 to 256"),
                ({"log": "no"}, "log = 'no': allowed: true or false"),
                ({"high": math.inf}, "allowed: a list of choices"),
                ({"low": math.nan}, "allowed: a list of choices"),
            )
        ),
        ({"search": {"workload.host.queue_depth": [64, 64]}}, "each value once"),
        (
            {"search": {"workload.source.requests": [64, 65]}},
            "set.*requests = .* is in the search",
        ),
        ({"objectives": {"waf": "smallest"}}, "minimize or maximize"),
        ({"objectives": {"read.latency.p99": "minimize"}}, "no run has it"),
        ({"trials": 0}, "trials = 0"),
        ({"sampler": "best"}, "allowed: tpe"),
        ({"trails": 5}, "did you mean `trials`"),
    ],
)
def test_a_slip_is_told(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(WordlineError, match=message):
        tune(SEARCH | changes, tmp_path)
