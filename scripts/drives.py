"""Fills `client-qlc` in order, overwrites `enterprise-tlc` at random, and draws both with published figures.

Usage: scripts/drives.py FOLDER PICTURES, with `wordline` and matplotlib installed. Results that FOLDER holds
already are not run again; each run takes a few minutes of one core.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib.pyplot as pyplot
import numpy
import pyarrow.parquet

FILL = """
name = "fill"
description = "The empty drive is written in order, once"
[source]
kind = "synthetic"
requests = 7_630_900
read_share = 0.0
sizes = 131_072
pattern = { kind = "sequential", streams = 1 }
[host]
arrivals = "closed"
queue_depth = 32
[start]
occupancy = "none"
[measure]
interval_ns = 2_000_000_000
"""

# An eighth of the channels and of the blocks of each plane, at an eighth of the queue depth of 1,024.
OVERWRITE = """
name = "overwrite"
description = "The drive, filled in order, is overwritten at random"
[source]
kind = "synthetic"
requests = 29_296_000
read_share = 0.0
sizes = 4096
pattern = { kind = "uniform" }
[host]
arrivals = "closed"
queue_depth = 128
[start]
occupancy = "all"
[measure]
interval_ns = 5_000_000_000
"""
CHANNELS = 8
SMALLER = [
    "device.geometry.channels=1",
    "device.geometry.blocks=171",
    "device.capacity.user_bytes=60_000_000_000",
    "scheme.blocks.superblock=drive",
]

SIMULATED, PUBLISHED = "#1f77b4", "#b5651d"


def simulate(folder: Path, device: str, workload: str, *overrides: str) -> dict[str, Any]:
    """Runs the workload, unless that was done before, and returns the result with its time series."""
    if not (folder / "result.json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        description = folder / "workload.toml"
        description.write_text(workload, encoding="utf-8")
        command = [
            "wordline",
            "run",
            "--device",
            device,
            "--workload",
            str(description),
            "--out",
            str(folder),
        ]
        for override in overrides:
            command += ["--set", override]
        subprocess.run(command, check=True)
    result: dict[str, Any] = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    table = pyarrow.parquet.read_table(folder / "series.parquet")
    result["series"] = {name: table[name].to_numpy() for name in table.column_names}
    return result


def bare(axes: Any) -> None:
    """A light grid, and no frame."""
    axes.grid(which="major", color="#dddddd", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


def mean_after_drop(values: Any, count: int) -> list[float]:
    """The mean of `count` values around each; where they drop below half of the first it begins anew."""
    drop = int(numpy.argmax(values < values[0] / 2))
    before = count // 2
    return [
        float(part[max(0, place - before) : place + before].mean())
        for part in (values[:drop], values[drop:])
        for place in range(len(part))
    ]


def draw_fill(result: dict[str, Any], picture: Path) -> None:
    """Bandwidth over what was written: the cache, then native cells, then folding for space."""
    series = result["series"]
    # The last interval is cut short.
    written = numpy.cumsum(series["write_bytes"])[:-1]
    rate = (series["write_bytes"] / series["duration_ns"] * 1000)[:-1]
    capacity = result["drive"]["logical_units"] * result["drive"]["mapping_unit_bytes"]
    percent = 100 * written / capacity
    figure, axes = pyplot.subplots(figsize=(7.2, 3.6), layout="constrained")
    axes.plot(percent, rate, color=SIMULATED, linewidth=0.5, alpha=0.45, label="client-qlc, 2 s intervals")
    smooth = mean_after_drop(rate, 30)
    axes.plot(percent, smooth, color=SIMULATED, linewidth=1.8, label="client-qlc, mean of 60 s")
    axes.plot(
        [0, 12, 12, 100],
        [3000, 3000, 262, 262],
        color=PUBLISHED,
        linewidth=1.4,
        linestyle="--",
        label="P41 Plus 1 TB, guru3d.com: 3,000 MB/s, from about 12% on 262 MB/s",
    )
    axes.set(yscale="log", xlabel="written, % of the drive", ylabel="MB/s", xlim=(0, 100), ylim=(30, 5000))
    axes.set_yticks(
        [50, 100, 200, 500, 1000, 2000, 5000], labels=["50", "100", "200", "500", "1,000", "2,000", "5,000"]
    )
    axes.minorticks_off()
    bare(axes)
    axes.legend(frameon=False, fontsize=8, loc="upper right")
    figure.savefig(picture, dpi=130)


def draw_overwrite(result: dict[str, Any], picture: Path) -> None:
    """IOPS and write amplification over drive writes."""
    series = result["series"]
    capacity = result["drive"]["logical_units"] * result["drive"]["mapping_unit_bytes"]
    writes = (numpy.cumsum(series["write_bytes"]) / capacity)[:-1]
    iops = (series["write_requests"] / series["duration_ns"] * 1e9)[:-1] * CHANNELS / 1000
    figure, (upper, lower) = pyplot.subplots(2, figsize=(7.2, 4.4), sharex=True, layout="constrained")
    upper.plot(writes, iops, color=SIMULATED, linewidth=0.6, alpha=0.5, label="enterprise-tlc, 5 s intervals")
    upper.plot(writes, mean_after_drop(iops, 12), color=SIMULATED, linewidth=1.8, label="mean of 60 s")
    upper.axhline(
        200,
        color=PUBLISHED,
        linewidth=1.4,
        linestyle="--",
        label="PM9A3 U.2, announced: up to 200,000 (heise.de)",
    )
    upper.set(ylabel="thousand writes/s", ylim=(0, None))
    upper.legend(frameon=False, fontsize=8)
    waf = series["waf"][:-1]
    lower.plot(writes, waf, color=SIMULATED, linewidth=0.6, alpha=0.5)
    # Bytes programmed and written, each over 60 s.
    programmed = mean_after_drop(iops * waf, 12)
    lower.plot(writes, numpy.array(programmed) / mean_after_drop(iops, 12), color=SIMULATED, linewidth=1.8)
    lower.set(xlabel="drive writes", ylabel="WAF", xlim=(0, writes[-1]), ylim=(0, None))
    bare(upper)
    bare(lower)
    figure.savefig(picture, dpi=130)


def main(folder: Path, pictures: Path) -> None:
    """Runs and draws both."""
    pictures.mkdir(parents=True, exist_ok=True)
    draw_fill(simulate(folder / "client", "client-qlc", FILL), pictures / "slc-cliff.png")
    result = simulate(folder / "enterprise", "enterprise-tlc", OVERWRITE, *SMALLER)
    draw_overwrite(result, pictures / "steady-state.png")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
