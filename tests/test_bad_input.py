"""The table of bad inputs: one line each, exit status 2, nothing left behind."""

from __future__ import annotations

import os
import resource
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from bad_inputs import CALLS, FILES, ROWS
from conftest import SMALL_DRIVE, Wordline, sets, start

import wordline as package

LONGEST_LINE = 1500


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("bad")
    for name, content in FILES.items():
        path = made / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return made


def listing(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))


@pytest.mark.parametrize(("line", "said"), ROWS, ids=[line[:60] for line, _ in ROWS])
def test_a_command_line_is_answered_in_one_line(
    wordline: Wordline, folder: Path, line: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    before = listing(folder)
    words = [word.replace("@", f"{folder}/") for word in shlex.split(line)]
    message = wordline(*words).error()
    assert said.replace("@", f"{folder}/") in message
    assert len(message) < LONGEST_LINE
    assert listing(folder) == before


KNOWN_LATER = ("run --device", "run --out /proc/nowhere/out")
"""What ends where another option would stand; a folder that can't be made, which only making it shows."""

TRIED = [
    (line, said)
    for line, said in ROWS
    if line.startswith(("run ", "compare ", "sweep ", "tune ", "prepare ", "calibrate ", "mqsim ", "repro "))
    and "--dry-run" not in line
    and line not in KNOWN_LATER
]


@pytest.mark.parametrize(("line", "said"), TRIED, ids=[line[:60] for line, _ in TRIED])
def test_a_dry_run_refuses_what_a_run_does(
    wordline: Wordline, folder: Path, line: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    test_a_command_line_is_answered_in_one_line(wordline, folder, f"{line} --dry-run", said, monkeypatch)


@pytest.mark.parametrize(("call", "said"), CALLS, ids=[call for call, _ in CALLS])
def test_a_call_is_answered_by_the_package_s_own_error(call: str, said: str) -> None:
    with pytest.raises(package.WordlineError) as raised:
        eval(f"package.{call}", {"package": package})  # noqa: S307 -- the table's own text
    assert said in str(raised.value) and "\n" not in str(raised.value)


def test_the_table_is_long_enough() -> None:
    assert len(ROWS) + len(CALLS) >= 150
    assert len(set(ROWS)) == len(ROWS)


INTERRUPTING = """
import sys

class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupted())
sys.argv = ["wordline", *{arguments!r}]
from wordline.__main__ import main
main()
"""


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("wordline._core", ["--version"]),
        ("wordline._core", ["show", "devices"]),
        ("typer", ["show", "devices"]),
        ("wordline.cli", ["show", "devices"]),
        ("wordline.simulation", ["show", "devices"]),
        ("rich.table", ["show", "devices"]),
    ],
)
def test_ctrl_c_while_modules_load_is_one_line(module: str, arguments: list[str]) -> None:
    code = INTERRUPTING.format(module=module, arguments=arguments)
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (process.returncode, process.stdout, process.stderr) == (130, "", "wordline: interrupted\n")


def test_a_full_folder_is_named_and_nothing_is_left(tmp_path: Path) -> None:
    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    few = sets(SMALL_DRIVE | {"workload.source.requests": 200})
    out = tmp_path / "out"
    process = start("run", "--device", "mqsim", *few, "--out", str(out), preexec_fn=little_room)
    _, err = process.communicate()
    assert process.returncode == 2
    assert err == f"wordline: {out / 'result.json'}: File too large\n"
    assert not out.exists()


def test_a_pipe_that_closes_is_no_mistake() -> None:
    process = start("show", "device", "mqsim")
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert err == "" and process.wait() == 141


def test_output_to_a_full_device_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        process = subprocess.run(
            [sys.executable, "-m", "wordline", "show", "devices"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (process.returncode, process.stderr) == (2, "wordline: output: No space left on device\n")


def test_a_terminal_that_knows_ascii_alone_gets_what_it_can_show() -> None:
    process = subprocess.run(
        [sys.executable, "-m", "wordline", "show", "devices"],
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
    )
    assert (process.returncode, process.stderr) == (0, "") and "PCIe 4.0 ?4" in process.stdout


def test_a_folder_that_can_t_be_written_is_told_before_the_run(wordline: Wordline, tmp_path: Path) -> None:
    if os.geteuid() == 0:
        # Root may write anywhere but here.
        blocked = Path("/proc/self")
    else:
        blocked = tmp_path / "read-only"
        blocked.mkdir(mode=0o500)
    endless = sets(SMALL_DRIVE | {"workload.source.requests": 10**12})
    message = wordline("run", "--device", "mqsim", *endless, "--out", blocked / "out").error()
    assert str(blocked) in message


@pytest.mark.parametrize(
    ("overrides", "taken"),
    [
        ({"scheme.copies.reserved_blocks": 0.5}, r"being reserved \(scheme\.copies\.reserved_blocks\)"),
        ({"device.bad_blocks.spare_blocks_per_plane": 60}, r", 60 being bad or kept .*device\.bad_blocks"),
    ],
)
def test_a_capacity_without_spare_blocks_is_refused_with_what_took_them(
    overrides: dict[str, object], taken: str
) -> None:
    drive = {
        "device.geometry.blocks": 64,
        "device.capacity.overprovisioning": 0.2,
    }
    with pytest.raises(
        package.WordlineError, match=rf"spare blocks in each plane of 64; this one leaves \d+.*{taken}"
    ):
        package.run("collision", overrides={**drive, **overrides})
