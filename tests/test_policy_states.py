"""States of policies in Python: in copies of a drive and in snapshots, or refused by name."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wordline
from wordline.policies import Blocks, Planes, Program

SMALL: dict[str, object] = {
    "device.geometry.blocks": 32,
    "device.geometry.pages": 64,
    "device.capacity.overprovisioning": 0.25,
}
SIZE = 65536


class Oldest:
    """The block that was full first; keeps nothing."""

    needs = ("full_order",)

    def choose(self, blocks: Blocks) -> int | None:
        return next((i for i in blocks.full_order if blocks.valid[i] <= blocks.most_valid), None)


class Alternating(Oldest):
    """The second of them each `period`-th time."""

    def __init__(self, period: int = 3) -> None:
        self.period = period
        self.asked = 0

    def choose(self, blocks: Blocks) -> int | None:
        self.asked += 1
        allowed = [int(i) for i in blocks.full_order if blocks.valid[i] <= blocks.most_valid][:2]
        return (allowed[-1] if self.asked % self.period == 0 else allowed[0]) if allowed else None


class Saved(Alternating):
    def save(self) -> bytes:
        return self.asked.to_bytes(8, "little")

    def restore(self, state: bytes) -> None:
        self.asked = int.from_bytes(state, "little")


class Holding(Oldest):
    """Keeps what nothing can compare."""

    def __init__(self) -> None:
        self.rule: Callable[[int], bool] = lambda _: True


class Slotted:
    """Keeps its state without a dictionary."""

    __slots__ = ("turn",)

    def __init__(self) -> None:
        self.turn = -1

    def place(self, program: Program, planes: Planes) -> int:  # noqa: ARG002
        self.turn = (self.turn + 1) % len(planes.room)
        return self.turn


def prepared(policies: Mapping[str, object]) -> wordline.Drive:
    return wordline.prepare("mqsim", overrides=SMALL, policies=policies)


def written(drive: wordline.Drive, seed: int, count: int = 20_000) -> list[int]:
    """When random writes have been answered, of which collection has a part."""
    offsets = np.random.default_rng(seed).integers(0, drive.logical_bytes // SIZE, size=count) * SIZE
    drive.submit_many(drive.now, "write", offsets, SIZE)
    drive.drain()
    return [int(done) for done in drive.completions()["completion_ns"]]


@pytest.mark.parametrize("policy", [Oldest, Saved, Saved(), Saved(5)])
def test_a_drive_goes_on_from_a_snapshot_as_its_copy_does(policy: object) -> None:
    drive = prepared({"gc": policy})
    written(drive, 1)

    def handed() -> dict[str, object] | None:
        return {"gc": Saved(policy.period)} if isinstance(policy, Saved) else None

    restored = wordline.Drive.restore(drive.snapshot(), policies=handed())
    again = wordline.Drive.restore(restored.snapshot(), policies=handed())
    assert written(restored, 2) == written(drive.fork(), 2)
    assert written(again, 2) == written(drive, 2)


@pytest.mark.parametrize(
    ("slots", "names"),
    [
        ({"gc": Alternating}, r"Alternating seems to keep a state \(`asked`\)"),
        ({"gc": Alternating(2)}, r"Alternating seems to keep a state \(`asked`\)"),
        ({"placement": Slotted}, r"Slotted seems to keep a state \(`turn`\)"),
        ({"gc": Holding}, r"Holding seems to keep a state \(`rule`\)"),
    ],
)
def test_a_state_that_no_snapshot_would_have_is_refused_and_the_drive_goes_on(
    slots: dict[str, object], names: str
) -> None:
    drive = prepared(slots)
    written(drive, 1)
    with pytest.raises(wordline.WordlineError, match=names + r" and has no `save`: allowed: "):
        drive.snapshot()
    if "Holding" not in names:
        assert written(drive.fork(), 2) == written(drive, 2)


def test_what_is_refused_leaves_no_file(tmp_path: Path) -> None:
    how: dict[str, Any] = {"device": "mqsim", "workload": "mixed-70-30-8k-qd16", "overrides": SMALL}
    how["overrides"] = SMALL | {"workload.start.occupancy": 0.9}
    with pytest.raises(wordline.WordlineError, match="Slotted seems to keep a state"):
        wordline.run_part(
            **how, policies={"placement": Slotted}, save_state=tmp_path / "half", stop_after=1500
        )
    with pytest.raises(wordline.WordlineError, match="Holding seems to keep a state"):
        wordline.prepare(**how, policies={"gc": Holding}).save(tmp_path / "drive")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("made", "handed", "message"),
    [
        (Saved(5), None, "Saved was an object that was handed over: allowed: the same again, not a class"),
        (Saved, {"gc": Saved(5)}, "Saved was a class: allowed: the same again, not an object"),
        (Saved(5), {"gc": Alternating}, "the class that the scheme names, not .*Alternating"),
        (Oldest, {"placement": Slotted}, r"policies: scheme.custom.python_placement.class: allowed: what"),
        (Oldest, {"oracle": Slotted}, "policies: oracle: allowed: gc, "),
    ],
)
def test_a_snapshot_gets_the_policies_that_it_was_made_with(
    made: object, handed: dict[str, object] | None, message: str
) -> None:
    snapshot = prepared({"gc": made}).snapshot()
    with pytest.raises(wordline.WordlineError, match=message):
        wordline.Drive.restore(snapshot, policies=handed)


def test_a_run_on_a_prepared_drive_gets_the_very_object_that_it_was_prepared_with() -> None:
    how: dict[str, Any] = {"device": "mqsim", "overrides": SMALL, "workload": "mixed-70-30-8k-qd16"}
    policy = Saved(5)
    drive = wordline.prepare(**how, policies={"gc": policy})
    wordline.run(**how, drive=drive, policies={"gc": policy})
    for other in (Saved(2), Saved):
        with pytest.raises(wordline.WordlineError, match="was prepared with another Saved: allowed"):
            wordline.run(**how, drive=drive, policies={"gc": other})
    wordline.run(**how, drive=drive, policies={"gc": policy})


def test_a_prepared_drive_of_a_file_and_the_rest_of_a_run_take_objects_again(tmp_path: Path) -> None:
    how: dict[str, Any] = {"device": "mqsim", "overrides": SMALL, "workload": "mixed-70-30-8k-qd16"}
    wordline.prepare(**how, policies={"gc": Saved(5)}).save(tmp_path / "drive")
    loaded = wordline.load_drive(tmp_path / "drive", **how, policies={"gc": Saved(5)})
    assert loaded.logical_bytes > 0
    wordline.run_part(**how, policies={"gc": Saved(5)}, save_state=tmp_path / "half", stop_after=1500)
    assert wordline.run_part(**how, policies={"gc": Saved(5)}, load_state=tmp_path / "half") is not None


CHOOSES = """
class Own:
    needs = ("full_order",)

    def choose(self, blocks):
        return next((i for i in blocks.full_order if blocks.valid[i] <= blocks.most_valid), None)
