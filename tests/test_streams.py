"""What becomes of a command whose streams are closed, full or read no further, or that is told to end."""

from __future__ import annotations

import functools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import SMALL, SMALL_DRIVE, Wordline, sets

COMMAND = (sys.executable, "-m", "wordline")

FEW = ("run", "--device", "mqsim", "--workload", "mixed-70-30-8k-qd16", *sets(SMALL))

ENDLESS = ("--device", "mqsim", *sets(SMALL_DRIVE | {"workload.source.requests": 1_000_000_000}))


@pytest.mark.parametrize("group", [(), ("trace",), ("show",)])
def test_a_group_alone_prints_its_help_as_help(wordline: Wordline, group: tuple[str, ...]) -> None:
    alone, asked = wordline(*group), wordline(*group, "--help")
    assert (alone.code, alone.err) == (0, "")
    assert alone.out == asked.out and "\nCommands:\n" in alone.out
    assert "No such command 'nosuch'" in wordline(*group, "nosuch").error()


@pytest.mark.parametrize(
    "arguments",
    [("--version",), ("--help",), ("show", "devices"), ("show", "device", "mqsim"), (*FEW, "--json")],
)
def test_a_reader_that_goes_ends_a_command_as_sigpipe_would(arguments: tuple[str, ...]) -> None:
    ours, its = os.pipe()
    os.close(ours)
    ended = subprocess.run([*COMMAND, *arguments], stdout=its, stderr=subprocess.PIPE, text=True)
    os.close(its)
    assert (ended.returncode, ended.stderr) == (141, "")


def closing(*numbers: int) -> Callable[[], None]:
    def close() -> None:
        for number in numbers:
            os.close(number)

    return close


def full() -> None:
    os.dup2(os.open("/dev/full", os.O_WRONLY), 2)


def test_what_is_printed_on_a_closed_standard_output_is_a_failure() -> None:
    def ended(*arguments: str) -> tuple[int, str]:
        close = functools.partial(os.close, 1)
        run = subprocess.run([*COMMAND, *arguments], stderr=subprocess.PIPE, text=True, preexec_fn=close)
        return run.returncode, run.stderr

    code, said = ended("show", "devices", "--json")
    assert code == 2 and said.startswith("wordline: output: standard output is closed")
    assert ended("--version")[0] == 2
    code, said = ended("run", "--device", "none-such")
    assert code == 2 and "closed" not in said


@pytest.mark.parametrize("begin", [closing(2), closing(0, 2), full], ids=["closed", "stdin too", "full"])
def test_a_standard_error_that_takes_nothing_is_no_failure(begin: Callable[[], None], tmp_path: Path) -> None:
    lines = "time_ns,op,offset_bytes,length_bytes\n0,R,0,4096\nbad\n"
    (tmp_path / "t.csv").write_text(lines)

    def run(*arguments: str) -> Any:
        return subprocess.run([*COMMAND, *arguments], stdout=subprocess.PIPE, text=True, preexec_fn=begin)

    ended = run(*FEW, "--json", "--traces", str(tmp_path))
    assert ended.returncode == 0 and json.loads(ended.stdout)["seed"] == 1
    # Nothing that is meant for it gets among the results.
    ended = run("show", "device", "nosuch")
    assert (ended.returncode, ended.stdout) == (2, "")


def begun(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """A command that has begun to work in `folder / "out"`, also where these tests run under nohup."""
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    )
    end = time.monotonic() + 30
    while not (folder / "out" / ".lock").exists() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(0.3)
    return process


LOST = """
import signal, sys, time
from wordline import __main__ as command

class Lost:
    def __del__(self):
        signal.raise_signal(signal.{name})

def run(arguments):
    Lost()
    time.sleep(60)
    return 0

command._run = run
command.main()
"""


