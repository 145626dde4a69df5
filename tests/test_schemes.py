"""Schemes by name, file and key=value, and their combinations."""

from __future__ import annotations

import itertools
import json
import re
import tomllib
from pathlib import Path

import pytest
from conftest import SMALL, Wordline, sets

import wordline as package
from wordline import _core, combinations, preset_names, schemes
from wordline._core import WordlineError


def resolved(text: str) -> dict[str, object]:
    found = schemes.scheme(text).description
    return tomllib.loads(_core.resolve("scheme", (found.label, found.text), []))


def test_a_combination_has_the_keys_of_all_its_parts() -> None:
    both = resolved("suspend+dynamic+gc.policy=fifo")
    assert both["scheduler"] == resolved("suspend")["scheduler"]
    assert both["placement"] == resolved("dynamic")["placement"]
    assert both["gc"]["policy"] == "fifo"  # type: ignore[index]
    assert both["name"] == "suspend+dynamic+gc.policy=fifo"


def test_baseline_changes_nothing_in_a_combination() -> None:
    alone, beside = resolved("suspend"), resolved("baseline+suspend")
    assert {**alone, "name": "", "description": ""} == {**beside, "name": "", "description": ""}


def test_two_parts_for_one_slot_are_an_error_that_names_it() -> None:
    with pytest.raises(WordlineError, match=r"fifo .* and suspend .* both fill the slot `scheduler`"):
        schemes.scheme("fifo+suspend")
    with pytest.raises(WordlineError, match="slot `reclaim`"):
        schemes.scheme("block-reclaim+superblock-reclaim")


def test_parts_that_exclude_each_other_in_the_matrix_do_so_as_schemes(tmp_path: Path) -> None:
    # Those in Python are nothing without a class: tests/test_policies.py.
    known = [part for part in combinations.parts() if not part.keys.startswith("custom.python_")]
    files = {}
    for part in known:
        files[part.name] = tmp_path / f"{part.name}.toml"
        files[part.name].write_text(f"{part.keys}\n")
    for first, second in itertools.combinations(known, 2):
        slot = first.excludes(second)
        text = f"{files[first.name]}+{files[second.name]}"
        if slot is None:
            schemes.scheme(text)
        else:
            with pytest.raises(WordlineError, match=f"slot `{slot}`"):
                schemes.scheme(text)


def test_another_value_of_a_key_is_an_error_that_names_both() -> None:
    with pytest.raises(WordlineError, match=r"scheme\.gc\.trigger is 0\.1 in .* and 0\.2 in "):
        schemes.scheme("gc.trigger=0.1+gc.trigger=0.2")
    assert schemes.scheme("gc.trigger=0.1+gc.trigger=0.1").name == "gc.trigger=0.1+gc.trigger=0.1"


def test_a_key_takes_the_place_of_what_a_preset_has_and_may_need_the_preset() -> None:
    for text in ("rails+array.read_window_ns=0", "array.read_window_ns=0+rails"):
        array = resolved(text)["array"]
        assert {**array, "read_window_ns": 10_000_000} == resolved("rails")["array"]  # type: ignore[dict-item]
        assert array["read_window_ns"] == 0  # type: ignore[index]
    with pytest.raises(WordlineError, match=r"array"):
        schemes.scheme("baseline+array.read_window_ns=0")
    with pytest.raises(WordlineError, match="slot `scheduler`"):
        schemes.scheme("suspend+scheduler.policy=fifo")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sspend", "did you mean `suspend`"),
        ("suspend+", "allowed: names joined by"),
        ("suspend+gc.polcy=fifo", "gc.polcy"),
        ("suspend+gc.policy=best", "scheme.gc.policy"),
    ],
)
def test_a_slip_is_named(text: str, message: str) -> None:
    with pytest.raises(WordlineError, match=message):
        schemes.scheme(text)


def test_lists_are_split_outside_of_brackets_only() -> None:
    text = 'baseline, scheduler.tiers=[["host_read"], ["gc_read", "gc_erase"]],fifo'
    assert schemes.split([text, "suspend"]) == [
        "baseline",
        'scheduler.tiers=[["host_read"], ["gc_read", "gc_erase"]]',
        "fifo",
        "suspend",
    ]


def test_every_preset_is_accepted_alone_and_with_the_baseline() -> None:
    for name in preset_names("scheme"):
        assert schemes.scheme(name).name == name
        schemes.scheme(f"baseline+{name}")


def test_two_systems_that_copy_pages_go_together_and_not_with_parity() -> None:
    both = resolved("collision+hotr")
    assert both["collision"]["enabled"] and both["hotr"]["enabled"]  # type: ignore[index]
    with pytest.raises(WordlineError, match="slot `redundancy`"):
        schemes.scheme("hotr+parity-rebuild")


