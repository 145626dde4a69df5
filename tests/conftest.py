from __future__ import annotations

import json
import os
import subprocess
import sysconfig
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from wordline import cli

# What tests run leaves nothing behind in the user's folders.
os.environ["WORDLINE_DRIVES"] = ""

COMMAND = Path(sysconfig.get_path("scripts")) / "wordline"

# A drive of 16 GiB and a few thousand requests: a run takes milliseconds.
SMALL_DRIVE: dict[str, object] = {"device.geometry.blocks": 256, "device.geometry.pages": 64}
FEW: dict[str, object] = {"workload.source.requests": 2000, "workload.start.layout": "in_order"}
SMALL: dict[str, object] = {**SMALL_DRIVE, **FEW}
# One channel of `enterprise-tlc` with few and short blocks, 2.2 GB raw.
ONE_CHANNEL: dict[str, object] = {
    "device.geometry.channels": 1,
    "device.geometry.ways": 2,
    "device.geometry.blocks": 171,
    "device.geometry.pages": 96,
    "device.capacity.user_bytes": 1_800_000_000,
}


def sets(overrides: Mapping[str, object]) -> list[str]:
    return [argument for path, value in overrides.items() for argument in ("--set", f"{path}={value}")]


@dataclass
class Outcome:
    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Stdout as one JSON object with nothing beside it."""
        return json.loads(self.out)

    def error(self) -> str:
        """The message of a mistake, once it is sure that it is nothing but one line."""
        assert self.code == 2, self
        assert self.out == ""
        assert self.err.startswith("wordline: ") and self.err.endswith("\n")
        assert self.err.count("\n") == 1, self.err
        return self.err.removeprefix("wordline: ").rstrip("\n")


Wordline = Callable[..., Outcome]


@pytest.fixture
def wordline(capfd: pytest.CaptureFixture[str]) -> Wordline:
    """Runs a command line in this process."""

    def execute(*arguments: str | Path) -> Outcome:
        capfd.readouterr()
        code = cli.execute([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return Outcome(code, captured.out, captured.err)

    return execute


def start(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    """Starts the installed command."""
    return subprocess.Popen(
        [COMMAND, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )
