from __future__ import annotations

import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy
import pyarrow
import pytest
from conftest import FEW, SMALL

import wordline
from wordline import cli


def small_run(**options: Any) -> wordline.Result:
    arguments: dict[str, Any] = {
        **{"device": "mqsim", "workload": "mixed-70-30-8k-qd16"},
        **{"overrides": SMALL, "checked": True},
    }
    return wordline.run(**(arguments | options))


def without_wall_clock(result: wordline.Result) -> dict[str, Any]:
    data = result.to_dict()
    for key in ("prepare_s", "wall_s", "flash_operations_per_s"):
        del data["engine"][key]
    return data


def test_keys_that_tools_rely_on() -> None:
    result = small_run()
    for direction in ("read", "write"):
        assert result[direction].requests > 0
        latency = result[direction].latency_ns
        for key in ("mean", "p50", "p90", "p95", "p97", "p98", "p99", "p99_5", "p99_9", "p99_99", "max"):
            assert latency[key] > 0, (direction, key)
    together = result.latency_ns
    assert together.max == max(result.read.latency_ns.max, result.write.latency_ns.max)
    assert together.p50 <= together.p95 <= together.p97 <= together.p98 <= together.p99 <= together.p99_5
    for key in ("reads", "programs", "erases", "transactions"):
        assert isinstance(result.flash[key], int)
    assert result.waf >= 1
    assert result.engine.wall_s > 0
    assert result.engine.flash_operations > 0
    assert result.engine.flash_operations_per_s > 0
    assert result.version == wordline.__version__
    assert result.seed == 1
    assert result.config.device.geometry.blocks == 256


def test_attributes_are_the_keys_of_the_json() -> None:
    result = small_run()
    assert result.to_dict() == json.loads(result.json())
    assert result["read"]["latency_ns"]["p99"] == result.read.latency_ns.p99
    assert result.dies[0].channel == 0
    assert "latency_ns" in dir(result.read)
    with pytest.raises(AttributeError, match="latency_ns"):
        _ = result.read.latency


def test_every_request_is_counted_once() -> None:
    result = small_run()
    requests = SMALL["workload.source.requests"]
    assert result.read.requests + result.write.requests == requests
    for direction in ("read", "write"):
        values, counts = result.histogram(direction)
        assert values.dtype == counts.dtype == numpy.uint64
        assert (numpy.diff(values.astype(numpy.int64)) > 0).all()
        assert counts.sum() == result[direction].requests


def test_garbage_collection_shows_in_every_account() -> None:
    tiny = {"device.geometry.blocks": 128, "device.geometry.pages": 16, "scheme.gc.trigger": 0.04}
    more = {"workload.source.requests": 20_000, "workload.start.overwrite": 2}
    result = small_run(workload="randwrite-4k-qd16", overrides={**tiny, **more})
    assert result.waf > 1
    assert result.waf == pytest.approx(sum(result.waf_by_cause.values()))
    assert result.gc.victims > 0
    assert result.flash.erases > 0
    assert result.flash.by_class["gc_program"].operations > 0


def test_blame_adds_up_to_the_response_times() -> None:
    for parts in (blame for way in ("read", "write") for blame in small_run()[way].blame.values()):
        assert sum(parts.total_ns.values()) == parts.response_total_ns
        assert parts.requests > 0


def test_histogram_of_an_unknown_direction() -> None:
    with pytest.raises(wordline.WordlineError, match="read, write, trim or flush"):
        small_run().histogram("erase")  # type: ignore[arg-type]


def test_tables() -> None:
    result = small_run()
    dies, channels, histogram = (result.table(name) for name in ("dies", "channels", "histogram"))
    assert all(isinstance(table, pyarrow.Table) for table in (dies, channels, histogram))
    assert dies.num_rows == len(result.dies)
    assert channels.num_rows == result.config.device.geometry.channels
    assert dies["busy_ns"].to_pylist() == [sum(die.busy_ns.values()) for die in result.dies]
    assert sum(histogram["requests"].to_pylist()) == result.read.requests + result.write.requests
    with pytest.raises(ValueError, match="dies, channels, histogram"):
        result.table("pages")  # type: ignore[arg-type]


def test_overrides_by_mapping_and_by_keyword() -> None:
    by_mapping = small_run(overrides={**SMALL, "scheme.scheduler.policy": "fifo", "scheme.gc.trigger": 0.04})
    by_keyword = small_run(**{"scheme.scheduler.policy": "fifo", "scheme.gc.trigger": 0.04})
    assert by_mapping.config.scheme.scheduler.policy == "fifo"
    assert by_mapping.config.scheme.gc.trigger == 0.04
    assert without_wall_clock(by_mapping) == without_wall_clock(by_keyword)