@pytest.mark.parametrize("text", ["fifo+gc.policy=random", "gc.policy=fifo", "scheme.gc.policy=fifo"])
def test_a_run_takes_what_a_comparison_takes(wordline: Wordline, text: str) -> None:
    found = wordline("run", "--device", "mqsim", *sets(SMALL), "--scheme", text, "--json").json()["config"][
        "scheme"
    ]
    assert found["name"] == text
    compared = wordline("compare", "--device", "mqsim", *sets(SMALL), "--schemes", text, "--json")
    assert compared.code == 0
    assert found["gc"]["policy"] == text.rpartition("=")[2]
    shown = wordline("show", "scheme", text, "--json").json()
    assert shown["gc"]["policy"] == found["gc"]["policy"]
    assert package.run("mqsim", scheme=text, overrides=SMALL).config.scheme.gc.policy == found["gc"]["policy"]


def test_a_scheme_with_a_name_longer_than_a_file_s_is_compared(wordline: Wordline, tmp_path: Path) -> None:
    keys = ["search_buckets=102", "batch_entries=100", "write_back_lookups=true", "cache_bytes=104857"]
    text = "fifo+mapping.policy=demand+" + "+".join(f"mapping.{key}" for key in keys)
    text += "+firmware.search_step_ns=74+gc.trigger=0.05+reclaim.policy=superblock+reclaim.threshold=1024"
    text += "+placement.order=PCWD+reclaim.hard_limit=20000+scheduler.starvation_bound_ns=500000000"
    assert len(text) > 255
    call = ("compare", "-d", "mqsim", "-w", "randread-4k-qd16", "--schemes", f"baseline,{text}")
    few = ("--set", "workload.source.requests=500")
    assert wordline(*call, *few, "--out", tmp_path / "out").code == 0
    assert wordline("run", "-d", "mqsim", "-w", "randread-4k-qd16", "--scheme", text, *few).code == 0


def test_a_file_with_a_plus_in_its_name_is_a_file(wordline: Wordline, tmp_path: Path) -> None:
    path = tmp_path / "a+b.toml"
    path.write_text('name = "joined"\n')
    run = wordline("run", "--device", "mqsim", *sets(SMALL), "--scheme", path, "--json").json()
    assert run["config"]["scheme"]["name"] == "joined"


def test_a_workload_without_a_name_has_its_file_s(wordline: Wordline, tmp_path: Path) -> None:
    text = wordline("show", "workload", "randread-4k-qd16").out
    path = tmp_path / "my reads.toml"
    path.write_text("\n".join(line for line in text.splitlines() if not line.startswith("name =")))
    run = wordline("run", "--device", "mqsim", *sets(SMALL), "--workload", path, "--json").json()
    assert run["config"]["workload"]["name"] == "my reads"
    assert wordline("show", "workload", path, "--json").json()["name"] == "my reads"
    path.write_text(text)
    run = wordline("run", "--device", "mqsim", *sets(SMALL), "--workload", path, "--json").json()
    assert run["config"]["workload"]["name"] == "randread-4k-qd16"


@pytest.mark.parametrize("scheme", preset_names("scheme"))
def test_what_a_refusal_allows_can_be_typed_and_leads_to_a_run(scheme: str) -> None:
    """With the drive that is taken where none is named."""
    overrides: dict[str, object] = {"workload.source.requests": 20, "workload.start.occupancy": "none"}
    for _ in range(6):
        try:
            package.run(scheme=scheme, workload="randread-4k-qd16", overrides=overrides)
            return
        except WordlineError as error:
            key, allowed = re.findall(r"([a-z_]+(?:\.[a-z_]+)+) = .*?: allowed: ([^ ,]+)", str(error))[0]
            assert key not in overrides, error
            # Parity takes a share of the space: "a capacity that leaves …".
            overrides[key] = 3_000_000_000_000 if key.endswith("user_bytes") else json.loads(allowed)
    raise AssertionError(overrides)


def test_every_command_that_takes_a_scheme_knows_both_spellings(wordline: Wordline, tmp_path: Path) -> None:
    few = ("--device", "mqsim", "--workload", "mixed-70-30-8k-qd16", *sets(SMALL), "--json")
    for option in ("--scheme", "--schemes", "-s"):
        assert wordline("run", *few, option, "fifo").json()["config"]["scheme"]["name"] == "fifo"
        prepare = ("prepare", "mqsim", "--out", tmp_path / "drive", "--dry-run", "--json")
        assert wordline(*prepare, option, "fifo").json()["points"] == 1
    for command in ("run", "prepare", "compare", "calibrate"):
        assert "--scheme, --schemes" in " ".join(wordline(command, "--help").out.split()), command


@pytest.mark.parametrize(("command", "more"), [("run", ()), ("prepare", ("mqsim", "--out", "drive"))])
def test_several_schemes_are_for_compare(wordline: Wordline, command: str, more: tuple[str, ...]) -> None:
    said = wordline(command, *more, "--schemes", "baseline,fifo").error()
    assert said == "--scheme baseline,fifo: allowed: one; several: wordline compare --schemes baseline,fifo"
