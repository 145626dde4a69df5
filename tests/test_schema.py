"""The published JSON schemas say what results hold, no less and no more."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import pytest
from conftest import SMALL, SMALL_DRIVE, Wordline, sets

import wordline as package
from wordline.presets import schema

SCRIPT = Path(__file__).parent.parent / "scripts" / "result_schema.py"

MIXED = "mixed-70-30-8k-qd16"


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("result_schema", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["result_schema"] = module
    spec.loader.exec_module(module)
    return module


def mistakes(kind: str, data: Any) -> list[str]:
    checker = jsonschema.Draft202012Validator(json.loads(schema(kind)))
    return [f"{error.json_path}: {error.message}" for error in checker.iter_errors(data)]


def test_the_files_are_those_that_the_code_gives() -> None:
    for name, text in script().texts().items():
        assert schema(name.removesuffix(".json")) == text, "python scripts/result_schema.py"
        jsonschema.Draft202012Validator.check_schema(json.loads(text))


RUNS: dict[str, dict[str, Any]] = {
    "plain": {},
    "checked": {"checked": True},
    "tables": {
        "overrides": {
            "workload.measure.interval_ns": 1_000_000,
            "workload.measure.block_table": True,
            "workload.measure.sample_ns": 100_000,
            "workload.measure.sample_table": True,
        }
    },
    "flows": {
        "workload": "reader-beside-writer",
        "overrides": SMALL_DRIVE
        | {
            "workload.start.layout": "in_order",
            "workload.flow.reader.source.requests": 500,
            "workload.flow.writer.source.requests": 500,
        },
    },
    "cpu": {"overrides": {"device.cpu.cores": 2, "scheme.firmware.lookup_ns": 200}},
    **{
        scheme: {"scheme": scheme}
        for scheme in ("astro", "collision", "dftl-25", "fast", "hotr", "pacp", "shuffler", "write-buffer")
    },
    **{scheme: {"scheme": scheme} for scheme in ("mirror", "rails", "superblock-reclaim", "block-reclaim")},
}


@pytest.mark.parametrize("name", RUNS)
def test_results_of_every_kind_are_valid(name: str) -> None:
    given = {"device": "mqsim", "workload": MIXED} | RUNS[name]
    given["overrides"] = (SMALL if given["workload"] == MIXED else {}) | given.get("overrides", {})
    assert mistakes("result", json.loads(package.run(**given).json())) == []


def test_a_result_of_a_trace_is_valid_with_its_start_and_its_measured_response_times(
    wordline: Wordline, tmp_path: Path
) -> None:
    lines = (f"{128166372003061629 + n},hm,0,{op},4096,8192,413" for n, op in enumerate(["Read", "Write"]))
    (tmp_path / "hm.csv").write_text("\n".join(lines) + "\n")
    data = wordline("run", "--device", "mqsim", "--trace", tmp_path / "hm.csv", "--json").json()
    assert data["traces"][0]["measured"]["read"]["requests"] == 1
    assert mistakes("result", data) == []


def test_what_is_no_result_is_not() -> None:
    data = package.run("mqsim", workload=MIXED, overrides=SMALL).to_dict()
    changes: tuple[dict[str, Any], ...] = ({"read": {}}, {"waf": "1"}, {"unheard_of": 1}, {"seed": -1})
    for change in changes:
        assert mistakes("result", data | change), change
    del data["flash"]
    assert mistakes("result", data) == ["$: 'flash' is a required property"]


def test_what_is_written_names_its_form(wordline: Wordline, tmp_path: Path) -> None:
    small = ("--device", "mqsim", "--workload", MIXED, *sets(SMALL))
    assert wordline("run", *small, "--out", tmp_path / "one").code == 0
    path = tmp_path / "one" / "result.json"
    data = json.loads(path.read_text())
    assert next(iter(data)) == "schema" and mistakes("result", data) == []
    assert data["schema"] == json.loads(schema("result"))["$id"]
    assert mistakes("result", data | {"schema": "urn:wordline:result:0"})
    for name, command in (
        ("seeds", ("run", "--seeds", "2")),
        ("comparison", ("compare", "--scheme", "fifo")),
    ):
        told = wordline(*command, *small, "--json", "--out", tmp_path / name).json()
        assert told["schema"] == json.loads(schema(name))["$id"]
    compared = package.load(tmp_path / "comparison")
    assert isinstance(compared, package.Comparison)
    (result,) = compared.results(MIXED, "fifo")
    assert result["schema"] == data["schema"]
    # What was written before results named their form has no such field.
    del data["schema"]
    path.write_text(json.dumps(data))
    loaded = package.load(tmp_path / "one")
    assert isinstance(loaded, package.Result) and loaded.to_dict() == data and mistakes("result", data) == []
    path.write_text(json.dumps({"schema": "urn:wordline:result:9"} | data))
    with pytest.raises(
        package.WordlineError, match=r"schema urn:wordline:result:9: allowed: urn:wordline:re"
    ):
        package.load(tmp_path / "one")


def test_what_the_commands_print_is_valid(wordline: Wordline) -> None:
    small = ("--device", "mqsim", "--workload", MIXED, *sets(SMALL), "--seeds", "2", "--json")
    assert mistakes("seeds", wordline("run", *small).json()) == []
    assert mistakes("comparison", wordline("compare", "--schemes", "baseline,fifo", *small).json()) == []
    for kind in ("result", "seeds", "comparison"):
        assert wordline("show", "schema", kind).json()["$id"].startswith(f"urn:wordline:{kind}:")