def test_descriptions_may_be_mappings(tmp_path: Any) -> None:
    source = {
        "kind": "synthetic",
        "requests": 200,
        "read_share": 0.5,
        "sizes": [{"bytes": 8192, "weight": 1}],
    }
    workload = {"name": "own", "source": source, "host": {"queue_depth": 4}}
    scheme = {"name": "first come", "scheduler": {"policy": "fifo"}}
    as_file = tmp_path / "own.toml"
    as_file.write_text(wordline.resolve("workload", workload))
    one, other = (small_run(workload=given, scheme=scheme) for given in (workload, as_file))
    assert without_wall_clock(one) == without_wall_clock(other)
    assert one.config.workload.name == "own" and one.config.scheme.name == "first come"


def test_seeds() -> None:
    first, again, other = (small_run(seed=seed) for seed in (7, 7, 8))
    assert without_wall_clock(first) == without_wall_clock(again)
    assert without_wall_clock(first) != without_wall_clock(other) | {"seed": 7}


def test_threads_give_what_a_single_one_gives() -> None:
    one_by_one = [without_wall_clock(small_run(seed=seed)) for seed in range(4)]
    with ThreadPoolExecutor(2) as pool:
        side_by_side = list(pool.map(lambda seed: without_wall_clock(small_run(seed=seed)), range(4)))
    assert side_by_side == one_by_one


def test_progress_and_its_exceptions() -> None:
    calls: list[tuple[int, int | None, int]] = []

    def stop(*call: int | None) -> None:
        calls.append(call)  # type: ignore[arg-type]
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        small_run(progress=stop, **{"workload.source.requests": 100_000_000})
    ((requests, total, simulated_ns),) = calls
    assert requests < 100_000_000 == total
    assert simulated_ns > 0


def test_resolve_gives_a_file_that_means_the_same(tmp_path: Any) -> None:
    for kind in ("device", "scheme", "workload"):
        for name in wordline.preset_names(kind):
            text = wordline.resolve(kind, name)
            copy = tmp_path / f"{name}.toml"
            copy.write_text(text)
            assert wordline.resolve(kind, copy) == text


@pytest.mark.parametrize("device", wordline.preset_names("device"))
def test_every_device_runs(device: str) -> None:
    result = small_run(device=device, overrides=FEW, checked=False)
    assert result.read.requests + result.write.requests == SMALL["workload.source.requests"]


def refused(call: Callable[..., object], *arguments: Any, **more: Any) -> str:
    with pytest.raises(wordline.WordlineError) as error:
        call(*arguments, **more)
    return str(error.value)


def test_messages_name_arguments_in_python_and_options_in_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(*arguments: str) -> str:
        assert cli.execute(list(arguments)) == 2
        return capsys.readouterr().err

    allowed = "allowed: a path that begins with device, scheme or workload"
    assert refused(wordline.run, "mqsim", seeds=3) == f"seeds = 3: {allowed}"
    assert said("run", "--set", "seeds=3") == f"wordline: --set seeds=3: seeds = 3: {allowed}\n"
    key = "workload.flow.none.queue_depth"
    assert refused(wordline.run, overrides={key: 3}).startswith(f"{key} = 3: no flow")
    assert f"--set {key}=3: no flow" in said("run", "--set", f"{key}=3")
    state = tmp_path / "x.state"
    assert refused(wordline.run_part, save_state=state).startswith(
        f"save_state = {state}: allowed: beside stop_after = N"
    )
    assert f"--save-state {state}: allowed: beside --stop-after N" in said("run", "--save-state", str(state))
    stop = refused(wordline.run_part, save_state=state, stop_after=0)
    assert stop == "stop_after = 0: allowed: 1 request or more"
    assert refused(wordline.run, traces=tmp_path / "none") == f"traces = {tmp_path / 'none'}: no such folder"
    assert "--traces none: no such folder" in said("run", "--traces", "none")
    # Whatever the command said, a caller from Python is told of arguments again.
    assert refused(wordline.run, "mqsim", seeds=3) == f"seeds = 3: {allowed}"


def test_no_message_of_the_package_names_an_option_of_the_command() -> None:
    package = Path(wordline.__file__).parent
    found = [
        f"{path.name}: {line}"
        for path in package.rglob("*.py")
        if path.parent.name != "cli" and path.name != "standard_output.py"
        for line in re.findall(r'Error\(\s*f?"[^"]*--[a-z].*', re.sub(r"\{[^{}]*\}", "", path.read_text()))
        if "--output-format" not in line and "(--out)" not in line
    ]
    assert found == []