"""


def test_a_state_goes_on_only_with_the_policy_that_it_was_made_with(tmp_path: Path) -> None:
    """Each part in a process of its own, since a module is imported once."""
    (tmp_path / "own_policy.py").write_text(CHOOSES)
    sets = [f"--set={key}={value}" for key, value in SMALL.items()]
    own = "--set=scheme.custom.python_gc.class=own_policy:Own"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}

    def wordline_of(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "wordline", *arguments, *sets, own]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)

    load = ("--workload", "mixed-70-30-8k-qd16")
    run = ("run", "--device", "mqsim", *load, "--set=workload.source.requests=500")
    assert wordline_of("prepare", "mqsim", *load, "--out", "drive").returncode == 0
    assert wordline_of(*run, "--stop-after", "100", "--save-state", "state").returncode == 0
    for state in ("drive", "state"):
        assert wordline_of(*run, "--load-state", state).returncode == 0
    (tmp_path / "own_policy.py").write_text(CHOOSES.replace("next(", "max("))
    for state in ("drive", "state"):
        refused = wordline_of(*run, "--load-state", state)
        assert refused.returncode == 2 and "`policies` is " in refused.stderr, refused.stderr


def test_what_descriptions_are_called_tells_no_states_apart(tmp_path: Path) -> None:
    for name in ("one", "another"):
        (tmp_path / f"{name}.toml").write_text(f'description = "{name}"\n[scheduler]\npolicy = "fifo"\n')
    drive = wordline.prepare("mqsim", str(tmp_path / "one.toml"), overrides=SMALL)
    load = {**SMALL, "workload.source.requests": 100}
    wordline.run("mqsim", str(tmp_path / "another.toml"), overrides=load, drive=drive)
    with pytest.raises(wordline.WordlineError, match=r"`scheme.scheduler.policy` is"):
        wordline.run("mqsim", "suspend", overrides=load, drive=drive)
    with pytest.raises(wordline.WordlineError, match=r"`workload.start.layout` is"):
        steady = {**load, "workload.start.layout": "steady"}
        wordline.run("mqsim", str(tmp_path / "one.toml"), overrides=steady, drive=drive)
