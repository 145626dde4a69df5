from __future__ import annotations

import os
import signal
import time

from conftest import SMALL_DRIVE, sets, start

ENDLESS = sets(SMALL_DRIVE | {"workload.source.requests": 1_000_000_000})


def interrupted() -> tuple[int, str, str]:
    process = start("run", "--device", "mqsim", "--json", *ENDLESS, start_new_session=True)
    time.sleep(0.7)
    assert process.poll() is None
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=10)
    return process.returncode, out, err


def test_ctrl_c_stops_a_run_with_one_line() -> None:
    code, out, err = interrupted()
    assert code == 130
    assert out == ""
    assert err == "wordline: interrupted\n"
