"""Logs in the shape that iostat and fio write them, with numbers of our own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

SYSSTAT_11, SYSSTAT_11_7, SYSSTAT_12 = (
    columns.split()
    for columns in (
        "rrqm/s wrqm/s r/s w/s rkB/s wkB/s avgrq-sz avgqu-sz await r_await w_await svctm %util",
        "r/s w/s rkB/s wkB/s rrqm/s wrqm/s %rrqm %wrqm r_await w_await aqu-sz rareq-sz wareq-sz svctm %util",
        "r/s rkB/s rrqm/s %rrqm r_await rareq-sz w/s wkB/s wrqm/s %wrqm w_await wareq-sz "
        "d/s dkB/s drqm/s %drqm d_await dareq-sz f/s f_await aqu-sz %util",
    )
)

Disks = Mapping[str, Mapping[str, float]]

BUSY = {"r/s": 8000.0, "rkB/s": 48000.0, "r_await": 0.2, "w/s": 1000.0, "wkB/s": 16000.0, "w_await": 0.1}
BUSIER = {"r/s": 16000.0, "rkB/s": 96000.0, "r_await": 0.3, "w/s": 3000.0, "wkB/s": 48000.0, "w_await": 0.1}
SINCE_BOOT = {"r/s": 1.0, "rkB/s": 4.0, "r_await": 9.0, "w/s": 1.0, "wkB/s": 4.0, "w_await": 9.0}


def queued(disk: Mapping[str, float]) -> dict[str, float]:
    """With the depth that Little's law gives."""
    queue = (disk["r/s"] * disk["r_await"] + disk["w/s"] * disk["w_await"]) / 1e3
    return {**disk, "aqu-sz": queue, "avgqu-sz": queue}


def iostat(columns: Sequence[str], reports: Sequence[Disks]) -> str:
    """The text of `iostat -x`."""
    header = "Device:" if columns is SYSSTAT_11 else "Device"
    lines = ["Linux 6.1.0 (db1) \t11/28/2026 \t_x86_64_\t(8 CPU)", ""]
    for report in reports:
        lines += ["avg-cpu:  %user   %nice %system %iowait  %steal   %idle"]
        lines += ["           4.10    0.00    1.20    0.80    0.00   93.90", ""]
        lines += [f"{header:<12}" + "".join(f"{column:>10}" for column in columns)]
        lines += [
            f"{name:<12}" + "".join(f"{queued(disk).get(column, 0.0):>10.2f}" for column in columns)
            for name, disk in report.items()
        ]
        lines += [""]
    return "\n".join(lines)


def iostat_json(reports: Sequence[Disks]) -> str:
    """The text of `iostat -x -o JSON`."""
    statistics = [
        {
            "avg-cpu": {"user": 4.1, "idle": 93.9},
            "disk": [{"disk_device": name, **queued(disk), "util": 80.0} for name, disk in report.items()],
        }
        for report in reports
    ]
    host = {"nodename": "db1", "sysname": "Linux", "number-of-cpus": 8, "statistics": statistics}
    return json.dumps({"sysstat": {"hosts": [host]}}, indent=2)


def way(iops: float, size: int, mean_ns: float, percentiles: Mapping[str, int]) -> dict[str, Any]:
    """One direction of a job in fio's JSON."""
    latency: dict[str, Any] = {"min": 1, "max": 9_000_000, "mean": mean_ns, "stddev": 1.0, "N": int(iops)}
    return {
        "io_bytes": int(iops * size),
        "bw_bytes": int(iops * size),
        "bw": int(iops * size) // 1024,
        "iops": iops,
        "total_ios": int(iops),
        "clat_ns": {**latency, "percentile": dict(percentiles)},
        "lat_ns": {**latency, "mean": mean_ns + 500},
    }


IDLE: dict[str, Any] = {
    "iops": 0.0,
    "bw_bytes": 0,
    "total_ios": 0,
    "clat_ns": {"mean": 0.0},
    "lat_ns": {"mean": 0.0},
}


def fio(shared: Mapping[str, str], jobs: Sequence[Mapping[str, Any]]) -> str:
    """The text of `fio --output-format=json`; of each job its name, options and directions."""
    entries = [
        {
            "groupid": 0,
            "error": 0,
            "read": IDLE,
            "write": IDLE,
            "trim": IDLE,
            **job,
            "job options": job["options"],
        }
        for job in jobs
    ]
    for entry in entries:
        del entry["options"]
    return json.dumps({"fio version": "fio-3.36", "global options": dict(shared), "jobs": entries}, indent=1)
