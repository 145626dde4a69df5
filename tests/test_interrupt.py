from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from conftest import SMALL_DRIVE, sets, start

from wordline.presets import toml_value

REQUESTS = 1_000_000_000

ENDLESS = sets(SMALL_DRIVE | {"workload.source.requests": REQUESTS})

SETTINGS = "".join(
    f'"{path}" = {toml_value(value)}\n'
    for path, value in (SMALL_DRIVE | {"workload.source.requests": REQUESTS}).items()
)


def interrupted(*arguments: str, after_s: float) -> tuple[int, str, str]:
    process = start(*arguments, start_new_session=True)
    time.sleep(after_s)
    assert process.poll() is None
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=10)
    return process.returncode, out, err


def test_ctrl_c_stops_a_run_with_one_line() -> None:
    code, out, err = interrupted("run", "--device", "mqsim", "--json", *ENDLESS, after_s=0.7)
    assert code == 130
    assert out == ""
    assert err == "wordline: interrupted\n"


@pytest.mark.parametrize("command", ["seeds", "compare", "sweep", "tune"])
def test_ctrl_c_stops_all_runs_of_a_study(command: str, tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    given = {
        "seeds": ["run", "--seeds", "3", *ENDLESS],
        "compare": ["compare", "--schemes", "baseline,fifo", *ENDLESS],
        "sweep": ["sweep", str(file)],
        "tune": ["tune", str(file)],
    }[command]
    searched = '"scheme.gc.trigger" = { low = 0.02, high = 0.1 }\n[objectives]\nwaf = "minimize"\n'
    last = f"[search]\n{searched}" if command == "tune" else '[axes]\n"workload.host.queue_depth" = [1, 4]\n'
    file.write_text(f'device = "mqsim"\n[set]\n{SETTINGS}{last}')
    device = ["--device", "mqsim"] if command in ("seeds", "compare") else []
    code, out, err = interrupted(*given, *device, "--json", after_s=3)
    assert (code, out, err) == (130, "", "wordline: interrupted\n")
