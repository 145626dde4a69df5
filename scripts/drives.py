"""Fills `client-qlc` in order, overwrites `enterprise-tlc` at random, and draws both with published figures.

Usage: scripts/drives.py FOLDER PICTURES, with `wordline` installed. Results that FOLDER holds
already are not run again; each run takes a few minutes of one core.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy
import pyarrow.parquet

from wordline.charts.images import save
from wordline.charts.specs import SCHEMA, Chart, Spec

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

SIMULATED, LIGHT, PUBLISHED = "#1f77b4", "#8fbce0", "#b5651d"

WIDTH = 560


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


def drop_of(values: Any) -> int:
    """Where they fall below half of the first."""
    return int(numpy.argmax(values < values[0] / 2))


def means(values: Any, count: int, drop: int) -> list[float]:
    """The mean of `count` values around each, those before and behind the drop apart."""
    before = count // 2
    return [
        float(part[max(0, place - before) : place + before].mean())
        for part in (values[:drop], values[drop:])
        for place in range(len(part))
    ]


def line(points: Iterable[tuple[float, float]], label: str, **mark: Any) -> Spec:
    """A layer: one line, with its entry in the legend."""
    values = [{"x": float(f"{x:.5g}"), "y": float(f"{y:.5g}"), "s": label} for x, y in points]
    return {"data": {"values": values}, "mark": {"type": "line", "clip": True, **mark}}


def panel(layers: Sequence[Spec], tones: dict[str, str], across: Spec, up: Spec, height: int) -> Spec:
    """Lines over one another."""
    legend = {
        "orient": "bottom",
        "columns": 1,
        "labelLimit": 500,
        "symbolType": "stroke",
        "symbolStrokeWidth": 2,
    }
    scale = {"domain": list(tones), "range": list(tones.values())}
    color = {"field": "s", "type": "nominal", "title": None, "scale": scale, "legend": legend}
    encoding = {
        "x": {"field": "x", "type": "quantitative", **across},
        "y": {"field": "y", "type": "quantitative", **up},
        "color": color,
    }
    return {"width": WIDTH, "height": height, "layer": list(layers), "encoding": encoding}


THIN = {"strokeWidth": 0.8}
THICK = {"strokeWidth": 2}
DASHED = {"strokeWidth": 1.6, "strokeDash": [6, 4]}


def draw_fill(result: dict[str, Any], picture: Path) -> None:
    """Bandwidth over what was written: the cache, then native cells, then folding for space."""
    series = result["series"]
    # The last interval is cut short.
    written = numpy.cumsum(series["write_bytes"])[:-1]
    rate = (series["write_bytes"] / series["duration_ns"] * 1000)[:-1]
    capacity = result["drive"]["logical_units"] * result["drive"]["mapping_unit_bytes"]
    percent = 100 * written / capacity
    tones = {
        "client-qlc, 2 s intervals": LIGHT,
        "client-qlc, mean of 60 s": SIMULATED,
        "P41 Plus 1 TB, guru3d.com: 3,000 MB/s, from about 12% on 262 MB/s": PUBLISHED,
    }
    each, mean, published = tones
    layers = [
        line(zip(percent, rate, strict=True), each, **THIN),
        line(zip(percent, means(rate, 30, drop_of(rate)), strict=True), mean, **THICK),
        line([(0, 3000), (12, 3000), (12, 262), (100, 262)], published, **DASHED),
    ]
    across = {"title": "written, % of the drive", "scale": {"domain": [0, 100]}}
    up = {
        "title": "MB/s (log)",
        "scale": {"type": "log", "domain": [30, 5000]},
        "axis": {"values": [50, 100, 200, 500, 1000, 2000, 5000], "format": ",d"},
    }
    title = "Bandwidth as the empty drive is filled"
    save(Chart(title, {"$schema": SCHEMA, **panel(layers, tones, across, up, 260)}), picture, WIDTH)


def draw_overwrite(result: dict[str, Any], picture: Path) -> None:
    """IOPS and write amplification over drive writes."""
    series = result["series"]
    capacity = result["drive"]["logical_units"] * result["drive"]["mapping_unit_bytes"]
    writes = (numpy.cumsum(series["write_bytes"]) / capacity)[:-1]
    iops = (series["write_requests"] / series["duration_ns"] * 1e9)[:-1] * CHANNELS / 1000
    waf = series["waf"][:-1]
    drop = drop_of(iops)
    mean_iops = means(iops, 12, drop)
    # Bytes programmed and written, each over 60 s.
    mean_waf = numpy.array(means(iops * waf, 12, drop)) / mean_iops
    tones = {
        "enterprise-tlc, 5 s intervals": LIGHT,
        "enterprise-tlc, mean of 60 s": SIMULATED,
        "PM9A3 U.2, announced: up to 200,000 (heise.de)": PUBLISHED,
    }
    each, mean, published = tones
    end = float(writes[-1])
    span = {"domain": [0, end]}
    upper = panel(
        [
            line(zip(writes, iops, strict=True), each, **THIN),
            line(zip(writes, mean_iops, strict=True), mean, **THICK),
            line([(0, 200), (end, 200)], published, **DASHED),
        ],
        tones,
        {"title": None, "scale": span},
        {"title": "thousand writes/s", "scale": {"zero": True}},
        150,
    )
    lower = panel(
        [
            line(zip(writes, waf, strict=True), each, **THIN),
            line(zip(writes, mean_waf, strict=True), mean, **THICK),
        ],
        tones,
        {"title": "drive writes", "scale": span},
        {"title": "WAF", "scale": {"zero": True}},
        150,
    )
    title = "From a drive filled in order to its steady state"
    save(Chart(title, {"$schema": SCHEMA, "vconcat": [upper, lower]}), picture, WIDTH)


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