@pytest.mark.parametrize(
    ("name", "code", "said"), [("SIGTERM", 143, "terminated"), ("SIGINT", 130, "interrupted")]
)
def test_a_signal_that_comes_where_exceptions_are_ignored_ends_the_command(
    name: str, code: int, said: str
) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", LOST.format(name=name)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (code, f"wordline: {said}\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", *ENDLESS, "--request-log", "new/log", "--timeline", "new/t.pftrace"),
        ("run", *ENDLESS, "--seeds", "2"),
        ("compare", *ENDLESS, "--schemes", "baseline,fifo"),
        ("sweep", "s.toml"),
    ],
    ids=["run", "seeds", "compare", "sweep"],
)
@pytest.mark.parametrize(("number", "said"), [(signal.SIGTERM, "terminated"), (signal.SIGHUP, "hung up")])
def test_a_command_that_is_told_to_end_leaves_nothing(
    arguments: tuple[str, ...], number: signal.Signals, said: str, tmp_path: Path
) -> None:
    sweep = tmp_path / "s.toml"
    if arguments[0] == "sweep":
        settings = "".join(f'"{key}" = {value}\n' for key, value in SMALL_DRIVE.items())
        requests = '"workload.source.requests" = 1_000_000_000\n'
        axes = '[axes]\n"workload.host.queue_depth" = [1, 4]\n'
        sweep.write_text(f'device = "mqsim"\n[set]\n{settings}{requests}{axes}')
    process = begun(tmp_path, *arguments, "--out", "out")
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (128 + number, "", f"wordline: {said}\n")
    assert [path for path in tmp_path.iterdir() if path != sweep] == []


def test_nohup_is_heeded(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    process = subprocess.Popen(
        [*COMMAND, "run", *ENDLESS, "--out", "out"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    end = time.monotonic() + 30
    while not (tmp_path / "out" / ".lock").exists() and time.monotonic() < end:
        time.sleep(0.02)
    process.send_signal(signal.SIGHUP)
    time.sleep(0.3)
    assert process.poll() is None
    process.kill()
    process.communicate()


def test_processes_of_this_machine_end_with_their_command(tmp_path: Path) -> None:
    """Also where a shell started it in the background, so that it ignores Ctrl-C."""
    pytest.importorskip("submitit")
    settings = "".join(f'"{key}" = {value}\n' for key, value in SMALL_DRIVE.items())
    axes = '"workload.source.requests" = 1_000_000_000\n[axes]\n"workload.host.queue_depth" = [1]\n'
    (tmp_path / "s.toml").write_text(f'device = "mqsim"\n[set]\n{settings}{axes}')
    process = subprocess.Popen(
        [*COMMAND, "sweep", "s.toml", "--on", "local"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    jobs = tmp_path / "s" / "jobs"
    end = time.monotonic() + 30
    while not list(jobs.glob("*_log.out")) and time.monotonic() < end:
        time.sleep(0.05)
    (log,) = jobs.glob("*_log.out")
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=20) == 143
    with pytest.raises(ProcessLookupError):
        os.kill(int(log.name.partition("_")[0]), 0)


@pytest.mark.parametrize("locale", ["C", "POSIX", "C.UTF-8"])
def test_names_beyond_ascii_work_in_any_locale(locale: str, tmp_path: Path) -> None:
    (tmp_path / "ä.csv").write_text("time_ns,op,offset_bytes,length_bytes\n0,R,0,4096\n20,W,4096,4096\n")
    code = (
        "from wordline import cli; import sys; names = sys.argv[1:];"
        "sys.exit(cli.execute(['run', '--device', 'mqsim', '--set', 'device.geometry.blocks=256', '--trace',"
        " 'ä.csv', '--out', 'ö', '--request-log', 'ü/log'])"
        " or cli.execute(['trace', 'convert', 'ä.csv', 'ß.csv'])"
        " or cli.execute(['report', 'ö', '--out', 'é.html']))"
    )
    environment = {**os.environ, "LC_ALL": locale, "WORDLINE_DRIVES": ""}
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert {path.name for path in tmp_path.iterdir()} == {"ä.csv", "ö", "ü", "ß.csv", "é.html"}


def test_a_name_that_is_no_text_is_refused_by_name(wordline: Wordline, tmp_path: Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/b\xff.csv")
    Path(name).write_text("time_ns,op,offset_bytes,length_bytes\n0,R,0,4096\n")
    for words in (
        ("trace", "info", name),
        ("run", "--trace", name),
        ("trace", "convert", name, tmp_path / "o.csv"),
    ):
        assert "b\\xff.csv: a name that is not UTF-8" in wordline(*words).error()


def test_a_scheme_may_have_a_long_text(wordline: Wordline, tmp_path: Path) -> None:
    text = "+".join(["baseline"] * 32 + ["scheduler.policy=fifo"])
    assert len(text) > 300
    out = tmp_path / "out"
    assert wordline(*FEW, "--scheme", text, "--out", out).code == 0
    assert wordline("compare", *FEW[1:], "--schemes", f"baseline,{text}", "--out", tmp_path / "c").code == 0
    assert wordline("report", out, tmp_path / "c", "--out", tmp_path / "p.html").code == 0
    assert "no scheme preset" in wordline(*FEW, "--scheme", "x" * 300).error()
    assert "File name too long" in wordline(*FEW, "--scheme", "x" * 300 + ".toml").error()
