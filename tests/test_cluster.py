"""`wordline cluster` as a person uses it: in one terminal the cluster, in another a sweep on it."""

from __future__ import annotations

import json
import signal
import socket
import threading
from pathlib import Path

from conftest import SMALL, start

from wordline.presets import toml_value


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def test_a_sweep_runs_on_a_cluster_that_was_started_for_a_try(tmp_path: Path) -> None:
    port = free_port()
    cluster = start("cluster", "--workers", "2", "--port", str(port))
    watchdog = threading.Timer(120, cluster.kill)
    watchdog.start()
    try:
        assert cluster.stdout is not None
        said = cluster.stdout.readline()
        assert f"tcp://127.0.0.1:{port}" in said, said
        file = tmp_path / "depth.toml"
        sets = "".join(f'"{path}" = {toml_value(value)}\n' for path, value in SMALL.items())
        file.write_text(f'device = "mqsim"\n[set]\n{sets}[axes]\n"workload.host.queue_depth" = [1, 4, 16]\n')
        sweep = start("sweep", str(file), "--on", f"tcp://127.0.0.1:{port}", "--json")
        out, err = sweep.communicate(timeout=100)
        assert sweep.returncode == 0, err
        summary = json.loads(out)
        assert (summary["points"], summary["done"], summary["failed"]) == (3, 3, 0)
        cluster.send_signal(signal.SIGINT)
        _, err = cluster.communicate(timeout=60)
        assert cluster.returncode in (0, 130), err
        assert "Traceback" not in err
    finally:
        watchdog.cancel()
        cluster.kill()
        cluster.communicate()


def test_a_port_in_use_is_told(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        cluster = start("cluster", "--workers", "1", "--port", str(port), cwd=tmp_path)
        try:
            out, err = cluster.communicate(timeout=60)
        finally:
            cluster.kill()
    assert (cluster.returncode, out) == (2, "")
    # Dask may have said something in its log before.
    assert err.splitlines()[-1].startswith(f"wordline: --port {port}: no cluster can be started"), err
    assert "Traceback" not in err
