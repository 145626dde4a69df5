"""Help, manual page, completion, progress: what a command line says of itself."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import COMMAND, SMALL_DRIVE, Wordline, sets

import wordline as package
from wordline import seeds
from wordline.cli import progress
from wordline.study.pool import Telling

COMMANDS = {
    *(
        "run",
        "prepare",
        "compare",
        "sweep",
        "merge",
        "cluster",
        "repro",
        "report",
        "diff",
        "tune",
        "calibrate",
        "workload",
    ),
    *("mqsim", "show", "trace", "completion", "man"),
}


def test_help_names_every_command_in_a_whole_sentence(wordline: Wordline) -> None:
    out = wordline("--help").out
    listed = dict(line.split(None, 1) for line in out.partition("Commands:")[2].strip().splitlines())
    assert set(listed) == COMMANDS
    assert all(about.endswith(".") and not about.endswith("...") for about in listed.values()), listed


def test_help_loads_little() -> None:
    code = (
        "import sys; from wordline import cli; cli.execute(['--help']);"
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stderr
    packages = {name.partition(".")[0] for name in modules.split()}
    assert not packages & {
        "rich",
        "numpy",
        "pyarrow",
        "scipy",
        "vl_convert",
        "optuna",
        "concurrent",
        "asyncio",
    }


def test_the_manual_has_every_command_and_option(wordline: Wordline, tmp_path: Path) -> None:
    text = wordline("man").out
    for words in ("wordline run", "wordline trace info", r"\-\-request\-log", "EXIT STATUS", "WORDLINE_CORE"):
        assert words in text
    help_ = wordline("run", "--help").out
    for option in {word.strip(",") for word in help_.split() if word.startswith("--") and word != "--help"}:
        assert option.partition("=")[0].replace("-", r"\-") in text, option
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("groff is not installed")
    page = tmp_path / "wordline.1"
    page.write_text(text)
    shown = subprocess.run(
        [groff, "-man", "-Tutf8", "-ww", page], capture_output=True, text=True, check=True, timeout=60
    )
    assert shown.stderr == "" and "WORDLINE(1)" in shown.stdout


def completed(line: str) -> list[str]:
    """What a shell is told at the end of this line."""
    asked = {
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split()) - (0 if line.endswith(" ") else 1)),
        "_WORDLINE_COMPLETE": "complete_bash",
    }
    out = subprocess.run([COMMAND], env=os.environ | asked, capture_output=True, text=True, check=True).stdout
    return out.split()


def test_commands_options_and_presets_are_completed() -> None:
    assert completed("wordline com") == ["compare", "completion"]
    assert "--device" in completed("wordline run --d")
    assert completed("wordline run --device enter") == ["enterprise-tlc"]
    assert set(completed("wordline run --scheme ")) == set(package.preset_names("scheme"))
    assert "hpc-46" in completed("wordline run --workload hpc")
    assert completed("wordline trace i") == ["info"]


def test_paths_of_the_configuration_are_completed() -> None:
    assert completed("wordline run --set device.geometry.bl") == ["device.geometry.blocks="]
    assert "scheme.gc.policy=" in completed("wordline compare --set scheme.gc.")
    assert "workload.host.queue_depth=" in completed("wordline prepare mqsim --set workload.host.q")
    flows = completed("wordline run --workload reader-beside-writer --set workload.flow.reader.q")
    assert flows == ["workload.flow.reader.queue_depth="]
    assert completed("wordline run --device nosuch --set device.geometry.channels") == [
        "device.geometry.channels="
    ]
    assert completed("wordline run --set nonsense") == []


def spellings() -> dict[str, dict[str, tuple[str, ...]]]:
    """By option what each command says of it: names, metavar, help."""
    import typer

    from wordline.cli import app, manual

    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for path, command in manual._commands(typer.main.get_command(app)):
        for one in command.params:
            for flag in one.opts:
                found.setdefault(flag, {})[path] = (str(one.metavar), str(one.help))
    return found


def test_an_option_means_the_same_wherever_it_is() -> None:
    options = spellings()
    for option in ("--set", "--retry", "--seed", "--jobs", "--on", "--metric", "--json"):
        assert len(options[option]) > 1 and len(set(options[option].values())) <= 1 + (option == "--jobs")
    studies = {"wordline compare", "wordline sweep", "wordline tune", "wordline calibrate", "wordline repro"}
    assert studies <= set(options["--retry"])
    ours = {path: told for path, told in options["--seeds"].items() if path != "wordline repro"}
    runs = {"wordline run", "wordline mqsim"}
    assert set(ours) == {*runs, "wordline compare", "wordline sweep", "wordline tune"}
    assert len(set(ours.values())) == 1
    assert "wordline compare" in options["--scheme"] and options["--scheme"] == options["--schemes"]


def test_a_shell_takes_the_script_of_completion(wordline: Wordline, tmp_path: Path) -> None:
    script = tmp_path / "complete.bash"
    script.write_text(wordline("completion", "bash").out)
    bash = shutil.which("bash")
    assert bash is not None
    told = f"source {script}; complete -p wordline"
    out = subprocess.run([bash, "-c", told], capture_output=True, text=True, check=True).stdout
    assert "wordline" in out
    for shell in ("zsh", "fish"):
        assert "_WORDLINE_COMPLETE" in wordline("completion", shell).out
    assert "bash" in wordline("completion", "tcsh").error()


def on_a_terminal(*arguments: str) -> str:
    """What a command shows on a terminal while it works."""
    ours, its = pty.openpty()
    with subprocess.Popen(
        [COMMAND, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=its
    ) as process:
        os.close(its)
        shown = b""
        while True:
            try:
                more = os.read(ours, 65536)
            except OSError:
                break
            if not more:
                break
            shown += more
        assert process.wait() == 0
    os.close(ours)
    return shown.decode(errors="replace")


def test_long_commands_tell_rate_and_time_left(tmp_path: Path) -> None:
    few = sets(SMALL_DRIVE | {"workload.source.requests": 2_000_000, "workload.start.layout": "in_order"})
    shown = on_a_terminal("run", "--device", "mqsim", *few)
    assert "requests/s" in shown and "left" in shown and "2,000,000 requests" in shown
    sweep = tmp_path / "s.toml"
    axes = "[axes]\n'workload.host.queue_depth' = [1, 2, 4, 8]\n[set]\n'workload.source.requests' = 400000\n"
    sweep.write_text(axes)
    shown = on_a_terminal("sweep", str(sweep))
    assert "points/s" in shown and "4/4" in shown and "left" in shown


def test_traces_tell_how_far_they_are_read(tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    rows = "".join(f"{index * 1000},R,{index % 5000 * 4096},4096\n" for index in range(2_000_000))
    trace.write_text("time_ns,op,offset_bytes,length_bytes\n" + rows)
    for words in (("info", str(trace)), ("fit", str(trace), "--out", str(tmp_path / "p.toml"))):
        shown = on_a_terminal("trace", *words)
        assert "s of the trace" in shown and "requests/s" in shown, words


def test_without_a_terminal_there_is_a_line_from_time_to_time(
    wordline: Wordline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "EVERY_S", 0.05)
    few = sets(SMALL_DRIVE | {"workload.source.requests": 1_000_000, "workload.start.layout": "in_order"})
    outcome = wordline("run", "--device", "mqsim", *few, "--json")
    lines = outcome.err.splitlines()
    assert outcome.code == 0 and outcome.json()["seed"] == 1 and len(lines) > 2
    assert all(line.startswith("wordline: ") and line.count(" so far") == 1 for line in lines)
    far = re.compile(
        r"wordline: [\d,]+ requests, [\d.]+ s simulated, \d+%, .* requests/s, \d+ s so far, about \d+ s left"
    )
    assert any(far.fullmatch(line) for line in lines), lines


def test_a_short_command_says_nothing_of_its_progress(wordline: Wordline) -> None:
    assert (
        wordline("run", "--device", "mqsim", *sets(SMALL_DRIVE), "--set", "workload.source.requests=10").err
        == ""
    )


def test_an_estimate_is_of_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    lines = progress.Lines()
    task = lines.add_task("points", total=None, rate="")
    now += 10
    assert lines.text() == "points, 10 s so far"
    # What was there already took no time.
    lines.update(task, completed=50, total=100)
    now += 10
    lines.update(task, completed=60, rate="1 points/s")
    assert lines.text() == "points, 60%, 1 points/s, 20 s so far, about 40 s left"
    now += 100_000
    assert lines.text().endswith("27.8 h so far, about 111.1 h left")


def test_a_preparation_tells_how_far_it_is_and_takes_no_part_in_the_estimate_of_the_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    lines = progress.Lines()
    bar = progress.RequestsBar(lines, "preparing the drive")
    bar(0, 500, 0)
    assert lines.text() == "preparing the drive, 0 s so far"
    bar.preparing(0, 600, 400)
    now += progress.LONG_S - 1
    bar.preparing(100, 600, 400)
    assert capsys.readouterr().err == ""
    now += 1
    for _ in range(2):
        bar.preparing(150, 600, 400)
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "user_bytes" in said and "`wordline prepare`" in said
    far = "preparing the drive, overwritten 0.38 of at least 1.50 times, 25%, 5 s so far, about 15 s left"
    assert lines.text() == far
    now += 15
    bar(100, 500, 10**9)
    assert lines.text() == "100 requests, 1.00 s simulated, 20%, 20 s so far"
    now += 10
    bar(300, 500, 2 * 10**9)
    assert lines.text().endswith("20 requests/s, 30 s so far, about 10 s left")


def test_a_run_tells_of_its_preparation_where_that_is_asked_for() -> None:
    told: list[tuple[int, int, int]] = []

    class Watching:
        def __call__(self, requests: int, total: int | None, simulated_ns: int) -> None:
            pass

        def preparing(self, done: int, least: int, pages: int) -> None:
            told.append((done, least, pages))
            if len(told) == 2:
                raise InterruptedError

    large = {"device.geometry.blocks": 256, "workload.start.overwrite": 1000}
    with pytest.raises(InterruptedError):
        package.run("mqsim", progress=Watching(), overrides=large)
    (first, least, pages), (second, *_) = told
    assert 0 <= first <= second < least == 1000 * pages


def test_seeds_tell_of_their_preparations_as_of_one_until_a_request_is_done() -> None:
    told: list[tuple[int, int | None, int]] = []

    class Watching:
        def __call__(self, requests: int, total: int | None, simulated_ns: int) -> None:
            told.append((requests, total, simulated_ns))

        def preparing(self, done: int, least: int, pages: int) -> None:
            told.append((done, least, pages))

    together = seeds._Together(Watching(), 3)
    first, second = (together.of(seed) for seed in (1, 2))
    assert isinstance(first, Telling) and isinstance(second, Telling)
    first.preparing(10, 100, 40)
    second.preparing(30, 100, 40)
    first(0, 500, 0)
    second.preparing(50, 100, 40)
    first(7, 500, 9)
    second.preparing(60, 100, 40)
    second(8, 500, 9)
    assert told == [(10, 100, 40), (40, 200, 80), (0, 1500, 0), (60, 200, 80), (7, 1500, 9), (15, 1500, 9)]


def test_a_run_of_several_seeds_stops_while_its_drives_are_prepared() -> None:
    class Watching:
        def __call__(self, requests: int, total: int | None, simulated_ns: int) -> None:
            pass

        def preparing(self, done: int, least: int, pages: int) -> None:
            if done <= least == 2 * 1000 * (pages // 2):
                raise InterruptedError

    large = {"device.geometry.blocks": 256, "workload.start.overwrite": 1000}
    with pytest.raises(InterruptedError):
        package.run_seeds("mqsim", seeds=2, jobs=2, progress=Watching(), overrides=large)


def test_a_function_that_is_told_nothing_of_preparations_stops_several_seeds_in_them_too() -> None:
    def stops(requests: int, _total: int | None, simulated_ns: int) -> None:
        if requests == simulated_ns == 0:
            raise InterruptedError

    large = {"device.geometry.blocks": 256, "workload.start.overwrite": 1000}
    with pytest.raises(InterruptedError):
        package.run_seeds("mqsim", seeds=2, jobs=2, progress=stops, overrides=large)
