"""The template of a crate with policies of one's own: built, installed and used as a person would."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import sets

ROOT = Path(__file__).parent.parent
TEMPLATE = ROOT / "template"

pytestmark = pytest.mark.skipif(shutil.which("cargo") is None, reason="the template is built with cargo")

# Two planes of 64 blocks of 32 pages: collection is under way within a few thousand writes.
DRIVE: dict[str, object] = {
    "device.geometry.channels": 2,
    "device.geometry.ways": 1,
    "device.geometry.dies": 1,
    "device.geometry.planes": 1,
    "device.geometry.blocks": 64,
    "device.geometry.pages": 32,
    "device.capacity.overprovisioning": 0.2,
    "workload.source.requests": 8000,
    "workload.source.read_share": 0.3,
    "workload.start.overwrite": 0.5,
}

RUN = [
    "--device",
    "mqsim",
    "--workload",
    "mixed-70-30-8k-qd16",
    *sets(DRIVE),
    *sets({"workload.start.layout": "at_trigger"}),
]

Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The template's wheel in a folder of its own; the build shares most of what the Rust tests built."""
    folder = tmp_path_factory.mktemp("template")
    wheels, site = folder / "wheels", folder / "site"
    scripts = Path(sys.executable).parent
    build = [str(scripts / "maturin"), "build", "--profile", "dev", "--locked", "--out", str(wheels)]
    build += ["--interpreter", sys.executable]
    subprocess.run(build, cwd=TEMPLATE, check=True, capture_output=True, text=True)
    (wheel,) = wheels.glob("own_policy-*.whl")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*install, "--target", str(site), str(wheel)], check=True, capture_output=True)
    return site


@pytest.fixture
def own(installed: Path, tmp_path: Path) -> Command:
    """The command that the template installs."""

    def execute(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [installed / "bin" / "own-policy", *map(str, arguments)],
            env=os.environ | {"PYTHONPATH": str(installed)},
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )

    return execute


def result(process: subprocess.CompletedProcess[str]) -> dict[str, object]:
    assert process.returncode == 0, process.stderr
    data: dict[str, object] = json.loads(process.stdout)
    return data


def mistake(process: subprocess.CompletedProcess[str]) -> str:
    assert (process.returncode, process.stdout) == (2, ""), process
    assert process.stderr.count("\n") == 1, process.stderr
    return process.stderr


def test_a_scheme_names_a_policy_of_ones_own(own: Command, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('name = "mine"\n[custom.round_robin]\nmost_valid = 0.9\n')
    greedy = result(own("run", *RUN, "--checked", "--json"))
    mine = result(own("run", *RUN, "--scheme", "mine.toml", "--checked", "--json"))
    by_key = result(own("run", *RUN, "--set", "scheme.custom.round_robin.most_valid=0.9", "--json"))
    assert mine["config"]["scheme"]["custom"] == {"round_robin": {"most_valid": 0.9}}  # type: ignore[index]
    assert mine["waf"] == by_key["waf"]
    assert mine["waf"] > greedy["waf"] > 1  # type: ignore[operator]


def test_a_system_of_ones_own_acts(own: Command) -> None:
    plain = result(own("run", *RUN, "--json"))
    quiet = result(own("run", *RUN, "--set", "scheme.custom.quiet_after_read={}", "--checked", "--json"))

    def waited(data: dict[str, object]) -> float:
        parts: dict[str, float] = data["read"]["blame"]["mean"]["mean_ns"]  # type: ignore[index]
        return parts["die_wait.gc_program"]

    assert waited(quiet) < waited(plain)
    assert "quiet_after_read" in str(quiet["config"])


def test_the_whole_command_line_knows_them(own: Command, tmp_path: Path) -> None:
    parts = json.loads(own("show", "combinations", "--json").stdout)
    mine = next(part for part in parts if part["name"] == "round_robin")
    assert mine["slots"] == ["victims"] and mine["excludes"]["greedy"] == "victims"
    schemes = "baseline,baseline+custom.round_robin={}+custom.quiet_after_read={}"
    compared = result(own("compare", *RUN, "--schemes", schemes, "--json"))
    assert "custom.round_robin" in str(compared)
    clash = own("compare", *RUN, "--schemes", "gc.policy=fifo+custom.round_robin={}")
    assert "both fill the slot `victims`" in mistake(clash)
    axes = '[axes]\n"scheme.custom.round_robin.most_valid" = [0.5, 1.0]\n'
    lines = "".join(f'"{key}" = {value}\n' for key, value in DRIVE.items())
    (tmp_path / "s.toml").write_text(
        f'device = "mqsim"\nworkload = "mixed-70-30-8k-qd16"\n[set]\n{lines}{axes}'
    )
    assert result(own("sweep", "s.toml", "--json"))["done"] == 2


def test_a_run_with_them_goes_on_from_a_saved_state(own: Command) -> None:
    custom = ["--set", "scheme.custom.round_robin={}", "--set", "scheme.custom.quiet_after_read={}"]
    whole = result(own("run", *RUN, *custom, "--json"))
    stopped = result(own("run", *RUN, *custom, "--stop-after", "5000", "--save-state", "half", "--json"))
    assert stopped["stopped_after"] == 5000
    rest = result(own("run", *RUN, *custom, "--load-state", "half", "--json"))
    del whole["engine"], rest["engine"]
    assert rest == whole


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("custom.round_robbin={}", "round_robin, quiet_after_read, python_gc, "),
        ("custom.round_robin.most=1", "scheme.custom.round_robin.most = 1: allowed: "),
        ("custom.round_robin.most_valid='x'", "scheme.custom.round_robin.most_valid = "),
        ("custom.quiet_after_read.quiet_ns=0", "scheme.custom.quiet_after_read.quiet_ns = 0: allowed: 1 to"),
    ],
)
def test_a_slip_is_told_with_its_key(own: Command, setting: str, message: str) -> None:
    error = mistake(own("run", *RUN, "--set", f"scheme.{setting}"))
    assert message in error and f"--set scheme.{setting}".split("=")[0] in error


def test_parquet_is_left_out_until_its_feature_is_named(own: Command, tmp_path: Path) -> None:
    (tmp_path / "trace.parquet").write_bytes(b"PAR1")
    left_out = "Parquet, which this build leaves out: allowed: any other form, or a build with the feature"
    assert left_out in mistake(own("trace", "info", "trace.parquet"))
    assert left_out in mistake(own("run", *RUN, "--request-log", "log.parquet"))
    assert [path.name for path in tmp_path.iterdir()] == ["trace.parquet"]


def test_programs_get_them_by_an_import(installed: Path) -> None:
    code = (
        "import own_policy, wordline\n"
        "import json, sys\n"
        "settings = json.loads(sys.argv[1])\n"
        "result = wordline.run('mqsim', workload='mixed-70-30-8k-qd16', overrides=settings)\n"
        "print(wordline._core.__build__, result.waf)\n"
    )
    settings = json.dumps({**DRIVE, "scheme.custom.round_robin.most_valid": 1.0})
    process = subprocess.run(
        [sys.executable, "-c", code, settings],
        env=os.environ | {"PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stderr
    build, waf = process.stdout.split()
    from wordline import _core

    # Rows of a sweep are told apart from those of the simulator without the policies, and of other policies.
    assert build.startswith(f"{_core.__build__}-") and len(build) == 33
    assert float(waf) > 1


def test_without_them_the_name_is_refused() -> None:
    from wordline import WordlineError, run

    with pytest.raises(WordlineError, match="allowed: the policies of this build, python_gc"):
        run(overrides={"scheme.custom.round_robin": {}})
